// SPDX-License-Identifier: MIT
// Schedules as lists of windows: forks, comparison, the one form that a run id is made from.
#include "rw-machine-private.h"

#include <string.h>

static bool window_is_valid(const RwWindow *window)
{
    bool narrowed = window->last_kinds || window->last_after;
    return window->strategy < RW_N_STRATEGIES && window->number && window->from < window->until &&
           !(window->last_kinds & ~(uint32_t)RW_PERTURB_ALL) && (!narrowed || window->until != RW_NEVER);
}

bool rw_schedule_has_others(const RwSchedule *schedule)
{
    for (uint32_t i = 0; i < schedule->n_holds; i++)
        if (rw_hold_is_of_others(&schedule->holds[i]))
            return true;
    return false;
}

static bool holds_are_valid(const RwSchedule *schedule)
{
    unsigned of_others = 0;
    for (uint32_t i = 0; i < schedule->n_holds; i++) {
        of_others += rw_hold_is_of_others(&schedule->holds[i]);
        if (!rw_hold_is_valid(&schedule->holds[i]) || of_others > 1 ||
            (i && schedule->holds[i].from < schedule->holds[i - 1].from))
            return false;
    }
    return true;
}

bool rw_schedule_is_valid(const RwSchedule *schedule)
{
    if (schedule->n_windows > RW_WINDOWS_MAX || schedule->n_reseeds > RW_RESEEDS_MAX ||
        schedule->n_holds > RW_HOLDS_MAX || schedule->n_faults > RW_FAULTS_MAX)
        return false;
    uint64_t end = 0;
    for (uint32_t i = 0; i < schedule->n_windows; i++) {
        const RwWindow *window = &schedule->windows[i];
        if (!window_is_valid(window) || window->from < end)
            return false;
        end = window->until;
    }
    for (uint32_t i = 1; i < schedule->n_reseeds; i++)
        if (schedule->reseeds[i].step <= schedule->reseeds[i - 1].step)
            return false;
    return holds_are_valid(schedule) && rw_faults_are_valid(schedule);
}

static bool window_equal(const RwWindow *a, const RwWindow *b)
{
    return a->number == b->number && a->from == b->from && a->until == b->until &&
           a->last_kinds == b->last_kinds && a->last_after == b->last_after && a->strategy == b->strategy;
}

static bool reseed_equal(const RwReseed *a, const RwReseed *b)
{
    return a->step == b->step && a->seed == b->seed;
}

bool rw_schedule_equal(const RwSchedule *a, const RwSchedule *b)
{
    if (a->n_windows != b->n_windows || a->n_reseeds != b->n_reseeds || a->n_holds != b->n_holds ||
        !rw_faults_equal(a, b))
        return false;
    for (uint32_t i = 0; i < a->n_holds; i++)
        if (!rw_hold_equal(&a->holds[i], &b->holds[i]))
            return false;
    for (uint32_t i = 0; i < a->n_windows; i++)
        if (!window_equal(&a->windows[i], &b->windows[i]))
            return false;
    for (uint32_t i = 0; i < a->n_reseeds; i++)
        if (!reseed_equal(&a->reseeds[i], &b->reseeds[i]))
            return false;
    return true;
}

void rw_schedule_cut(RwSchedule *schedule, uint64_t step)
{
    while (schedule->n_windows && schedule->windows[schedule->n_windows - 1].from >= step)
        schedule->windows[--schedule->n_windows] = (RwWindow){0};
    while (schedule->n_reseeds && schedule->reseeds[schedule->n_reseeds - 1].step >= step)
        schedule->reseeds[--schedule->n_reseeds] = (RwReseed){0};
    while (schedule->n_holds && schedule->holds[schedule->n_holds - 1].from >= step)
        schedule->holds[--schedule->n_holds] = (RwHold){0};
    for (uint32_t i = 0; i < schedule->n_holds; i++)
        schedule->holds[i].before = MIN(schedule->holds[i].before, step);
    rw_faults_cut(schedule, step);
    if (!schedule->n_windows)
        return;
    RwWindow *last = &schedule->windows[schedule->n_windows - 1];
    if (last->until > step) {
        last->until = step;
        last->last_kinds = last->last_after = 0;
    }
}

bool rw_schedule_add_window(RwSchedule *schedule, const RwWindow *window)
{
    if (!window->number || window->from >= window->until)
        return true;
    uint32_t n = schedule->n_windows;
    if (n >= RW_WINDOWS_MAX || !window_is_valid(window) ||
        (n && schedule->windows[n - 1].until > window->from))
        return false;
    schedule->windows[schedule->n_windows++] = *window;
    return true;
}

