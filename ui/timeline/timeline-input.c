// SPDX-License-Identifier: MIT
#include "timeline-private.h"

#include <math.h>

#define DRAG_STARTS 4 // pixels from which on a press on a slice is a drag of the playhead

static void move_to(RuiTimeline *timeline, double x)
{
    double step = timeline_to_step(timeline, x);
    rui_view_set_step(timeline->view, step < 0 ? 0 : (guint64)step);
}

static void select_to(RuiTimeline *timeline, double x)
{
    double step = MAX(timeline_to_step(timeline, x), 0);
    guint64 at = MIN((guint64)step, rui_view_get_steps(timeline->view));
    rui_view_select_steps(timeline->view, MIN(at, timeline->drag_from), MAX(at, timeline->drag_from) + 1);
}

// What is pointed at in the overview is in the middle.
static void show_around(RuiTimeline *timeline, double x)
{
    double from, until, middle = timeline_from_overview(timeline, x);
    rui_view_get_range(timeline->view, &from, &until);
    rui_view_pan(timeline->view, middle - (from + until) / 2);
}

// A name chooses its thread.
static gboolean choose_thread(RuiTimeline *timeline, double x, double y)
{
    TimelineThreads of;
    guint number;
    const RwThreadRow *row =
        x < timeline_get_left(timeline) ? timeline_get_thread_at(timeline, y, &of, &number) : NULL;
    if (row && !of.compared)
        timeline_choose_thread(timeline, number);
    return row != NULL;
}

static TimelineDrag get_drag(RuiTimeline *timeline, double x, double y, gboolean shift)
{
    TimelineChevron chevron;
    if (timeline_find_chevron(timeline, x, y, &chevron)) {
        timeline_follow_chevron(timeline, chevron);
        return DRAG_NOTHING;
    }
    if (y < timeline->metrics.phases_top && !timeline_shows_all(timeline))
        return DRAG_OVERVIEW;
    if (timeline->threads && choose_thread(timeline, x, y))
        return DRAG_NOTHING;
    if (shift)
        return DRAG_RANGE;
    return timeline_get_span_at(timeline, x, y) ? DRAG_SLICE : DRAG_PLAYHEAD;
}

static void begin_playhead(RuiTimeline *timeline, double x)
{
    timeline->dragging = DRAG_PLAYHEAD;
    rui_view_mark_place(timeline->view);
    move_to(timeline, x);
}

static void on_drag_begin(GtkGestureDrag *drag, double x, double y, RuiTimeline *timeline)
{
    GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(drag));
    timeline->dragging = DRAG_NOTHING;
    if (gtk_widget_pick(GTK_WIDGET(timeline), x, y, GTK_PICK_DEFAULT) != GTK_WIDGET(timeline))
        return; // the buttons'
    gtk_widget_grab_focus(GTK_WIDGET(timeline));
    if (!timeline->view || !rui_view_get_run(timeline->view))
        return;
    timeline->dragging = get_drag(timeline, x, y, (state & GDK_SHIFT_MASK) != 0);
    if (timeline->dragging == DRAG_PLAYHEAD)
        begin_playhead(timeline, x);
    else if (timeline->dragging == DRAG_OVERVIEW)
        show_around(timeline, x);
    else if (timeline->dragging == DRAG_RANGE)
        timeline->drag_from = (guint64)MAX(timeline_to_step(timeline, x), 0);
}

static void on_drag_update(GtkGestureDrag *drag, double dx, double dy, RuiTimeline *timeline)
{
    double x, y;
    if (!gtk_gesture_drag_get_start_point(drag, &x, &y))
        return;
    if (timeline->dragging == DRAG_SLICE && fabs(dx) >= DRAG_STARTS)
        begin_playhead(timeline, x);
    if (timeline->dragging == DRAG_PLAYHEAD)
        move_to(timeline, x + dx);
    else if (timeline->dragging == DRAG_OVERVIEW)
        show_around(timeline, x + dx);
    else if (timeline->dragging == DRAG_RANGE)
        select_to(timeline, x + dx);
}

// On a slice that was not dragged: once selects its process, twice goes to its start.
static void on_released(GtkGestureClick *click, int presses, double x, double y, RuiTimeline *timeline)
{
    const RwSpan *span = timeline_get_span_at(timeline, x, y);
    if (timeline->dragging != DRAG_SLICE || !span)
        return;
    rui_view_select_process(timeline->view, span);
    if (presses == 2)
        rui_view_jump(timeline->view, span->from);
}

static void on_motion(GtkEventControllerMotion *motion, double x, double y, RuiTimeline *timeline)
{
    timeline->pointer_x = x;
}

// In pixels, so that what is pointed at stays where it is on any axis.
static void zoom(RuiTimeline *timeline, double factor)
{
    double left = timeline_get_left(timeline), right = left + timeline_get_width(timeline);
    double at = CLAMP(timeline->pointer_x, left, right);
    rui_view_set_range(timeline->view, timeline_to_step(timeline, at - (at - left) * factor),
                       timeline_to_step(timeline, at + (right - at) * factor));
}

static void pan(RuiTimeline *timeline, double part)
{
    double by = part * timeline_get_width(timeline), from, until;
    rui_view_get_range(timeline->view, &from, &until);
    double moved = timeline_to_step(timeline, timeline_get_left(timeline) + by) - from;
    rui_view_pan(timeline->view, moved);
}

static gboolean on_scroll(GtkEventControllerScroll *scroll, double dx, double dy, RuiTimeline *timeline)
{
    GdkModifierType state = gtk_event_controller_get_current_event_state(GTK_EVENT_CONTROLLER(scroll));
    if (!timeline->view || !rui_view_get_run(timeline->view))
        return GDK_EVENT_PROPAGATE;
    if (state & GDK_CONTROL_MASK || timeline->pointer_x < timeline_get_left(timeline))
        timeline_scroll_rows(timeline, dy > 0 ? 1 : -1);
    else if (state & GDK_SHIFT_MASK || dx != 0)
        pan(timeline, (dx != 0 ? dx : dy) / 10);
    else
        zoom(timeline, dy > 0 ? 1.25 : 0.8);
    return GDK_EVENT_STOP;
}

void timeline_add_controllers(RuiTimeline *timeline)
{
    GtkWidget *widget = GTK_WIDGET(timeline);
    GtkGesture *click = gtk_gesture_click_new();
    g_signal_connect(click, "released", G_CALLBACK(on_released), timeline);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(click));
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
    timeline_add_menu(timeline);
    timeline_add_keys(timeline);
}
