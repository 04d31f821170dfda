// SPDX-License-Identifier: MIT
#include "window-private.h"

#include "rui-record-window.h"

#include <glib/gi18n.h>

#define ACTION(name) static void name(GtkWidget *widget, const char *action, GVariant *parameter)
#define WINDOW RUI_WINDOW(widget)
#define VIEW (RUI_WINDOW(widget)->view)

// ---- The playhead ----

ACTION(do_back)
{
    rui_view_go(VIEW, FALSE);
}

ACTION(do_forward)
{
    rui_view_go(VIEW, TRUE);
}

ACTION(do_previous)
{
    rui_view_seek(VIEW, FALSE);
}

ACTION(do_next)
{
    rui_view_seek(VIEW, TRUE);
}

ACTION(do_move)
{
    gint32 by = g_variant_get_int32(parameter);
    guint64 step = rui_view_get_step(VIEW);
    rui_view_set_step(VIEW, by < 0 && step < (guint64)-by ? 0 : step + (guint64)by);
}

ACTION(do_phase)
{
    rui_view_move_phase(VIEW, g_variant_get_boolean(parameter));
}

ACTION(do_first)
{
    rui_view_jump(VIEW, 0);
}

ACTION(do_last)
{
    rui_view_jump(VIEW, rui_view_get_steps(VIEW));
}

ACTION(do_failure)
{
    const RwRunIndex *index = rui_view_get_index(VIEW);
    if (index && rw_run_index_get_failure(index))
        rui_view_jump(VIEW, rw_run_index_get_failure(index));
}

ACTION(do_divergence)
{
    RwSessionComparison *comparison = rui_view_get_comparison(VIEW);
    if (comparison && rw_session_comparison_get_left_step(comparison))
        rui_view_jump(VIEW, rw_session_comparison_get_left_step(comparison));
}

ACTION(do_swap)
{
    rui_view_swap(VIEW);
}

ACTION(do_stop_comparing)
{
    window_stop_comparing(WINDOW);
    rui_view_set_compared(VIEW, NULL);
}

ACTION(do_zoom)
{
    rui_view_zoom(VIEW, g_variant_get_boolean(parameter) ? 0.5 : 2, (double)rui_view_get_step(VIEW) + 0.5);
}

ACTION(do_zoom_all)
{
    rui_view_zoom_all(VIEW);
}

ACTION(do_threads)
{
    gboolean threads;
    g_object_get(WINDOW->timeline, "threads", &threads, NULL);
    g_object_set(WINDOW->timeline, "threads", !threads, NULL);
}

ACTION(do_go_to)
{
    window_ask_step(WINDOW);
}

// ---- Panes ----

ACTION(do_search)
{
    RuiWindow *window = WINDOW;
    if (rui_window_is_empty(window))
        rui_start_page_search(window->start, NULL);
    else
        rui_search_pane_open(window->search);
}

ACTION(do_show_tab)
{
    adw_view_stack_set_visible_child_name(WINDOW->tabs, g_variant_get_string(parameter, NULL));
}

ACTION(do_kernel_log)
{
    RuiLogPane *log = WINDOW->log;
    rui_log_pane_show_kernel(log, !rui_log_pane_shows_kernel(log));
}

ACTION(do_copy_log)
{
    g_autofree char *text = rui_log_pane_dup_text(WINDOW->log);
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
    rui_window_toast(WINDOW, _("Log copied"));
}

ACTION(do_bookmark)
{
    gtk_menu_button_popup(WINDOW->bookmark_button);
    rui_bookmarks_add(WINDOW->bookmarks);
}

// What a pane has to say for a moment.
ACTION(do_toast)
{
    rui_window_toast(WINDOW, g_variant_get_string(parameter, NULL));
}

// ---- Terminals ----

ACTION(do_shell)
{
    window_open_terminal(WINDOW, RUI_TERMINAL_SHELL, g_variant_get_uint32(parameter));
}

ACTION(do_gdb)
{
    window_open_terminal(WINDOW, RUI_TERMINAL_GDB, g_variant_get_uint32(parameter));
}

ACTION(do_terminals)
{
    window_toggle_terminals(WINDOW);
}

ACTION(do_focus)
{
    window_focus(WINDOW, g_variant_get_string(parameter, NULL));
}

ACTION(do_go_there)
{
    guint64 step;
    const char *run;
    g_variant_get(parameter, "(&st)", &run, &step);
    window_go_there(WINDOW, run, step);
}

// ---- Runs ----

ACTION(do_home)
{
    window_go_home(WINDOW);
}

ACTION(do_cancel_opening)
{
    window_go_back(WINDOW);
}

ACTION(do_open)
{
    window_choose_file(WINDOW);
}

ACTION(do_open_location)
{
    window_ask_location(WINDOW);
}

ACTION(do_export)
{
    window_export(WINDOW, NULL);
}

ACTION(do_new_run)
{
    window_record(WINDOW);
}

ACTION(do_example)
{
    window_open_example(WINDOW);
}

ACTION(do_tour)
{
    window_show_tour(WINDOW);
}

ACTION(do_shortcuts)
{
    window_show_shortcuts(WINDOW);
}

ACTION(do_fork)
{
    window_ask_fork(WINDOW);
}

