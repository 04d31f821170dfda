// SPDX-License-Identifier: MIT
#include "check-private.h"
#include "holds-private.h"
#include "narrow-private.h"
#include "rw-twin.h"

// The schedules start from the first seed's state. With another one the job is handed over anew.
typedef struct {
    RwInputs *inputs; // of schedule 0 with the seed
    RwOrigin *origin; // owned; NULL: the check's own
    RwCheckResult *base; // schedule 0 with the seed, borrowed
} Seeded;

static void seeded_clear(Seeded *seeded)
{
    rw_inputs_free(seeded->inputs);
    rw_origin_free(seeded->origin);
}

static RwCheckResult *find_base(const Check *check, uint64_t seed)
{
    const GPtrArray *results = check->summary->results;
    for (guint i = 0; i < results->len; i++) {
        RwCheckResult *result = results->pdata[i];
        if (!result->schedule && result->seed == seed)
            return result;
    }
    return results->pdata[0];
}

static bool take_seed(Check *check, Seeded *ret, GError **error)
{
    const RwCheckOptions *options = check->options;
    uint64_t seed = check->summary->first->seed;
    *ret = (Seeded){.inputs = rw_inputs_copy(options->inputs), .base = find_base(check, seed)};
    ret->inputs->seed = seed;
    if (seed == options->inputs->seed)
        return true;
    if (!check->boot) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "another seed starts at the job's start");
        return false;
    }
    uint64_t before = options->window.from ? options->window.from - 1 : 0;
    uint64_t handed_over = rw_snapshot_steps(rw_origin_get_snapshot(check->boot)) + 1;
    ret->origin = rw_origin_new_later(check->boot, ret->inputs, MAX(before, handed_over),
                                      options->cancellable, error);
    return ret->origin != NULL;
}

static RwRecorded *record_twin(Check *check, const Seeded *seeded, const RwSchedule *schedule,
                               GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(seeded->inputs);
    RwRecordOptions record = rw_check_record_options(check);
    record.keyframes = check->options->record.keyframes;
    if (seeded->origin)
        record.origin = seeded->origin;
    inputs->schedule = *schedule;
    return rw_record(inputs, &record, error);
}

// The same run until the step that decides, with it and without.
static bool record_twins(Check *check, const Seeded *seeded, const RwSchedule *with,
                         const RwSchedule *without, GError **error)
{
    RwCheckSummary *summary = check->summary;
    if (check->options->progress)
        check->options->progress("recording the two runs", check->options->data);
    RwRecorded *first = record_twin(check, seeded, with, error);
    RwRecorded *second = first ? record_twin(check, seeded, without, error) : NULL;
    summary->passing = summary->turned ? first : second;
    summary->failing = summary->turned ? second : first;
    if (second)
        rw_twin_save(summary->failing->path, summary->passing->manifest->id);
    return second != NULL;
}

static bool record_window_twins(Check *check, const Seeded *seeded, GError **error)
{
    const RwSchedule *base = &check->options->inputs->schedule;
    RwWindow shorter = check->summary->window;
    shorter.until--;
    shorter.last_kinds = shorter.last_after = 0;
    RwSchedule with = rw_trial_schedule(base, &check->summary->window),
               without = rw_trial_schedule(base, &shorter);
    return record_twins(check, seeded, &with, &without, error);
}

// What was written before the schedules start.
static bool feed_start(Check *check, const Seeded *seeded, RwTrialPoint *origin, GError **error)
{
    const RwFails *fails = check->options->fails;
    if (!rw_fails_reads_output(fails))
        return true;
    if (!rw_check_keep(check, seeded->base, error))
        return false;
    g_autofree char *trace = g_build_filename(seeded->base->recorded->path, "trace", NULL);
    return rw_fails_feed_trace(fails, &origin->output, trace, rw_snapshot_steps(origin->snapshot) + 1,
                               error);
}

static bool narrow(Check *check, const Seeded *seeded, RwNarrowed *ret, GError **error)
{
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    RwNarrow task = {
        .pool = check->pool,
        .origin = {rw_origin_get_snapshot(seeded->origin ? seeded->origin : check->origin)},
        .base = options->inputs->schedule,
        .verdict = check->verdict,
        .window = options->window,
        .base_steps = seeded->base->recorded->manifest->end.steps,
        .window_steps = summary->first->recorded->manifest->end.steps,
        .limits = {.give_up = check->give_up, .cancellable = options->cancellable},
        .budget = options->narrow_bytes,
        .progress = options->progress,
        .data = options->data,
    };
    const RwSchedule *found = &summary->first->recorded->manifest->inputs->schedule;
    task.window = found->windows[found->n_windows - 1];
    if (!feed_start(check, seeded, &task.origin, error))
        return false;
    return rw_narrow(&task, ret, error);
}

static bool narrow_window(Check *check, const Seeded *seeded, GError **error)
{
    RwCheckSummary *summary = check->summary;
    RwNarrowed narrowed;
    if (!narrow(check, seeded, &narrowed, error))
        return false;
    summary->window = narrowed.window;
    summary->perturb = narrowed.perturb;
    summary->exact = narrowed.exact;
    summary->caller = narrowed.caller;
    summary->narrow_peak = narrowed.peak;
    return narrowed.window.from == narrowed.window.until || record_window_twins(check, seeded, error);
}

