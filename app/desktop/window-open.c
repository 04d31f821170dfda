// SPDX-License-Identifier: MIT
//
// How a run gets into a window.
#include "window-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>

// ---- The run that is open ----

static void show_title(RuiWindow *window, RwSessionRun *run)
{
    RwRunItem *item = rw_session_run_get_item(run);
    g_autofree char *ending = rui_dup_ending(item);
    g_autofree char *schedule = rui_dup_schedule(item, rw_session_run_get_sides(run));
    g_autofree char *subtitle =
        g_strdup_printf("%.8s · %s · %s", rw_run_item_get_id(item), schedule, ending);
    adw_window_title_set_title(window->title, rw_run_item_get_title(item));
    adw_window_title_set_subtitle(window->title, subtitle);
    gtk_window_set_title(GTK_WINDOW(window), rw_run_item_get_title(item));
}

static void show_banner(RuiWindow *window, const char *text)
{
    gtk_label_set_text(window->banner_text, text ? text : "");
    gtk_info_bar_set_revealed(window->banner, text != NULL);
}

static void on_present(RwSessionRun *run, GParamSpec *pspec, RuiWindow *window)
{
    if (run == rui_view_get_run(window->view))
        show_banner(window,
                    rw_session_run_get_present(run)
                        ? NULL
                        : _("This run was removed from the store. It stays readable in this window; "
                            "files cannot be read and it cannot be forked any more."));
}

static void on_progress(RwSessionRun *run, GParamSpec *pspec, RuiWindow *window)
{
    double done = rw_session_run_get_progress(run);
    if (run != rui_view_get_run(window->view))
        return;
    gtk_progress_bar_set_fraction(window->progress, done);
    gtk_widget_set_visible(GTK_WIDGET(window->progress), done < 1 && !rw_session_run_get_problem(run));
}

// Where it was asked for, or at the failure, or at the end.
static void place_playhead(RuiWindow *window, const RwRunIndex *index)
{
    guint64 failure = rw_run_index_get_failure(index), step = window->wanted_step;
    if (step == RUI_NO_STEP)
        step = failure ? failure : rui_view_get_steps(window->view);
    window->wanted_step = RUI_NO_STEP;
    rui_view_set_step(window->view, step);
}

static void on_loaded(RwSessionRun *run, GParamSpec *pspec, RuiWindow *window)
{
    const RwRunIndex *index = rw_session_run_get_index(run);
    if (run != rui_view_get_run(window->view))
        return;
    if (!index) {
        window_show_problem(window, rw_session_run_get_problem(run));
        return;
    }
    if (window->wanted_place)
        place_playhead(window, index);
    window->wanted_place = FALSE;
    window_update_actions(window);
    if (window->wanted_tour)
        window_show_tour(window);
    window->wanted_tour = FALSE;
}

static void follow_run(RuiWindow *window, RwSessionRun *run)
{
    g_signal_handlers_disconnect_by_data(run, window);
    g_signal_connect_object(run, "notify::present", G_CALLBACK(on_present), window, 0);
    g_signal_connect_object(run, "notify::progress", G_CALLBACK(on_progress), window, 0);
    g_signal_connect_object(run, "notify::loaded", G_CALLBACK(on_loaded), window, 0);
}

void window_take_run(RuiWindow *window, RwSessionRun *run)
{
    RwRunItem *item = rw_session_run_get_item(run);
    follow_run(window, run);
    window->wanted_place = TRUE;
    window->was_open = FALSE;
    rui_run_list_set_job(window->runs, rw_run_item_get_job(item));
    rui_run_list_set_current(window->runs, rw_run_item_get_ref(item));
    show_title(window, run);
    show_banner(window, NULL);
    window_show_page(window, "run");
    gtk_widget_grab_focus(GTK_WIDGET(window->timeline)); // its keys work at once
}

// After a swap the other run is the one that is open.
static void on_run(RuiWindow *window)
{
    RwSessionRun *run = rui_view_get_run(window->view);
    follow_run(window, run);
    window->wanted_place = FALSE; // the playhead is where it was in the other one
    show_title(window, run);
    rui_run_list_set_current(window->runs, rw_run_item_get_ref(rw_session_run_get_item(run)));
    on_present(run, NULL, window);
    on_progress(run, NULL, window);
}

void window_show_sides(RuiWindow *window)
{
    RwSessionRun *run = rui_view_get_run(window->view);
    if (run && !rui_window_is_empty(window))
        show_title(window, run);
}

// ---- Opening ----

// Whatever was being opened is not waited for any more.
static void stop_opening(RuiWindow *window)
{
    if (window->opening)
        g_cancellable_cancel(window->opening);
    g_clear_object(&window->opening);
    window_cancel_import(window);
}

void window_show_opening(RuiWindow *window, const char *what)
{
    g_autofree char *text = g_strdup_printf(_("Opening %s…"), what);
    if (!strcmp(rui_window_get_page(window), "run"))
        window->was_open = TRUE;
    stop_opening(window);
    gtk_label_set_text(window->opening_text, text);
    window_show_page(window, "opening");
}

void window_go_back(RuiWindow *window)
{
    if (!window->was_open) {
        window_go_home(window);
        return;
    }
    stop_opening(window);
    window->was_open = window->wanted_tour = FALSE;
    window_show_page(window, "run");
    gtk_widget_grab_focus(GTK_WIDGET(window->timeline));
}

