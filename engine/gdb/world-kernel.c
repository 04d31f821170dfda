// SPDX-License-Identifier: MIT
//
// The guest's kernel in place of a process: one thread, the CPU, wherever it is. Its steps are instructions
// of the machine, interrupts among them; memory is that of the address space in use.
#include "world-private.h"

#include "rw-inspect.h"

#define CPU_THREAD 1u
#define PAGE 4096ull

static uint32_t get_pid(void *data)
{
    return CPU_THREAD;
}

static GPtrArray *get_threads(void *data)
{
    RwGdb *g = data;
    GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)gdb_thread_free);
    GdbThread *thread = g_new0(GdbThread, 1);
    GdbPlace place = gdb_place(g);
    const char *mode = place.user ? "in its program" : "in the kernel";
    thread->tid = CPU_THREAD;
    thread->name = g_strdup("CPU");
    thread->state = place.tid ? g_strdup_printf("thread %u of process %u, %s", place.tid, place.pid, mode)
                              : g_strdup("none of the job's threads");
    g_ptr_array_add(threads, thread);
    return threads;
}

static void get_registers(void *data, uint32_t tid, GdbRegisters *ret)
{
    gdb_fill_cpu(rw_timeline_get_machine(((RwGdb *)data)->timeline), ret);
}

static bool set_registers(void *data, uint32_t tid, const GdbRegisters *to, GError **error)
{
    RwGdb *g = data;
    RwMachine *machine = rw_timeline_fork(g->timeline, error);
    if (machine && gdb_set_running(machine, to))
        return gdb_take_machine(g, machine, error);
    if (machine)
        g_set_error_literal(error, RW_ERROR, RW_ERROR_USAGE, "the CPU has no such state");
    rw_machine_free(machine);
    return false;
}

static size_t read_memory(void *data, uint64_t va, void *ret_bytes, size_t length)
{
    RwMachine *machine = rw_timeline_get_machine(((RwGdb *)data)->timeline);
    size_t done = 0;
    while (done < length) {
        uint64_t gpa, at = va + done;
        size_t part = (size_t)MIN(PAGE - at % PAGE, length - done);
        if (!rw_machine_translate(machine, 0, at, &gpa) ||
            !rw_machine_read_memory(machine, gpa, (uint8_t *)ret_bytes + done, part))
            break;
        done += part;
    }
    return done;
}

static bool write_memory(void *data, uint64_t va, const void *bytes, size_t length, GError **error)
{
    RwGdb *g = data;
    uint64_t gpa;
    RwMachine *machine = rw_timeline_fork(g->timeline, error);
    for (size_t done = 0, part; machine && done < length; done += part) {
        part = (size_t)MIN(PAGE - (va + done) % PAGE, length - done);
        if (rw_machine_translate(machine, 0, va + done, &gpa) &&
            rw_machine_write_memory(machine, gpa, (const uint8_t *)bytes + done, part))
            continue;
        g_set_error_literal(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "no such memory");
        rw_machine_free(machine);
        return false;
    }
    return machine && gdb_take_machine(g, machine, error);
}

// ---- Going on ----

static size_t make_whens(GdbGoing *going, RwWhen *ret)
{
    // Whatever the address space, of code; of memory the one in use, in which the kernel's is that of all.
    going->g->root = rw_machine_root(rw_timeline_get_machine(going->g->timeline));
    size_t n = gdb_whens(going, ret, false);
    for (size_t i = 0; i < n; i++)
        if (ret[i].kind == RW_WHEN_CODE)
            ret[i].root = 0;
    return n;
}

static bool step(GdbGoing *going)
{
    RwGdb *g = going->g;
    const GdbResume *how = going->how;
    uint64_t rip;
    do {
        uint64_t now = rw_timeline_get_icount(g->timeline);
        if (how->forward ? now >= g->life.end : now <= g->life.begin) {
            going->stop->kind = how->forward ? GDB_STOP_END : GDB_STOP_BEGIN;
            return true;
        }
        if (!gdb_go_icount(g, how->forward ? now + 1 : now - 1, going->error))
            return false;
        rip = gdb_place(g).rip;
    } while (rip >= how->from && rip < how->until && !gdb_has_break(how, rip) &&
             !gdb_is_interrupted(going));
    return true;
}

static bool run(GdbGoing *going)
{
    RwGdb *g = going->g;
    RwWhen whens[RW_WHENS_MAX];
    RwWhenHit hit;
    bool forward = going->how->forward, undone = false;
    size_t n = make_whens(going, whens);
    if (!forward && (!gdb_undo_here(going, &undone) || undone))
        return undone;
    GdbRan ran = gdb_run(going, forward, whens, n, forward ? g->life.end : g->life.begin, &hit);
    if (ran == GDB_RAN_INTERRUPTED)
        going->stop->kind = GDB_STOP_INTERRUPTED;
    if (ran == GDB_RAN_LIMIT)
        going->stop->kind = forward ? GDB_STOP_END : GDB_STOP_BEGIN;
    if (ran != GDB_RAN_HIT)
        return ran != GDB_RAN_FAILED;
    gdb_take_hit(going, &whens[hit.which], &hit);
    return forward || going->stop->kind != GDB_STOP_WATCH || gdb_go_icount(g, hit.icount - 1, going->error);
}

static bool resume(void *data, const GdbResume *how, GdbStop *ret, GError **error)
{
    GdbGoing going = {data, how, ret, error};
    *ret = (GdbStop){0};
    bool ok = how->step ? step(&going) : run(&going);
    ret->tid = CPU_THREAD;
    return ok;
}

// ---- The rest ----

const GdbWorldOps gdb_kernel_ops = {
    .pid = get_pid,
    .threads = get_threads,
    .registers = get_registers,
    .set_registers = set_registers,
    .read = read_memory,
    .write = write_memory,
    .resume = resume,
    .monitor = gdb_world_monitor,
};

bool gdb_choose_kernel(RwGdb *g, GError **error)
{
    RwPosition first = rw_timeline_get_start(g->recorded), last = rw_timeline_get_end(g->recorded);
    RwStepInfo info;
    if (!rw_trace_step(g->config.trace, first.step, &info, error))
        return false;
    gdb_life_clear(&g->life);
    g->life = (GdbLife){.begin = info.icount};
    if (!rw_trace_step(g->config.trace, last.step, &info, error))
        return false;
    g->life.end = info.icount + last.after;
    g->life.signals = g_array_new(false, false, sizeof(GdbSignal));
    g->tid = CPU_THREAD;
    return true;
}
