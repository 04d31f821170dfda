// SPDX-License-Identifier: MIT
//
// All of the run: how much happened where, and what of it is in sight.
#include "timeline-private.h"

#include <glib/gi18n.h>
#include <math.h>

#define TICK 5 // height

static guint64 count(const RwRunIndex *index, double from, double until)
{
    guint64 sum = 0, first = (guint64)MAX(from, 0);
    guint64 end = until - from < 1 ? first + 1 : (guint64)ceil(until);
    for (guint track = 0; track < RW_TRACKS; track++)
        sum += rw_run_index_count(index, (RwTrack)track, first, end);
    return sum;
}

// A bar for each pixel, as high as the logarithm of what is there; the highest one is full.
static void draw(RuiTimeline *timeline, guint32 *pixels)
{
    const TimelinePicture *of = &timeline->overview_of;
    g_autofree double *heights = g_new(double, (gsize)of->width);
    double left = timeline_get_left(timeline), from = 0, most = 1;
    for (int x = 0; x < of->width; x++) {
        double until = timeline_from_overview(timeline, left + (x + 1) / (double)of->scale);
        heights[x] = log1p((double)count(of->index, from, until));
        most = MAX(most, heights[x]);
        from = until;
    }
    guint grey = of->dark ? 0x9a : 0x77; // 3 : 1 on the window's own
    for (int x = 0; x < of->width; x++)
        for (int y = of->height - (int)(heights[x] / most * of->height); y < of->height; y++)
            pixels[y * of->width + x] = 0xff000000 | grey << 16 | grey << 8 | grey;
}

static void append_mark(RuiTimeline *timeline, GtkSnapshot *snapshot, guint64 step, const GdkRGBA *color)
{
    double x = floor(timeline_to_overview(timeline, (double)step + 0.5));
    if (step)
        timeline_append_rect(snapshot, color, x - 1, 1, 2, timeline->metrics.overview);
}

// Ticks at the top, or the bottom: these may be many.
static void append_ticks(RuiTimeline *timeline, GtkSnapshot *snapshot, RuiMarkKind kind, double y)
{
    const GArray *marks = timeline->marks[kind];
    GdkRGBA color = timeline_get_mark_color(timeline, kind);
    double last = -10;
    for (guint i = 0; i < marks->len; i++) {
        double x = floor(timeline_to_overview(timeline, (double)g_array_index(marks, guint64, i) + 0.5));
        if (x - last < 3)
            continue;
        timeline_append_rect(snapshot, &color, x - 1, y, 3, TICK);
        last = x;
    }
}

// What is in sight, where that is not all.
static void append_window(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    double from, until, height = timeline->metrics.overview;
    GdkRGBA inside = timeline_get_blue(timeline), edge = inside;
    inside.alpha = 0.2f;
    if (timeline_shows_all(timeline))
        return;
    rui_view_get_range(timeline->view, &from, &until);
    from = floor(timeline_to_overview(timeline, from));
    until = MAX(ceil(timeline_to_overview(timeline, until)), from + 3);
    timeline_append_rect(snapshot, &inside, from, 1, until - from, height);
    timeline_append_rect(snapshot, &edge, from - 1, 0, 2, height + 2);
    timeline_append_rect(snapshot, &edge, until - 1, 0, 2, height + 2);
}

void timeline_snapshot_overview(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    RwSessionComparison *comparison = rui_view_get_comparison(timeline->view);
    GdkRGBA text = timeline_get_text_color(timeline, 0.7f), red = timeline_get_red(timeline);
    GdkRGBA blue = timeline_get_blue(timeline), playhead = timeline_get_text_color(timeline, 1);
    g_autoptr(PangoLayout) name = timeline_layout_new(timeline, _("Overview"), 0);
    timeline_append_layout(snapshot, name, GUTTER_MARGIN, 0, &text);
    if (!index)
        return;
    if (!timeline_is_current(timeline, &timeline->overview, &timeline->overview_of,
                             timeline->metrics.overview))
        timeline->overview = timeline_draw_texture(timeline, &timeline->overview_of, draw);
    graphene_rect_t bounds =
        GRAPHENE_RECT_INIT((float)timeline_get_left(timeline), 1, (float)timeline_get_width(timeline),
                           (float)timeline->metrics.overview);
    gtk_snapshot_append_texture(snapshot, timeline->overview, &bounds);
    append_window(timeline, snapshot);
    append_ticks(timeline, snapshot, RUI_MARK_BOOKMARK, 0);
    append_ticks(timeline, snapshot, RUI_MARK_HIT, timeline->metrics.overview + 2 - TICK);
    if (comparison)
        append_mark(timeline, snapshot, rw_session_comparison_get_left_step(comparison), &blue);
    append_mark(timeline, snapshot, rw_run_index_get_failure(index), &red);
    append_mark(timeline, snapshot, rui_view_get_step(timeline->view), &playhead);
}
