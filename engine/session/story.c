// SPDX-License-Identifier: MIT
#include "rw-session-story.h"

static void tell_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
    RwSessionRun *run = RW_SESSION_RUN(source);
    const RwCulprit *culprit = data; // or NULL
    GError *error = NULL;
    RwStory *story = rw_story_new(rw_session_get_store(rw_session_run_get_session(run)),
                                  rw_session_run_get_manifest(run), rw_session_run_get_trace(run), culprit,
                                  cancellable, &error);
    if (story)
        g_task_return_pointer(task, story, (GDestroyNotify)rw_story_free);
    else
        g_task_return_error(task, error);
}

static void free_culprit(gpointer data)
{
    rw_culprit_clear(data);
    g_free(data);
}

void rw_session_run_tell_story_async(RwSessionRun *run, const RwCulprit *culprit, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data)
{
    g_autoptr(GTask) task = g_task_new(run, cancellable, callback, data);
    if (culprit) {
        RwCulprit copy = rw_culprit_copy(culprit);
        g_task_set_task_data(task, g_memdup2(&copy, sizeof copy), free_culprit);
    }
    g_task_run_in_thread(task, tell_in_thread);
}

RwStory *rw_session_run_tell_story_finish(RwSessionRun *run, GAsyncResult *result, GError **error)
{
    return g_task_propagate_pointer(G_TASK(result), error);
}
