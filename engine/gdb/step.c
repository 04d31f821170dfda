// SPDX-License-Identifier: MIT
//
// One instruction of a thread, forwards and backwards. What the kernel and other threads do before it, or
// behind it, is passed over, unless something there is a reason to stop.
#include "world-private.h"

#define VALUE_MAX 64u // bytes of a watchpoint that are compared

// ---- Memory that is watched ----

// What it is now, of all that is watched for writes.
static GByteArray *copy_watched(GdbGoing *going)
{
    GByteArray *out = g_byte_array_new();
    for (size_t i = 0; i < going->how->n; i++) {
        const GdbPoint *point = &going->how->points[i];
        uint8_t value[VALUE_MAX] = {0};
        if (point->kind == GDB_WRITE)
            gdb_world_read(going->g, point->address, value, MIN(point->length, VALUE_MAX));
        rw_put_bytes(out, value, sizeof value);
    }
    return out;
}

// Whether it is another one than before; then that is the stop.
static bool has_changed(GdbGoing *going, const GByteArray *before)
{
    g_autoptr(GByteArray) now = copy_watched(going);
    for (size_t i = 0; i < going->how->n; i++)
        if (memcmp(before->data + i * VALUE_MAX, now->data + i * VALUE_MAX, VALUE_MAX) != 0) {
            going->stop->kind = GDB_STOP_WATCH;
            going->stop->point = GDB_WRITE;
            going->stop->address = going->how->points[i].address;
            return true;
        }
    return false;
}

static bool is_reading(const GdbPoint *point)
{
    return point->kind == GDB_READ || point->kind == GDB_ACCESS;
}

// Whether reads have to be seen, or lengths that are more than is compared.
static bool must_watch(const GdbResume *how)
{
    for (size_t i = 0; i < how->n; i++)
        if (is_reading(&how->points[i]) ||
            (how->points[i].kind == GDB_WRITE && how->points[i].length > VALUE_MAX))
            return true;
    return false;
}

// ---- Where the thread is ----

static bool is_at(RwGdb *g, uint32_t tid, GdbPlace *ret)
{
    *ret = gdb_place(g);
    return ret->ours && ret->user && ret->tid == tid;
}

// ---- Forwards ----

// To the next count; *ret_stop: there is a reason to stop.
static bool advance(GdbGoing *going, uint64_t to, bool *ret_stop)
{
    RwWhen whens[RW_WHENS_MAX];
    RwWhenHit hit;
    *ret_stop = false;
    if (must_watch(going->how)) {
        size_t n = gdb_whens(going, whens, true);
        GdbRan ran = gdb_run(going, true, whens, n, to, &hit);
        *ret_stop = ran == GDB_RAN_HIT;
        if (*ret_stop)
            gdb_take_hit(going, &whens[hit.which], &hit);
        return ran != GDB_RAN_FAILED;
    }
    g_autoptr(GByteArray) before = copy_watched(going);
    if (!gdb_go_icount(going->g, to, going->error))
        return false;
    *ret_stop = has_changed(going, before);
    return true;
}

// Until the thread is in user mode; *ret_stop as above.
static bool to_user(GdbGoing *going, uint32_t tid, bool *ret_stop)
{
    RwWhen user = gdb_when_user(going->g, tid);
    if (!gdb_forward_until(going, &user))
        return false;
    *ret_stop = going->stop->kind != GDB_STOP_STEP;
    return true;
}

// One instruction.
static bool step_forward(GdbGoing *going, uint32_t tid)
{
    RwGdb *g = going->g;
    GdbRegisters shown;
    GdbPlace place, after;
    bool stop = false;
    gdb_world_registers(g, tid, &shown);
    if (!is_at(g, tid, &place)) {
        if (!to_user(going, tid, &stop) || stop)
            return stop;
        // A handler, or a call that is made again.
        if (!is_at(g, tid, &place) || (shown.known && place.rip != shown.rip))
            return true;
    }
    do {
        if (place.icount >= g->life.end)
            return gdb_forward_until(going, NULL);
        if (!advance(going, place.icount + 1, &stop))
            return false;
        if (stop || is_at(g, tid, &after))
            return true;
        if (!to_user(going, tid, &stop) || stop)
            return stop;
        uint64_t rip = place.rip;
        if (!is_at(g, tid, &place) || place.rip != rip)
            return true;
        // It was interrupted, or failed, before it had done anything.
    } while (!gdb_is_interrupted(going));
    going->stop->kind = GDB_STOP_INTERRUPTED;
    return true;
}

bool gdb_has_break(const GdbResume *how, uint64_t rip)
{
    for (size_t i = 0; i < how->n; i++)
        if (how->points[i].kind <= GDB_CODE_TOO && how->points[i].address == rip)
            return true;
    return false;
}