// The whole of the command's `check`, for the job of this run.
ACTION(do_explain)
{
    window_explain(WINDOW, rui_view_get_run(VIEW));
}

ACTION(do_check)
{
    window_check(WINDOW, g_variant_get_uint32(parameter));
}

ACTION(do_undo)
{
    RuiWindow *window = WINDOW;
    if (!rui_run_list_undo(window->runs))
        rui_run_list_undo(rui_start_page_get_list(window->start));
}

ACTION(do_story)
{
    RuiStoryStrip *story = WINDOW->story;
    rui_story_strip_set_shown(story, !rui_story_strip_get_shown(story));
}

// ---- The table ----

// `when`: what an action needs.
typedef enum {
    ALWAYS,
    WITH_RUN,
    WITH_INDEX,
    TO_SEARCH,
    WITH_COMPARED,
    WITH_DIVERGENCE,
    WITH_FAILURE,
    WITH_BACK,
    WITH_AHEAD,
    WITH_FORKS
} When;

static const struct {
    const char *name, *parameter;
    GtkWidgetActionActivateFunc activate;
    When when;
} actions[] = {
    {"win.back", NULL, do_back, WITH_BACK},
    {"win.forward", NULL, do_forward, WITH_AHEAD},
    {"win.previous", NULL, do_previous, WITH_RUN},
    {"win.next", NULL, do_next, WITH_RUN},
    {"win.move", "i", do_move, WITH_RUN},
    {"win.phase", "b", do_phase, WITH_INDEX},
    {"win.first", NULL, do_first, WITH_RUN},
    {"win.last", NULL, do_last, WITH_RUN},
    {"win.failure", NULL, do_failure, WITH_FAILURE},
    {"win.divergence", NULL, do_divergence, WITH_DIVERGENCE},
    {"win.swap", NULL, do_swap, WITH_COMPARED},
    {"win.stop-comparing", NULL, do_stop_comparing, WITH_COMPARED},
    {"win.zoom", "b", do_zoom, WITH_RUN},
    {"win.zoom-all", NULL, do_zoom_all, WITH_RUN},
    {"win.threads", NULL, do_threads, WITH_RUN},
    {"win.go-to", NULL, do_go_to, WITH_RUN},
    {"win.search", NULL, do_search, TO_SEARCH},
    {"win.show-tab", "s", do_show_tab, WITH_RUN},
    {"win.kernel-log", NULL, do_kernel_log, WITH_INDEX},
    {"win.copy-log", NULL, do_copy_log, WITH_INDEX},
    {"win.bookmark", NULL, do_bookmark, WITH_RUN},
    {"win.toast", "s", do_toast, ALWAYS},
    {"win.shell", "u", do_shell, WITH_INDEX},
    {"win.gdb", "u", do_gdb, WITH_INDEX},
    {"win.terminals", NULL, do_terminals, WITH_INDEX},
    {"win.focus", "s", do_focus, WITH_RUN},
    {"win.go-there", "(st)", do_go_there, WITH_RUN},
    {"win.home", NULL, do_home, ALWAYS},
    {"win.cancel-opening", NULL, do_cancel_opening, ALWAYS},
    {"win.open", NULL, do_open, ALWAYS},
    {"win.open-location", NULL, do_open_location, ALWAYS},
    {"win.export", NULL, do_export, WITH_RUN},
    {"win.new-run", NULL, do_new_run, ALWAYS},
    {"win.example", NULL, do_example, ALWAYS},
    {"win.tour", NULL, do_tour, ALWAYS},
    {"win.shortcuts", NULL, do_shortcuts, ALWAYS},
    {"win.fork", NULL, do_fork, WITH_FORKS},
    {"win.check", "u", do_check, WITH_FORKS},
    {"win.undo", NULL, do_undo, ALWAYS},
    {"win.story", NULL, do_story, WITH_RUN},
    {"win.explain", NULL, do_explain, WITH_FORKS},
};

void window_class_install_actions(GtkWidgetClass *class)
{
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
        gtk_widget_class_install_action(class, actions[i].name, actions[i].parameter, actions[i].activate);
}

static gboolean is_met(RuiWindow *window, When when)
{
    RuiView *view = window->view;
    RwSessionComparison *comparison = rui_view_get_comparison(view);
    const RwRunIndex *index = rui_view_get_index(view);
    gboolean run = rui_view_get_run(view) && !strcmp(rui_window_get_page(window), "run");
    switch (when) {
    case WITH_RUN:
        return run;
    case WITH_INDEX:
        return run && index;
    case TO_SEARCH:
        return (run && index) || rui_window_is_empty(window);
    case WITH_COMPARED:
        return run && rui_view_get_compared(view);
    case WITH_DIVERGENCE:
        return run && comparison && rw_session_comparison_get_left_step(comparison);
    case WITH_FAILURE:
        return run && index && rw_run_index_get_failure(index);
    case WITH_BACK:
    case WITH_AHEAD:
        return run && rui_view_can_go(view, when == WITH_AHEAD);
    case WITH_FORKS:
        return run && index;
    default:
        return TRUE;
    }
}

void window_update_actions(RuiWindow *window)
{
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
        gtk_widget_action_set_enabled(GTK_WIDGET(window), actions[i].name, is_met(window, actions[i].when));
}
