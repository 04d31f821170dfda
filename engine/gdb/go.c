// SPDX-License-Identifier: MIT
//
// Going on until a breakpoint, a watchpoint, a signal, or the end of what is recorded.
//
// Forwards a watchpoint stops behind the instruction that it is about, backwards before it, as a debugger
// expects: either way the value is another one than where one came from.
#include "world-private.h"

#define PIECE (64u << 20) // instructions, after each of which an interrupt is looked for

// ---- Conditions ----

static bool is_memory(const GdbPoint *point)
{
    return point->kind >= GDB_WRITE;
}

static bool read_user(void *machine, uint64_t va, void *ret_bytes, size_t length)
{
    return rw_machine_read_user(machine, va, ret_bytes, length);
}

static bool holds(RwMachine *machine, const void *point)
{
    GdbRegisters registers;
    gdb_fill_cpu(machine, &registers);
    return gdb_point_holds(point, &(GdbStand){&registers, read_user, machine});
}

static RwWhen make_when(const RwGdb *g, RwWhenKind kind, const GdbPoint *point, uint32_t only)
{
    RwWhen when = {.kind = kind, .tid = only, .root = g->root};
    when.address = point->address;
    when.length = point->length;
    if (kind == RW_WHEN_CODE || !g->root)
        when.pid = g->pid;
    if (point->conditions) {
        when.holds = holds;
        when.data = point;
    }
    return when;
}

size_t gdb_whens(const GdbGoing *going, RwWhen *ret, bool memory_only)
{
    size_t n = 0;
    uint32_t only = going->how->only;
    for (size_t i = 0; i < going->how->n; i++) {
        const GdbPoint *point = &going->how->points[i];
        if (!is_memory(point) && !memory_only)
            ret[n++] = make_when(going->g, RW_WHEN_CODE, point, only);
        else if (point->kind == GDB_WRITE)
            ret[n++] = make_when(going->g, RW_WHEN_CHANGED, point, only);
        if (point->kind == GDB_READ || point->kind == GDB_ACCESS)
            ret[n++] = make_when(going->g, RW_WHEN_READ, point, only);
        if (point->kind == GDB_ACCESS)
            ret[n++] = make_when(going->g, RW_WHEN_WRITTEN, point, only);
    }
    return n;
}

RwWhen gdb_when_user(const RwGdb *g, uint32_t tid)
{
    return (RwWhen){.kind = RW_WHEN_USER, .pid = g->pid, .tid = tid};
}

// Of the points the one that a condition was made of.
static const GdbPoint *find_point(const GdbResume *how, const RwWhen *when)
{
    for (size_t i = 0; i < how->n; i++) {
        const GdbPoint *point = &how->points[i];
        if (point->address != when->address || is_memory(point) != (when->kind != RW_WHEN_CODE))
            continue;
        bool fits = when->kind == RW_WHEN_CODE      ? true
                    : when->kind == RW_WHEN_CHANGED ? point->kind == GDB_WRITE
                    : when->kind == RW_WHEN_WRITTEN ? point->kind == GDB_ACCESS
                                                    : point->kind == GDB_READ || point->kind == GDB_ACCESS;
        if (fits && (point->length == when->length || when->kind == RW_WHEN_CODE))
            return point;
    }
    return NULL;
}

static char *dup_by_whom(const RwGdb *g, const RwWhenHit *hit)
{
    if (hit->pid == g->pid)
        return hit->kernel ? g_strdup_printf("the kernel does it, for thread %u", hit->tid) : NULL;
    return hit->pid
               ? g_strdup_printf("thread %u of process %u (%s) does it", hit->tid, hit->pid, hit->program)
               : g_strdup("the kernel does it, for nobody of the job");
}

void gdb_take_hit(GdbGoing *going, const RwWhen *when, const RwWhenHit *hit)
{
    RwGdb *g = going->g;
    const GdbPoint *point = find_point(going->how, when);
    GdbStop *stop = going->stop;
    stop->kind = when->kind == RW_WHEN_USER   ? GDB_STOP_STEP
                 : when->kind == RW_WHEN_CODE ? GDB_STOP_BREAK
                                              : GDB_STOP_WATCH;
    stop->address = when->kind == RW_WHEN_CODE ? when->address : hit->address;
    if (point)
        stop->point = point->kind;
    if (hit->pid == g->pid)
        g->tid = hit->tid;
    if (stop->kind == GDB_STOP_WATCH)
        stop->note = dup_by_whom(g, hit);
}