bool gdb_step_forward(GdbGoing *going)
{
    RwGdb *g = going->g;
    const GdbResume *how = going->how;
    GdbPlace place;
    g->tid = how->tid;
    for (;;) {
        if (!step_forward(going, how->tid))
            return false;
        if (going->stop->kind != GDB_STOP_STEP || !is_at(g, how->tid, &place) || place.rip < how->from ||
            place.rip >= how->until)
            return true;
        if (gdb_has_break(how, place.rip)) {
            going->stop->kind = GDB_STOP_BREAK;
            going->stop->address = place.rip;
            return true;
        }
        if (gdb_is_interrupted(going)) {
            going->stop->kind = GDB_STOP_INTERRUPTED;
            return true;
        }
    }
}

// ---- Backwards ----

#define PAGE_FAULT 14u
#define VECTORS 32u // exceptions; beyond these there is but the machine's own interrupt

static uint64_t read_gate(RwMachine *machine, const RwCpuState *cpu, unsigned vector)
{
    uint8_t gate[16];
    uint64_t gpa, at = cpu->idt_base + vector * sizeof gate;
    if (!rw_machine_translate(machine, 0, at, &gpa) ||
        !rw_machine_read_memory(machine, gpa, gate, sizeof gate) || !(gate[5] & 0x80))
        return 0;
    return (uint64_t)rw_load_u32(gate + 8) << 32 | (uint64_t)rw_load_u16(gate + 6) << 16 |
           rw_load_u16(gate);
}

// The instructions with which the kernel is entered, by a thread.
static size_t find_entries(RwGdb *g, uint32_t tid, RwWhen *ret)
{
    RwCpuState cpu;
    RwMachine *machine = rw_timeline_get_machine(g->timeline);
    size_t n = 0;
    RwWhen when = {.kind = RW_WHEN_CODE, .pid = g->pid, .tid = tid};
    rw_machine_get_cpu(machine, &cpu);
    when.address = cpu.lstar;
    ret[n++] = when;
    for (unsigned i = 0; i <= VECTORS; i++) {
        when.address = read_gate(machine, &cpu, i < VECTORS ? i : REWIND_VECTOR);
        if (when.address)
            ret[n++] = when;
    }
    return n;
}

uint64_t gdb_fault_entry(const RwGdb *g)
{
    RwCpuState cpu;
    RwMachine *machine = rw_timeline_get_machine(g->timeline);
    rw_machine_get_cpu(machine, &cpu);
    return read_gate(machine, &cpu, PAGE_FAULT);
}

bool gdb_find_leave(RwGdb *g, uint32_t tid, uint64_t until, uint64_t *ret_icount, GError **error)
{
    RwWhen whens[RW_WHENS_MAX];
    RwWhenHit hit;
    size_t n = find_entries(g, tid, whens);
    GdbGoing going = {g, NULL, NULL, error};
    GdbRan ran = gdb_run(&going, true, whens, n, until, &hit);
    *ret_icount = ran == GDB_RAN_HIT ? hit.icount : until;
    return ran != GDB_RAN_FAILED;
}

// One instruction before `place`, which is in user mode; *ret_done: that is one of the thread's.
static bool retreat(GdbGoing *going, uint32_t tid, const GdbPlace *place, bool *ret_done)
{
    RwGdb *g = going->g;
    GdbPlace now;
    *ret_done = false;
    if (place->icount <= g->life.begin)
        return true;
    RwPosition here = rw_timeline_get_position(g->timeline);
    g_autoptr(GByteArray) before = copy_watched(going);
    if (!gdb_go_icount(g, place->icount - 1, going->error))
        return false;
    *ret_done = is_at(g, tid, &now);
    if (*ret_done)
        has_changed(going, before);
    return *ret_done || gdb_go(g, &here, going->error);
}

bool gdb_step_backward(GdbGoing *going)
{
    RwGdb *g = going->g;
    uint32_t tid = going->how->tid;
    GdbPlace place;
    bool done = false;
    g->tid = tid;
    if (is_at(g, tid, &place) && (!retreat(going, tid, &place, &done) || done))
        return done;
    for (;;) {
        uint64_t until = rw_timeline_get_icount(g->timeline), left;
        RwWhen user = gdb_when_user(g, tid);
        RwWhenHit hit;
        if (!gdb_backward_until(going, &user, &hit))
            return false;
        if (going->stop->kind != GDB_STOP_STEP)
            return true;
        if (!gdb_find_leave(g, tid, until, &left, going->error))
            return false;
        if (left > hit.icount && !gdb_go_icount(g, left - 1, going->error))
            return false;
        if (left > hit.icount && is_at(g, tid, &place))
            return true;
        if (!gdb_go(g, &hit.position, going->error))
            return false;
    }
}
