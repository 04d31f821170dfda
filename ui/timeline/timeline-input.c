// SPDX-License-Identifier: MIT
#include "timeline-private.h"

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
}