// ---- Running ----

bool gdb_is_interrupted(const GdbGoing *going)
{
    const GdbResume *how = going->how;
    return how && how->interrupted && how->interrupted(how->data);
}

// The timeline tells now and then that it goes on.
void gdb_look_for_interrupt(double done, void *data)
{
    RwGdb *g = data;
    if (g->how && g->how->interrupted && g->how->interrupted(g->how->data))
        g_cancellable_cancel(g->stop);
}

static GdbRan interrupt(RwGdb *g, const RwPosition *stay, GError **error)
{
    g_cancellable_reset(g->stop);
    return gdb_go(g, stay, error) ? GDB_RAN_INTERRUPTED : GDB_RAN_FAILED;
}

// Forwards by pieces, so that an interrupt stops where it has come to.
static uint64_t next_piece(bool forward, uint64_t now, uint64_t limit)
{
    return forward && limit - now > PIECE ? now + PIECE : limit;
}

GdbRan gdb_run(GdbGoing *going, bool forward, RwWhen *whens, size_t n, uint64_t limit, RwWhenHit *ret_hit)
{
    RwGdb *g = going->g;
    RwPosition from = rw_timeline_get_position(g->timeline);
    gdb_forget(g);
    for (;;) {
        g_autoptr(GError) why = NULL;
        uint64_t now = rw_timeline_get_icount(g->timeline);
        if (forward ? now >= limit : now <= limit)
            return GDB_RAN_LIMIT;
        uint64_t piece = next_piece(forward, now, limit);
        whens[n] = (RwWhen){.kind = RW_WHEN_COUNT, .number = piece};
        g->how = forward ? NULL : going->how;
        RwWent went = rw_timeline_run(g->timeline, forward, whens, n + 1, ret_hit, g->stop, &why);
        g->how = NULL;
        if (g_error_matches(why, RW_ERROR, RW_ERROR_CANCELLED))
            return interrupt(g, &from, going->error);
        if (went == RW_WENT_FAILED) {
            g_propagate_error(going->error, g_steal_pointer(&why));
            return GDB_RAN_FAILED;
        }
        if (went == RW_WENT_HIT && ret_hit->which < n)
            return GDB_RAN_HIT;
        if (went == RW_WENT_OUT && forward && gdb_has_left(g))
            g->life.end = rw_timeline_get_icount(g->timeline); // of a machine, it may be
        if (went == RW_WENT_OUT || piece == limit)
            return GDB_RAN_LIMIT;
        if (gdb_is_interrupted(going))
            return GDB_RAN_INTERRUPTED;
    }
}

// ---- Signals ----

static bool is_ignored(const GdbGoing *going, uint64_t number, uint32_t tid)
{
    const GdbResume *how = going->how;
    return (number < 64 && how->ignored >> number & 1) || (how->only && tid != how->only);
}

// The nearest that is recorded, and a reason to stop; or NULL.
static const GdbSignal *find_signal(const GdbGoing *going, bool forward)
{
    uint64_t now = rw_timeline_get_icount(going->g->timeline);
    const GArray *signals = going->g->life.signals;
    for (guint i = 0; i < signals->len; i++) {
        const GdbSignal *signal = &g_array_index(signals, GdbSignal, forward ? i : signals->len - 1 - i);
        if ((forward ? signal->icount > now : signal->icount < now) &&
            !is_ignored(going, (uint64_t)signal->what.number, signal->tid))
            return signal;
    }
    return NULL;
}

static void stop_at_signal(GdbGoing *going, const GdbSignal *signal)
{
    going->stop->kind = GDB_STOP_SIGNAL;
    going->stop->signal = signal->what;
    going->g->tid = signal->tid;
    going->g->signal_tid = signal->tid;
    going->g->signal_icount = signal->icount;
}

// ---- Both ways ----

