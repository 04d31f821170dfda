// SPDX-License-Identifier: MIT
//
// A file's content at a step, from a machine that is thrown away after it.
#include "work-private.h"

#include "rw-inspect.h"

typedef struct {
    guint64 step;
    char *path;
} Query;

static void query_free(gpointer data)
{
    Query *query = data;
    g_free(query->path);
    g_free(query);
}

static GBytes *read_file(RwSessionRun *run, const Query *query, GCancellable *cancellable, GError **error)
{
    uint64_t step = query->step;
    RwAgain again;
    if (!rw_inspect_clamp(rw_session_run_get_trace(run), &rw_session_run_get_manifest(run)->end, &step,
                          error) ||
        !rw_again_open(run, cancellable, &again, error))
        return NULL;
    RwMachine *machine = rw_seek(&again.seek, step, cancellable, error);
    RwInspectPath path = {.path = query->path};
    GBytes *bytes = machine ? rw_inspect_read(machine, &path, RW_FILE_SHOWN_MAX, cancellable, error) : NULL;
    g_clear_pointer(&machine, rw_machine_free);
    rw_again_close(&again);
    return bytes;
}

static void read_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    GError *error = NULL;
    GBytes *bytes = read_file(RW_SESSION_RUN(source), data, cancellable, &error);
    if (bytes)
        g_task_return_pointer(task, bytes, (GDestroyNotify)g_bytes_unref);
    else
        g_task_return_error(task, error);
}

void rw_session_run_read_file_async(RwSessionRun *run, guint64 step, const char *path,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    Query *query = g_new(Query, 1);
    *query = (Query){step, g_strdup(path)};
    g_task_set_task_data(task, query, query_free);
    g_task_run_in_thread(task, read_in_thread);
}

GBytes *rw_session_run_read_file_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
