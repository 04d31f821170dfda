// SPDX-License-Identifier: MIT
#include "check-private.h"

typedef struct {
    Check *check;
    RwBatchOf what;
    RwRecorded **recorded;
    GMutex lock; // of `error`
    GError *error; // the first one; no more is begun
} Batch;

RwSchedule rw_check_schedule(const Check *check, const RwWindow *window)
{
    RwSchedule schedule = check->options->inputs->schedule;
    rw_schedule_cut(&schedule, window->from);
    rw_schedule_add_window(&schedule, window);
    return schedule;
}

RwRecordOptions rw_check_record_options(const Check *check)
{
    RwRecordOptions record = check->options->record;
    record.origin = check->origin;
    record.cancellable = check->options->cancellable;
    record.give_up = check->give_up;
    record.output = NULL;
    record.spare = NULL;
    record.keyframes = false; // but of the few that are looked at: the first and the twins
    return record;
}

static uint64_t schedule_of(const Batch *batch, guint index)
{
    return batch->what.seeds ? 0 : batch->what.first + index;
}

static uint64_t seed_of(const Batch *batch, guint index)
{
    const RwCheckOptions *options = batch->check->options;
    uint64_t number = batch->what.first + index;
    return options->inputs->seed + (batch->what.seeds ? number : number % MAX(options->seeds, 1));
}

static void work(guint index, RwMachine **machine, void *data)
{
    Batch *batch = data;
    Check *check = batch->check;
    const RwCheckOptions *options = check->options;
    g_autoptr(RwInputs) inputs = rw_inputs_copy(options->inputs);
    RwWindow window = options->window;
    RwRecordOptions record = rw_check_record_options(check);
    GError *error = NULL;
    window.number = schedule_of(batch, index);
    inputs->seed = seed_of(batch, index);
    if (window.number)
        inputs->schedule = rw_check_schedule(check, &window);
    record.spare = machine;
    record.keyframes = options->record.keyframes && batch->what.count == 1;
    batch->recorded[index] = rw_record(inputs, &record, &error);
    g_mutex_lock(&batch->lock);
    if (error && !batch->error)
        batch->error = g_steal_pointer(&error);
    g_mutex_unlock(&batch->lock);
    g_clear_error(&error);
}

static gboolean stop(void *data)
{
    Batch *batch = data;
    g_mutex_lock(&batch->lock);
    gboolean failed = batch->error != NULL;
    g_mutex_unlock(&batch->lock);
    return failed || g_cancellable_is_cancelled(batch->check->options->cancellable);
}

static void tell_progress(const Check *check)
{
    const RwCheckOptions *options = check->options;
    char text[80];
    g_snprintf(text, sizeof text, "%u of %" G_GUINT64_FORMAT " schedules, %" G_GUINT64_FORMAT " differ",
               check->summary->results->len, options->schedules + options->seeds,
               check->summary->differing);
    if (options->progress)
        options->progress(text, options->data);
}

static void done(guint index, void *data)
{
    Batch *batch = data;
    Check *check = batch->check;
    RwCheckSummary *summary = check->summary;
    if (!batch->recorded[index])
        return;
    RwCheckResult *result = g_new0(RwCheckResult, 1);
    *result =
        (RwCheckResult){schedule_of(batch, index), seed_of(batch, index), batch->recorded[index], false};
    bool base = !summary->results->len;
    const RwEnd *end = &result->recorded->manifest->end;
    if (base)
        check->verdict = rw_verdict_new(end);
    result->differs = !rw_end_same(&check->verdict.reference, end);
    g_ptr_array_add(summary->results, result);
    summary->perturbed += !base;
    summary->differing += result->differs;
    if (result->differs && !summary->first && rw_verdict_wants(&check->verdict, end))
        summary->first = result;
    if (check->options->result)
        check->options->result(result, check->options->data);
    tell_progress(check);
}

gboolean rw_check_batch(Check *check, const RwBatchOf *what, GError **error)
{
    g_autofree RwRecorded **recorded = g_new0(RwRecorded *, what->count);
    Batch batch = {.check = check, .what = *what, .recorded = recorded};
    g_mutex_init(&batch.lock);
    tell_progress(check);
    rw_pool_run(check->pool, what->count, &(RwPoolTask){work, done, stop, &batch});
    g_mutex_clear(&batch.lock);
    if (g_cancellable_is_cancelled(check->options->cancellable)) {
        check->summary->cancelled = true;
        g_clear_error(&batch.error);
    }
    if (batch.error)
        g_propagate_error(error, batch.error);
    return batch.error == NULL;
}
