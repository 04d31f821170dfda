// SPDX-License-Identifier: MIT
#include "check-private.h"

static void result_free(RwCheckResult *result)
{
    rw_recorded_free(result->recorded);
    g_free(result);
}

void rw_check_summary_clear(RwCheckSummary *summary)
{
    g_clear_pointer(&summary->results, g_ptr_array_unref);
    g_clear_pointer(&summary->passing, rw_recorded_free);
    g_clear_pointer(&summary->failing, rw_recorded_free);
    summary->first = NULL;
}

// A cancellation is no error of the check.
static gboolean take_error(Check *check, GError *local, GError **error)
{
    if (!local)
        return TRUE;
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_CANCELLED)) {
        g_propagate_error(error, local);
        return FALSE;
    }
    check->summary->cancelled = true;
    g_error_free(local);
    return TRUE;
}

static gboolean boot(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    const RwRecordOptions *record = &options->record;
    gint64 deadline = record->timeout_us ? g_get_monotonic_time() + record->timeout_us : 0;
    GError *local = NULL;
    if (options->progress)
        options->progress("starting the machine", options->data);
    check->boot = rw_origin_new_boot(options->inputs, record->guest, record->image_path, deadline,
                                     options->cancellable, &local);
    check->origin = check->boot;
    return take_error(check, local, error);
}

// The state that schedules start from is schedule 0's right before the window.
static gboolean go_to_window(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    uint64_t from = options->window.from;
    GError *local = NULL;
    if (options->origin || !from || from - 1 <= rw_snapshot_steps(rw_origin_get_snapshot(check->boot)))
        return TRUE;
    if (options->progress)
        options->progress("going to the window's first step", options->data);
    check->later =
        rw_origin_new_later(check->boot, options->inputs, from - 1, options->cancellable, &local);
    if (check->later)
        check->origin = check->later;
    return take_error(check, local, error);
}

static void take_base(Check *check)
{
    RwCheckSummary *summary = check->summary;
    RwCheckResult *result = g_new0(RwCheckResult, 1);
    result->recorded = check->options->base;
    check->verdict = rw_verdict_new(&result->recorded->manifest->end);
    g_ptr_array_add(summary->results, result);
    if (check->options->result)
        check->options->result(result, check->options->data);
}

static void set_give_up(Check *check)
{
    const RwCheckResult *base = check->summary->results->pdata[0];
    uint64_t instructions = base->recorded->manifest->end.icount;
    if (!check->options->record.timeout_us && instructions < UINT64_MAX / RW_CHECK_GIVE_UP_TIMES)
        check->give_up = MAX(instructions * RW_CHECK_GIVE_UP_TIMES, RW_CHECK_GIVE_UP_MIN);
}

// Schedule 0. FALSE in *ret_more: no schedule can change anything, or it was cancelled.
static gboolean run_base(Check *check, bool *ret_more, GError **error)
{
    RwCheckSummary *summary = check->summary;
    *ret_more = false;
    if (check->options->base)
        take_base(check);
    else if (!boot(check, error) || summary->cancelled ||
             !rw_check_batch(check, &(RwBatchOf){.count = 1}, error))
        return summary->cancelled;
    if (!summary->results->len || summary->cancelled || !check->origin)
        return TRUE;
    const RwCheckResult *base = summary->results->pdata[0];
    summary->turned = check->verdict.passing;
    set_give_up(check);
    *ret_more = base->recorded->manifest->end.kind != RW_END_INIT;
    return !*ret_more || go_to_window(check, error);
}

static gboolean run_seeds(Check *check, GError **error)
{
    uint64_t seeds = check->options->seeds;
    for (uint64_t done = 1; done < seeds && !check->summary->cancelled; done += RW_CHECK_BATCH) {
        guint count = (guint)MIN(RW_CHECK_BATCH, seeds - done);
        if (!rw_check_batch(check, &(RwBatchOf){.first = done, .count = count, .seeds = true}, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean run_schedules(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    if (!run_seeds(check, error))
        return FALSE;
    if (summary->first && !options->all)
        return TRUE;
    for (uint64_t done = 0; done < options->schedules && !summary->cancelled;) {
        guint count = (guint)MIN(RW_CHECK_BATCH, options->schedules - done);
        if (!rw_check_batch(check, &(RwBatchOf){.first = done + 1, .count = count}, error))
            return FALSE;
        done += count;
        if (summary->first && !options->all)
            break;
    }
    return TRUE;
}

static gboolean run(Check *check, GError **error)
{
    const RwCheckOptions *options = check->options;
    RwCheckSummary *summary = check->summary;
    bool more;
    if (!run_base(check, &more, error))
        return FALSE;
    gint64 start = g_get_monotonic_time();
    if (more && !run_schedules(check, error))
        return FALSE;
    summary->schedules_us = g_get_monotonic_time() - start;
    if (options->counted)
        options->counted(summary, options->data);
    if (!options->narrow || !summary->first || summary->cancelled)
        return TRUE;
    return rw_check_narrow(check, error);
}

gboolean rw_check(const RwCheckOptions *options, RwCheckSummary *ret, GError **error)
{
    *ret = (RwCheckSummary){.results = g_ptr_array_new_with_free_func((GDestroyNotify)result_free)};
    Check check = {.options = options, .summary = ret, .origin = options->origin};
    check.pool = rw_pool_new(options->jobs);
    gboolean ok = run(&check, error);
    rw_pool_free(check.pool);
    rw_origin_free(check.later);
    rw_origin_free(check.boot);
    return ok;
}
