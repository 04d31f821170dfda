// SPDX-License-Identifier: MIT
#include "trial-private.h"

#include "rw-event.h"

RwSchedule rw_trial_schedule(const RwSchedule *base, const RwWindow *window)
{
    RwSchedule schedule = *base;
    rw_schedule_cut(&schedule, window->from);
    rw_schedule_add_window(&schedule, window);
    return schedule;
}

static RwMachine *put_back(RwMachine **slot, RwSnapshot *from, GError **error)
{
    if (*slot && !rw_machine_reset(*slot, from)) {
        rw_machine_free(*slot);
        *slot = NULL;
    }
    if (!*slot)
        *slot = rw_machine_fork(from, error);
    return *slot;
}

RwMachine *rw_trial_machine(RwMachine **slot, RwSnapshot *from, const RwSchedule *schedule, GError **error)
{
    if (put_back(slot, from, error))
        rw_machine_set_schedule(*slot, schedule);
    return *slot;
}

const RwTrialPoint *rw_trial_stand(RwMachine **slot, const RwTrialPoint *point, const RwSchedule *schedule,
                                   const RwTrialPoint *origin, GError **error)
{
    if (point->ahead) {
        if (!put_back(slot, point->snapshot, error))
            return NULL;
        if (rw_machine_swap_schedule(*slot, schedule))
            return point;
    }
    const RwTrialPoint *from = point->ahead ? origin : point;
    return rw_trial_machine(slot, from->snapshot, schedule, error) ? from : NULL;
}

static void on_record(void *data, const struct rewind_record *record, const uint8_t *payload, size_t length)
{
    RwTrialWatch *watch = data;
    RwTraceItem item = {.record = *record, .payload = payload, .length = length};
    uint32_t fd;
    const uint8_t *bytes;
    size_t count;
    if (rw_event_get_output(&item, &fd, &bytes, &count))
        rw_fails_feed(watch->fails, &watch->output, bytes, count);
}

void rw_trial_watch(RwMachine *machine, RwTrialWatch *watch)
{
    bool needed = watch && rw_fails_reads_output(watch->fails);
    rw_machine_set_sink(machine, needed ? &(RwSink){.record = on_record, .data = watch} : NULL);
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
    const RwTrialPoint *at =
        rw_trial_stand(machine, &trial->from, &trial->schedule, trial->origin, &trial->error);
    if (!at) {
        g_atomic_int_set(&trials->failed, 1);
        return;
    }
    RwTrialWatch watch = {trial->verdict->fails, at->output};
    RwMachine *m = *machine;
    rw_machine_stop_counting(m);
    rw_trial_watch(m, &watch);
    trial->end = rw_machine_run(m, trials->limits);
    trial->executed = trial->end.icount - rw_snapshot_icount(at->snapshot);
    if (!rw_end_check(&trial->end, &trial->error))
        g_atomic_int_set(&trials->failed, 1);
    rw_trial_watch(m, NULL);
    trial->cut = rw_machine_cut_holds(m);
    trial->wanted = rw_verdict_wants(trial->verdict, &trial->end, &watch.output);
}

static bool stop(void *data)
{
    Trials *trials = data;
    return g_atomic_int_get(&trials->failed) || g_cancellable_is_cancelled(trials->limits->cancellable);
}

bool rw_trials_run(RwPool *pool, RwTrial *trials, guint count, const RwLimits *limits, GError **error)
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
        return false;
    }
    return rw_check_cancelled(limits->cancellable, error);
}
