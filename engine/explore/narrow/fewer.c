// SPDX-License-Identifier: MIT
#include "fewer-private.h"

void rw_narrowing_tell(const RwNarrowing *search, const char *what, guint i)
{
    char text[100];
    g_snprintf(text, sizeof text, "narrowing: %s of hold %u", what, i + 1);
    if (search->narrow->progress)
        search->narrow->progress(text, search->narrow->data);
}

bool rw_narrowing_try(RwNarrowing *search, const RwTrialPoint *points, const RwSchedule *schedules, guint n,
                      bool *ret_wanted, GError **error)
{
    const RwNarrowHolds *narrow = search->narrow;
    g_autofree RwTrial *trials = g_new0(RwTrial, n);
    for (guint i = 0; i < n; i++)
        trials[i] = (RwTrial){.from = points[i],
                              .origin = &narrow->origin,
                              .schedule = schedules[i],
                              .verdict = &narrow->verdict};
    if (!rw_trials_run(narrow->pool, trials, n, &narrow->limits, error))
        return false;
    for (guint i = 0; i < n; i++) {
        ret_wanted[i] = trials[i].wanted;
        search->ahead.executed += trials[i].executed;
    }
    return true;
}

#define LEFT_OUT 16u // candidates that are tried at once, each without a part of the holds

static RwSchedule without(const RwSchedule *schedule, guint from, guint before)
{
    RwSchedule less = *schedule;
    less.n_holds = 0;
    for (guint i = 0; i < schedule->n_holds; i++)
        if (i < from || i >= before)
            less.holds[less.n_holds++] = schedule->holds[i];
    for (guint i = less.n_holds; i < schedule->n_holds; i++)
        less.holds[i] = (RwHold){0};
    return less;
}

// Where candidates start of which each lacks one hold: right where that begins. Those that lack several
// start where all do.
static bool find_starts(RwNarrowing *search, guint from, guint n, guint size, RwTrialPoint *ret,
                        GError **error)
{
    RwPlace begins[LEFT_OUT];
    if (size > 1) {
        for (guint i = 0; i < n; i++)
            ret[i] = rw_point_share(&search->narrow->origin);
        return true;
    }
    for (guint i = 0; i < n; i++) {
        begins[i] = search->schedule.holds[from + i].place;
        rw_ahead_count_place(&search->ahead, &begins[i]);
    }
    return rw_ahead_go(&search->ahead, &search->narrow->origin, &search->schedule, begins, n, ret, error);
}

// Parts of `size` holds from `from` on, up to LEFT_OUT of them: takes the first without which it does.
static bool leave_part_out(RwNarrowing *search, guint from, guint size, bool *ret_less, GError **error)
{
    g_autofree RwSchedule *less = g_new(RwSchedule, LEFT_OUT);
    RwTrialPoint points[LEFT_OUT] = {0};
    bool wanted[LEFT_OUT] = {false};
    guint end = search->schedule.n_holds, n = MIN((end - from + size - 1) / size, LEFT_OUT);
    for (guint i = 0; i < n; i++)
        less[i] = without(&search->schedule, from + i * size, from + (i + 1) * size);
    *ret_less = false;
    bool ok = find_starts(search, from, n, size, points, error) &&
              rw_narrowing_try(search, points, less, n, wanted, error);
    rw_points_drop(points, n);
    for (guint i = 0; ok && i < n && !*ret_less; i++)
        if (wanted[i] && less[i].n_holds > search->narrow->base) {
            search->schedule = less[i];
            *ret_less = true;
        }
    return ok;
}

// One by one, and of many first in larger parts (delta debugging: Zeller, Hildebrandt, Simplifying and
// isolating failure-inducing input, IEEE TSE 2002).
bool rw_narrowing_leave_out(RwNarrowing *search, GError **error)
{
    guint base = search->narrow->base, from = base;
    guint size = (search->schedule.n_holds - base + LEFT_OUT - 1) / LEFT_OUT;
    while (search->schedule.n_holds > base + 1 && size) {
        bool less;
        rw_narrowing_tell(search, "leaving out", 0);
        if (!leave_part_out(search, from, size, &less, error))
            return false;
        if (less)
            continue;
        from += LEFT_OUT * size;
        if (from < search->schedule.n_holds)
            continue;
        from = base;
        size = size > 1 ? (size + 1) / 2 : 0;
    }
    return true;
}
