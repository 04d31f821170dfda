// SPDX-License-Identifier: MIT
//
// What the trace knows of positions.
#include "spot-private.h"

#include "rw-bytes.h"

// Its instruction is executed with it: an OUT or a HLT. The others come between two.
static bool has_instruction(RwStepKind kind)
{
    return kind != RW_STEP_TIMER_DUE && kind != RW_STEP_PREEMPT && kind != RW_STEP_HOLD &&
           kind != RW_STEP_RELEASE && kind != RW_STEP_FAULT;
}

static bool check_step(const RwTimeline *t, uint64_t step, GError **error)
{
    if (step < t->start.step)
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "step %" G_GUINT64_FORMAT ": before the job, which starts at step %" G_GUINT64_FORMAT,
                    step, t->start.step);
    else if (step > t->end.step)
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "step %" G_GUINT64_FORMAT " is past the end: run %s has %" G_GUINT64_FORMAT " steps",
                    step, t->config.seek->manifest->id, t->end.step);
    return step >= t->start.step && step <= t->end.step;
}

bool rw_timeline_find_position(RwTimeline *t, const RwPosition *position, RwSpot *ret, GError **error)
{
    RwStepInfo info, next = {.icount = t->end.icount, .kind = RW_STEP_TIMER_DUE};
    if (t->branch)
        return rw_branch_find_position(t, position, ret, error);
    if (!check_step(t, position->step, error) ||
        !rw_trace_step(t->config.trace, position->step, &info, error) ||
        (position->after && position->step < t->end.step &&
         !rw_trace_step(t->config.trace, position->step + 1, &next, error)))
        return false;
    *ret = (RwSpot){position->step, info.icount + position->after, info.icount};
    uint64_t room = next.icount - MIN(info.icount, next.icount);
    if (position->after > room) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT ": step %" G_GUINT64_FORMAT
                    " has %" G_GUINT64_FORMAT " instructions after it",
                    position->step, position->after, position->step, room);
        return false;
    }
    if (position->after && position->after == room && has_instruction(next.kind))
        *ret = (RwSpot){next.step, next.icount, next.icount};
    return true;
}

// ---- Events ----

typedef struct {
    size_t which;
    RwPosition position;
    uint32_t pid, tid;
} Event;

typedef struct {
    RwTimeline *timeline;
    const RwWhen *whens;
    size_t n;
    bool forward, ticks; // ticks are instructions
    RwPosition from;
    Event event; // the nearest; which is n: none
} Told;

// The last instruction after a step may be the next step.
static bool is_here(const Told *told, const RwPosition *position)
{
    RwSpot spot;
    if (position->step + 1 != told->from.step || told->from.after ||
        !rw_timeline_find_position(told->timeline, position, &spot, NULL))
        return false;
    return spot.step == told->from.step;
}

static void take_event(Told *told, const Event *event)
{
    int order = rw_position_compare(&event->position, &told->from);
    if (told->forward ? order <= 0 : order >= 0 || is_here(told, &event->position))
        return;
    int better = rw_position_compare(&event->position, &told->event.position);
    if (told->event.which == told->n || (told->forward ? better < 0 : better > 0))
        told->event = *event;
}

static bool suits(const RwWhen *when, const RwTraceItem *item, uint32_t *ret_pid, uint32_t *ret_tid)
{
    struct rewind_switch to;
    *ret_pid = item->record.pid;
    *ret_tid = item->record.tid;
    if (when->kind == RW_WHEN_TASK) {
        if (item->record.type != REWIND_RECORD_SWITCH ||
            !rw_copy_out(item->payload, item->length, 0, &to, sizeof to))
            return false;
        *ret_pid = to.next_pid;
        *ret_tid = to.next_tid;
    } else if (when->kind != RW_WHEN_EVENT || item->record.type != when->event) {
        return false;
    }
    return (!when->pid || when->pid == *ret_pid) && (!when->tid || when->tid == *ret_tid);
}

// What comes before the job does not count.
static void look(Told *told, const RwTraceItem *item)
{
    Event event = {.position = {item->at, told->ticks && item->at_known ? item->after_ticks : 0}};
    if (item->is_step || item->at < told->timeline->start.step)
        return;
    for (event.which = 0; event.which < told->n; event.which++)
        if (suits(&told->whens[event.which], item, &event.pid, &event.tid)) {
            take_event(told, &event);
            return;
        }
}

static bool look_forward(Told *told, GError **error)
{
    const RwTimeline *t = told->timeline;
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(t->config.trace, MAX(told->from.step, 1), error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    // Of the ring's records some come later than their step, but no later than with the next one.
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        if (told->event.which < told->n && item.step > told->event.position.step + 1)
            break;
        look(told, &item);
    }
    return more >= 0;
}

static bool look_in_block(Told *told, guint block, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(told->timeline->config.trace, block, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next_in_block(cursor, &item, error)) > 0)
        if (item.step <= told->from.step + 1)
            look(told, &item);
    return more >= 0;
}

static bool look_backward(Told *told, GError **error)
{
    RwTrace *trace = told->timeline->config.trace;
    guint block = rw_trace_get_blocks(trace);
    while (block > 1 && rw_trace_get_first_step(trace, block - 1) > told->from.step + 1)
        block--;
    while (block-- > 0 && told->event.which == told->n)
        if (!look_in_block(told, block, error))
            return false;
    return true;
}

static void take(bool forward, const RwToldHit *hit, RwToldHit *best)
{
    int order = rw_spot_compare(&hit->spot, &best->spot);
    if (forward ? order <= 0 : order >= 0)
        *best = *hit;
}

bool rw_timeline_find_told(RwTimeline *t, bool forward, const RwWhen *whens, size_t n, const RwSpot *from,
                           RwToldHit *ret, GError **error)
{
    Told told = {t, whens, n, forward, .from = rw_spot_position(from), .event.which = n};
    bool events = false;
    told.ticks = t->config.seek->manifest->inputs->clock == RW_CLOCK_INSTRUCTIONS;
    *ret = (RwToldHit){.which = n, .spot = forward ? t->end : t->start};
    for (size_t i = 0; i < n; i++) {
        uint64_t number = whens[i].number;
        events |= !t->branch && (whens[i].kind == RW_WHEN_EVENT || whens[i].kind == RW_WHEN_TASK);
        if (whens[i].kind == RW_WHEN_COUNT && (forward ? number > from->icount : number < from->icount))
            take(forward, &(RwToldHit){.which = i, .spot = rw_timeline_count_spot(t, number)}, ret);
    }
    if (events && !(forward ? look_forward : look_backward)(&told, error))
        return false;
    RwToldHit hit = {told.event.which, {0}, told.event.pid, told.event.tid};
    if (hit.which == n)
        return true;
    if (!rw_timeline_find_position(t, &told.event.position, &hit.spot, error))
        return false;
    take(forward, &hit, ret);
    return true;
}
