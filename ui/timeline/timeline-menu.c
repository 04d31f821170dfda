// SPDX-License-Identifier: MIT
//
// The playhead's menu, and of what the axis is.
#include "timeline-private.h"

#include <glib/gi18n.h>

static GMenuModel *new_menu(void)
{
    static const guint counts[] = {8, 16, 32, 64};
    GMenu *menu = g_menu_new();
    g_autoptr(GMenu) here = g_menu_new(), check = g_menu_new(), axis = g_menu_new();
    g_menu_append(here, _("Bookmark This Step"), "win.bookmark");
    g_menu_append(here, _("Fork From Here…"), "win.fork");
    g_menu_append(here, _("Check From Here"), "win.check(uint32 0)");
    for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
        g_autofree char *label =
            g_strdup_printf(g_dngettext(NULL, "%u Schedule", "%u Schedules", counts[i]), counts[i]);
        g_autofree char *action = g_strdup_printf("win.check(uint32 %u)", counts[i]);
        g_menu_append(check, label, action);
    }
    g_menu_append_section(menu, NULL, G_MENU_MODEL(here));
    g_menu_append_section(menu, _("Check From Here With"), G_MENU_MODEL(check));
    g_menu_append(axis, _("Threads"), "timeline.threads");
    g_menu_append(axis, _("Virtual Time on the Axis"), "timeline.time-axis");
    g_menu_append_section(menu, NULL, G_MENU_MODEL(axis));
    return G_MENU_MODEL(menu);
}

static void show_menu(RuiTimeline *timeline, double x)
{
    GdkRectangle at = {(int)x, timeline->metrics.rows_top, 1, 1};
    if (!timeline->view || !rui_view_get_run(timeline->view))
        return;
    if (!timeline->menu) {
        g_autoptr(GMenuModel) model = new_menu();
        timeline->menu = gtk_popover_menu_new_from_model(model);
        gtk_widget_set_parent(timeline->menu, GTK_WIDGET(timeline));
    }
    gtk_popover_set_pointing_to(GTK_POPOVER(timeline->menu), &at);
    gtk_popover_popup(GTK_POPOVER(timeline->menu));
}

static void on_secondary(GtkGestureClick *click, int presses, double x, double y, RuiTimeline *timeline)
{
    double step = timeline->view ? timeline_to_step(timeline, x) : 0;
    if (timeline->view && rui_view_get_run(timeline->view))
        rui_view_set_step(timeline->view, step < 0 ? 0 : (guint64)step);
    show_menu(timeline, x);
}

static gboolean on_menu_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiTimeline *timeline = data;
    if (timeline->view)
        show_menu(timeline, rui_timeline_get_x(timeline, rui_view_get_step(timeline->view)));
    return TRUE;
}

void timeline_add_menu(RuiTimeline *timeline)
{
    GtkGesture *click = gtk_gesture_click_new();
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
    g_signal_connect(click, "pressed", G_CALLBACK(on_secondary), timeline);
    gtk_widget_add_controller(GTK_WIDGET(timeline), GTK_EVENT_CONTROLLER(click));
    GtkEventController *keys = gtk_shortcut_controller_new();
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string("Menu|<Shift>F10"),
                         gtk_callback_action_new(on_menu_key, timeline, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(timeline), keys);
}
