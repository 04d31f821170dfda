// SPDX-License-Identifier: MIT
#include "rw-inspect.h"

// Leaves *ret_step alone where the block has no record of `type`.
static bool find_in_block(RwTrace *trace, guint block, unsigned type, uint64_t *ret_step, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, block, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next_in_block(cursor, &item, error)) > 0) {
        if (item.is_step || item.record.type != type)
            continue;
        *ret_step = item.step;
        return true;
    }
    return more == 0;
}

bool rw_inspect_job_start(RwTrace *trace, uint64_t *ret_step, GError **error)
{
    guint blocks = rw_trace_get_blocks(trace);
    *ret_step = 0;
    for (guint block = 0; block < blocks && !*ret_step; block++)
        if (!find_in_block(trace, block, REWIND_RECORD_JOB_START, ret_step, error))
            return false;
    if (*ret_step)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "the run has no job: it never started");
    return false;
}

static bool find_exit(RwTrace *trace, uint64_t *ret_step, GError **error)
{
    *ret_step = 0;
    for (guint block = rw_trace_get_blocks(trace); block-- > 0 && !*ret_step;)
        if (!find_in_block(trace, block, REWIND_RECORD_JOB_EXIT, ret_step, error))
            return false;
    return true;
}

bool rw_inspect_clamp(RwTrace *trace, const RwEnd *end, uint64_t *step, GError **error)
{
    uint64_t start, last = UINT64_MAX;
    if (!rw_inspect_job_start(trace, &start, error) || (end->job_exited && !find_exit(trace, &last, error)))
        return false;
    if (*step < start) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    "step %" G_GUINT64_FORMAT ": before the job, which starts at step %" G_GUINT64_FORMAT,
                    *step, start);
        return false;
    }
    if (last)
        *step = MIN(*step, last);
    return true;
}
