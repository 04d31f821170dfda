// SPDX-License-Identifier: MIT
#include "check-private.h"

typedef struct {
    Check *check;
    RwBatchOf what;
    RwRecorded **recorded;
    RwFailsOutput *outputs; // of those that were only executed
    bool *known; // those that were not
    GMutex lock; // of `error`
    GError *error; // the first one; no more is begun
} Batch;

typedef struct {
    const RwFails *fails;
    RwFailsOutput *output;
} Fed;

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
    return batch->what.tries ? batch->what.first + index : 0;
}

static uint64_t seed_of(const Batch *batch, guint index)
{
    const RwCheckOptions *options = batch->check->options;
    uint64_t number = batch->what.first + index;
    return options->inputs->seed + (batch->what.seeds ? number : number % MAX(options->seeds, 1));
}

// The first one; takes it over.
static void keep_error(Batch *batch, GError *error)
{
    g_mutex_lock(&batch->lock);
    if (!batch->error)
        batch->error = g_steal_pointer(&error);
    g_mutex_unlock(&batch->lock);
    g_clear_error(&error);
}

static void on_output(uint32_t fd, const uint8_t *bytes, size_t length, void *data)
{
    Fed *fed = data;
    rw_fails_feed(fed->fails, fed->output, bytes, length);
}

// Schedule 0 is what all are compared with.
static bool is_recorded(const Batch *batch)
{
    return batch->what.count == 1 || batch->check->options->keep == RW_CHECK_KEEP_ALL;
}

static RwRecorded *execute(Batch *batch, guint index, const RwInputs *inputs, RwRecordOptions *record,
                           GError **error)
{
    const RwFails *fails = batch->check->options->fails;
    Fed fed = {fails, &batch->outputs[index]};
    batch->outputs[index] = batch->check->begun;
    if (rw_fails_reads_output(fails))
        record->output = on_output;
    record->data = &fed;
    return rw_execute(inputs, record, error);
}

// ---- What was executed before ----

static bool is_remembered(const Batch *batch)
{
    const RwCheckOptions *options = batch->check->options;
    return options->tried && !is_recorded(batch) && !rw_fails_reads_output(options->fails);
}

// One that ended as schedule 0 did; what did not is looked at again.
static RwRecorded *recall(const Batch *batch, guint index, const RwInputs *inputs,
                          const RwRecordOptions *record)
{
    const Check *check = batch->check;
    RwEnd end;
    if (!is_remembered(batch) || !rw_tried_find(check->options->tried, inputs, &end) ||
        !rw_end_same(&check->verdict.reference, &end) || end.icount < check->start_icount)
        return NULL;
    batch->known[index] = true;
    return rw_executed_new(inputs, record, &end);
}

static void remember(const Batch *batch, const RwRecorded *recorded)
{
    const RwEnd *end = &recorded->manifest->end;
    if (is_remembered(batch) && rw_end_is_repeatable(end))
        rw_tried_put(batch->check->options->tried, recorded->manifest->inputs, end);
}

static void save_tried(const Check *check, bool now)
{
    if (check->options->tried)
        rw_tried_save(check->options->tried, now);
}

static RwRecorded *run_one(Batch *batch, guint index, const RwInputs *inputs, RwRecordOptions *record,
                           GError **error)
{
    RwRecorded *recorded = recall(batch, index, inputs, record);
    if (recorded)
        return recorded;
    recorded = is_recorded(batch) ? rw_record(inputs, record, error)
                                  : execute(batch, index, inputs, record, error);
    if (recorded)
        remember(batch, recorded);
    return recorded;
}

static void work(guint index, RwMachine **machine, void *data)
{
    Batch *batch = data;
    Check *check = batch->check;
    const RwCheckOptions *options = check->options;
    g_autoptr(RwInputs) inputs = rw_inputs_copy(options->inputs);
    const RwSearchTry *tries = batch->what.tries;
    RwRecordOptions record = rw_check_record_options(check);
    GError *error = NULL;
    uint64_t number = schedule_of(batch, index);
    inputs->seed = seed_of(batch, index);
    if (tries)
        inputs->schedule = tries[index].schedule;
    record.spare = machine;
    record.executed =
        options->executed && number && number <= options->schedules ? &options->executed[number - 1] : NULL;
    record.keyframes = options->record.keyframes && batch->what.count == 1;
    batch->recorded[index] = run_one(batch, index, inputs, &record, &error);
    if (error)
        keep_error(batch, error);
}

static bool stop(void *data)
{
    Batch *batch = data;
    g_mutex_lock(&batch->lock);
    bool failed = batch->error != NULL;
    g_mutex_unlock(&batch->lock);
    return failed || g_cancellable_is_cancelled(batch->check->options->cancellable);
}

// Of what is tried where nothing is found, from 0 to 1. What is cheap goes on until it has spent enough.
static double get_share(const Check *check)
{
    const RwCheckOptions *options = check->options;
    const RwCheckSummary *summary = check->summary;
    if (!options->schedules || summary->results->len <= options->seeds)
        return 0;
    double share = (double)(summary->results->len - options->seeds) / (double)options->schedules;
    if (options->effort)
        share = MIN(share, (double)summary->executed / (double)options->effort);
    return MIN(share, 1);
}

bool rw_check_guess_left(double share, gint64 elapsed_us, guint64 *ret_seconds)
{
    if (share < 0.02 || elapsed_us < 2 * G_USEC_PER_SEC)
        return false;
    *ret_seconds = (guint64)((double)elapsed_us * (1 - share) / share) / G_USEC_PER_SEC;
    return true;
}

