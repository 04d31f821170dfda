// SPDX-License-Identifier: MIT
//
// The comparison with the other run, made anew whenever one of the two changes.
#include "rui-view-private.h"

typedef struct {
    RuiView *view;
    GCancellable *cancellable;
} Asked;

static void set_comparison(RuiView *view, RwSessionComparison *comparison, const char *problem)
{
    g_set_object(&view->comparison, comparison);
    g_free(view->compare_problem);
    view->compare_problem = g_strdup(problem);
    g_object_notify(G_OBJECT(view), "comparison");
}

static void on_compared(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Asked *asked = data;
    g_autoptr(RuiView) view = asked->view;
    g_autoptr(GCancellable) cancellable = asked->cancellable;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSessionComparison) comparison = rw_session_comparison_new_finish(result, &error);
    if (view->comparing != cancellable)
        return; // overtaken
    g_clear_object(&view->comparing);
    set_comparison(view, comparison, error ? error->message : NULL);
    rui_view_notify_busy(view);
}

void rui_view_start_comparing(RuiView *view)
{
    rui_view_cancel(&view->comparing);
    if (view->comparison || view->compare_problem)
        set_comparison(view, NULL, NULL);
    if (view->run && view->compared) {
        view->comparing = g_cancellable_new();
        Asked *asked = g_new(Asked, 1);
        *asked = (Asked){g_object_ref(view), g_object_ref(view->comparing)};
        rw_session_comparison_new_async(view->run, view->compared, view->comparing, on_compared, asked);
    }
    rui_view_notify_busy(view);
}

void rui_view_set_compared(RuiView *view, RwSessionRun *run)
{
    if (!g_set_object(&view->compared, run))
        return;
    rui_view_find_sides(view, run, &view->finding_compared);
    g_object_notify(G_OBJECT(view), "compared");
    rui_view_start_comparing(view);
}

RwSessionRun *rui_view_get_compared(RuiView *view)
{
    return view->compared;
}

RwSessionComparison *rui_view_get_comparison(RuiView *view)
{
    return view->comparison;
}

const char *rui_view_get_compare_problem(RuiView *view)
{
    return view->compare_problem;
}
