// SPDX-License-Identifier: MIT
#include "timeline-private.h"

#include "rui-hues.h"

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

void timeline_append_layout(GtkSnapshot *snapshot, PangoLayout *layout, double x, double y,
                            const GdkRGBA *color)
{
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)x, (float)y));
    gtk_snapshot_append_layout(snapshot, layout, color);
    gtk_snapshot_restore(snapshot);
}

void timeline_append_rect(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double width,
                          double height)
{
    graphene_rect_t rect = GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height);
    gtk_snapshot_append_color(snapshot, color, &rect);
}

// ---- Colours ----

gboolean timeline_is_dark(RuiTimeline *timeline)
{
    return rui_is_dark(GTK_WIDGET(timeline));
}

GdkRGBA timeline_get_color(RuiTimeline *timeline, const char *light, const char *dark)
{
    GdkRGBA color;
    gdk_rgba_parse(&color, timeline_is_dark(timeline) ? dark : light);
    return color;
}

GdkRGBA timeline_get_red(RuiTimeline *timeline)
{
    return timeline_get_color(timeline, "#c01c28", "#ff7b63");
}

GdkRGBA timeline_get_blue(RuiTimeline *timeline)
{
    return timeline_get_color(timeline, "#1c71d8", "#78aeed");
}

GdkRGBA timeline_get_text_color(RuiTimeline *timeline, float alpha)
{
    GdkRGBA color;
    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(timeline)), &color);
    color.alpha *= alpha;
    return color;
}

// ---- Textures ----

gboolean timeline_is_current(RuiTimeline *timeline, GdkTexture **texture, TimelinePicture *of, int height)
{
    int scale = gtk_widget_get_scale_factor(GTK_WIDGET(timeline));
    TimelinePicture now = {.width = MAX(1, (int)timeline_get_width(timeline) * scale),
                           .height = MAX(1, height * scale),
                           .scale = scale,
                           .first_row = timeline->first_row,
                           .index = rui_view_get_index(timeline->view),
                           .selected = rui_view_get_process(timeline->view),
                           .dark = timeline_is_dark(timeline),
                           .time = timeline->time_axis,
                           .threads = timeline->threads};
    rui_view_get_range(timeline->view, &now.from, &now.until);
    if (timeline->threads && timeline->compared)
        now.compared = rw_session_run_get_index(timeline->compared);
    if (texture == &timeline->overview)
        now.from = now.until = 0; // it has all of the run
    gboolean same = *texture && of->from == now.from && of->until == now.until && of->width == now.width &&
                    of->height == now.height && of->scale == now.scale && of->index == now.index &&
                    of->first_row == now.first_row && of->selected == now.selected &&
                    of->dark == now.dark && of->time == now.time && of->threads == now.threads &&
                    of->compared == now.compared;
    if (!same)
        g_clear_object(texture);
    *of = now;
    return same;
}

GdkTexture *timeline_draw_texture(RuiTimeline *timeline, const TimelinePicture *of,
                                  void (*draw)(RuiTimeline *timeline, guint32 *pixels))
{
    gsize stride = (gsize)of->width * sizeof(guint32);
    guint32 *pixels = g_malloc0(stride * (gsize)of->height);
    draw(timeline, pixels);
    g_autoptr(GBytes) bytes = g_bytes_new_take(pixels, stride * (gsize)of->height);
    return gdk_memory_texture_new(of->width, of->height, GDK_MEMORY_DEFAULT, bytes, stride);
}

// ---- Phases ----

void timeline_snapshot_phases(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    GdkRGBA even = timeline_get_text_color(timeline, 0.08f), odd = timeline_get_text_color(timeline, 0.16f);
    GdkRGBA text = timeline_get_text_color(timeline, 0.85f);
    double left = timeline_get_left(timeline), right = left + timeline_get_width(timeline);
    const GArray *phases = index ? rw_run_index_get_phases(index) : NULL;
    for (guint i = 0; phases && i < phases->len; i++) {
        const RwPhase *phase = &g_array_index(phases, RwPhase, i);
        double from = MAX(left, timeline_to_x(timeline, (double)phase->from));
        double until = MIN(right, timeline_to_x(timeline, (double)phase->until));
        if (until - from < 0.5)
            continue;
        timeline_append_rect(snapshot, i % 2 ? &odd : &even, from, timeline->metrics.phases_top,
                             until - from, timeline->metrics.phases);
        g_autofree char *name = rui_dup_phase(phase);
        if (until - from <= 24)
            continue;
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, name, until - from - 8);
        timeline_append_layout(snapshot, layout, from + 5, timeline->metrics.phases_top + 2, &text);
    }
}

