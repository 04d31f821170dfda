// SPDX-License-Identifier: MIT
//
// What the timeline says of its lanes: where the pointer is, and to assistive technology.
#include "timeline-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>
#include <math.h>

// The lane at a height, gap below it included; RW_TRACKS: none.
static guint get_track_at(RuiTimeline *timeline, int y)
{
    int below = y - timeline->metrics.lanes_top, each = timeline->metrics.lane + LANE_GAP;
    return below < 0 ? RW_TRACKS : MIN((guint)(below / each), RW_TRACKS);
}

static char *dup_lane(guint track)
{
    // Translators: a lane of the timeline, and what it shows.
    return g_strdup_printf(_("%s: %s"), rui_get_track((RwTrack)track), rui_get_track_hint((RwTrack)track));
}

// How many events of a lane are drawn where the pointer is.
static guint64 count_at(RuiTimeline *timeline, guint track, double x)
{
    double from = timeline_to_step(timeline, x), until = timeline_to_step(timeline, x + 1);
    guint64 first = (guint64)MAX(from, 0);
    guint64 last = until - from < 1 ? first + 1 : (guint64)MAX(ceil(until), 1);
    return rw_run_index_count(rui_view_get_index(timeline->view), (RwTrack)track, first, last);
}

static char *dup_place(RuiTimeline *timeline, int x)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    guint64 step =
        (guint64)CLAMP(timeline_to_step(timeline, x), 0, (double)rui_view_get_steps(timeline->view));
    g_autofree char *number = rui_dup_number(step);
    g_autofree char *time = rui_dup_time(rw_run_index_get_time(index, step));
    g_autofree char *phase = rui_dup_phase(rw_run_index_get_phase_at(index, step));
    // Translators: step number, virtual time, phase of the run.
    return g_strdup_printf(_("Step %s, %s, %s"), number, time, phase);
}

char *timeline_dup_tooltip(RuiTimeline *timeline, int x, int y)
{
    guint track = get_track_at(timeline, y);
    if (!timeline->view || !rui_view_get_index(timeline->view))
        return NULL;
    if (x < timeline_get_left(timeline))
        return track < RW_TRACKS ? dup_lane(track) : NULL;
    g_autofree char *place = dup_place(timeline, x);
    if (track == RW_TRACKS)
        return g_steal_pointer(&place);
    guint64 count = count_at(timeline, track, x);
    g_autofree char *number = rui_dup_number(count);
    g_autofree char *events =
        g_strdup_printf(g_dngettext(NULL, "%s: %s event here", "%s: %s events here", (gulong)count),
                        rui_get_track((RwTrack)track), number);
    return g_strdup_printf("%s\n%s", place, events);
}

char *timeline_dup_description(void)
{
    g_autoptr(GPtrArray) lanes = g_ptr_array_new_with_free_func(g_free);
    for (guint track = 0; track < RW_TRACKS; track++)
        g_ptr_array_add(lanes, dup_lane(track));
    g_ptr_array_add(lanes, NULL);
    return g_strjoinv("\n", (char **)lanes->pdata);
}
