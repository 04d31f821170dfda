// SPDX-License-Identifier: MIT
//
// Where a step is drawn. The axis has steps, or virtual time: a step then has the room of the time since
// the one before it.
#include "timeline-private.h"

#include "rui-words.h"

#include <math.h>

double timeline_get_left(RuiTimeline *timeline)
{
    return timeline->metrics.gutter;
}

double timeline_get_width(RuiTimeline *timeline)
{
    return MAX(1, gtk_widget_get_width(GTK_WIDGET(timeline)) - (double)timeline->metrics.gutter - 8);
}

static const RwRunIndex *get_clock(RuiTimeline *timeline)
{
    const RwRunIndex *index = timeline->time_axis ? rui_view_get_index(timeline->view) : NULL;
    return index && rw_run_index_get_time(index, rui_view_get_steps(timeline->view)) ? index : NULL;
}

static double get_time_before(const RwRunIndex *index, guint64 step)
{
    return step ? (double)rw_run_index_get_time(index, step - 1) : 0;
}

double timeline_to_place(RuiTimeline *timeline, double step)
{
    const RwRunIndex *index = get_clock(timeline);
    guint64 last = rui_view_get_steps(timeline->view);
    if (!index || step <= 0)
        return step;
    guint64 whole = MIN((guint64)step, last);
    double before = get_time_before(index, whole), after = (double)rw_run_index_get_time(index, whole);
    return before + MIN(step - (double)whole, 1) * (after - before);
}

double timeline_from_place(RuiTimeline *timeline, double place)
{
    const RwRunIndex *index = get_clock(timeline);
    guint64 low = 0, high = rui_view_get_steps(timeline->view);
    if (!index || place <= 0)
        return place;
    while (low < high) {
        guint64 middle = low + (high - low) / 2;
        if ((double)rw_run_index_get_time(index, middle) <= place)
            low = middle + 1;
        else
            high = middle;
    }
    double before = get_time_before(index, low), after = (double)rw_run_index_get_time(index, low);
    return (double)low + (after > before ? MIN((place - before) / (after - before), 1) : 0);
}

// ---- What is in sight ----

double timeline_to_x(RuiTimeline *timeline, double step)
{
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    double first = timeline_to_place(timeline, from), end = timeline_to_place(timeline, until);
    double part = end > first ? (timeline_to_place(timeline, step) - first) / (end - first) : 0;
    return timeline->metrics.gutter + part * timeline_get_width(timeline);
}

double timeline_to_step(RuiTimeline *timeline, double x)
{
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    double first = timeline_to_place(timeline, from), end = timeline_to_place(timeline, until);
    double part = (x - timeline->metrics.gutter) / timeline_get_width(timeline);
    return timeline_from_place(timeline, first + part * (end - first));
}

guint64 timeline_get_time_at(RuiTimeline *timeline, const RwRunIndex *index, double x)
{
    double step = timeline_to_step(timeline, x);
    if (get_clock(timeline))
        return (guint64)MAX(timeline_to_place(timeline, step), 0);
    return rw_run_index_get_time_within(index, step);
}

double rui_timeline_get_x(RuiTimeline *timeline, guint64 step)
{
    return timeline_to_x(timeline, (double)step + 0.5);
}

// ---- All of the run ----

static double get_end(RuiTimeline *timeline)
{
    return (double)rui_view_get_steps(timeline->view) + 1;
}

double timeline_to_overview(RuiTimeline *timeline, double step)
{
    double part = timeline_to_place(timeline, step) / timeline_to_place(timeline, get_end(timeline));
    return timeline->metrics.gutter + part * timeline_get_width(timeline);
}

double timeline_from_overview(RuiTimeline *timeline, double x)
{
    double part = (x - timeline->metrics.gutter) / timeline_get_width(timeline);
    return timeline_from_place(timeline, part * timeline_to_place(timeline, get_end(timeline)));
}

gboolean timeline_shows_all(RuiTimeline *timeline)
{
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    return until - from >= get_end(timeline);
}

// ---- Its numbers ----

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

static PangoLayout *tick_layout_new(RuiTimeline *timeline, double place, int *ret_width)
{
    g_autofree char *label =
        get_clock(timeline) ? rui_dup_time((guint64)place) : rui_dup_number((guint64)place);
    PangoLayout *layout = timeline_layout_new(timeline, label, 0);
    pango_layout_get_pixel_size(layout, ret_width, NULL);
    return layout;
}

void timeline_snapshot_axis(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    double from, until, width = timeline_get_width(timeline), left = timeline_get_left(timeline);
    GdkRGBA line = timeline_get_text_color(timeline, 0.3f), text = timeline_get_text_color(timeline, 0.7f);
    double y = timeline->metrics.bottom, middle = get_clock(timeline) ? 0 : 0.5; // of a step
    int needed;
    rui_view_get_range(timeline->view, &from, &until);
    from = timeline_to_place(timeline, from);
    until = timeline_to_place(timeline, until);
    g_autoptr(PangoLayout) widest = tick_layout_new(timeline, until, &needed);
    double every = round_up((until - from) / width * MAX(90, needed + 24)); // as the widest number needs
    for (double tick = ceil(from / every) * every; tick < until; tick += every) {
        double x = left + (tick + middle - from) / (until - from) * width;
        g_autoptr(PangoLayout) label = tick_layout_new(timeline, tick, &needed);
        timeline_append_rect(snapshot, &line, x, y, 1, 5);
        if (left + width - x >= needed + 4) // a number that does not fit is left out
            timeline_append_layout(snapshot, label, x + 4, y + 1, &text);
    }
}
