// SPDX-License-Identifier: MIT
#include "rw-check.h"

// One batch of schedules [first, first + count): worker threads take the next one, the caller's thread
// waits for them in order.
typedef struct {
    const RwCheckOptions *options;
    RwBoot *boot;
    uint64_t first;
    guint count;
    gint next;
    GMutex lock; // of what follows
    GCond changed;
    RwRecorded **recorded;
    guint finished, running;
    GError *error; // the first one; the others stop
} Batch;

static void result_free(RwCheckResult *result)
{
    rw_recorded_free(result->recorded);
    g_free(result);
}

void rw_check_summary_clear(RwCheckSummary *summary)
{
    g_clear_pointer(&summary->results, g_ptr_array_unref);
    summary->first = NULL;
}

static RwRecorded *record_schedule(const Batch *batch, uint64_t schedule, GError **error)
{
    g_autoptr(RwInputs) inputs = rw_inputs_copy(batch->options->inputs);
    RwRecordOptions record = batch->options->record;
    RwWindow window = batch->options->window;
    window.number = schedule;
    rw_schedule_add_window(&inputs->schedule, &window);
    record.boot = batch->boot;
    record.output = NULL;
    record.cancellable = batch->options->cancellable;
    return rw_record(inputs, &record, error);
}

static gboolean take_next(Batch *batch, guint *ret_index)
{
    g_mutex_lock(&batch->lock);
    gboolean go = !batch->error && (guint)batch->next < batch->count;
    *ret_index = go ? (guint)batch->next++ : 0;
    g_mutex_unlock(&batch->lock);
    return go;
}

static void put_result(Batch *batch, guint index, RwRecorded *recorded, GError *error)
{
    g_mutex_lock(&batch->lock);
    batch->recorded[index] = recorded;
    batch->finished++;
    if (error && !batch->error)
        batch->error = g_steal_pointer(&error);
    g_cond_signal(&batch->changed);
    g_mutex_unlock(&batch->lock);
    g_clear_error(&error);
}

static gpointer work(gpointer data)
{
    Batch *batch = data;
    guint index;
    while (take_next(batch, &index)) {
        GError *error = NULL;
        RwRecorded *recorded = record_schedule(batch, batch->first + index, &error);
        put_result(batch, index, recorded, error);
    }
    g_mutex_lock(&batch->lock);
    batch->running--;
    g_cond_signal(&batch->changed);
    g_mutex_unlock(&batch->lock);
    return NULL;
}

static void report(const RwCheckOptions *options, RwCheckSummary *summary, uint64_t schedule,
                   RwRecorded *recorded)
{
    RwCheckResult *result = g_new0(RwCheckResult, 1);
    *result = (RwCheckResult){schedule, recorded, false};
    if (summary->results->len) {
        const RwCheckResult *reference = summary->results->pdata[0];
        result->differs = !rw_end_same(&reference->recorded->manifest->end, &recorded->manifest->end);
    }
    g_ptr_array_add(summary->results, result);
    summary->perturbed += schedule != 0;
    summary->differing += result->differs;
    if (result->differs && !summary->first)
        summary->first = result;
    if (options->result)
        options->result(result, options->data);
}

// Reports what is finished, in order, until all threads are done. What was finished out of order before an
// error or a cancellation is reported too.
static void collect(Batch *batch, RwCheckSummary *summary)
{
    const RwCheckOptions *options = batch->options;
    guint reported = 0, seen = 0;
    while (reported < batch->count) {
        g_mutex_lock(&batch->lock);
        while (batch->running && !batch->recorded[reported] && batch->finished == seen)
            g_cond_wait(&batch->changed, &batch->lock);
        bool done = batch->running == 0;
        seen = batch->finished;
        RwRecorded *recorded = g_steal_pointer(&batch->recorded[reported]);
        g_mutex_unlock(&batch->lock);
        if (options->progress)
            options->progress(batch->first + seen, options->schedules + 1, options->data);
        if (recorded)
            report(options, summary, batch->first + reported, recorded);
        reported += recorded || done;
    }
}

static gboolean run_batch(const RwCheckOptions *options, RwBoot *boot, uint64_t first, guint count,
                          RwCheckSummary *summary, GError **error)
{
    Batch batch = {.options = options, .boot = boot, .first = first, .count = count};
    guint threads = MIN(MAX(options->jobs, 1), count);
    g_autofree GThread **workers = g_new0(GThread *, threads);
    g_autofree RwRecorded **recorded = g_new0(RwRecorded *, count);
    batch.recorded = recorded;
    batch.running = threads;
    g_mutex_init(&batch.lock);
    g_cond_init(&batch.changed);
    for (guint i = 0; i < threads; i++)
        workers[i] = g_thread_new("schedule", work, &batch);
    collect(&batch, summary);
    for (guint i = 0; i < threads; i++)
        g_thread_join(workers[i]);
    g_mutex_clear(&batch.lock);
    g_cond_clear(&batch.changed);
    if (g_error_matches(batch.error, RW_ERROR, RW_ERROR_CANCELLED)) {
        summary->cancelled = true;
        g_clear_error(&batch.error);
    }
    if (batch.error)
        g_propagate_error(error, batch.error);
    return batch.error == NULL;
}

static RwBoot *boot(const RwCheckOptions *options, RwCheckSummary *summary, GError **error)
{
    const RwRecordOptions *record = &options->record;
    gint64 deadline = record->timeout_us ? g_get_monotonic_time() + record->timeout_us : 0;
    g_autoptr(GError) local = NULL;
    RwBoot *made = rw_boot_new(options->inputs, record->guest, record->image_path, deadline,
                               options->cancellable, &local);
    if (g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED))
        summary->cancelled = true;
    else if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return made;
}

static gboolean is_init_failure(const RwCheckResult *result)
{
    return result->recorded->manifest->end.kind == RW_END_INIT;
}

static gboolean run_all(const RwCheckOptions *options, RwBoot *from, RwCheckSummary *summary,
                        GError **error)
{
    if (!run_batch(options, from, 0, 1, summary, error))
        return FALSE;
    if (!summary->results->len || !from || is_init_failure(summary->results->pdata[0]))
        return TRUE; // no job was started: no schedule changes that
    for (uint64_t done = 0; done < options->schedules && !summary->cancelled;) {
        guint count = (guint)MIN(RW_CHECK_BATCH, options->schedules - done);
        if (!run_batch(options, from, done + 1, count, summary, error))
            return FALSE;
        done += count;
        if (summary->first && !options->all)
            break;
    }
    return TRUE;
}

gboolean rw_check(const RwCheckOptions *options, RwCheckSummary *ret, GError **error)
{
    *ret = (RwCheckSummary){.results = g_ptr_array_new_with_free_func((GDestroyNotify)result_free)};
    g_autoptr(GError) local = NULL;
    g_autoptr(RwBoot) from = boot(options, ret, &local);
    gboolean ok = !local && (ret->cancelled || run_all(options, from, ret, &local));
    if (local)
        g_propagate_error(error, g_steal_pointer(&local));
    return ok;
}
