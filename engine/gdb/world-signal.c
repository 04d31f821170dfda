// SPDX-License-Identifier: MIT
//
// What is changed where a thread takes a signal: its handler is still to come. The guest's kernel has
// decided so, and makes the handler's frame on the way to user mode. So the thread goes on to its handler
// first, in the changed machine; the debugger is shown the registers of before, and when it puts these back
// behind a function that it called the thread has those of its handler again, and the frame.
//
// A signal that ends the process has no handler. There the changed machine is one in which the thread has
// not left its program yet: it is about to make the system call, or to execute the instruction that fails.
// With its registers put back it does so, and ends.
#include "world-private.h"

#include "rw-event.h"

#define RED_ZONE 128u // bytes below the stack that stay the program's own
#define FRAME_MAX 0x10000u
#define WAY_MAX (16u << 20) // instructions to the handler
#define FAR (1u << 20) // instructions since the program was left: others will not have done much meanwhile

struct _GdbHandler {
    uint32_t tid;
    uint64_t icount; // where the registers are shown; what is there is the handler's
    GdbRegisters before, shown, handler;
    uint64_t frame; // its address
    GByteArray *bytes;
    bool ends; // the process does, by the signal: `handler` is before it
};

enum { RSP = 4 };

void gdb_handler_free(GdbHandler *handler)
{
    if (!handler)
        return;
    g_byte_array_unref(handler->bytes);
    g_free(handler);
}

static bool is_same(const GdbRegisters *a, const GdbRegisters *b)
{
    return !memcmp(a->gpr, b->gpr, sizeof a->gpr) && a->rip == b->rip && a->flags == b->flags &&
           a->fs_base == b->fs_base && a->gs_base == b->gs_base && a->orig_rax == b->orig_rax &&
           (!a->fpu_known || !memcmp(a->fxsave, b->fxsave, sizeof a->fxsave));
}

// ---- Coming to it ----

// The thread takes a signal right here.
static bool takes_signal(RwGdb *g, uint32_t tid)
{
    uint64_t now = rw_timeline_get_icount(g->timeline);
    if (g->signal_tid == tid && g->signal_icount == now)
        return true;
    for (guint i = 0; i < g->life.signals->len; i++) {
        const GdbSignal *signal = &g_array_index(g->life.signals, GdbSignal, i);
        if (signal->tid == tid && signal->icount == now)
            return true;
    }
    return false;
}

static void keep_frame(RwGdb *g, GdbHandler *handler)
{
    uint64_t top = handler->before.gpr[RSP] - RED_ZONE;
    handler->frame = handler->handler.gpr[RSP];
    if (handler->frame >= top || top - handler->frame > FRAME_MAX)
        return; // on a stack of its own, which no call of a debugger's is on
    g_byte_array_set_size(handler->bytes, (guint)(top - handler->frame));
    size_t n = gdb_world_read(g, handler->frame, handler->bytes->data, handler->bytes->len);
    g_byte_array_set_size(handler->bytes, (guint)n);
}

static GdbHandler *new_handler(RwGdb *g, uint32_t tid)
{
    GdbHandler *handler = g_new0(GdbHandler, 1);
    handler->tid = tid;
    handler->bytes = g_byte_array_new();
    gdb_world_registers(g, tid, &handler->before);
    handler->shown = handler->before;
    return handler;
}

static void keep_handler(RwGdb *g, GdbHandler *handler)
{
    gdb_world_registers(g, handler->tid, &handler->handler);
    handler->icount = rw_timeline_get_icount(g->timeline);
}

// ---- The end in place of a handler ----

// To where the thread left its program last before the count `now`: before a system call, or at the
// instruction that failed. *ret_there: it is not far.
static bool go_before(RwGdb *g, uint32_t tid, uint64_t now, bool *ret_there, GError **error)
{
    RwWhen whens[RW_WHENS_MAX] = {gdb_when_user(g, tid)};
    RwWhenHit hit;
    uint64_t left;
    GdbGoing going = {g, NULL, NULL, error};
    *ret_there = false;
    GdbRan ran = gdb_run(&going, false, whens, 1, rw_timeline_get_first(g->timeline), &hit);
    if (ran != GDB_RAN_HIT)
        return ran != GDB_RAN_FAILED;
    if (!gdb_find_leave(g, tid, now, &left, error))
        return false;
    for (unsigned back = 0; back < 2 && now - left < FAR && !*ret_there; back++) {
        if (!gdb_go_icount(g, left - back, error))
            return false;
        GdbPlace place = gdb_place(g);
        *ret_there = place.ours && place.user && place.tid == tid;
    }
    return true;
}