static void append_time_left(const Check *check, GString *text)
{
    gint64 elapsed = check->since ? g_get_monotonic_time() - check->since : 0;
    guint64 left;
    if (!rw_check_guess_left(get_share(check), elapsed, &left))
        return;
    g_string_append_printf(text, ", at most %" G_GUINT64_FORMAT ":%02" G_GUINT64_FORMAT " left", left / 60,
                           left % 60);
}

static void tell_progress(const Check *check)
{
    const RwCheckOptions *options = check->options;
    if (!options->progress)
        return;
    guint n = check->summary->results->len;
    uint64_t least = options->schedules + options->seeds;
    GString *text = g_string_new(NULL);
    g_string_printf(text, "%u", n);
    if (n <= least)
        g_string_append_printf(text, " of %" G_GUINT64_FORMAT, least);
    g_string_append_printf(text, " schedules, %" G_GUINT64_FORMAT " differ", check->summary->differing);
    append_time_left(check, text);
    options->progress(text->str, options->data);
    g_string_free(text, true);
}

// Sees what the run wrote, where that tells whether it fails.
static bool judge(Check *check, RwCheckResult *result, GError **error)
{
    const RwCheckOptions *options = check->options;
    const RwEnd *end = &result->recorded->manifest->end;
    if (rw_fails_reads_output(options->fails) && result->recorded->path) {
        g_autofree char *trace = g_build_filename(result->recorded->path, "trace", NULL);
        if (!rw_fails_feed_trace(options->fails, &result->output, trace, UINT64_MAX, error))
            return false;
    }
    if (!check->summary->results->len)
        check->verdict = rw_verdict_new(options->fails, end, &result->output);
    result->fails = rw_fails_match(options->fails, end, &result->output);
    result->differs =
        result->fails != check->verdict.reference_fails || !rw_end_same(&check->verdict.reference, end);
    return true;
}

// ---- What stays in the store ----

static bool is_first_of_its_kind(const Check *check, const RwCheckResult *result)
{
    const GPtrArray *results = check->summary->results;
    for (guint i = 0; i < results->len; i++) {
        const RwCheckResult *other = results->pdata[i];
        if (other->recorded->path && other->fails == result->fails &&
            rw_end_same(&other->recorded->manifest->end, &result->recorded->manifest->end))
            return false;
    }
    return true;
}

static bool must_keep(const Check *check, const RwCheckResult *result)
{
    bool each = check->options->keep == RW_CHECK_KEEP_DIFFERENT;
    return result->differs && (each || is_first_of_its_kind(check, result));
}

// It was executed and is executed once more: that it ends as before is worth a look.
static void compare_ends(RwRecorded *recorded, const RwEnd *before)
{
    const RwEnd *now = &recorded->manifest->end;
    if (!rw_end_is_repeatable(before) || !rw_end_is_repeatable(now) ||
        recorded->as == RW_RECORDED_DIFFERS ||
        (rw_end_same(before, now) && before->steps == now->steps && before->icount == now->icount))
        return;
    recorded->as = RW_RECORDED_DIFFERS;
    recorded->difference =
        g_strdup_printf("it ended after %" G_GUINT64_FORMAT " instructions, and after %" G_GUINT64_FORMAT
                        " when it was executed again",
                        before->icount, now->icount);
}

bool rw_check_keep(Check *check, RwCheckResult *result, GError **error)
{
    if (result->recorded->path)
        return true;
    RwRecordOptions record = rw_check_record_options(check);
    RwRecorded *recorded = rw_record(result->recorded->manifest->inputs, &record, error);
    if (!recorded)
        return false;
    compare_ends(recorded, &result->recorded->manifest->end);
    rw_recorded_free(result->recorded);
    result->recorded = recorded;
    return true;
}

bool rw_check_add(Check *check, RwCheckResult *result, GError **error)
{
    RwCheckSummary *summary = check->summary;
    bool ok =
        judge(check, result, error) && (!must_keep(check, result) || rw_check_keep(check, result, error));
    summary->perturbed += summary->results->len > 0;
    g_ptr_array_add(summary->results, result);
    summary->differing += result->differs;
    summary->n_failing += result->fails;
    if (ok && check->options->result)
        check->options->result(result, check->options->data);
    return ok;
}

static void done(guint index, void *data)
{
    Batch *batch = data;
    if (!batch->recorded[index])
        return;
    RwCheckResult *result = g_new0(RwCheckResult, 1);
    *result = (RwCheckResult){.schedule = schedule_of(batch, index),
                              .seed = seed_of(batch, index),
                              .strategy = batch->what.tries ? batch->what.tries[index].strategy : 0,
                              .recorded = batch->recorded[index],
                              .known = batch->known[index],
                              .output = batch->outputs[index]};
    GError *error = NULL;
    if (!rw_check_add(batch->check, result, &error))
        keep_error(batch, error);
    tell_progress(batch->check);
    save_tried(batch->check, false);
}

bool rw_check_batch(Check *check, const RwBatchOf *what, GError **error)
{
    g_autofree RwRecorded **recorded = g_new0(RwRecorded *, what->count);
    g_autofree RwFailsOutput *outputs = g_new0(RwFailsOutput, what->count);
    g_autofree bool *known = g_new0(bool, what->count);
    Batch batch = {.check = check, .what = *what, .recorded = recorded, .outputs = outputs, .known = known};
    g_mutex_init(&batch.lock);
    tell_progress(check);
    rw_pool_run(check->pool, what->count, &(RwPoolTask){work, done, stop, &batch});
    g_mutex_clear(&batch.lock);
    save_tried(check, true);
    if (g_cancellable_is_cancelled(check->options->cancellable)) {
        check->summary->cancelled = true;
        g_clear_error(&batch.error);
    }
    if (batch.error)
        g_propagate_error(error, batch.error);
    return batch.error == NULL;
}
