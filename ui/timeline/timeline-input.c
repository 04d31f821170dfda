// SPDX-License-Identifier: MIT
#include "timeline-private.h"

#include <glib/gi18n.h>

static void move_to(RuiTimeline *timeline, double x)
{
    double step = timeline_to_step(timeline, x);
    if (timeline->view && rui_view_get_run(timeline->view))
        rui_view_set_step(timeline->view, step < 0 ? 0 : (guint64)step);
}

static void on_drag_begin(GtkGestureDrag *drag, double x, double y, RuiTimeline *timeline)
{
    gtk_widget_grab_focus(GTK_WIDGET(timeline));
    if (!timeline->view || !rui_view_get_run(timeline->view))
        return;
    rui_view_mark_place(timeline->view);
    move_to(timeline, x);
}

static void on_drag_update(GtkGestureDrag *drag, double dx, double dy, RuiTimeline *timeline)
{
    double x, y;
    if (gtk_gesture_drag_get_start_point(drag, &x, &y))
        move_to(timeline, x + dx);
}

static void on_motion(GtkEventControllerMotion *motion, double x, double y, RuiTimeline *timeline)
{
    timeline->pointer_x = x;
}

static gboolean on_scroll(GtkEventControllerScroll *scroll, double dx, double dy, RuiTimeline *timeline)
{
    GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(scroll));
    double from, until;
    if (!timeline->view || !rui_view_get_run(timeline->view))
        return GDK_EVENT_PROPAGATE;
    rui_view_get_range(timeline->view, &from, &until);
    if (state & GDK_SHIFT_MASK || dx != 0)
        rui_view_pan(timeline->view, (dx != 0 ? dx : dy) * (until - from) / 10);
    else
        rui_view_zoom(timeline->view, dy > 0 ? 1.25 : 0.8, timeline_to_step(timeline, timeline->pointer_x));
    return GDK_EVENT_STOP;
}

// ---- The playhead's menu ----

static GMenuModel *new_menu(void)
{
    static const guint counts[] = {8, 16, 32, 64};
    GMenu *menu = g_menu_new();
    g_autoptr(GMenu) here = g_menu_new(), check = g_menu_new();
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
    return G_MENU_MODEL(menu);
}

static void show_menu(RuiTimeline *timeline, double x)
{
    GdkRectangle at = {(int)x, timeline->metrics.phases, 1, 1};
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
    move_to(timeline, x);
    show_menu(timeline, x);
}

static gboolean on_menu_key(GtkWidget *widget, GVariant *arguments, gpointer data)
{
    RuiTimeline *timeline = data;
    if (timeline->view)
        show_menu(timeline, rui_timeline_get_x(timeline, rui_view_get_step(timeline->view)));
    return TRUE;
}

static void add_menu(RuiTimeline *timeline)
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

void timeline_add_controllers(RuiTimeline *timeline)
{
    GtkWidget *widget = GTK_WIDGET(timeline);
    timeline->drag = gtk_gesture_drag_new();
    g_signal_connect(timeline->drag, "drag-begin", G_CALLBACK(on_drag_begin), timeline);
    g_signal_connect(timeline->drag, "drag-update", G_CALLBACK(on_drag_update), timeline);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(timeline->drag));
    GtkEventController *motion = gtk_event_controller_motion_new();
    g_signal_connect(motion, "motion", G_CALLBACK(on_motion), timeline);
    gtk_widget_add_controller(widget, motion);
    GtkEventController *scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
    g_signal_connect(scroll, "scroll", G_CALLBACK(on_scroll), timeline);
    gtk_widget_add_controller(widget, scroll);
    add_menu(timeline);
}
