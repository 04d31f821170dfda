// SPDX-License-Identifier: MIT
// Stopping where something happens, and looking there. Nothing of it is state of the machine: points of
// the schedule are counted by points.c, whoever else stops at them.
#include "rw-machine-private.h"

#include <string.h>

void rw_machine_set_breaks(RwMachine *m, const RwBreaks *breaks)
{
    bool watched = (m->breaks && m->breaks->watch.access) || (breaks && breaks->watch.access);
    g_free(m->breaks);
    m->breaks = breaks ? g_memdup2(breaks, sizeof *breaks) : NULL;
    if (watched)
        rw_vcpu_set_watch(m->cpu, breaks && breaks->watch.access ? &breaks->watch : NULL);
    m->stops_stale = true;
}

RwExitKind rw_machine_get_break(const RwMachine *m)
{
    return m->broken;
}

void rw_machine_leave(RwMachine *m)
{
    m->leaves = true;
    rw_vcpu_kick(m->cpu);
}

void rw_breaks_add(const RwMachine *m, RwVcpuStops *stops)
{
    const RwVcpuStops *more = &m->breaks->stops;
    stops->calls |= more->calls;
    stops->returns |= more->returns;
    stops->kernel |= more->kernel;
    for (unsigned i = 0; i < more->n && stops->n < RW_STOPS_MAX; i++)
        stops->addresses[stops->n++] = more->addresses[i];
}

static bool has_address(const RwVcpuStops *stops, uint64_t rip)
{
    for (unsigned i = 0; i < stops->n; i++)
        if (stops->addresses[i] == rip)
            return stops->kernel || !(rip >> 63);
    return false;
}

void rw_breaks_exit(RwMachine *m, const RwExit *exit)
{
    const RwVcpuStops *stops = m->breaks ? &m->breaks->stops : NULL;
    if (stops && (exit->kind == RW_EXIT_CALL   ? stops->calls
                  : exit->kind == RW_EXIT_USER ? stops->returns
                                               : has_address(stops, rw_vcpu_rip(m->cpu))))
        m->broken = exit->kind;
}

// ---- Looking ----

uint64_t rw_machine_root(RwMachine *m)
{
    RwCpuState state;
    rw_vcpu_get_state(m->cpu, &state);
    return state.cr3 & RW_ENTRY_ADDRESS;
}

bool rw_walk_tables(const uint8_t *(*at)(void *data, uint64_t gpa, uint64_t length), void *data,
                    uint64_t root, uint64_t va, RwTableWalk *ret)
{
    uint64_t table = root & RW_ENTRY_ADDRESS, inside = 0;
    *ret = (RwTableWalk){.common = UINT64_MAX};
    for (unsigned shift = 39; shift >= 12; shift -= 9) {
        const uint8_t *bytes = at(data, table + (va >> shift & 511) * 8, 8);
        ret->entry = bytes ? rw_load_u64(bytes) : 0;
        ret->common &= ret->entry;
        ret->is_page = shift == 12;
        if (!(ret->entry & RW_ENTRY_PRESENT))
            return false;
        table = ret->entry & RW_ENTRY_ADDRESS;
        inside = (1ull << shift) - 1;
        if (ret->entry & RW_ENTRY_LARGE && shift < 39)
            break;
    }
    ret->gpa = (table & ~inside) | (va & inside);
    return true;
}

static const uint8_t *memory_at(void *data, uint64_t gpa, uint64_t length)
{
    return rw_memory_at(data, gpa, length);
}

bool rw_machine_walk(RwMachine *m, uint64_t root, uint64_t va, RwTableWalk *ret)
{
    return rw_walk_tables(memory_at, &m->memory, root, va, ret);
}

bool rw_machine_translate(RwMachine *m, uint64_t root, uint64_t va, uint64_t *ret_gpa)
{
    RwTableWalk walk;
    if (!root)
        return rw_vcpu_translate(m->cpu, va, ret_gpa);
    bool found = rw_machine_walk(m, root, va, &walk);
    *ret_gpa = walk.gpa;
    return found;
}

bool rw_machine_translate_written(RwMachine *m, uint64_t root, uint64_t va, uint64_t *ret_gpa)
{
    const uint64_t all = RW_ENTRY_WRITABLE | RW_ENTRY_USER;
    RwTableWalk walk;
    bool found = rw_machine_walk(m, root, va, &walk);
    *ret_gpa = walk.gpa;
    return found && (walk.common & all) == all && walk.entry & RW_ENTRY_DIRTY;
}

bool rw_machine_read_memory(RwMachine *m, uint64_t gpa, void *ret_bytes, size_t length)
{
    const uint8_t *from = rw_memory_at(&m->memory, gpa, length);
    if (from)
        memcpy(ret_bytes, from, length);
    return from != NULL;
}

// ---- Changing ----

bool rw_machine_write_memory(RwMachine *m, uint64_t gpa, const void *bytes, size_t length)
{
    uint8_t *to = rw_memory_write_at(&m->memory, gpa, length);
    if (!to)
        return false;
    memcpy(to, bytes, length);
    rw_vcpu_memory_written(m->cpu, gpa, length);
    return true;
}

bool rw_machine_set_cpu(RwMachine *m, const RwCpuState *state)
{
    RwCpuState now, next = *state;
    bool entered = rw_vcpu_is_entered(m->cpu);
    rw_vcpu_get_state(m->cpu, &now);
    next.icount = now.icount;
    next.tsc_base = now.tsc_base;
    next.tsc_runs = now.tsc_runs;
    if (rw_vcpu_check_state(m->cpu, &next))
        return false;
    rw_vcpu_set_state(m->cpu, &next);
    rw_vcpu_set_entered(m->cpu, entered);
    return true;
}

void rw_machine_prefer(RwMachine *m, uint32_t tid)
{
    struct rewind_shared *shared = m->memory.shared;
    if (!(shared->features & REWIND_FEATURE_HOLDS) || shared->n_commands >= REWIND_COMMANDS_MAX)
        return;
    shared->commands[shared->n_commands++] = (struct rewind_command){REWIND_COMMAND_NEXT, tid};
    rw_device_raise(m, REWIND_PENDING_COMMANDS);
}

// ---- Who ----

void rw_machine_get_current(const RwMachine *m, uint32_t *ret_pid, uint32_t *ret_tid)
{
    const struct rewind_shared *shared = m->memory.shared;
    bool knows = shared->features & REWIND_FEATURE_HOLDS;
    *ret_pid = knows ? shared->current_pid : m->now.device.current_pid;
    *ret_tid = knows ? shared->current_tid : m->now.device.current_tid;
}

const char *rw_machine_get_program(const RwMachine *m, uint32_t pid)
{
    return rw_names_get(&m->now.names, pid);
}
