// SPDX-License-Identifier: MIT
//
// Going on until a breakpoint, a watchpoint, a signal, or the end of what is recorded.
//
// Forwards a watchpoint stops behind the instruction that it is about, backwards before it, as a debugger
// expects: either way the value is another one than where one came from.
#include "world-private.h"

#include "rw-event.h"

#define PIECE (64u << 20) // instructions, after each of which an interrupt is looked for

// ---- Conditions ----

static bool is_memory(const GdbPoint *point)
{
    return point->kind >= GDB_WRITE;
}

static RwWhen make_when(const RwGdb *g, RwWhenKind kind, const GdbPoint *point)
{
    RwWhen when = {.kind = kind, .root = g->root, .address = point->address, .length = point->length};
    if (kind == RW_WHEN_CODE || !g->root)
        when.pid = g->pid;
    return when;
}

size_t gdb_whens(const GdbGoing *going, RwWhen *ret, bool memory_only)
{
    size_t n = 0;
    for (size_t i = 0; i < going->how->n; i++) {
        const GdbPoint *point = &going->how->points[i];
        if (!is_memory(point) && !memory_only)
            ret[n++] = make_when(going->g, RW_WHEN_CODE, point);
        else if (point->kind == GDB_WRITE)
            ret[n++] = make_when(going->g, RW_WHEN_CHANGED, point);
        if (point->kind == GDB_READ || point->kind == GDB_ACCESS)
            ret[n++] = make_when(going->g, RW_WHEN_READ, point);
        if (point->kind == GDB_ACCESS)
            ret[n++] = make_when(going->g, RW_WHEN_WRITTEN, point);
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

static uint64_t next_piece(bool forward, uint64_t now, uint64_t limit)
{
    if (forward)
        return limit - now > PIECE ? now + PIECE : limit;
    return now - limit > PIECE ? now - PIECE : limit;
}

GdbRan gdb_run(GdbGoing *going, bool forward, RwWhen *whens, size_t n, uint64_t limit, RwWhenHit *ret_hit)
{
    RwGdb *g = going->g;
    gdb_forget(g);
    for (;;) {
        uint64_t now = rw_timeline_get_icount(g->timeline);
        if (forward ? now >= limit : now <= limit)
            return GDB_RAN_LIMIT;
        uint64_t piece = next_piece(forward, now, limit);
        whens[n] = (RwWhen){.kind = RW_WHEN_COUNT, .number = piece};
        RwWent went = rw_timeline_run(g->timeline, forward, whens, n + 1, ret_hit, NULL, going->error);
        if (went == RW_WENT_FAILED)
            return GDB_RAN_FAILED;
        if (went == RW_WENT_HIT && ret_hit->which < n)
            return GDB_RAN_HIT;
        if (went == RW_WENT_OUT || piece == limit)
            return GDB_RAN_LIMIT;
        if (gdb_is_interrupted(going))
            return GDB_RAN_INTERRUPTED;
        // What is met at the very count belongs to the next piece.
        if (!forward && !gdb_go_icount(g, piece + 1, going->error))
            return GDB_RAN_FAILED;
    }
}

// ---- Where the process ends ----

bool gdb_go_last(GdbGoing *going, uint64_t until, bool *ret_found)
{
    RwGdb *g = going->g;
    RwWhen whens[2] = {gdb_when_user(g, 0)};
    RwWhenHit hit;
    *ret_found = false;
    if (!gdb_go_icount(g, until, going->error))
        return false;
    GdbPlace place = gdb_place(g);
    for (;;) {
        uint64_t left;
        GdbRan ran = gdb_run(going, false, whens, 1, g->life.begin, &hit);
        if (ran != GDB_RAN_HIT)
            return ran != GDB_RAN_FAILED;
        RwPosition entered = hit.position;
        if (!gdb_find_leave(g, hit.tid, until, &left, going->error))
            return false;
        if (left > hit.icount && !gdb_go_icount(g, left - 1, going->error))
            return false;
        place = gdb_place(g);
        if (left > hit.icount && place.ours && place.user) {
            g->tid = place.tid;
            *ret_found = true;
            return true;
        }
        if (!gdb_go(g, &entered, going->error))
            return false;
    }
}

static char *dup_ending(const RwGdb *g)
{
    int status = g->life.status;
    if (g->life.how == GDB_LIFE_OPEN)
        return g_strdup("the recording ends");
    if (g->life.how == GDB_LIFE_EXEC)
        return g_strdup_printf("process %u executes another program", g->pid);
    if (status & 0x7f) {
        g_autofree char *signal = rw_signal_dup_name(status & 0x7f);
        return g_strdup_printf("process %u ends by %s", g->pid, signal);
    }
    return g_strdup_printf("process %u exits with %d", g->pid, status >> 8 & 0xff);
}

// `from`: where it set out; there it stays where the process does nothing more.
static bool stop_at_end(GdbGoing *going, const RwPosition *from)
{
    RwGdb *g = going->g;
    uint32_t tid = g->tid;
    bool found;
    if (!gdb_go_last(going, g->life.end, &found))
        return false;
    RwPosition there = rw_timeline_get_position(g->timeline);
    if (!found || rw_position_compare(&there, from) < 0) {
        g->tid = tid;
        if (!gdb_go(g, from, going->error))
            return false;
    }
    going->stop->kind = GDB_STOP_END;
    going->stop->note = dup_ending(g);
    return true;
}

static bool stop_at_begin(GdbGoing *going)
{
    RwGdb *g = going->g;
    RwWhen whens[2] = {gdb_when_user(g, 0)};
    RwWhenHit hit;
    uint64_t first = rw_timeline_get_icount(g->timeline);
    going->stop->kind = GDB_STOP_BEGIN;
    if (first > g->life.begin && !gdb_go_icount(g, g->life.begin, going->error))
        return false;
    GdbRan ran = gdb_run(going, true, whens, 1, g->life.end, &hit);
    if (ran == GDB_RAN_HIT)
        g->tid = hit.tid;
    return ran != GDB_RAN_FAILED;
}

// ---- Forwards ----

static const GdbSignal *next_signal(const GdbGoing *going)
{
    uint64_t now = rw_timeline_get_icount(going->g->timeline);
    const GArray *signals = going->g->life.signals;
    for (guint i = 0; i < signals->len; i++) {
        const GdbSignal *signal = &g_array_index(signals, GdbSignal, i);
        bool ignored = signal->number < 64 && going->how->ignored >> signal->number & 1;
        if (signal->icount > now && !ignored)
            return signal;
    }
    return NULL;
}

bool gdb_forward_until(GdbGoing *going, const RwWhen *more)
{
    RwGdb *g = going->g;
    RwWhen whens[RW_WHENS_MAX];
    RwWhenHit hit;
    RwPosition from = rw_timeline_get_position(g->timeline);
    const GdbSignal *signal = next_signal(going);
    size_t n = gdb_whens(going, whens, false);
    if (more)
        whens[n++] = *more;
    GdbRan ran = gdb_run(going, true, whens, n, signal ? signal->icount : g->life.end, &hit);
    if (ran == GDB_RAN_HIT) {
        gdb_take_hit(going, &whens[hit.which], &hit);
    } else if (ran == GDB_RAN_INTERRUPTED) {
        going->stop->kind = GDB_STOP_INTERRUPTED;
    } else if (ran == GDB_RAN_LIMIT && signal) {
        going->stop->kind = GDB_STOP_SIGNAL;
        going->stop->signal = signal->number;
        g->tid = signal->tid;
    } else if (ran == GDB_RAN_LIMIT) {
        return stop_at_end(going, &from);
    }
    return ran != GDB_RAN_FAILED;
}

// ---- Backwards ----

// Whether the instruction that is just done is one that a watchpoint is about; then it is undone. Else the
// machine stands where it was.
static bool undo_here(GdbGoing *going, bool *ret_undone)
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
    RwGdb *g = going->g;
    RwWhen whens[RW_WHENS_MAX];
    RwWhenHit hit;
    bool undone;
    if (!undo_here(going, &undone) || undone)
        return undone;
    size_t n = gdb_whens(going, whens, false), points = n;
    if (more)
        whens[n++] = *more;
    GdbRan ran = gdb_run(going, false, whens, n, g->life.begin, &hit);
    if (ran == GDB_RAN_INTERRUPTED)
        going->stop->kind = GDB_STOP_INTERRUPTED;
    if (ran == GDB_RAN_LIMIT)
        return stop_at_begin(going);
    if (ran != GDB_RAN_HIT)
        return ran != GDB_RAN_FAILED;
    gdb_take_hit(going, &whens[hit.which], &hit);
    if (hit.which >= points)
        *ret_more = hit;
    return going->stop->kind != GDB_STOP_WATCH || gdb_go_icount(g, hit.icount - 1, going->error);
}

// ---- All of it ----

bool gdb_world_resume(void *data, const GdbResume *how, GdbStop *ret, GError **error)
{
    RwGdb *g = data;
    GdbGoing going = {g, how, ret, error};
    RwPosition before = rw_timeline_get_position(g->timeline);
    bool ok;
    *ret = (GdbStop){0};
    if (how->step)
        ok = how->forward ? gdb_step_forward(&going) : gdb_step_backward(&going);
    else
        ok = how->forward ? gdb_forward_until(&going, NULL) : gdb_backward_until(&going, NULL, NULL);
    ok = ok && gdb_settle(g, error);
    ret->tid = g->tid;
    if (!ok && !rw_timeline_is_somewhere(g->timeline))
        gdb_go(g, &before, NULL);
    return ok;
}
