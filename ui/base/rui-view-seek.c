// SPDX-License-Identifier: MIT
//
// Previous and Next. Pressed again while one is looked for, the last press counts.
#include "rui-view-private.h"

typedef struct {
    RuiView *view;
    GCancellable *cancellable;
} Seek;

static void on_found(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Seek *seek = data;
    g_autoptr(RuiView) view = seek->view;
    g_autoptr(GCancellable) cancellable = seek->cancellable;
    g_autoptr(GError) error = NULL;
    guint64 step = 0;
    gboolean ok = rw_session_run_find_stop_finish(RW_SESSION_RUN(source), result, &step, &error);
    if (view->seeking != cancellable)
        return; // overtaken
    g_clear_object(&view->seeking);
    rui_view_notify_busy(view);
    if (ok && step)
        rui_view_set_step(view, step);
}

void rui_view_seek(RuiView *view, gboolean forward)
{
    if (!view->run)
        return;
    rui_view_cancel(&view->seeking);
    view->seeking = g_cancellable_new();
    RwStop stop = view->stop;
    stop.path = view->path;
    Seek *seek = g_new(Seek, 1);
    *seek = (Seek){g_object_ref(view), g_object_ref(view->seeking)};
    rw_session_run_find_stop_async(view->run, view->step, forward, &stop, view->seeking, on_found, seek);
    rui_view_notify_busy(view);
}
