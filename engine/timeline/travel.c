// SPDX-License-Identifier: MIT
//
// From where the machine stands, a checkpoint or a keyframe, whichever is nearest in instructions, forward.
// On the way it leaves checkpoints: one now and then, and before the target closer and closer.
#include "spot-private.h"

// What it takes likewise to put the machine back, and to make another one.
#define COST_RESET (1u << 20)
#define COST_FORK (8u << 20)

#define NEAREST (1u << 20) // how far before the target the last checkpoint on the way is,
#define N_BEFORE 5 // and each of so many others, twice as far as the next one
#define N_CLOSER 6 // as many more, each half as far, where one goes back by little
#define WORTH (256u << 10) // what a checkpoint at the target must save

// ---- The machine ----

RwSpot rw_timeline_spot(RwTimeline *t)
{
    return (RwSpot){rw_machine_steps(t->machine), rw_machine_icount(t->machine), t->base};
}

RwSpot rw_timeline_count_spot(const RwTimeline *t, uint64_t icount)
{
    return icount == t->start.icount ? t->start : (RwSpot){UINT64_MAX, icount, 0};
}

void rw_timeline_leave(RwTimeline *t)
{
    g_clear_pointer(&t->machine, rw_machine_free);
    t->family = 0;
}

static void note_step(void *data, const RwStepInfo *step)
{
    RwTimeline *t = data;
    t->base = step->icount;
    if (t->branch)
        rw_branch_note_step(t, step);
}

static void follow(RwTimeline *t)
{
    RwSink sink = {.step = note_step, .data = t};
    if (t->branch)
        sink.record = rw_branch_note_record;
    rw_machine_set_sink(t->machine, &sink);
}

bool rw_timeline_reset(RwTimeline *t, const RwCheckpoint *c, GError **error)
{
    if (!t->machine || !rw_machine_reset(t->machine, c->snapshot)) {
        rw_timeline_leave(t);
        t->machine = rw_machine_fork(c->snapshot, error);
    }
    if (!t->machine)
        return false;
    t->family = c->family;
    t->base = c->spot.base;
    follow(t);
    return true;
}

// ---- Executing ----

void rw_timeline_begin_progress(RwTimeline *t, uint64_t instructions)
{
    t->done = 0;
    t->whole = MAX(instructions, 1);
}

static void tell_progress(RwTimeline *t, uint64_t executed)
{
    uint64_t before = t->done / (RW_TIMELINE_SPACING / 2);
    t->done += executed;
    if (t->config.progress && t->done / (RW_TIMELINE_SPACING / 2) != before)
        t->config.progress(MIN((double)t->done / (double)t->whole, 1), t->config.data);
}

// As far as the limits say; counted.
static bool execute(RwTimeline *t, const RwLimits *limits, GError **error)
{
    uint64_t before = rw_machine_icount(t->machine);
    RwEnd end = rw_machine_run(t->machine, limits);
    uint64_t executed = rw_machine_icount(t->machine) - before;
    t->figures.executed += executed;
    tell_progress(t, executed);
    if (rw_end_check(&end, error) &&
        (end.kind != RW_END_CANCELLED || rw_check_cancelled(limits->cancellable, error)))
        return true;
    rw_timeline_leave(t);
    return false;
}

// ---- Going forward ----

// Where the next checkpoint is to be, before the target; or UINT64_MAX.
static uint64_t next_stop(uint64_t from, uint64_t now, uint64_t target, unsigned closer)
{
    uint64_t next = now + RW_TIMELINE_SPACING - (now - from) % RW_TIMELINE_SPACING;
    for (unsigned i = 0; i <= N_BEFORE + closer; i++) {
        uint64_t before = (uint64_t)NEAREST >> closer << i;
        if (target - from > before + before / 2 && target - before > now)
            next = MIN(next, target - before);
    }
    return next < target ? next : UINT64_MAX;
}

bool rw_timeline_advance(RwTimeline *t, const RwSpot *to, uint64_t stop, GCancellable *cancellable,
                         GError **error)
{
    bool steps = rw_machine_steps(t->machine) < to->step && to->step != UINT64_MAX;
    RwLimits limits = {
        .step = steps ? to->step : 0,
        .icount = MIN(stop, steps ? to->base + 1 : to->icount),
        .cancellable = cancellable,
    };
    return execute(t, &limits, error);
}

static bool is_there(RwTimeline *t, const RwSpot *to)
{
    return rw_machine_icount(t->machine) == to->icount &&
           (to->step == UINT64_MAX || rw_machine_steps(t->machine) == to->step);
}

// *ret_wrong: the machine does not come by.
static bool go_forward(RwTimeline *t, const RwSpot *to, bool *ret_wrong, GCancellable *cancellable,
                       GError **error)
{
    RwSpot from = rw_timeline_spot(t);
    while (!is_there(t, to)) {
        RwSpot before = rw_timeline_spot(t);
        uint64_t stop =
            t->config.once ? UINT64_MAX : next_stop(from.icount, before.icount, to->icount, t->closer);
        if (!rw_timeline_advance(t, to, stop, cancellable, error))
            return false;
        RwSpot now = rw_timeline_spot(t);
        if (now.icount == stop && !rw_timeline_keep(t, error))
            return false;
        if (!rw_spot_compare(&now, &before) || now.icount > to->icount || now.step > to->step) {
            *ret_wrong = true;
            return true;
        }
    }
    return to->icount - from.icount < WORTH || rw_timeline_keep(t, error);
}

// ---- From where ----

