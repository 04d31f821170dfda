// SPDX-License-Identifier: MIT
//
// How much of what happened where: in one lane a strip for each kind of events that the run has, made once
// into a texture for a range and width, so that a moving playhead costs nothing.
#include "timeline-private.h"

#include <glib/gi18n.h>
#include <math.h>

// On a light window, and on a dark one: with the strength of a single event, three times as bright as it,
// or as dark.
static const struct {
    const char *light, *dark;
} lane_colors[RW_TRACKS] = {
    [RW_TRACK_OUTPUT] = {"#18794e", "#57e389"}, [RW_TRACK_PROCESS] = {"#813d9c", "#dc8add"},
    [RW_TRACK_FILE] = {"#b84a00", "#ffa348"},   [RW_TRACK_SIGNAL] = {"#c01c28", "#ff7b63"},
    [RW_TRACK_SWITCH] = {"#1a5fb4", "#78aeed"}, [RW_TRACK_KERNEL] = {"#5e5c64", "#c0bfbc"},
};

// How strong so many events are drawn: one can be seen, a thousand are full.
static double strength(guint64 count)
{
    return count ? MIN(1, 0.76 + log10((double)count) * 0.08) : 0;
}

static guint32 to_pixel(const GdkRGBA *color, double alpha)
{
    guint a = (guint)(alpha * color->alpha * 255 + 0.5);
    guint r = (guint)(color->red * a), g = (guint)(color->green * a), b = (guint)(color->blue * a);
    return a << 24 | r << 16 | g << 8 | b; // premultiplied
}

static gboolean has_track(RuiTimeline *timeline, guint track)
{
    const RwRunIndex *index = timeline->view ? rui_view_get_index(timeline->view) : NULL;
    return index &&
           rw_run_index_count(index, (RwTrack)track, 0, rui_view_get_steps(timeline->view) + 1) > 0;
}

guint timeline_count_strips(RuiTimeline *timeline)
{
    guint count = 0;
    for (guint track = 0; track < RW_TRACKS; track++)
        count += has_track(timeline, track);
    return count;
}

gboolean timeline_get_strip(RuiTimeline *timeline, int y, RwTrack *ret_track)
{
    int below = y - timeline->metrics.lanes_top;
    for (guint track = 0; below >= 0 && track < RW_TRACKS; track++) {
        if (!has_track(timeline, track))
            continue;
        below -= timeline->metrics.strip + LANE_GAP;
        *ret_track = (RwTrack)track;
        if (below < 0)
            return TRUE;
    }
    return FALSE;
}

static void draw_pixel(RuiTimeline *timeline, guint track, guint32 *column, int x, double from,
                       double until)
{
    const TimelinePicture *of = &timeline->lanes_of;
    GdkRGBA color = timeline_get_color(timeline, lane_colors[track].light, lane_colors[track].dark);
    guint64 first = (guint64)MAX(from, 0), end = (guint64)MAX(ceil(until), (double)first + 1);
    // A step that is wider than a pixel keeps a gap to the next one.
    gboolean gap = until - from < 0.25 && from - floor(from) > 1 - 2 * (until - from);
    if (until - from < 1)
        end = first + 1;
    guint32 pixel =
        to_pixel(&color, gap ? 0 : strength(rw_run_index_count(of->index, (RwTrack)track, first, end)));
    for (int y = 0; y < timeline->metrics.strip * of->scale; y++)
        column[y * of->width + x] = pixel;
}

static void draw(RuiTimeline *timeline, guint32 *pixels)
{
    const TimelinePicture *of = &timeline->lanes_of;
    double left = timeline_get_left(timeline), from = timeline_to_step(timeline, left);
    for (int x = 0; x < of->width; x++) {
        double until = timeline_to_step(timeline, left + (x + 1) / (double)of->scale);
        int strip = 0;
        for (guint track = 0; track < RW_TRACKS; track++)
            if (has_track(timeline, track)) {
                int top = strip++ * (timeline->metrics.strip + LANE_GAP) * of->scale;
                draw_pixel(timeline, track, pixels + top * of->width, x, from, until);
            }
        from = until;
    }
}

void timeline_snapshot_lanes(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const TimelineMetrics *metrics = &timeline->metrics;
    GdkRGBA text = timeline_get_text_color(timeline, 0.7f);
    g_autoptr(PangoLayout) name = timeline_layout_new(timeline, _("Events"), 0);
    timeline_append_layout(snapshot, name, GUTTER_MARGIN, metrics->lanes_top, &text);
    if (!rui_view_get_index(timeline->view) || !metrics->strips)
        return;
    if (!timeline_is_current(timeline, &timeline->lanes, &timeline->lanes_of, metrics->lanes))
        timeline->lanes = timeline_draw_texture(timeline, &timeline->lanes_of, draw);
    graphene_rect_t bounds =
        GRAPHENE_RECT_INIT((float)timeline_get_left(timeline), (float)metrics->lanes_top,
                           (float)timeline_get_width(timeline), (float)metrics->lanes);
    gtk_snapshot_append_texture(snapshot, timeline->lanes, &bounds);
}
