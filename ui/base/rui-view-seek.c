// SPDX-License-Identifier: MIT
//
// What log, files and stops are limited to; Previous and Next. Pressed again while one is looked for, the
// last press counts.
#include "rui-view-private.h"

// ---- What is looked at ----

void rui_view_select_process(RuiView *view, const RwSpan *process)
{
    if (view->process == process)
        return;
    view->process = process;
    rui_view_notify_filter(view);
}

void rui_view_select_pid(RuiView *view, guint32 pid, guint64 step)
{
    const RwRunIndex *index = rui_view_get_index(view);
    const RwSpans *spans = index ? rw_run_index_get_spans(index) : NULL;
    const RwSpan *found = NULL;
    for (guint i = 0; spans && i < rw_spans_count(spans); i++) {
        const RwSpan *span = rw_spans_get(spans, i);
        if (span->pid == pid && (!found || (span->start <= step && step < span->until)))
            found = span;
    }
    rui_view_select_process(view, found);
}

const RwSpan *rui_view_get_process(RuiView *view)
{
    return view->process;
}

void rui_view_select_steps(RuiView *view, guint64 from, guint64 until)
{
    until = MIN(until, rui_view_get_steps(view) + 1);
    from = MIN(from, until);
    if (from == until)
        from = until = 0;
    if (view->selected_from == from && view->selected_until == until)
        return;
    view->selected_from = from;
    view->selected_until = until;
    rui_view_notify_filter(view);
}

gboolean rui_view_get_selected_steps(RuiView *view, guint64 *ret_from, guint64 *ret_until)
{
    *ret_from = view->selected_from;
    *ret_until = view->selected_until;
    return view->selected_until > 0;
}

RwFilter rui_view_get_filter(RuiView *view)
{
    RwFilter filter = RW_FILTER_NONE;
    if (view->process) // its last event is its end
        filter = (RwFilter){view->process->pid, view->process->start, view->process->until + 1};
    if (view->selected_until) {
        filter.from = MAX(filter.from, view->selected_from);
        filter.until = MIN(filter.until, view->selected_until);
    }
    return filter;
}

// ---- Previous and Next ----

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
    stop.filter = rui_view_get_filter(view);
    if (view->process && (stop.kind == RW_STOP_THREAD || stop.kind == RW_STOP_PROCESS))
        stop.kind = RW_STOP_EVENT; // of the one that is selected
    Seek *seek = g_new(Seek, 1);
    *seek = (Seek){g_object_ref(view), g_object_ref(view->seeking)};
    rw_session_run_find_stop_async(view->run, view->step, forward, &stop, view->seeking, on_found, seek);
    rui_view_notify_busy(view);
}
