// SPDX-License-Identifier: MIT
#include "rui-terminal-panel.h"

#include <glib/gi18n.h>

struct _RuiTerminalPanel {
    GtkBox parent_instance;
    // template
    AdwTabBar *bar;
    AdwTabView *tabs;
    // owned
    RuiView *view;
};

G_DEFINE_FINAL_TYPE(RuiTerminalPanel, rui_terminal_panel, GTK_TYPE_BOX)

static void rui_terminal_panel_dispose(GObject *object)
{
    RuiTerminalPanel *panel = RUI_TERMINAL_PANEL(object);
    g_clear_object(&panel->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_TERMINAL_PANEL);
    G_OBJECT_CLASS(rui_terminal_panel_parent_class)->dispose(object);
}

// ---- Closing ----

void rui_terminal_ask(GtkWidget *widget, const char *heading, GCallback response, gpointer data)
{
    GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(gtk_widget_get_root(widget)), heading,
                                               _("Something is still running in it. It will be ended."));
    adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "close",
                                     _("C_lose"), NULL);
    adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "close",
                                               ADW_RESPONSE_DESTRUCTIVE);
    adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
    adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "cancel"); // Escape
    g_signal_connect_object(dialog, "response", response, data, 0);
    gtk_window_present(GTK_WINDOW(dialog));
}

static void on_response(AdwMessageDialog *dialog, const char *response, RuiTerminal *terminal)
{
    AdwTabView *tabs = ADW_TAB_VIEW(gtk_widget_get_ancestor(GTK_WIDGET(terminal), ADW_TYPE_TAB_VIEW));
    if (tabs)
        adw_tab_view_close_page_finish(tabs, adw_tab_view_get_page(tabs, GTK_WIDGET(terminal)),
                                       !strcmp(response, "close"));
}

static gboolean on_close_page(AdwTabView *tabs, AdwTabPage *page, RuiTerminalPanel *panel)
{
    RuiTerminal *terminal = RUI_TERMINAL(adw_tab_page_get_child(page));
    if (!rui_terminal_is_busy(terminal))
        return GDK_EVENT_PROPAGATE; // it is closed
    rui_terminal_ask(GTK_WIDGET(panel), _("Close the Terminal?"), G_CALLBACK(on_response), terminal);
    return GDK_EVENT_STOP;
}

static void on_ended(RuiTerminal *terminal, RuiTerminalPanel *panel)
{
    adw_tab_view_close_page(panel->tabs, adw_tab_view_get_page(panel->tabs, GTK_WIDGET(terminal)));
}

static void on_count(RuiTerminalPanel *panel)
{
    gtk_widget_set_visible(GTK_WIDGET(panel), adw_tab_view_get_n_pages(panel->tabs) > 0);
}

// ---- Opening ----

void rui_terminal_panel_open(RuiTerminalPanel *panel, RuiTerminalKind kind, guint32 pid)
{
    g_autofree char *command = rui_terminal_find_command();
    if (!command) {
        gtk_widget_activate_action(GTK_WIDGET(panel), "win.toast", "s",
                                   _("The command “rewind” is not there: install it beside this app"));
        return;
    }
    RuiTerminal *terminal = rui_terminal_new(panel->view, kind, command, pid);
    AdwTabPage *page = adw_tab_view_append(panel->tabs, GTK_WIDGET(terminal));
    g_object_bind_property(terminal, "title", page, "title", G_BINDING_SYNC_CREATE);
    g_signal_connect_object(terminal, "ended", G_CALLBACK(on_ended), panel, 0);
    adw_tab_view_set_selected_page(panel->tabs, page);
    gtk_widget_set_visible(GTK_WIDGET(panel), TRUE);
    gtk_widget_grab_focus(GTK_WIDGET(rui_terminal_get_vte(terminal)));
}

gboolean rui_terminal_panel_is_busy(RuiTerminalPanel *panel)
{
    gboolean busy = FALSE;
    for (int i = 0; i < adw_tab_view_get_n_pages(panel->tabs); i++) {
        AdwTabPage *page = adw_tab_view_get_nth_page(panel->tabs, i);
        busy = busy || rui_terminal_is_busy(RUI_TERMINAL(adw_tab_page_get_child(page)));
    }
    return busy;
}

RuiTerminal *rui_terminal_panel_get_terminal(RuiTerminalPanel *panel)
{
    AdwTabPage *page = adw_tab_view_get_selected_page(panel->tabs);
    return page ? RUI_TERMINAL(adw_tab_page_get_child(page)) : NULL;
}

AdwTabView *rui_terminal_panel_get_tabs(RuiTerminalPanel *panel)
{
    return panel->tabs;
}

// ---- Building ----

static void rui_terminal_panel_class_init(RuiTerminalPanelClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_terminal_panel_dispose;
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/dev/rewindvm/Rewind/ui/rui-terminal-panel.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiTerminalPanel, bar);
    gtk_widget_class_bind_template_child(widget_class, RuiTerminalPanel, tabs);
}

static void rui_terminal_panel_init(RuiTerminalPanel *panel)
{
    gtk_widget_init_template(GTK_WIDGET(panel));
    g_signal_connect_object(panel->tabs, "close-page", G_CALLBACK(on_close_page), panel, 0);
    g_signal_connect_object(panel->tabs, "notify::n-pages", G_CALLBACK(on_count), panel, G_CONNECT_SWAPPED);
}

void rui_terminal_panel_set_view(RuiTerminalPanel *panel, RuiView *view)
{
    g_set_object(&panel->view, view);
}
