// SPDX-License-Identifier: MIT
#include "timeline-private.h"

#include "rui-words.h"

#include <math.h>

PangoLayout *timeline_layout_new(RuiTimeline *timeline, const char *text, double width)
{
    PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(timeline), text);
    if (width > 0) {
        pango_layout_set_width(layout, (int)(width * PANGO_SCALE));
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    }
    return layout;
}

static void append_layout(GtkSnapshot *snapshot, PangoLayout *layout, double x, double y,
                          const GdkRGBA *color)
{
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
    gtk_snapshot_append_layout(snapshot, layout, color);
    gtk_snapshot_restore(snapshot);
}

static void append_rect(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double width,
                        double height)
{
    graphene_rect_t rect = GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height);
    gtk_snapshot_append_color(snapshot, color, &rect);
}

static GdkRGBA get_text_color(RuiTimeline *timeline, float alpha)
{
    GdkRGBA color;
    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(timeline)), &color);
    color.alpha *= alpha;
    return color;
}

// ---- Phases ----

void timeline_snapshot_phases(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    GdkRGBA even = get_text_color(timeline, 0.08f), odd = get_text_color(timeline, 0.16f);
    GdkRGBA text = get_text_color(timeline, 0.85f);
    double left = timeline_get_left(timeline), right = left + timeline_get_width(timeline);
    const GArray *phases = index ? rw_run_index_get_phases(index) : NULL;
    for (guint i = 0; phases && i < phases->len; i++) {
        const RwPhase *phase = &g_array_index(phases, RwPhase, i);
        double from = MAX(left, timeline_to_x(timeline, (double)phase->from));
        double until = MIN(right, timeline_to_x(timeline, (double)phase->until));
        if (until - from < 0.5)
            continue;
        append_rect(snapshot, i % 2 ? &odd : &even, from, 0, until - from, timeline->metrics.phases);
        g_autofree char *name = rui_dup_phase(phase);
        if (until - from <= 24)
            continue;
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, name, until - from - 8);
        append_layout(snapshot, layout, from + 5, 2, &text);
    }
}

// ---- Axis ----

// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
static double round_up(double least)
{
    double power = pow(10, floor(log10(MAX(least, 1))));
    static const double factors[] = {1, 2, 5, 10};
    for (guint i = 0; i < G_N_ELEMENTS(factors); i++)
        if (power * factors[i] >= least)
            return power * factors[i];
    return power * 10;
}

static PangoLayout *number_layout_new(RuiTimeline *timeline, double step, int *ret_width)
{
    g_autofree char *label = rui_dup_number((guint64)step);
    PangoLayout *layout = timeline_layout_new(timeline, label, 0);
    pango_layout_get_pixel_size(layout, ret_width, NULL);
    return layout;
}

// As far apart as the widest of the numbers needs.
static double get_tick_distance(RuiTimeline *timeline, double from, double until)
{
    int widest;
    g_autoptr(PangoLayout) layout = number_layout_new(timeline, until, &widest);
    double least = MAX(90, widest + 24);
    return round_up((until - from) / timeline_get_width(timeline) * least);
}

void timeline_snapshot_axis(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    double from, until, y = timeline->metrics.bottom, width = timeline_get_width(timeline);
    GdkRGBA line = get_text_color(timeline, 0.3f), text = get_text_color(timeline, 0.7f);
    rui_view_get_range(timeline->view, &from, &until);
    double every = get_tick_distance(timeline, from, until);
    for (double tick = ceil(from / every) * every; tick < until; tick += every) {
        double x = timeline_to_x(timeline, tick + 0.5);
        double room = timeline_get_left(timeline) + width - x; // a number that does not fit is left out
        int needed;
        g_autoptr(PangoLayout) label = number_layout_new(timeline, tick, &needed);
        append_rect(snapshot, &line, x, y, 1, 5);
        if (room >= needed + 4)
            append_layout(snapshot, label, x + 4, y + 1, &text);
    }
}

// ---- Marks ----

static void append_mark(RuiTimeline *timeline, GtkSnapshot *snapshot, guint64 step, const GdkRGBA *color,
                        gboolean dashed, gboolean flag)
{
    double x = floor(timeline_to_x(timeline, (double)step + 0.5)), top = timeline->metrics.phases;
    double bottom = timeline->metrics.bottom;
    if (x < timeline_get_left(timeline) || x > timeline_get_left(timeline) + timeline_get_width(timeline))
        return;
    for (double y = top; y < bottom; y += dashed ? 8 : bottom - top)
        append_rect(snapshot, color, x - 1, y, 2, dashed ? MIN(5, bottom - y) : bottom - top);
    if (flag)
        append_rect(snapshot, color, x - 1, top, 9, 6);
}

// A pin at the lower edge: these may be many.
static void append_pins(RuiTimeline *timeline, GtkSnapshot *snapshot, RuiMarkKind kind,
                        const GdkRGBA *color)
{
    const GArray *marks = timeline->marks[kind];
    double last = -10,
           y = timeline->metrics.lanes_top + timeline->metrics.lanes - (kind == RUI_MARK_FORK ? 4 : 12);
    for (guint i = 0; i < marks->len; i++) {
        double x = floor(timeline_to_x(timeline, (double)g_array_index(marks, guint64, i) + 0.5));
        if (x < timeline_get_left(timeline) || x - last < 2)
            continue;
        append_rect(snapshot, color, x - 4, y, 9, 8);
        append_rect(snapshot, color, x, y - 6, 1, 20);
        last = x;
    }
}

void timeline_snapshot_marks(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    RwSessionComparison *comparison = rui_view_get_comparison(timeline->view);
    GdkRGBA red = timeline_get_color(timeline, "#c01c28", "#ff7b63");
    GdkRGBA blue = timeline_get_color(timeline, "#1c71d8", "#78aeed");
    GdkRGBA yellow = timeline_get_color(timeline, "#8f5902", "#f8e45c");
    GdkRGBA green = timeline_get_color(timeline, "#18794e", "#57e389");
    append_pins(timeline, snapshot, RUI_MARK_FORK, &green);
    append_pins(timeline, snapshot, RUI_MARK_BOOKMARK, &yellow);
    if (comparison && rw_session_comparison_get_schedules_step(comparison))
        append_mark(timeline, snapshot, rw_session_comparison_get_schedules_step(comparison), &blue, TRUE,
                    FALSE);
    if (comparison && rw_session_comparison_get_left_step(comparison))
        append_mark(timeline, snapshot, rw_session_comparison_get_left_step(comparison), &blue, FALSE,
                    TRUE);
    if (index && rw_run_index_get_failure(index))
        append_mark(timeline, snapshot, rw_run_index_get_failure(index), &red, FALSE, TRUE);
}

// ---- Playhead ----

void timeline_snapshot_playhead(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    double x = floor(timeline_to_x(timeline, (double)rui_view_get_step(timeline->view) + 0.5));
    GdkRGBA color = get_text_color(timeline, 1);
    double bottom = timeline->metrics.bottom;
    append_rect(snapshot, &color, x - 1, 0, 2, bottom);
    GskRoundedRect knob;
    graphene_rect_t bounds = GRAPHENE_RECT_INIT((float)x - 6, 0, 12, 12);
    gsk_rounded_rect_init_from_rect(&knob, &bounds, 6);
    gtk_snapshot_push_rounded_clip(snapshot, &knob);
    gtk_snapshot_append_color(snapshot, &color, &bounds);
    gtk_snapshot_pop(snapshot);
}
