// SPDX-License-Identifier: MIT
#include "check-private.h"
#include "narrow.h"

static RwRecorded *record_twin(Check *check, const RwWindow *window, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(check->options->inputs);
    RwRecordOptions record = rw_check_record_options(check);
    inputs->schedule = rw_check_schedule(check, window);
    return rw_record(inputs, &record, error);
}

// The same run until the step that decides, with it and without.
static gboolean record_twins(Check *check, GError **error)
{
    RwCheckSummary *summary = check->summary;
    RwWindow shorter = summary->window;
    shorter.until--;
    shorter.last_kinds = shorter.last_after = 0;
    if (check->options->progress)
        check->options->progress("recording the two runs", check->options->data);
    RwRecorded *with = record_twin(check, &summary->window, error);
    RwRecorded *without = with ? record_twin(check, &shorter, error) : NULL;
    summary->passing = summary->turned ? with : without;
    summary->failing = summary->turned ? without : with;
    return without != NULL;
}

static gboolean narrow(Check *check, RwNarrowed *ret, GError **error)
{
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    const RwCheckResult *base = summary->results->pdata[0];
    RwNarrow task = {
        .pool = check->pool,
        .origin = rw_origin_get_snapshot(check->origin),
        .base = options->inputs->schedule,
        .verdict = check->verdict,
        .window = options->window,
        .base_steps = base->recorded->manifest->end.steps,
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
    GError *local = NULL;
    gint64 start = g_get_monotonic_time();
    gboolean ok = narrow(check, &narrowed, &local);
    if (ok) {
        summary->window = narrowed.window;
        summary->perturb = narrowed.perturb;
        summary->exact = narrowed.exact;
        ok = narrowed.window.from == narrowed.window.until || record_twins(check, &local);
    }
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
