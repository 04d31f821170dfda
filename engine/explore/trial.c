// SPDX-License-Identifier: MIT
#include "trial.h"

bool rw_end_passes(const RwEnd *end)
{
    return end->kind == RW_END_POWEROFF && end->job_exited && end->job_status == 0;
}

RwVerdict rw_verdict_new(const RwEnd *reference)
{
    return (RwVerdict){*reference, !rw_end_passes(reference)};
}

bool rw_verdict_wants(const RwVerdict *verdict, const RwEnd *end)
{
    return verdict->passing ? rw_end_passes(end) : !rw_end_same(&verdict->reference, end);
}

RwMachine *rw_trial_machine(RwMachine **slot, RwSnapshot *from, const RwSchedule *schedule, GError **error)
{
    if (*slot && !rw_machine_reset(*slot, from)) {
        rw_machine_free(*slot);
        *slot = NULL;
    }
    if (!*slot)
        *slot = rw_machine_fork(from, error);
    if (*slot)
        rw_machine_set_schedule(*slot, schedule);
    return *slot;
}

typedef struct {
    RwTrial *trials;
    const RwLimits *limits;
    gint failed;
} Trials;

static void work(guint index, RwMachine **machine, void *data)
{
    Trials *trials = data;
    RwTrial *trial = &trials->trials[index];
    RwMachine *m = rw_trial_machine(machine, trial->from, &trial->schedule, &trial->error);
    if (m)
        trial->end = rw_machine_run(m, trials->limits);
    else
        g_atomic_int_set(&trials->failed, 1);
}

static gboolean stop(void *data)
{
    Trials *trials = data;
    return g_atomic_int_get(&trials->failed) || g_cancellable_is_cancelled(trials->limits->cancellable);
}

gboolean rw_trials_run(RwPool *pool, RwTrial *trials, guint count, const RwLimits *limits, GError **error)
{
    Trials all = {trials, limits, 0};
    rw_pool_run(pool, count, &(RwPoolTask){work, NULL, stop, &all});
    GError *first = NULL;
    for (guint i = 0; i < count; i++) {
        if (!first)
            first = g_steal_pointer(&trials[i].error);
        g_clear_error(&trials[i].error);
    }
    if (first) {
        g_propagate_error(error, first);
        return FALSE;
    }
    return rw_check_cancelled(limits->cancellable, error);
}