bool rw_schedule_add_reseed(RwSchedule *schedule, uint64_t step, uint64_t seed)
{
    uint32_t n = schedule->n_reseeds;
    if (n >= RW_RESEEDS_MAX || (n && schedule->reseeds[n - 1].step >= step))
        return false;
    schedule->reseeds[schedule->n_reseeds++] = (RwReseed){step, seed};
    return true;
}

bool rw_schedule_add_hold(RwSchedule *schedule, const RwHold *hold)
{
    uint32_t n = schedule->n_holds;
    if (n >= RW_HOLDS_MAX || !rw_hold_is_valid(hold) || (n && schedule->holds[n - 1].from > hold->from) ||
        (rw_hold_is_of_others(hold) && rw_schedule_has_others(schedule)))
        return false;
    schedule->holds[schedule->n_holds++] = *hold;
    return true;
}

// ---- Where two part ----

// The window that holds `step`, or NULL; *ret_next is where that answer ends.
static const RwWindow *window_at(const RwSchedule *schedule, uint64_t step, uint64_t *ret_next)
{
    *ret_next = RW_NEVER;
    for (uint32_t i = 0; i < schedule->n_windows; i++) {
        const RwWindow *window = &schedule->windows[i];
        if (step < window->from)
            *ret_next = MIN(*ret_next, window->from);
        if (step < window->from || step >= window->until)
            continue;
        *ret_next = window->until;
        return window;
    }
    return NULL;
}

static bool narrows_last(const RwWindow *window)
{
    return window && (window->last_kinds || window->last_after);
}

// Within [step, next) neither schedule changes its window: the first step there that differs.
static uint64_t part_within(const RwWindow *a, const RwWindow *b, uint64_t step, uint64_t next)
{
    if ((a ? a->number : 0) != (b ? b->number : 0) || (a && b && a->strategy != b->strategy))
        return step;
    bool ends_a = narrows_last(a) && a->until == next, ends_b = narrows_last(b) && b->until == next;
    bool same = a && b && a->last_kinds == b->last_kinds && a->last_after == b->last_after;
    return (ends_a || ends_b) && !(ends_a && ends_b && same) ? next - 1 : RW_NEVER;
}

static uint64_t reseeds_part_at(const RwSchedule *a, const RwSchedule *b)
{
    for (uint32_t i = 0; i < MAX(a->n_reseeds, b->n_reseeds); i++) {
        const RwReseed *x = i < a->n_reseeds ? &a->reseeds[i] : NULL;
        const RwReseed *y = i < b->n_reseeds ? &b->reseeds[i] : NULL;
        if (!x || !y || !reseed_equal(x, y))
            return MIN(x ? x->step : RW_NEVER, y ? y->step : RW_NEVER);
    }
    return RW_NEVER;
}

// Two holds that are the same but for the step before which they must begin.
static bool same_but_end(const RwHold *a, const RwHold *b)
{
    RwHold copy = *a;
    copy.before = b->before;
    return rw_hold_equal(&copy, b);
}

// A hold begins at its first step or later: before that it is as if it were not there.
static uint64_t holds_part_at(const RwSchedule *a, const RwSchedule *b)
{
    for (uint32_t i = 0; i < MAX(a->n_holds, b->n_holds); i++) {
        const RwHold *x = i < a->n_holds ? &a->holds[i] : NULL;
        const RwHold *y = i < b->n_holds ? &b->holds[i] : NULL;
        if (x && y && rw_hold_equal(x, y))
            continue;
        if (x && y && same_but_end(x, y))
            return MIN(x->before, y->before);
        return MAX(MIN(x ? x->from : RW_NEVER, y ? y->from : RW_NEVER), 1);
    }
    return RW_NEVER;
}

uint64_t rw_schedule_parts_at(const RwSchedule *a, const RwSchedule *b)
{
    uint64_t found = RW_NEVER;
    for (uint64_t step = 0, next; step != RW_NEVER && found == RW_NEVER; step = next) {
        uint64_t next_a, next_b;
        const RwWindow *in_a = window_at(a, step, &next_a), *in_b = window_at(b, step, &next_b);
        next = MIN(next_a, next_b);
        found = part_within(in_a, in_b, step, next);
    }
    return MIN(MIN(found, reseeds_part_at(a, b)), MIN(holds_part_at(a, b), rw_faults_part_at(a, b)));
}
