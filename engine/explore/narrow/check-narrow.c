// SPDX-License-Identifier: MIT
#include "check-private.h"
#include "holds-private.h"
#include "narrow-private.h"

// The schedules start from the first seed's state. With another one the job is handed over anew.
typedef struct {
    RwInputs *inputs; // of schedule 0 with the seed
    RwOrigin *origin; // owned; NULL: the check's own
    const RwRecorded *base; // schedule 0 with the seed
} Seeded;

static void seeded_clear(Seeded *seeded)
{
    rw_inputs_free(seeded->inputs);
    rw_origin_free(seeded->origin);
}

static const RwRecorded *find_base(const Check *check, uint64_t seed)
{
    const GPtrArray *results = check->summary->results;
    for (guint i = 0; i < results->len; i++) {
        const RwCheckResult *result = results->pdata[i];
        if (!result->schedule && result->seed == seed)
            return result->recorded;
    }
    return ((RwCheckResult *)results->pdata[0])->recorded;
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
static bool feed_start(const Check *check, const Seeded *seeded, RwTrialPoint *origin, GError **error)
{
    const RwFails *fails = check->options->fails;
    if (!rw_fails_reads_output(fails))
        return true;
    g_autofree char *trace = g_build_filename(seeded->base->path, "trace", NULL);
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
        .base_steps = seeded->base->manifest->end.steps,
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
    RwSchedule less = *schedule;
    if (last->is_fault)
        return rw_without_fault(schedule, last->index);
    less.n_holds = 0;
    for (guint i = 0; i < schedule->n_holds; i++)
        if (i != last->index)
            less.holds[less.n_holds++] = schedule->holds[i];
    less.holds[less.n_holds] = (RwHold){0};
    return less;
}

static guint count_base(const RwCheckOptions *options, bool faults)
{
    RwSchedule base = options->inputs->schedule;
    rw_schedule_cut(&base, options->window.from);
    return faults ? base.n_faults : base.n_holds;
}

static bool narrow_places(Check *check, const Seeded *seeded, GError **error)
{
    bool faults = check->summary->first->strategy == RW_SEARCH_FAULTS;
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    RwSchedule with, without;
    RwNarrowHolds task = {
        .pool = check->pool,
        .origin = {rw_origin_get_snapshot(seeded->origin ? seeded->origin : check->origin)},
        .inputs = seeded->inputs,
        .verdict = check->verdict,
        .schedule = summary->first->recorded->manifest->inputs->schedule,
        .base = count_base(options, faults),
        .max_delay_ns = options->max_delay_ns,
        .limits = {.give_up = check->give_up, .cancellable = options->cancellable},
        .progress = options->progress,
        .data = options->data,
    };
    if (!feed_start(check, seeded, &task.origin, error) ||
        !(faults ? rw_narrow_faults : rw_narrow_holds)(&task, &with, &summary->answers, error))
        return false;
    without = leave_last(&with, summary->answers);
    return record_twins(check, seeded, &with, &without, error);
}

static bool narrow_found(Check *check, const Seeded *seeded, GError **error)
{
    bool blind = RW_SEARCH_BLIND & 1u << check->summary->first->strategy;
    return blind ? narrow_window(check, seeded, error) : narrow_places(check, seeded, error);
}

bool rw_check_narrow(Check *check, GError **error)
{
    RwCheckSummary *summary = check->summary;
    Seeded seeded = {0};
    GError *local = NULL;
    gint64 start = g_get_monotonic_time();
    if (!summary->first->schedule)
        return true; // the seed alone decides
    bool ok = take_seed(check, &seeded, &local) && narrow_found(check, &seeded, &local);
    seeded_clear(&seeded);
    summary->narrowing_us = g_get_monotonic_time() - start;
    summary->narrowed = ok;
    if (!ok && g_cancellable_is_cancelled(check->options->cancellable)) {
        summary->cancelled = true;
        g_clear_error(&local);
    }
    if (local)
        g_propagate_error(error, local);
    return local == NULL;
}
