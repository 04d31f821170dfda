// SPDX-License-Identifier: MIT
//
// The processes: slices coloured by program, the failing one edged. Made once into a texture for a range
// and a size; of those that share a pixel of a row the first one is drawn.
#include "timeline-private.h"

#include "rui-hues.h"

#include <math.h>
#include <pango/pangocairo.h>

#define NAME_FITS 26 // pixels from which on a slice has its name

typedef struct {
    RuiTimeline *timeline;
    cairo_t *cairo;
    double left;
    const RwSpan *selected, *failing;
    GdkRGBA red, outline;
} Painter;

static void paint_name(const Painter *painter, const RwSpan *span, double x, double y, double width)
{
    GdkRGBA color = timeline_get_color(painter->timeline, "#ffffff", "#000000");
    g_autoptr(PangoLayout) layout = timeline_layout_new(painter->timeline, span->label, width - 8);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    gdk_cairo_set_source_rgba(painter->cairo, &color);
    cairo_move_to(painter->cairo, x + 4, y + 1);
    pango_cairo_show_layout(painter->cairo, layout);
}

static void fill(const Painter *painter, const GdkRGBA *color, double x, double y, double width,
                 double height)
{
    gdk_cairo_set_source_rgba(painter->cairo, color);
    cairo_rectangle(painter->cairo, x, y, width, height);
    cairo_fill(painter->cairo);
}

// Returns the pixel behind it.
static double paint_span(const Painter *painter, const RwSpan *span)
{
    RuiTimeline *timeline = painter->timeline;
    GdkRGBA color = rui_hue(GTK_WIDGET(timeline), span->program);
    double all = timeline_get_width(timeline);
    double from = floor(timeline_to_x(timeline, (double)span->from) - painter->left);
    double until = floor(timeline_to_x(timeline, (double)span->until) - painter->left);
    gboolean edged = span == painter->failing || span == painter->selected;
    double x = MAX(from, -4), end = MIN(MAX(until, from + (edged ? 5 : 1)), all + 4);
    double width = end - x - (end - x >= 4 ? 1 : 0); // a gap to the next one, where there is room
    double y = (span->row - timeline->first_row) * timeline->metrics.row,
           height = timeline->metrics.row - 1;
    if (edged) {
        fill(painter, span == painter->failing ? &painter->red : &painter->outline, x, y, width, height);
        double edge = MIN(2, width / 3);
        fill(painter, &color, x + edge, y + 2, width - 2 * edge, height - 4);
    } else
        fill(painter, &color, x, y, width, height);
    double shown = MAX(x, 0);
    if (MIN(x + width, all) - shown >= NAME_FITS)
        paint_name(painter, span, shown, y, MIN(x + width, all) - shown);
    return x + MAX(width, 1);
}

static void paint_row(const Painter *painter, const RwSpans *spans, guint row)
{
    RuiTimeline *timeline = painter->timeline;
    guint i, end;
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    rw_spans_get_row(spans, row, &i, &end);
    i = rw_spans_find(spans, i, end, (guint64)MAX(from, 0));
    while (i < end && (double)rw_spans_get(spans, i)->from < until) {
        double behind = paint_span(painter, rw_spans_get(spans, i));
        double next = timeline_to_step(timeline, painter->left + behind);
        i = rw_spans_find(spans, i + 1, end, (guint64)MAX(next, 0));
    }
}

// Those that must be seen, where others share their pixels.
static void paint_again(const Painter *painter, const RwSpan *span)
{
    double from, until;
    rui_view_get_range(painter->timeline->view, &from, &until);
    guint first = painter->timeline->first_row;
    if (span && span->row >= first && span->row < first + painter->timeline->metrics.rows &&
        (double)span->from < until && (double)span->until > from)
        paint_span(painter, span);
}

