// SPDX-License-Identifier: MIT
//
// What is out of sight has an arrow at that edge, which goes there.
#include "timeline-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>

#define SIZE 16

// 0: there is none.
static guint64 get_step(RuiTimeline *timeline, TimelineChevron chevron)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    RwSessionComparison *comparison = rui_view_get_comparison(timeline->view);
    switch (chevron) {
    case CHEVRON_FAILURE:
        return index ? rw_run_index_get_failure(index) : 0;
    case CHEVRON_PARTING:
        return comparison ? rw_session_comparison_get_left_step(comparison) : 0;
    default:
        return rui_view_get_step(timeline->view);
    }
}

static int get_side(RuiTimeline *timeline, guint64 step)
{
    double from, until, at = (double)step + 0.5;
    rui_view_get_range(timeline->view, &from, &until);
    return at < from ? -1 : at >= until;
}

gboolean timeline_get_chevron(RuiTimeline *timeline, TimelineChevron chevron, GdkRectangle *ret)
{
    guint64 step = timeline->view && rui_view_get_index(timeline->view) ? get_step(timeline, chevron) : 0;
    int side = step || chevron == CHEVRON_PLAYHEAD ? get_side(timeline, step) : 0;
    double left = timeline_get_left(timeline), width = timeline_get_width(timeline);
    if (!side)
        return FALSE;
    *ret = (GdkRectangle){(int)(side < 0 ? left : left + width - SIZE),
                          timeline->metrics.rows_top + (int)chevron * (SIZE + 1), SIZE, SIZE};
    return TRUE;
}

gboolean timeline_find_chevron(RuiTimeline *timeline, double x, double y, TimelineChevron *ret)
{
    for (*ret = 0; *ret < CHEVRONS; (*ret)++) {
        GdkRectangle at;
        if (timeline_get_chevron(timeline, *ret, &at) && gdk_rectangle_contains_point(&at, (int)x, (int)y))
            return TRUE;
    }
    return FALSE;
}

void timeline_follow_chevron(RuiTimeline *timeline, TimelineChevron chevron)
{
    guint64 step = get_step(timeline, chevron);
    double from, until;
    if (chevron != CHEVRON_PLAYHEAD) {
        rui_view_jump(timeline->view, step);
        if (!get_side(timeline, step))
            return;
    }
    // It is in the middle then, and the playhead where it was.
    rui_view_get_range(timeline->view, &from, &until);
    rui_view_pan(timeline->view, (double)step + 0.5 - (from + until) / 2);
}

char *timeline_dup_chevron(RuiTimeline *timeline, TimelineChevron chevron)
{
    static const char *const names[CHEVRONS] = {
        // Translators: %s is the number of a step that is out of sight.
        [CHEVRON_FAILURE] = N_("Go to the failure at step %s"),
        [CHEVRON_PARTING] = N_("Go to where the runs part, at step %s"),
        [CHEVRON_PLAYHEAD] = N_("Show the playhead at step %s"),
    };
    g_autofree char *number = rui_dup_number(get_step(timeline, chevron));
    GString *text = g_string_new(_(names[chevron]));
    g_string_replace(text, "%s", number, 1);
    return g_string_free(text, FALSE);
}

void timeline_snapshot_chevrons(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    const GdkRGBA colors[CHEVRONS] = {timeline_get_red(timeline), timeline_get_blue(timeline),
                                      timeline_get_text_color(timeline, 1)};
    GdkRGBA arrow = timeline_get_color(timeline, "#ffffff", "#000000");
    for (guint i = 0; i < CHEVRONS; i++) {
        GdkRectangle at;
        if (!timeline_get_chevron(timeline, (TimelineChevron)i, &at))
            continue;
        gboolean left = at.x <= (int)timeline_get_left(timeline);
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, left ? "◀" : "▶", 0);
        int width, height;
        pango_layout_get_pixel_size(layout, &width, &height);
        timeline_append_rect(snapshot, &colors[i], at.x, at.y, at.width, at.height);
        timeline_append_layout(snapshot, layout, at.x + (at.width - width) / 2.0,
                               at.y + (at.height - height) / 2.0, &arrow);
    }
}
