// SPDX-License-Identifier: MIT
//
// Faults are left out one by one: what they answer stays as it is.
#include "holds-private.h"

#include "rw-error.h"

RwSchedule rw_without_hold(const RwSchedule *schedule, guint left_out)
{
    RwSchedule less = *schedule;
    less.n_holds = 0;
    for (guint i = 0; i < schedule->n_holds; i++)
        if (i != left_out)
            less.holds[less.n_holds++] = schedule->holds[i];
    less.holds[less.n_holds] = (RwHold){0};
    return less;
}

RwSchedule rw_without_fault(const RwSchedule *schedule, guint left_out)
{
    RwSchedule less = *schedule;
    less.n_faults = 0;
    for (guint i = 0; i < schedule->n_faults; i++)
        if (i != left_out)
            less.faults[less.n_faults++] = schedule->faults[i];
    less.faults[less.n_faults] = (RwFault){0};
    return less;
}

// The first that can be left out is; ret_less: there was one.
static bool leave_one_out(const RwNarrowHolds *narrow, RwNarrowedHolds *narrowed, bool *ret_less,
                          GError **error)
{
    RwSchedule *schedule = &narrowed->schedule;
    RwTrial trials[RW_FAULTS_MAX] = {0};
    guint n = schedule->n_faults - narrow->base;
    for (guint i = 0; i < n; i++)
        trials[i] = (RwTrial){.from = narrow->origin,
                              .schedule = rw_without_fault(schedule, narrow->base + i),
                              .verdict = &narrow->verdict};
    *ret_less = false;
    if (!rw_trials_run(narrow->pool, trials, n, &narrow->limits, error))
        return false;
    for (guint i = 0; i < n; i++)
        narrowed->executed += trials[i].executed;
    for (guint i = 0; i < n && !*ret_less; i++)
        if (trials[i].wanted) {
            *schedule = trials[i].schedule;
            *ret_less = true;
        }
    return true;
}

static RwLearned *watch(const RwNarrowHolds *narrow, const RwSchedule *schedule, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(narrow->inputs);
    inputs->schedule = *schedule;
    RwLearnOptions options = {.from = narrow->origin.snapshot,
                              .inputs = inputs,
                              .budget = RW_CHECK_LEARN_MAX,
                              .cancellable = narrow->limits.cancellable};
    return rw_learn(&options, error);
}

bool rw_narrow_faults(const RwNarrowHolds *narrow, RwNarrowedHolds *ret, GError **error)
{
    bool less = true;
    *ret = (RwNarrowedHolds){.schedule = narrow->schedule};
    if (narrow->progress)
        narrow->progress("narrowing: leaving out faults", narrow->data);
    while (less && ret->schedule.n_faults > narrow->base + 1)
        if (!leave_one_out(narrow, ret, &less, error))
            return false;
    g_autoptr(RwLearned) seen = watch(narrow, &ret->schedule, error);
    if (!seen)
        return false;
    ret->executed += seen->executed;
    ret->answers = rw_fault_answers_new(seen, &ret->schedule, narrow->base);
    return true;
}
