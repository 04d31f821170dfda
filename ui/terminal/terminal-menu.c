// SPDX-License-Identifier: MIT
//
// Copy, paste and links. A link is what reads as an https or http address, and it is opened only by hand:
// what programs of the guest hide behind other words (OSC 8) is none.
#include "terminal-private.h"

#define MULTILINE 0x400u // PCRE2_MULTILINE, which VTE asks for

static void do_copy(GtkWidget *widget, const char *action, GVariant *parameter)
{
    vte_terminal_copy_clipboard_format(RUI_TERMINAL(widget)->vte, VTE_FORMAT_TEXT);
}

static void do_paste(GtkWidget *widget, const char *action, GVariant *parameter)
{
    vte_terminal_paste_clipboard(RUI_TERMINAL(widget)->vte);
}

static void open_link(RuiTerminal *terminal, const char *link)
{
    if (link)
        gtk_show_uri(GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(terminal))), link, GDK_CURRENT_TIME);
}

static void do_open_link(GtkWidget *widget, const char *action, GVariant *parameter)
{
    open_link(RUI_TERMINAL(widget), RUI_TERMINAL(widget)->link);
}

static void update_copy(RuiTerminal *terminal)
{
    gtk_widget_action_set_enabled(GTK_WIDGET(terminal), "terminal.copy",
                                  vte_terminal_get_has_selection(terminal->vte));
}

static void show_menu(RuiTerminal *terminal, double x, double y)
{
    graphene_point_t at;
    g_free(terminal->link);
    terminal->link = vte_terminal_check_match_at(terminal->vte, x, y, NULL);
    gtk_widget_action_set_enabled(GTK_WIDGET(terminal), "terminal.open-link", terminal->link != NULL);
    if (!gtk_widget_compute_point(GTK_WIDGET(terminal->vte), GTK_WIDGET(terminal),
                                  &GRAPHENE_POINT_INIT((float)x, (float)y), &at))
        return;
    gtk_popover_set_pointing_to(terminal->menu, &(GdkRectangle){(int)at.x, (int)at.y, 1, 1});
    gtk_popover_popup(terminal->menu);
}

static void on_pressed(GtkGestureClick *click, int presses, double x, double y, RuiTerminal *terminal)
{
    show_menu(terminal, x, y);
}

static void on_clicked(GtkGestureClick *click, int presses, double x, double y, RuiTerminal *terminal)
{
    GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(click));
    g_autofree char *link =
        state & GDK_CONTROL_MASK ? vte_terminal_check_match_at(terminal->vte, x, y, NULL) : NULL;
    open_link(terminal, link);
}

static gboolean on_menu_key(GtkWidget *widget, GVariant *arguments, gpointer terminal)
{
    show_menu(terminal, 20, 20);
    return TRUE;
}

static void on_menu_closed(RuiTerminal *terminal)
{
    if (gtk_widget_get_mapped(GTK_WIDGET(terminal)))
        gtk_widget_grab_focus(GTK_WIDGET(terminal->vte));
}

static void add_click(RuiTerminal *terminal, guint button, const char *signal, GCallback callback)
{
    GtkGesture *click = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), button);
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
    g_signal_connect(click, signal, callback, terminal);
    gtk_widget_add_controller(GTK_WIDGET(terminal->vte), GTK_EVENT_CONTROLLER(click));
}

static void add_keys(RuiTerminal *terminal)
{
    static const struct {
        const char *trigger, *action;
    } keys[] = {{"<Control><Shift>c", "terminal.copy"}, {"<Control><Shift>v", "terminal.paste"}};
    GtkShortcutController *controller = GTK_SHORTCUT_CONTROLLER(gtk_shortcut_controller_new());
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(controller), GTK_PHASE_CAPTURE);
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        gtk_shortcut_controller_add_shortcut(
            controller, gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys[i].trigger),
                                         gtk_named_action_new(keys[i].action)));
    gtk_shortcut_controller_add_shortcut(
        controller, gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Menu|<Shift>F10"),
                                     gtk_callback_action_new(on_menu_key, terminal, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(terminal->vte), GTK_EVENT_CONTROLLER(controller));
}

void terminal_class_install_menu(GtkWidgetClass *class)
{
    gtk_widget_class_install_action(class, "terminal.copy", NULL, do_copy);
    gtk_widget_class_install_action(class, "terminal.paste", NULL, do_paste);
    gtk_widget_class_install_action(class, "terminal.open-link", NULL, do_open_link);
}

void terminal_add_menu(RuiTerminal *terminal)
{
    VteRegex *links =
        vte_regex_new_for_match("https?://[^\\s\"'<>]*[^\\s\"'<>.,;:!?)\\]]", -1, MULTILINE, NULL);
    int tag = vte_terminal_match_add_regex(terminal->vte, links, 0);
    vte_terminal_match_set_cursor_name(terminal->vte, tag, "pointer");
    vte_regex_unref(links);
    vte_terminal_set_allow_hyperlink(terminal->vte, FALSE);
    add_click(terminal, GDK_BUTTON_SECONDARY, "pressed", G_CALLBACK(on_pressed));
    add_click(terminal, GDK_BUTTON_PRIMARY, "released", G_CALLBACK(on_clicked));
    add_keys(terminal);
    g_signal_connect_swapped(terminal->menu, "closed", G_CALLBACK(on_menu_closed), terminal);
    g_signal_connect_swapped(terminal->vte, "selection-changed", G_CALLBACK(update_copy), terminal);
    update_copy(terminal);
}
