// SPDX-License-Identifier: MIT
//
// A lane a track, made once into a texture for a range and width, so that a moving playhead costs nothing.
#include "timeline-private.h"

#include "rui-words.h"

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

static void draw_lane(RuiTimeline *timeline, guint track, guint32 *pixels, int width, int height, int scale)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    GdkRGBA color = timeline_get_color(timeline, lane_colors[track].light, lane_colors[track].dark);
    double per_pixel = (timeline->lanes_until - timeline->lanes_from) / width;
    int lane = timeline->metrics.lane, top = (int)track * (lane + LANE_GAP) * scale;
    for (int x = 0; x < width; x++) {
        double at = timeline->lanes_from + x * per_pixel;
        guint64 from = (guint64)at, until = (guint64)MAX(ceil(at + per_pixel), (double)from + 1);
        // A step that is wider than a pixel keeps a gap to the next one.
        gboolean gap = per_pixel < 0.25 && at - floor(at) > 1 - 2 * per_pixel;
        if (per_pixel < 1)
            until = from + 1;
        double alpha = gap ? 0 : strength(rw_run_index_count(index, (RwTrack)track, from, until));
        guint32 pixel = to_pixel(&color, alpha);
        for (int y = 0; y < lane * scale; y++)
            pixels[(top + y) * width + x] = pixel;
    }
}

static void make_texture(RuiTimeline *timeline, int width, int scale)
{
    int height = timeline->metrics.lanes * scale;
    g_clear_object(&timeline->lanes);
    rui_view_get_range(timeline->view, &timeline->lanes_from, &timeline->lanes_until);
    timeline->lanes_width = width;
    timeline->lanes_scale = scale;
    timeline->lanes_index = rui_view_get_index(timeline->view);
    timeline->lanes_dark = timeline_is_dark(timeline);
    gsize size = (gsize)width * (gsize)height * 4;
    guint32 *pixels = g_malloc0(size);
    for (guint track = 0; track < RW_TRACKS; track++)
        draw_lane(timeline, track, pixels, width, height, scale);
    g_autoptr(GBytes) bytes = g_bytes_new_take(pixels, size);
    timeline->lanes = gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, (gsize)width * 4);
}

static gboolean is_current(RuiTimeline *timeline, int width, int scale)
{
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    return timeline->lanes && timeline->lanes_width == width && timeline->lanes_scale == scale &&
           timeline->lanes_from == from && timeline->lanes_until == until &&
           timeline->lanes_index == rui_view_get_index(timeline->view) &&
           timeline->lanes_dark == timeline_is_dark(timeline);
}

// Names are as high as their lanes, see update_metrics().
static void snapshot_names(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    GdkRGBA color;
    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(timeline)), &color);
    color.alpha *= 0.7f;
    for (guint track = 0; track < RW_TRACKS; track++) {
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, rui_get_track((RwTrack)track), 0);
        int y = timeline->metrics.lanes_top + (int)track * (timeline->metrics.lane + LANE_GAP);
        gtk_snapshot_save(snapshot);
        gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(GUTTER_MARGIN, (float)y));
        gtk_snapshot_append_layout(snapshot, layout, &color);
        gtk_snapshot_restore(snapshot);
    }
}

void timeline_snapshot_lanes(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    snapshot_names(timeline, snapshot);
    if (!rui_view_get_index(timeline->view))
        return;
    int scale = gtk_widget_get_scale_factor(GTK_WIDGET(timeline));
    double width = timeline_get_width(timeline);
    if (!is_current(timeline, (int)width * scale, scale))
        make_texture(timeline, MAX(1, (int)width * scale), scale);
    const TimelineMetrics *metrics = &timeline->metrics;
    graphene_rect_t bounds = GRAPHENE_RECT_INIT(
        (float)timeline_get_left(timeline), (float)metrics->lanes_top, (float)width, (float)metrics->lanes);
    gtk_snapshot_append_texture(snapshot, timeline->lanes, &bounds);
}