void window_go_home(RuiWindow *window)
{
    stop_opening(window);
    window->was_open = window->wanted_tour = FALSE;
    adw_window_title_set_title(window->title, _("Rewind"));
    adw_window_title_set_subtitle(window->title, "");
    gtk_window_set_title(GTK_WINDOW(window), _("Rewind"));
    show_banner(window, NULL);
    window_show_page(window, "start");
}

typedef struct {
    RuiWindow *window;
    GCancellable *cancellable;
} Opening;

static Opening *opening_new(RuiWindow *window)
{
    window->opening = g_cancellable_new();
    Opening *opening = g_new(Opening, 1);
    *opening = (Opening){g_object_ref(window), g_object_ref(window->opening)};
    return opening;
}

// Whether its answer is still waited for.
static gboolean opening_end(Opening *opening)
{
    RuiWindow *window = opening->window;
    gboolean wanted =
        window->opening == opening->cancellable && !g_cancellable_is_cancelled(window->opening);
    if (window->opening == opening->cancellable)
        g_clear_object(&window->opening);
    g_object_unref(opening->cancellable);
    g_free(opening);
    return wanted;
}

static void on_opened(GObject *source, GAsyncResult *result, gpointer data)
{
    Opening *opening = data;
    g_autoptr(RuiWindow) window = opening->window;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSessionRun) run = rw_session_open_run_finish(RW_SESSION(source), result, &error);
    if (!opening_end(opening))
        return;
    g_autofree char *compare = g_steal_pointer(&window->wanted_compare);
    const char *tab = g_steal_pointer(&window->wanted_tab);
    gboolean check = window->wanted_check;
    window->wanted_check = FALSE;
    if (!run) {
        window_show_problem(window, error->message);
        return;
    }
    g_signal_handlers_disconnect_by_func(window->view, on_run, window);
    window_stop_comparing(window); // it was for the run that is left
    rui_view_set_compared(window->view, NULL);
    rui_view_set_run(window->view, run);
    g_signal_connect_object(window->view, "notify::run", G_CALLBACK(on_run), window, G_CONNECT_SWAPPED);
    window_take_run(window, run);
    if (compare)
        rui_window_compare(window, compare);
    if (tab)
        adw_view_stack_set_visible_child_name(window->tabs, tab);
    if (check)
        window_explain(window, run);
}

void rui_window_open_run(RuiWindow *window, const char *run, const char *compare, guint64 step)
{
    window_show_opening(window, run);
    g_free(window->wanted_compare);
    window->wanted_compare = g_strdup(compare);
    window->wanted_step = step;
    window->wanted_tab = NULL;
    window->wanted_check = FALSE;
    Opening *opening = opening_new(window);
    rw_session_open_run_async(window->session, run, opening->cancellable, on_opened, opening);
}

void rui_window_show_tab(RuiWindow *window, const char *tab)
{
    if (strcmp(rui_window_get_page(window), "run"))
        window->wanted_tab = g_intern_string(tab);
    else if (adw_view_stack_get_child_by_name(window->tabs, tab)) // an older version had others
        adw_view_stack_set_visible_child_name(window->tabs, tab);
}

// ---- Comparing ----

typedef struct {
    RuiWindow *window;
    GCancellable *cancellable;
    gboolean failing_first;
} Comparing;

static gboolean has_verdict(RwSessionRun *run, RwVerdict verdict)
{
    return run && rw_run_item_get_verdict(rw_session_run_get_item(run)) == verdict;
}

static void on_other_opened(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree Comparing *comparing = data;
    g_autoptr(RuiWindow) window = comparing->window;
    g_autoptr(GCancellable) cancellable = comparing->cancellable;
    g_autoptr(GError) error = NULL;
    g_autoptr(RwSessionRun) other = rw_session_open_run_finish(RW_SESSION(source), result, &error);
    RwSessionRun *run = window->view ? rui_view_get_run(window->view) : NULL;
    if (window->comparing != cancellable)
        return; // overtaken, or the window is closed
    g_clear_object(&window->comparing);
    if (!other)
        rui_window_toast(window, error->message);
    else if (comparing->failing_first && has_verdict(run, RW_VERDICT_PASSED) &&
             has_verdict(other, RW_VERDICT_FAILED))
        rui_window_open_run(window, rw_run_item_get_ref(rw_session_run_get_item(other)),
                            rw_run_item_get_ref(rw_session_run_get_item(run)), RUI_NO_STEP);
    else
        rui_view_set_compared(window->view, other);
}

void window_stop_comparing(RuiWindow *window)
{
    if (window->comparing)
        g_cancellable_cancel(window->comparing);
    g_clear_object(&window->comparing);
}

static void compare(RuiWindow *window, const char *run, gboolean failing_first)
{
    window_stop_comparing(window);
    window->comparing = g_cancellable_new();
    Comparing *comparing = g_new(Comparing, 1);
    *comparing = (Comparing){g_object_ref(window), g_object_ref(window->comparing), failing_first};
    adw_view_stack_set_visible_child_name(window->tabs, "compare");
    rw_session_open_run_async(window->session, run, window->comparing, on_other_opened, comparing);
}

void rui_window_compare(RuiWindow *window, const char *run)
{
    compare(window, run, FALSE);
}

void window_compare_failing_first(RuiWindow *window, const char *run)
{
    compare(window, run, TRUE);
}