// The same schedule without the hold that begins last, or the fault that strikes last.
static RwSchedule leave_last(const RwSchedule *schedule, const GPtrArray *answers)
{
    const RwHoldAnswer *last = answers->pdata[answers->len - 1];
    return last->is_fault ? rw_without_fault(schedule, last->index)
                          : rw_without_hold(schedule, last->index);
}

static guint count_base(const RwCheckOptions *options, bool faults)
{
    RwSchedule base = options->inputs->schedule;
    rw_schedule_cut(&base, options->window.from);
    return faults ? base.n_faults : base.n_holds;
}

// By how much each was late when it was found.
static void note_found(const GPtrArray *answers, const RwSchedule *found)
{
    for (guint i = 0; i < answers->len; i++) {
        RwHoldAnswer *answer = answers->pdata[i];
        for (uint32_t h = 0; h < found->n_holds && !answer->found_ns; h++)
            if (answer->hold.until == RW_UNTIL_TIME && found->holds[h].until == RW_UNTIL_TIME &&
                rw_task_name_equal(&answer->hold.place.task, &found->holds[h].place.task))
                answer->found_ns = found->holds[h].limit_ns;
    }
}

static bool narrow_places(Check *check, const Seeded *seeded, RwNarrowedHolds *ret, GError **error)
{
    bool faults = check->summary->first->strategy == RW_SEARCH_FAULTS;
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    RwNarrowHolds task = {
        .pool = check->pool,
        .origin = {rw_origin_get_snapshot(seeded->origin ? seeded->origin : check->origin)},
        .inputs = seeded->inputs,
        .verdict = check->verdict,
        .schedule = summary->first->recorded->manifest->inputs->schedule,
        .base = count_base(options, faults),
        .max_delay_ns = rw_search_get_lateness(rw_check_get_search(check, summary->first->schedule)),
        .limits = {.give_up = check->give_up, .cancellable = options->cancellable},
        .budget = options->narrow_bytes,
        .progress = options->progress,
        .data = options->data,
    };
    if (!feed_start(check, seeded, &task.origin, error) ||
        !(faults ? rw_narrow_faults : rw_narrow_holds)(&task, ret, error))
        return false;
    summary->narrow_executed += ret->executed;
    note_found(ret->answers, &task.schedule);
    return true;
}

// Who waits for a timer of its own is not late.
static bool is_late(const RwHoldAnswer *answer)
{
    return answer->hold.until == RW_UNTIL_TIME && !answer->held.timer;
}

static bool is_timed(const GPtrArray *answers)
{
    for (guint i = 0; i < answers->len; i++)
        if (is_late(answers->pdata[i]))
            return true;
    return false;
}

// Of several that are late alone the first is kept.
static void keep_narrowed(Check *check, RwNarrowedHolds *narrowed, bool late)
{
    if (late && check->narrowed_of) {
        g_ptr_array_unref(narrowed->answers);
        return;
    }
    g_clear_pointer(&check->narrowed.answers, g_ptr_array_unref);
    check->narrowed = *narrowed;
    check->narrowed_of = check->summary->first;
}

bool rw_check_narrow_holds(Check *check, bool *ret_late, GError **error)
{
    Seeded seeded = {0};
    RwNarrowedHolds narrowed;
    gint64 start = g_get_monotonic_time();
    bool ok = take_seed(check, &seeded, error) && narrow_places(check, &seeded, &narrowed, error);
    seeded_clear(&seeded);
    check->summary->narrowing_us += g_get_monotonic_time() - start;
    *ret_late = ok && is_timed(narrowed.answers);
    if (ok)
        keep_narrowed(check, &narrowed, *ret_late);
    return ok;
}

static bool record_hold_twins(Check *check, const Seeded *seeded, GError **error)
{
    RwCheckSummary *summary = check->summary;
    const RwSchedule *with = &check->narrowed.schedule;
    RwSchedule without = leave_last(with, check->narrowed.answers);
    summary->narrow_peak = check->narrowed.peak;
    summary->answers = g_steal_pointer(&check->narrowed.answers);
    return record_twins(check, seeded, with, &without, error);
}

static bool narrow_found(Check *check, const Seeded *seeded, GError **error)
{
    bool late, known = check->narrowed_of == check->summary->first;
    if (RW_SEARCH_BLIND & 1u << check->summary->first->strategy)
        return narrow_window(check, seeded, error);
    return (known || rw_check_narrow_holds(check, &late, error)) && record_hold_twins(check, seeded, error);
}

bool rw_check_narrow(Check *check, GError **error)
{
    RwCheckSummary *summary = check->summary;
    Seeded seeded = {0};
    GError *local = NULL;
    gint64 start = g_get_monotonic_time(), earlier = summary->narrowing_us;
    if (!summary->first->schedule)
        return true; // the seed alone decides
    bool ok = take_seed(check, &seeded, &local) && narrow_found(check, &seeded, &local);
    seeded_clear(&seeded);
    summary->narrowing_us = earlier + g_get_monotonic_time() - start;
    summary->narrowed = ok;
    if (!ok && g_cancellable_is_cancelled(check->options->cancellable)) {
        summary->cancelled = true;
        g_clear_error(&local);
    }
    if (local)
        g_propagate_error(error, local);
    return local == NULL;
}
