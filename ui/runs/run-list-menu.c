// SPDX-License-Identifier: MIT
//
// The menu of a row.
#include "run-list-private.h"

// ---- The menu ----

// The row under the pointer becomes the selected one. Rows are asked for their place one by one: only those
// on the screen have a widget.
static gboolean select_at(RuiRunList *list, double x, double y)
{
    GtkWidget *hit = gtk_widget_pick(GTK_WIDGET(list->view), x, y, GTK_PICK_DEFAULT);
    while (hit && gtk_widget_get_parent(hit) != GTK_WIDGET(list->view))
        hit = gtk_widget_get_parent(hit);
    if (!hit)
        return FALSE;
    // Activating the row's own action selects what the row holds.
    GtkWidget *inside = gtk_widget_get_first_child(hit);
    return inside && gtk_widget_activate_action(inside, "listitem.select", "(bb)", FALSE, FALSE);
}

static void on_pressed(GtkGestureClick *click, int presses, double x, double y, RuiRunList *list)
{
    if (!select_at(list, x, y))
        return;
    graphene_point_t at;
    if (!gtk_widget_compute_point(GTK_WIDGET(list->view), GTK_WIDGET(list),
                                  &GRAPHENE_POINT_INIT((float)x, (float)y), &at))
        return;
    gtk_popover_set_pointing_to(list->menu, &(GdkRectangle){(int)at.x, (int)at.y, 1, 1});
    gtk_popover_popup(list->menu);
}

static gboolean on_menu_key(GtkWidget *widget, GVariant *args, gpointer data)
{
    RuiRunList *list = data;
    if (run_list_get_selected(list) == GTK_INVALID_LIST_POSITION)
        return FALSE;
    gtk_popover_set_pointing_to(list->menu, &(GdkRectangle){40, 40, 1, 1});
    gtk_popover_popup(list->menu);
    return TRUE;
}

// The keyboard goes back to the row, unless what was chosen has given it to something else.
static void on_menu_closed(RuiRunList *list)
{
    GtkWidget *focus = gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(list)));
    if (gtk_widget_get_mapped(GTK_WIDGET(list)) && (!focus || focus == GTK_WIDGET(list->menu) ||
                                                    gtk_widget_is_ancestor(focus, GTK_WIDGET(list->menu))))
        run_list_focus_selected(list);
}

void run_list_add_menu(RuiRunList *list)
{
    g_signal_connect_swapped(list->menu, "closed", G_CALLBACK(on_menu_closed), list);
    GtkGesture *click = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
    gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
    g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), list);
    gtk_widget_add_controller(GTK_WIDGET(list->view), GTK_EVENT_CONTROLLER(click));
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Menu|<Shift>F10"),
                         gtk_callback_action_new(on_menu_key, list, NULL)));
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Delete|KP_Delete"),
                         gtk_named_action_new("runs.delete")));
    gtk_widget_add_controller(GTK_WIDGET(list->view), keys);
}