static void paint(RuiTimeline *timeline, cairo_t *cairo)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    const RwSpans *spans = rw_run_index_get_spans(index);
    Painter painter = {
        .timeline = timeline,
        .cairo = cairo,
        .left = timeline_get_left(timeline),
        .selected = rui_view_get_process(timeline->view),
        .failing = rw_run_index_get_failing(index),
        .red = timeline_get_red(timeline),
        .outline = timeline_get_text_color(timeline, 1),
    };
    guint end = MIN(timeline->first_row + timeline->metrics.rows, rw_spans_count_rows(spans));
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
    for (guint row = timeline->first_row; row < end; row++)
        paint_row(&painter, spans, row);
    paint_again(&painter, painter.selected);
    paint_again(&painter, painter.failing);
}

static void make_texture(RuiTimeline *timeline)
{
    int width = timeline->rows_of.width, height = timeline->rows_of.height, scale = timeline->rows_of.scale;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_surface_set_device_scale(surface, scale, scale);
    cairo_t *cairo = cairo_create(surface);
    paint(timeline, cairo);
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
    gsize stride = (gsize)cairo_image_surface_get_stride(surface);
    g_autoptr(GBytes) bytes = g_bytes_new(cairo_image_surface_get_data(surface), stride * (gsize)height);
    timeline->rows = gdk_memory_texture_new(width, height, GDK_MEMORY_DEFAULT, bytes, stride);
    cairo_surface_destroy(surface);
}

// How far down the rows in sight are, where there are more.
static void snapshot_position(RuiTimeline *timeline, GtkSnapshot *snapshot, double x, double height)
{
    double all = timeline_count_rows(timeline);
    GdkRGBA color = timeline_get_text_color(timeline, 0.55f);
    guint page = timeline_get_page(timeline);
    if (all > page)
        timeline_append_rect(snapshot, &color, x,
                             timeline->metrics.rows_top + height * timeline->first_row / all, 3,
                             height * page / all);
}

void timeline_snapshot_rows(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const TimelineMetrics *metrics = &timeline->metrics;
    double width = timeline_get_width(timeline), height = metrics->row * (double)metrics->rows;
    if (!rui_view_get_index(timeline->view))
        return;
    if (!timeline_is_current(timeline, &timeline->rows, &timeline->rows_of, (int)height)) {
        if (timeline->threads)
            timeline->rows = timeline_draw_texture(timeline, &timeline->rows_of, timeline_draw_threads);
        else
            make_texture(timeline);
    }
    if (timeline->threads)
        timeline_snapshot_threads(timeline, snapshot);
    graphene_rect_t bounds = GRAPHENE_RECT_INIT((float)timeline_get_left(timeline),
                                                (float)metrics->rows_top, (float)width, (float)height);
    gtk_snapshot_append_texture(snapshot, timeline->rows, &bounds);
    snapshot_position(timeline, snapshot, timeline_get_left(timeline) + width + 3, height);
}

const RwSpan *timeline_get_span_at(RuiTimeline *timeline, double x, double y)
{
    const RwRunIndex *index = timeline->view ? rui_view_get_index(timeline->view) : NULL;
    double below = y - timeline->metrics.rows_top;
    guint row = timeline->first_row + (guint)(MAX(below, 0) / timeline->metrics.row);
    if (!index || timeline->threads || below < 0 ||
        below >= timeline->metrics.row * (double)timeline->metrics.rows || x < timeline_get_left(timeline))
        return NULL;
    const RwSpans *spans = rw_run_index_get_spans(index);
    guint first, end;
    if (row >= rw_spans_count_rows(spans))
        return NULL;
    // As it is drawn: the first one that has something of the pixel, which is wider than some.
    rw_spans_get_row(spans, row, &first, &end);
    double from = MAX(timeline_to_step(timeline, floor(x)), 0),
           until = timeline_to_step(timeline, floor(x) + 1);
    guint i = rw_spans_find(spans, first, end, (guint64)from);
    return i < end && (double)rw_spans_get(spans, i)->from < until ? rw_spans_get(spans, i) : NULL;
}
