// SPDX-License-Identifier: MIT
//
// Who was held where in the two runs: each is executed for it once, where its schedule holds anybody.
#include "rui-view-private.h"

#include "rw-session-sides.h"

typedef struct {
    RuiView *view;
    GCancellable *cancellable, **slot;
} Asked;

// By whomever.
static void on_known(RuiView *view)
{
    g_object_notify(G_OBJECT(view), "sides");
}

static void follow(RuiView *view, RwSession *session)
{
    g_signal_handlers_disconnect_by_func(session, on_known, view);
    g_signal_connect_object(session, "sides-found", G_CALLBACK(on_known), view, G_CONNECT_SWAPPED);
}

static void on_found(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Asked *asked = data;
    g_autoptr(RuiView) view = asked->view;
    g_autoptr(GCancellable) cancellable = asked->cancellable;
    // Of a run that cannot be executed no more is known than before.
    rw_session_find_sides_finish(RW_SESSION(source), result, NULL);
    if (*asked->slot == cancellable) {
        g_clear_object(asked->slot);
        rui_view_notify_busy(view);
    }
}

void rui_view_find_sides(RuiView *view, RwSessionRun *run, GCancellable **slot)
{
    rui_view_cancel(slot);
    const RwSchedule *schedule = run ? &rw_session_run_get_manifest(run)->inputs->schedule : NULL;
    if (schedule && (schedule->n_holds || schedule->n_faults) && !rw_session_run_get_sides(run)) {
        follow(view, rw_session_run_get_session(run));
        *slot = g_cancellable_new();
        Asked *asked = g_new(Asked, 1);
        *asked = (Asked){g_object_ref(view), g_object_ref(*slot), slot};
        rw_session_find_sides_async(rw_session_run_get_session(run),
                                    rw_run_item_get_ref(rw_session_run_get_item(run)), *slot, on_found,
                                    asked);
    }
    rui_view_notify_busy(view);
}
