// SPDX-License-Identifier: MIT
//
// From one event to the next of its kind, either way, without an index of events: forward from the block of
// the step, backward block by block.
#include "rw-session-bookmarks.h"

typedef struct {
    guint64 step;
    bool forward;
    RwStop stop;
    char *path;
} Query;

static void query_free(Query *query)
{
    g_free(query->path);
    g_free(query);
}

static bool is_life(const RwTraceItem *item)
{
    unsigned type = item->record.type;
    return type == REWIND_RECORD_FORK || type == REWIND_RECORD_EXIT || type == REWIND_RECORD_EXEC ||
           type == REWIND_RECORD_JOB_START || type == REWIND_RECORD_JOB_EXIT;
}

static bool names_path(const RwTraceItem *item, const char *path)
{
    g_autofree char *own = rw_event_dup_path(item);
    return !g_strcmp0(own, path);
}

static bool is_stop(const Query *query, const RwTraceItem *item)
{
    const RwStop *stop = &query->stop;
    if (item->is_step || !rw_filter_has(&stop->filter, item->at, item->record.pid))
        return false;
    switch (stop->kind) {
    case RW_STOP_THREAD:
        return item->record.tid == stop->tid && !rw_event_is_frequent(item);
    case RW_STOP_PROCESS:
        return item->record.pid == stop->pid && !rw_event_is_frequent(item);
    case RW_STOP_KIND:
        return item->record.type == stop->type;
    case RW_STOP_LOG:
        return item->record.type == REWIND_RECORD_OUTPUT;
    case RW_STOP_FILE:
        return names_path(item, query->path);
    case RW_STOP_LIFE:
        return is_life(item);
    case RW_STOP_SWITCH:
        return item->record.type == REWIND_RECORD_SWITCH;
    default:
        return !rw_event_is_frequent(item);
    }
}

static bool find_forward(RwTrace *trace, const Query *query, GCancellable *cancellable, guint64 *ret_step,
                         GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, query->step + 1, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    for (guint n = 0; more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0; n++) {
        if (n % 4096 == 0 && !rw_check_cancelled(cancellable, error))
            return false;
        if (is_stop(query, &item) && item.at > query->step) {
            *ret_step = item.at;
            return true;
        }
    }
    return more >= 0;
}

// The last stop before the step in one block; *ret_step stays when there is none.
static bool look_in_block(RwTrace *trace, guint block, const Query *query, guint64 *ret_step,
                          GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, block, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next_in_block(cursor, &item, error)) > 0)
        if (is_stop(query, &item) && item.at < query->step)
            *ret_step = item.at;
    return more >= 0;
}

static guint find_last_block(RwTrace *trace, guint64 step)
{
    guint low = 0, high = rw_trace_get_blocks(trace);
    while (high - low > 1) {
        guint middle = low + (high - low) / 2;
        if (rw_trace_get_first_step(trace, middle) <= step)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool find_backward(RwTrace *trace, const Query *query, GCancellable *cancellable, guint64 *ret_step,
                          GError **error)
{
    guint block = rw_trace_get_blocks(trace) ? find_last_block(trace, query->step) + 1 : 0;
    while (block-- > 0 && !*ret_step)
        if (!rw_check_cancelled(cancellable, error) || !look_in_block(trace, block, query, ret_step, error))
            return false;
    return true;
}

static bool find_bookmark(RwSessionRun *run, const Query *query, guint64 *ret_step, GError **error)
{
    g_autoptr(GPtrArray) bookmarks = rw_session_run_dup_bookmarks(run, error);
    for (guint i = 0; bookmarks && i < bookmarks->len; i++) { // by step
        guint64 step = ((const RwBookmark *)bookmarks->pdata[i])->step;
        if (step < query->stop.filter.from || step >= query->stop.filter.until)
            continue;
        if (query->forward ? step > query->step && !*ret_step : step < query->step)
            *ret_step = step;
    }
    return bookmarks != NULL;
}

static bool find(RwSessionRun *run, const Query *query, GCancellable *cancellable, guint64 *ret_step,
                 GError **error)
{
    RwTrace *trace = rw_session_run_get_trace(run);
    if (query->stop.kind == RW_STOP_BOOKMARK)
        return find_bookmark(run, query, ret_step, error);
    return (query->forward ? find_forward : find_backward)(trace, query, cancellable, ret_step, error);
}

static void find_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const Query *query = data;
    GError *error = NULL;
    guint64 *found = g_new0(guint64, 1);
    if (find(RW_SESSION_RUN(source), query, cancellable, found, &error)) {
        g_task_return_pointer(task, found, g_free);
        return;
    }
    g_free(found);
    g_task_return_error(task, error);
}

void rw_session_run_find_stop_async(RwSessionRun *run, guint64 step, bool forward, const RwStop *stop,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    Query *query = g_new0(Query, 1);
    *query = (Query){step, forward, *stop, g_strdup(stop->path)};
    g_task_set_task_data(task, query, (GDestroyNotify)query_free);
    g_task_run_in_thread(task, find_in_thread);
}

bool rw_session_run_find_stop_finish(RwSessionRun *run, GAsyncResult *result, guint64 *ret_step,
                                     GError **error)
{
    g_autofree guint64 *found = g_task_propagate_pointer(G_TASK(result), error);
    if (found)
        *ret_step = *found;
    return found != NULL;
}
