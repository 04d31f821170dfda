// SPDX-License-Identifier: MIT
//
// What took long and ends while somebody looks elsewhere is told by the desktop.
#include "window-private.h"

#include "check-words.h"
#include "settings.h"

typedef struct {
    GWeakRef window;
    char *title;
    gint64 started; // monotonic time
} Told;

static void told_free(gpointer data, GClosure *closure)
{
    Told *told = data;
    g_weak_ref_clear(&told->window);
    g_free(told->title);
    g_free(told);
}

static char *dup_id(RuiWindow *window)
{
    return g_strdup_printf("work-%u", gtk_application_window_get_id(GTK_APPLICATION_WINDOW(window)));
}

// It, or a dialog of it.
static gboolean is_looked_at(RuiWindow *window)
{
    GListModel *all = gtk_window_get_toplevels();
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWindow) one = g_list_model_get_item(all, i);
        if (gtk_window_is_active(one) &&
            (one == GTK_WINDOW(window) || gtk_window_get_transient_for(one) == GTK_WINDOW(window)))
            return TRUE;
    }
    return FALSE;
}

// Who cancels something knows that it ended.
static gboolean was_cancelled(RwSessionWork *work)
{
    const RwExplanation *answer = rw_session_work_get_explanation(work);
    const GPtrArray *cells = rw_session_work_get_cells(work);
    if (rw_session_work_get_problem(work))
        return FALSE;
    if (answer)
        return answer->cancelled;
    return cells ? rw_session_work_get_done(work) < cells->len : !rw_session_work_get_result(work);
}

static char *dup_body(RwSessionWork *work)
{
    const RwExplanation *answer = rw_session_work_get_explanation(work);
    return answer ? check_dup_answer(answer, NULL) : check_dup_summary(work);
}

// The run to show: what was recorded, what was found, else the one that was checked; "" where there is
// none.
static const char *get_ref(RuiWindow *window, RwSessionWork *work)
{
    const RwExplanation *answer = rw_session_work_get_explanation(work);
    RwSessionRun *run = rui_view_get_run(window->view);
    if (rw_session_work_get_result(work))
        return rw_session_work_get_result(work);
    if (answer && answer->failing)
        return answer->failing;
    return run && rw_session_work_get_cells(work) ? rw_run_item_get_ref(rw_session_run_get_item(run)) : "";
}

static void on_ended(RwSessionWork *work, GParamSpec *pspec, Told *told)
{
    g_autoptr(RuiWindow) window = g_weak_ref_get(&told->window);
    GtkApplication *application = window ? gtk_window_get_application(GTK_WINDOW(window)) : NULL;
    gint64 seconds = (g_get_monotonic_time() - told->started) / G_USEC_PER_SEC;
    if (!application || rw_session_work_is_running(work) || was_cancelled(work) || is_looked_at(window) ||
        seconds < desktop_get_defaults(window->settings).notify)
        return;
    g_autoptr(GNotification) notification = g_notification_new(told->title);
    g_autofree char *id = dup_id(window), *body = dup_body(work);
    g_notification_set_body(notification, body);
    g_notification_set_default_action_and_target(
        notification, "app.show-result", "(uss)",
        gtk_application_window_get_id(GTK_APPLICATION_WINDOW(window)), get_ref(window, work),
        rw_session_work_get_cells(work) ? "runs" : "");
    if (g_application_get_dbus_connection(G_APPLICATION(application))) // there is somebody to tell it
        g_application_send_notification(G_APPLICATION(application), id, notification);
}

// Whoever is back needs no word of it any more.
static void on_active(RuiWindow *window)
{
    GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
    g_autofree char *id = dup_id(window);
    if (application && g_application_get_dbus_connection(G_APPLICATION(application)) &&
        gtk_window_is_active(GTK_WINDOW(window)))
        g_application_withdraw_notification(G_APPLICATION(application), id);
}

void window_tell_end(RuiWindow *window, RwSessionWork *work, const char *title)
{
    Told *told = g_new0(Told, 1);
    g_weak_ref_init(&told->window, window);
    told->title = g_strdup(title);
    told->started = g_get_monotonic_time();
    g_signal_connect_data(work, "notify::running", G_CALLBACK(on_ended), told, told_free, 0);
    g_signal_handlers_disconnect_by_func(window, on_active, NULL);
    g_signal_connect(window, "notify::is-active", G_CALLBACK(on_active), NULL);
}
