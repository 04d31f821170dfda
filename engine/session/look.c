// SPDX-License-Identifier: MIT
//
// What a run was at a step: its events, processes, files.
#include "rw-session-run.h"

void rw_moment_free(RwMoment *moment)
{
    if (!moment)
        return;
    g_clear_pointer(&moment->events, g_ptr_array_unref);
    g_clear_object(&moment->before);
    g_free(moment);
}

static guint64 *new_step(guint64 step)
{
    guint64 *copy = g_new(guint64, 1);
    *copy = step;
    return copy;
}

static void run_query(RwSessionRun *run, guint64 step, GTaskThreadFunc function, GCancellable *cancellable,
                      GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    g_task_set_task_data(task, new_step(step), g_free);
    g_task_set_return_on_cancel(task, false);
    g_task_run_in_thread(task, function);
}

// ---- The moment ----

// Events of the step itself and after it. One that came through the ring is read after the steps that
// follow its own, so the next few are read too.
static bool read_events(RwSessionRun *run, guint64 step, RwMoment *moment, GCancellable *cancellable,
                        GError **error)
{
    g_autoptr(RwTraceCursor) cursor =
        rw_trace_cursor_new(rw_session_run_get_trace(run), MAX(step, 1), error);
    bool ticks = rw_session_run_has_ticks(run);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    guint64 last = step + 1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step <= last) {
        if (!rw_check_cancelled(cancellable, error))
            return false;
        if (item.is_step && item.info.step == step) {
            moment->known = true;
            moment->info = item.info;
        }
        if (!item.is_step && item.at == step)
            g_ptr_array_add(moment->events, rw_event_item_new(&item, ticks));
    }
    return more >= 0;
}

// Walks back over blocks of steps until one has an event that is not frequent.
static bool read_before(RwSessionRun *run, guint64 step, RwMoment *moment, GCancellable *cancellable,
                        GError **error)
{
    bool ticks = rw_session_run_has_ticks(run);
    for (guint64 reach = 8, until = step; until > 0; reach *= 4) {
        guint64 from = until > reach ? until - reach : 1;
        g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(rw_session_run_get_trace(run), from, error);
        RwTraceItem item;
        int more = cursor ? 1 : -1;
        while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step <= until) {
            if (item.is_step || item.at >= step || rw_event_is_frequent(&item))
                continue;
            g_clear_object(&moment->before);
            moment->before = rw_event_item_new(&item, ticks);
        }
        if (more < 0 || !rw_check_cancelled(cancellable, error))
            return false;
        if (moment->before || from == 1)
            break;
        until = from;
    }
    return true;
}

static void look_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionRun *run = RW_SESSION_RUN(source);
    guint64 step = *(guint64 *)data;
    GError *error = NULL;
    g_autoptr(RwMoment) moment = g_new0(RwMoment, 1);
    moment->events = g_ptr_array_new_with_free_func(g_object_unref);
    if (read_events(run, step, moment, cancellable, &error) &&
        read_before(run, step, moment, cancellable, &error))
        g_task_return_pointer(task, g_steal_pointer(&moment), (GDestroyNotify)rw_moment_free);
    else
        g_task_return_error(task, error);
}

void rw_session_run_look_async(RwSessionRun *run, guint64 step, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data)
{
    run_query(run, step, look_in_thread, cancellable, callback, data);
}

RwMoment *rw_session_run_look_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

// ---- Processes ----

static void proc_row_free(RwProcRow *row)
{
    g_free(row->text);
    g_free(row);
}

static bool add_proc(const RwProc *proc, guint depth, void *data)
{
    RwProcRow *row = g_new0(RwProcRow, 1);
    *row = (RwProcRow){.pid = proc->pid, .tid = proc->tid, .depth = depth, .start = proc->start};
    if (proc->pid == proc->tid) {
        g_autofree char *words = proc->argv ? g_strjoinv(" ", proc->argv) : g_strdup("");
        row->text = g_utf8_make_valid(words, -1);
        g_strdelimit(row->text, "\n\r\t\033", ' ');
    }
    g_ptr_array_add(data, row);
    return true;
}

static void procs_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const RwRunIndex *index = rw_session_run_get_index(RW_SESSION_RUN(source));
    GPtrArray *rows = g_ptr_array_new_with_free_func((GDestroyNotify)proc_row_free);
    rw_procs_walk_at(rw_run_index_get_procs(index), *(guint64 *)data, add_proc, rows);
    g_task_return_pointer(task, rows, (GDestroyNotify)g_ptr_array_unref);
}

void rw_session_run_list_procs_async(RwSessionRun *run, guint64 step, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data)
{
    g_return_if_fail(rw_session_run_get_loaded(run));
    run_query(run, step, procs_in_thread, cancellable, callback, data);
}

GPtrArray *rw_session_run_list_procs_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}

// ---- Files ----

typedef struct {
    guint64 step;
    RwFilter filter;
} FilesQuery;

static int compare_files(gconstpointer a, gconstpointer b)
{
    const RwFileRow *left = a, *right = b;
    if (left->step != right->step)
        return left->step < right->step ? 1 : -1;
    return strcmp(left->path, right->path);
}

static void files_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    const FilesQuery *query = data;
    const GPtrArray *files = rw_run_index_get_files(rw_session_run_get_index(RW_SESSION_RUN(source)));
    GArray *rows = g_array_new(false, false, sizeof(RwFileRow));
    for (guint i = 0; i < files->len && !g_cancellable_is_cancelled(cancellable); i++) {
        const RwFileHistory *file = files->pdata[i];
        RwFileRow row = {.path = file->path};
        if (rw_file_history_at(file, query->step, &query->filter, &row.step, &row.kind, &row.changes))
            g_array_append_val(rows, row);
    }
    if (!g_cancellable_is_cancelled(cancellable)) // then nobody waits for it
        g_array_sort(rows, compare_files);
    g_task_return_pointer(task, rows, (GDestroyNotify)g_array_unref);
}

void rw_session_run_list_files_async(RwSessionRun *run, guint64 step, const RwFilter *filter,
                                     GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    g_return_if_fail(rw_session_run_get_loaded(run));
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    FilesQuery *query = g_new(FilesQuery, 1);
    *query = (FilesQuery){step, *filter};
    g_task_set_task_data(task, query, g_free);
    g_task_run_in_thread(task, files_in_thread);
}

GArray *rw_session_run_list_files_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