// What nothing is recorded of is met as it happens.
static size_t add_events(const RwGdb *g, RwWhen *ret)
{
    static const unsigned events[] = {REWIND_RECORD_SIGNAL, REWIND_RECORD_EXIT, REWIND_RECORD_EXEC};
    size_t n = gdb_has_left(g) ? G_N_ELEMENTS(events) : 0;
    for (size_t i = 0; i < n; i++)
        ret[i] = (RwWhen){.kind = RW_WHEN_EVENT, .pid = g->pid, .event = events[i]};
    if (n)
        ret[n++] = (RwWhen){.kind = RW_WHEN_CODE, .pid = g->pid, .address = gdb_fault_entry(g)};
    return n;
}

// A debugger lets a function that it calls return to where nothing can be executed, and wants to stop
// there.
static bool stop_at_fault(GdbGoing *going, const RwWhenHit *hit, bool *ret_stop)
{
    RwCpuState cpu;
    const GdbResume *how = going->how;
    rw_machine_get_cpu(rw_timeline_get_machine(going->g->timeline), &cpu);
    *ret_stop = gdb_has_break(how, cpu.cr2);
    if (!*ret_stop)
        return true;
    going->stop->kind = GDB_STOP_BREAK;
    going->stop->address = cpu.cr2;
    going->g->tid = hit->tid;
    return gdb_go_icount(going->g, hit->icount, going->error); // before the fault
}

// In order; it may be met again.
static void note_exec(RwGdb *g, uint64_t icount)
{
    guint i = g->execs->len;
    while (i > 0 && g_array_index(g->execs, uint64_t, i - 1) > icount)
        i--;
    if (!i || g_array_index(g->execs, uint64_t, i - 1) != icount)
        g_array_insert_val(g->execs, i, icount);
}

// Of a branch. *ret_stop: it is a reason to stop.
static bool take_event(GdbGoing *going, const RwWhen *when, const RwWhenHit *hit, bool *ret_stop)
{
    RwGdb *g = going->g;
    unsigned event = when->event;
    if (when->kind == RW_WHEN_CODE)
        return stop_at_fault(going, hit, ret_stop);
    *ret_stop = true;
    if (event == REWIND_RECORD_SIGNAL) {
        GdbSignal signal = {hit->icount, hit->tid, {.number = (int)hit->number, .address = hit->address}};
        signal.what.code = (int)(hit->number >> 32);
        signal.what.sender = hit->sender;
        *ret_stop = !is_ignored(going, (uint64_t)signal.what.number, hit->tid);
        if (*ret_stop)
            stop_at_signal(going, &signal);
        return true;
    }
    if (event == REWIND_RECORD_EXEC && going->how->exec) {
        note_exec(g, hit->icount);
        gdb_life_divide(&g->life, g->execs, rw_timeline_get_first(g->timeline), hit->icount);
        return !going->how->forward || gdb_enter_program(going);
    }
    if (event == REWIND_RECORD_EXEC) {
        g->life.end = hit->icount;
        g->life.how = GDB_LIFE_EXEC;
        return true;
    }
    *ret_stop = hit->number != RW_WHEN_ANY; // the last thread's
    if (*ret_stop) {
        g->life.end = hit->icount;
        g->life.how = GDB_LIFE_EXIT;
        g->life.status = (int)hit->number;
    }
    return true;
}

typedef struct {
    RwWhen whens[RW_WHENS_MAX];
    size_t n, points, more; // how many; those of points; and up to `more`
    uint64_t limit;
    const GdbSignal *signal; // at the limit, or NULL
} GdbWay;

static GdbWay make_way(const GdbGoing *going, bool forward, const RwWhen *more)
{
    GdbWay way = {.signal = find_signal(going, forward)};
    way.n = way.points = gdb_whens(going, way.whens, false);
    if (more)
        way.whens[way.n++] = *more;
    way.more = way.n;
    way.n += add_events(going->g, way.whens + way.n);
    way.limit = way.signal ? way.signal->icount : forward ? going->g->life.end : going->g->life.begin;
    return way;
}