// The number of the last keyframe not behind the spot; -1: there is none.
static int find_keyframe(const RwTimeline *t, const RwSpot *spot)
{
    int i = t->keyframes ? (int)rw_keyframes_get_count(t->keyframes) - 1 : -1;
    for (; i >= 0; i--) {
        const RwKeyframe *frame = rw_keyframes_get(t->keyframes, (guint)i);
        if (frame->icount <= spot->icount && frame->step <= spot->step)
            break;
    }
    return i;
}

RwSpot rw_timeline_keyframe_before(const RwTimeline *t, const RwSpot *spot)
{
    int i = find_keyframe(t, spot);
    const RwKeyframe *frame = i >= 0 ? rw_keyframes_get(t->keyframes, (guint)i) : NULL;
    return frame ? (RwSpot){frame->step, frame->icount, 0} : (RwSpot){0};
}

// The base of a restored machine: it may stand behind the end of its step.
static bool find_base(RwTimeline *t, GError **error)
{
    RwStepInfo info = {0};
    uint64_t step = rw_machine_steps(t->machine);
    if (step && !rw_trace_step(t->config.trace, step, &info, error))
        return false;
    t->base = MIN(info.icount, rw_machine_icount(t->machine));
    return true;
}

// t->machine is there, or is not.
static bool settle(RwTimeline *t, GError **error)
{
    bool ok = t->machine && find_base(t, error) && rw_timeline_found(t, error);
    t->figures.restored++;
    if (ok)
        follow(t);
    else
        rw_timeline_leave(t);
    return ok;
}

bool rw_timeline_restore_before(RwTimeline *t, const RwSpot *spot, GError **error)
{
    int i = find_keyframe(t, spot);
    const RwKeyframe *frame = i >= 0 ? rw_keyframes_get(t->keyframes, (guint)i) : NULL;
    rw_timeline_leave(t);
    t->machine = rw_seek_nearest(t->config.seek, frame ? frame->step + frame->held : 0, error);
    return settle(t, error);
}

bool rw_timeline_begin(RwTimeline *t, GError **error)
{
    if (!rw_timeline_found(t, error))
        return false;
    follow(t);
    return true;
}

static uint64_t cost_from(const RwSpot *from, const RwSpot *to, uint64_t more)
{
    // Another step may be done at the very count that is asked for.
    bool behind = to->step == UINT64_MAX ? from->icount >= to->icount : rw_spot_compare(from, to) > 0;
    return behind ? UINT64_MAX : to->icount - from->icount + more;
}

// Brings the machine to where it goes on from.
static bool choose_start(RwTimeline *t, const RwSpot *to, GError **error)
{
    RwSpot before = *to, now = {0};
    if (to->step == UINT64_MAX)
        before = (RwSpot){UINT64_MAX, to->icount - 1, 0};
    const RwCheckpoint *c = rw_timeline_find(t, &before);
    RwSpot keyframe = rw_timeline_keyframe_before(t, &before);
    uint64_t from_here = UINT64_MAX, from_checkpoint = UINT64_MAX;
    if (t->machine) {
        now = rw_timeline_spot(t);
        from_here = cost_from(&now, to, 0);
    }
    if (c)
        from_checkpoint = cost_from(&c->spot, to, c->family == t->family ? COST_RESET : COST_FORK);
    uint64_t from_keyframe = t->branch ? UINT64_MAX : cost_from(&keyframe, to, RW_TIMELINE_RESTORE);
    uint64_t least = MIN(from_here, MIN(from_checkpoint, from_keyframe));
    rw_timeline_begin_progress(t, least);
    if (t->branch && least == UINT64_MAX) {
        g_set_error_literal(error, RW_ERROR, RW_ERROR_USAGE, "that is before where the run was left");
        return false;
    }
    if (least == from_here && from_here != UINT64_MAX)
        return true;
    return least == from_checkpoint && c ? rw_timeline_reset(t, c, error)
                                         : rw_timeline_restore_before(t, &before, error);
}

// ---- All of it ----

static bool fail_wrong(RwTimeline *t, const RwSpot *to, GError **error)
{
    rw_timeline_leave(t);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "run %s: executed again it does not come to step %" G_GUINT64_FORMAT
                " as its trace says: replay it to see where it parts",
                t->config.seek->manifest->id, to->step);
    return false;
}

// A keyframe that is whole may be another run's: rw_seek() finds one from which the step is reached.
static bool go_another_way(RwTimeline *t, const RwSpot *to, GCancellable *cancellable, GError **error)
{
    bool wrong = false;
    if (to->step == UINT64_MAX)
        return fail_wrong(t, to, error);
    rw_timeline_leave(t);
    rw_timeline_drop_checkpoints(t);
    t->machine = rw_seek(t->config.seek, to->step, cancellable, error);
    if (!settle(t, error))
        return false;
    if (rw_machine_icount(t->machine) == to->base && !go_forward(t, to, &wrong, cancellable, error))
        return false;
    return is_there(t, to) || fail_wrong(t, to, error);
}

void rw_timeline_expect_back(RwTimeline *t, uint64_t instructions)
{
    t->closer = 0;
    while (t->closer < N_CLOSER && instructions < (uint64_t)NEAREST >> (t->closer + 2))
        t->closer++;
}

bool rw_timeline_travel(RwTimeline *t, const RwSpot *to, GCancellable *cancellable, GError **error)
{
    bool wrong = false;
    if (!choose_start(t, to, error) || !go_forward(t, to, &wrong, cancellable, error))
        return false;
    if (wrong && t->branch) {
        t->end = rw_timeline_spot(t); // the machine has ended there
        return true;
    }
    return !wrong || go_another_way(t, to, cancellable, error);
}
