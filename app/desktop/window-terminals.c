// SPDX-License-Identifier: MIT
//
// Terminals below everything else; where the keyboard goes.
#include "window-private.h"

#include <glib/gi18n.h>

#define LEAST_HEIGHT 200 // pixels: the tabs, and what a shell says first, down to its prompt

// A third of what there is, until somebody chooses.
static void give_room(RuiWindow *window)
{
    int height = gtk_widget_get_height(GTK_WIDGET(window->stage));
    gboolean chosen;
    g_object_get(window->stage, "position-set", &chosen, NULL);
    if (!chosen && height)
        gtk_paned_set_position(window->stage, height - MAX(height / 3, LEAST_HEIGHT));
}

void window_open_terminal(RuiWindow *window, RuiTerminalKind kind, guint32 pid)
{
    give_room(window);
    rui_terminal_panel_open(window->terminals, kind, pid);
}

static void focus_terminal(RuiWindow *window)
{
    RuiTerminal *terminal = rui_terminal_panel_get_terminal(window->terminals);
    if (terminal && gtk_widget_get_visible(GTK_WIDGET(window->terminals)))
        gtk_widget_grab_focus(GTK_WIDGET(rui_terminal_get_vte(terminal)));
}

void window_toggle_terminals(RuiWindow *window)
{
    GtkWidget *panel = GTK_WIDGET(window->terminals);
    if (!rui_terminal_panel_get_terminal(window->terminals)) {
        window_open_terminal(window, RUI_TERMINAL_SHELL, 0);
        return;
    }
    give_room(window);
    gtk_widget_set_visible(panel, !gtk_widget_get_visible(panel));
    focus_terminal(window);
}

// The keyboard of terminals that cannot be seen any more is the timeline's.
void window_on_terminals(RuiWindow *window)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window)), *panel = GTK_WIDGET(window->terminals);
    if (!gtk_widget_get_visible(panel) && (!focus || gtk_widget_is_ancestor(focus, panel)))
        gtk_widget_grab_focus(GTK_WIDGET(window->timeline));
}

void window_focus(RuiWindow *window, const char *where)
{
    if (!strcmp(where, "terminals"))
        focus_terminal(window);
    else if (!strcmp(where, "log"))
        gtk_widget_child_focus(GTK_WIDGET(window->log), GTK_DIR_TAB_FORWARD);
    else if (!strcmp(where, "tabs"))
        gtk_widget_child_focus(GTK_WIDGET(window->tabs), GTK_DIR_TAB_FORWARD);
    else
        gtk_widget_grab_focus(GTK_WIDGET(window->timeline));
}

void window_go_there(RuiWindow *window, const char *run, guint64 step)
{
    RwSessionRun *open = rui_view_get_run(window->view);
    if (open && !strcmp(rw_run_item_get_ref(rw_session_run_get_item(open)), run) &&
        !strcmp(rui_window_get_page(window), "run"))
        rui_view_jump(window->view, step);
    else
        rui_window_open_run(window, run, NULL, step);
}

// ---- Closing ----

static void on_response(AdwMessageDialog *dialog, const char *response, RuiWindow *window)
{
    window->closing = !strcmp(response, "close");
    if (window->closing)
        gtk_window_close(GTK_WINDOW(window));
}

gboolean window_ask_close(RuiWindow *window)
{
    if (window->closing || !rui_terminal_panel_is_busy(window->terminals))
        return FALSE;
    rui_terminal_ask(GTK_WIDGET(window), _("Close the Window?"), G_CALLBACK(on_response), window);
    return TRUE;
}