// ---- Selected steps ----

void timeline_snapshot_selection(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    guint64 first, end;
    GdkRGBA band = timeline_get_blue(timeline), edge = band;
    band.alpha = 0.18f;
    if (!rui_view_get_selected_steps(timeline->view, &first, &end))
        return;
    double left = timeline_get_left(timeline), right = left + timeline_get_width(timeline);
    double from = CLAMP(timeline_to_x(timeline, (double)first), left, right);
    double until = CLAMP(timeline_to_x(timeline, (double)end), left, right);
    double top = timeline->metrics.phases_top, height = timeline->metrics.bottom - top;
    timeline_append_rect(snapshot, &band, from, top, until - from, height);
    timeline_append_rect(snapshot, &edge, from, top, 1, height);
    timeline_append_rect(snapshot, &edge, until - 1, top, 1, height);
}

// ---- Marks ----

// A vertical line that is seen on any slice: it has an edge of the ground's colour.
static void append_line(RuiTimeline *timeline, GtkSnapshot *snapshot, const GdkRGBA *color, double x,
                        double y, double height)
{
    GdkRGBA ground = timeline_get_color(timeline, "#ffffff", "#1e1e1e");
    timeline_append_rect(snapshot, &ground, x - 2, y, 4, height);
    timeline_append_rect(snapshot, color, x - 1, y, 2, height);
}

static void append_mark(RuiTimeline *timeline, GtkSnapshot *snapshot, guint64 step, const GdkRGBA *color,
                        gboolean dashed, gboolean flag)
{
    double x = floor(timeline_to_x(timeline, (double)step + 0.5));
    double top = timeline->metrics.phases_top + timeline->metrics.phases;
    double bottom = timeline->metrics.bottom;
    if (x < timeline_get_left(timeline) || x > timeline_get_left(timeline) + timeline_get_width(timeline))
        return;
    for (double y = top; y < bottom; y += dashed ? 8 : bottom - top)
        append_line(timeline, snapshot, color, x, y, dashed ? MIN(5, bottom - y) : bottom - top);
    if (flag)
        timeline_append_rect(snapshot, color, x - 1, top, 9, 6);
}

GdkRGBA timeline_get_mark_color(RuiTimeline *timeline, RuiMarkKind kind)
{
    return kind == RUI_MARK_FORK       ? timeline_get_color(timeline, "#18794e", "#57e389")
           : kind == RUI_MARK_BOOKMARK ? timeline_get_color(timeline, "#8f5902", "#f8e45c")
                                       : timeline_get_color(timeline, "#a51d9b", "#ff7bf0");
}

// A pin on the axis: these may be many.
static void append_pins(RuiTimeline *timeline, GtkSnapshot *snapshot, RuiMarkKind kind)
{
    GdkRGBA color = timeline_get_mark_color(timeline, kind);
    const GArray *marks = timeline->marks[kind];
    double left = timeline_get_left(timeline), right = left + timeline_get_width(timeline);
    double last = -10, y = timeline->metrics.bottom + (kind == RUI_MARK_FORK ? 0 : 7);
    for (guint i = 0; i < marks->len; i++) {
        double x = floor(timeline_to_x(timeline, (double)g_array_index(marks, guint64, i) + 0.5));
        if (x < left || x > right || ABS(x - last) < 2)
            continue;
        timeline_append_rect(snapshot, &color, x - 4, y, 9, 7);
        last = x;
    }
}

void timeline_snapshot_marks(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    RwSessionComparison *comparison = rui_view_get_comparison(timeline->view);
    GdkRGBA red = timeline_get_red(timeline), blue = timeline_get_blue(timeline);
    append_pins(timeline, snapshot, RUI_MARK_FORK);
    append_pins(timeline, snapshot, RUI_MARK_BOOKMARK);
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
    GdkRGBA color = timeline_get_text_color(timeline, 1);
    double top = timeline->metrics.phases_top, left = timeline_get_left(timeline);
    if (x < left || x > left + timeline_get_width(timeline))
        return; // a chevron tells where it is
    append_line(timeline, snapshot, &color, x, top, timeline->metrics.bottom - top);
    GskRoundedRect knob;
    graphene_rect_t bounds = GRAPHENE_RECT_INIT((float)x - 6, (float)top, 12, 12);
    gsk_rounded_rect_init_from_rect(&knob, &bounds, 6);
    gtk_snapshot_push_rounded_clip(snapshot, &knob);
    gtk_snapshot_append_color(snapshot, &color, &bounds);
    gtk_snapshot_pop(snapshot);
}
