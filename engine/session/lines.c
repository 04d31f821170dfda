// SPDX-License-Identifier: MIT
#include "rw-session-lines.h"

#define CHECK_EVERY 4096 // lines

void rw_line_kinds_free(RwLineKinds *kinds)
{
    if (!kinds)
        return;
    g_array_unref(kinds->lines);
    g_free(kinds);
}

static bool sort(const RwText *text, RwLineKinds *kinds, GCancellable *cancellable, GError **error)
{
    guint count = rw_text_count_lines(text, G_MAXUINT64);
    for (guint line = 0; line < count; line++) {
        RwLine content;
        if (line % CHECK_EVERY == 0 && !rw_check_cancelled(cancellable, error))
            return false;
        rw_text_get_line(text, line, G_MAXUINT64, &content);
        guint8 kind = (guint8)rw_line_get_kind(&content);
        kinds->counts[kind]++;
        g_array_append_val(kinds->lines, kind);
    }
    return true;
}

static void sort_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwLineKinds *kinds = g_new0(RwLineKinds, 1);
    GError *error = NULL;
    const RwRunIndex *index = rw_session_run_get_index(RW_SESSION_RUN(source));
    kinds->lines = g_array_new(false, false, 1);
    if (!index || sort(rw_run_index_get_text(index, RW_TEXT_OUTPUT), kinds, cancellable, &error)) {
        g_task_return_pointer(task, kinds, (GDestroyNotify)rw_line_kinds_free);
        return;
    }
    rw_line_kinds_free(kinds);
    g_task_return_error(task, error);
}

void rw_session_run_sort_lines_async(RwSessionRun *run, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    g_task_run_in_thread(task, sort_in_thread);
}

RwLineKinds *rw_session_run_sort_lines_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