// A machine at that place of the recorded run, which stands `here` before and after it; NULL and no error:
// the thread left its program long before the signal, and others may have changed much since.
static RwMachine *fork_before(RwGdb *g, GdbHandler *handler, const RwPosition *here, GError **error)
{
    RwTimeline *branch = g->timeline;
    RwMachine *machine = NULL;
    bool there;
    gdb_forget(g);
    g->timeline = g->recorded;
    if (go_before(g, handler->tid, rw_timeline_get_icount(g->timeline), &there, error) && there) {
        keep_handler(g, handler);
        gdb_forget(g);
        machine = rw_timeline_fork(g->timeline, error);
    }
    if (!gdb_go(g, here, machine ? error : NULL))
        g_clear_pointer(&machine, rw_machine_free);
    gdb_forget(g);
    g->timeline = branch;
    return machine;
}

// The handler is taken, or freed.
static bool take_end(RwGdb *g, GdbHandler *handler, bool was_recorded, const RwPosition *here,
                     GError **error)
{
    g_autoptr(GError) local = NULL;
    RwMachine *machine = was_recorded ? fork_before(g, handler, here, &local) : NULL;
    if (machine) {
        handler->ends = true;
        g->handler = handler;
        return gdb_take_machine(g, machine, error);
    }
    gdb_handler_free(handler);
    g->life.end = UINT64_MAX;
    if (!local)
        return gdb_go(g, here, error);
    g_propagate_error(error, g_steal_pointer(&local));
    return false;
}

bool gdb_take_handler(RwGdb *g, uint32_t tid, GError **error)
{
    GdbPlace place = gdb_place(g);
    if (!tid || (place.ours && place.user && place.tid == tid) || !takes_signal(g, tid))
        return true;
    bool was_recorded = !gdb_has_left(g);
    GdbHandler *handler = new_handler(g, tid);
    gdb_handler_free(g->handler);
    g->handler = NULL;
    RwMachine *machine = rw_timeline_fork(g->timeline, error);
    if (!machine || !gdb_take_machine(g, machine, error)) {
        gdb_handler_free(handler);
        return false;
    }
    RwPosition here = rw_timeline_get_position(g->timeline);
    RwWhen whens[RW_WHENS_MAX] = {gdb_when_user(g, tid),
                                  {.kind = RW_WHEN_EVENT, .pid = g->pid, .event = REWIND_RECORD_EXIT}};
    RwWhenHit hit;
    GdbGoing going = {g, NULL, NULL, error};
    GdbRan ran = gdb_run(&going, true, whens, 2, place.icount + WAY_MAX, &hit);
    if (ran == GDB_RAN_HIT && hit.which == 0) {
        keep_handler(g, handler);
        keep_frame(g, handler);
        g->handler = handler;
        return true;
    }
    if (ran != GDB_RAN_FAILED)
        return take_end(g, handler, was_recorded, &here, error);
    gdb_handler_free(handler);
    g->life.end = UINT64_MAX;
    return false;
}

// ---- What is shown there ----

static bool is_shown(RwGdb *g, uint32_t tid)
{
    return g->handler && g->handler->tid == tid && gdb_has_left(g) &&
           g->handler->icount == rw_timeline_get_icount(g->timeline);
}

bool gdb_handler_registers(RwGdb *g, uint32_t tid, GdbRegisters *ret)
{
    if (!is_shown(g, tid))
        return false;
    *ret = g->handler->shown;
    return true;
}

GdbRegisters gdb_handler_choose(RwGdb *g, RwMachine *machine, uint32_t tid, const GdbRegisters *to)
{
    GdbHandler *handler = gdb_has_left(g) ? g->handler : NULL;
    bool back = handler && handler->tid == tid && is_same(&handler->before, to);
    if (!handler || handler->tid != tid || (!back && !is_shown(g, tid)))
        return *to;
    handler->shown = *to;
    handler->icount = rw_timeline_get_icount(g->timeline);
    if (back)
        gdb_write_directly(g, machine, handler->frame, handler->bytes->data, handler->bytes->len);
    return back ? handler->handler : *to;
}

bool gdb_handler_begin(RwGdb *g)
{
    bool begins =
        g->handler && is_shown(g, g->handler->tid) && is_same(&g->handler->before, &g->handler->shown);
    bool ends = begins && g->handler->ends;
    if (begins)
        g_clear_pointer(&g->handler, gdb_handler_free);
    else if (g->handler)
        g->handler->icount = UINT64_MAX; // a function is called, before it
    return begins && !ends;
}
