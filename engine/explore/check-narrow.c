// SPDX-License-Identifier: MIT
#include "check-private.h"
#include "narrow.h"

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

static gboolean take_seed(Check *check, Seeded *ret, GError **error)
{
    const RwCheckOptions *options = check->options;
    uint64_t seed = check->summary->first->seed;
    *ret = (Seeded){.inputs = rw_inputs_copy(options->inputs), .base = find_base(check, seed)};
    ret->inputs->seed = seed;
    if (seed == options->inputs->seed)
        return TRUE;
    if (!check->boot) {
        g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "another seed starts at the job's start");
        return FALSE;
    }
    uint64_t before = options->window.from ? options->window.from - 1 : 0;
    uint64_t handed_over = rw_snapshot_steps(rw_origin_get_snapshot(check->boot)) + 1;
    ret->origin = rw_origin_new_later(check->boot, ret->inputs, MAX(before, handed_over),
                                      options->cancellable, error);
    return ret->origin != NULL;
}

static RwRecorded *record_twin(Check *check, const Seeded *seeded, const RwWindow *window, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(seeded->inputs);
    RwRecordOptions record = rw_check_record_options(check);
    record.keyframes = check->options->record.keyframes;
    if (seeded->origin)
        record.origin = seeded->origin;
    inputs->schedule = rw_check_schedule(check, window);
    return rw_record(inputs, &record, error);
}

// The same run until the step that decides, with it and without.
static gboolean record_twins(Check *check, const Seeded *seeded, GError **error)
{
    RwCheckSummary *summary = check->summary;
    RwWindow shorter = summary->window;
    shorter.until--;
    shorter.last_kinds = shorter.last_after = 0;
    if (check->options->progress)
        check->options->progress("recording the two runs", check->options->data);
    RwRecorded *with = record_twin(check, seeded, &summary->window, error);
    RwRecorded *without = with ? record_twin(check, seeded, &shorter, error) : NULL;
    summary->passing = summary->turned ? with : without;
    summary->failing = summary->turned ? without : with;
    return without != NULL;
}

static gboolean narrow(Check *check, const Seeded *seeded, RwNarrowed *ret, GError **error)
{
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    RwNarrow task = {
        .pool = check->pool,
        .origin = rw_origin_get_snapshot(seeded->origin ? seeded->origin : check->origin),
        .base = options->inputs->schedule,
        .verdict = check->verdict,
        .window = options->window,
        .base_steps = seeded->base->manifest->end.steps,
        .window_steps = summary->first->recorded->manifest->end.steps,
        .limits = {.give_up = check->give_up, .cancellable = options->cancellable},
        .progress = options->progress,
        .data = options->data,
    };
    task.window.number = summary->first->schedule;
    return rw_narrow(&task, ret, error);
}

gboolean rw_check_narrow(Check *check, GError **error)
{
    RwCheckSummary *summary = check->summary;
    RwNarrowed narrowed;
    Seeded seeded;
    GError *local = NULL;
    gint64 start = g_get_monotonic_time();
    if (!summary->first->schedule)
        return TRUE; // the seed alone decides
    gboolean ok = take_seed(check, &seeded, &local) && narrow(check, &seeded, &narrowed, &local);
    if (ok) {
        summary->window = narrowed.window;
        summary->perturb = narrowed.perturb;
        summary->exact = narrowed.exact;
        ok = narrowed.window.from == narrowed.window.until || record_twins(check, &seeded, &local);
    }
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