// To what is met first, events that are no reason to stop passed over.
static GdbRan run_way(GdbGoing *going, bool forward, GdbWay *way, RwWhenHit *ret_hit)
{
    for (;;) {
        bool stop;
        GdbRan ran = gdb_run(going, forward, way->whens, way->n, way->limit, ret_hit);
        if (ran == GDB_RAN_HIT && ret_hit->which < way->more)
            gdb_take_hit(going, &way->whens[ret_hit->which], ret_hit);
        if (ran == GDB_RAN_LIMIT && way->signal)
            stop_at_signal(going, way->signal);
        if (ran == GDB_RAN_INTERRUPTED)
            going->stop->kind = GDB_STOP_INTERRUPTED;
        if (ran != GDB_RAN_HIT || ret_hit->which < way->more)
            return ran;
        if (!take_event(going, &way->whens[ret_hit->which], ret_hit, &stop))
            return GDB_RAN_FAILED;
        if (stop)
            return going->stop->kind == GDB_STOP_STEP ? GDB_RAN_LIMIT : GDB_RAN_HIT;
    }
}

// ---- Forwards ----

bool gdb_forward_until(GdbGoing *going, const RwWhen *more)
{
    RwGdb *g = going->g;
    RwWhenHit hit;
    RwPosition from = rw_timeline_get_position(g->timeline);
    GdbWay way = make_way(going, true, more);
    GdbRan ran = run_way(going, true, &way, &hit);
    if (ran == GDB_RAN_LIMIT && going->stop->kind != GDB_STOP_SIGNAL)
        return gdb_stop_at_end(going, &from);
    return ran != GDB_RAN_FAILED;
}

// ---- Backwards ----

bool gdb_undo_here(GdbGoing *going, bool *ret_undone)
{
    RwGdb *g = going->g;
    RwWhen whens[RW_WHENS_MAX];
    RwWhenHit hit;
    RwPosition here = rw_timeline_get_position(g->timeline);
    uint64_t now = rw_timeline_get_icount(g->timeline);
    size_t n = gdb_whens(going, whens, true);
    *ret_undone = false;
    if (!n || now <= g->life.begin + 1)
        return true;
    if (!gdb_go_icount(g, now - 1, going->error))
        return false;
    GdbRan ran = gdb_run(going, true, whens, n, now, &hit);
    if (ran == GDB_RAN_FAILED)
        return false;
    *ret_undone = ran == GDB_RAN_HIT && hit.icount == now;
    if (!*ret_undone)
        return gdb_go(g, &here, going->error);
    gdb_take_hit(going, &whens[hit.which], &hit);
    return gdb_go_icount(g, now - 1, going->error);
}

bool gdb_backward_until(GdbGoing *going, const RwWhen *more, RwWhenHit *ret_more)
{
    RwWhenHit hit;
    bool undone;
    uint64_t from = rw_timeline_get_icount(going->g->timeline);
    if (!gdb_undo_here(going, &undone) || undone)
        return undone;
    GdbWay way = make_way(going, false, more);
    GdbRan ran = run_way(going, false, &way, &hit);
    if (ran == GDB_RAN_LIMIT && going->stop->kind != GDB_STOP_SIGNAL)
        return more ? gdb_reach_begin(going, from, more, ret_more) : gdb_stop_at_begin(going, from);
    if (ran != GDB_RAN_HIT)
        return ran != GDB_RAN_FAILED;
    if (hit.which >= way.points && hit.which < way.more)
        *ret_more = hit;
    return going->stop->kind != GDB_STOP_WATCH || gdb_go_icount(going->g, hit.icount - 1, going->error);
}

// ---- All of it ----

bool gdb_world_resume(void *data, const GdbResume *how, GdbStop *ret, GError **error)
{
    RwGdb *g = data;
    GdbGoing going = {g, how, ret, error};
    RwPosition before = rw_timeline_get_position(g->timeline);
    bool ok;
    *ret = (GdbStop){0};
    bool begins = gdb_handler_begin(g) && how->forward && how->step && g->tid == how->tid;
    if (begins)
        ok = true; // at its first instruction
    else if (how->step)
        ok = how->forward ? gdb_step_forward(&going) : gdb_step_backward(&going);
    else
        ok = how->forward ? gdb_forward_until(&going, NULL) : gdb_backward_until(&going, NULL, NULL);
    ok = ok && gdb_settle(g, error);
    ret->tid = g->tid;
    if (!ok && !rw_timeline_is_somewhere(g->timeline))
        gdb_go(g, &before, NULL);
    return ok;
}
