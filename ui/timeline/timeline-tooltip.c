// SPDX-License-Identifier: MIT
//
// What the timeline says of what it draws: where the pointer is, and to assistive technology.
#include "timeline-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>
#include <math.h>
#include <sys/wait.h>

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

static char *dup_ending(const RwSpan *process)
{
    if (!process->ended)
        return g_strdup(_("alive at the end"));
    if (WIFSIGNALED(process->status))
        return g_strdup_printf(_("killed by signal %d"), WTERMSIG(process->status));
    return g_strdup_printf(_("exited with %d"), WEXITSTATUS(process->status));
}

char *timeline_dup_process(const RwSpan *process)
{
    g_autofree char *ending = dup_ending(process);
    // Translators: a program and what it works on, the number of its process, how it ended.
    return g_strdup_printf(_("%s, process %u, %s"), process->label, process->pid, ending);
}

static char *dup_span(RuiTimeline *timeline, const RwSpan *span)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    g_autofree char *process = timeline_dup_process(span);
    g_autofree char *from = rui_dup_number(span->from);
    g_autofree char *until = rui_dup_number(span->until);
    g_autofree char *time =
        rui_dup_time(rw_run_index_get_time(index, span->until) - rw_run_index_get_time(index, span->from));
    // Translators: two steps, and the virtual time between them.
    g_autofree char *life = g_strdup_printf(_("Steps %s to %s, %s"), from, until, time);
    return g_strdup_printf("%s\n%s", process, life);
}

static char *dup_events(RuiTimeline *timeline, RwTrack track, int x)
{
    guint64 count = count_at(timeline, track, x);
    g_autofree char *place = dup_place(timeline, x);
    g_autofree char *number = rui_dup_number(count);
    g_autofree char *events =
        g_strdup_printf(g_dngettext(NULL, "%s: %s event here", "%s: %s events here", (gulong)count),
                        rui_get_track(track), number);
    return g_strdup_printf("%s\n%s", place, events);
}

static char *dup_name(RuiTimeline *timeline, int y)
{
    const TimelineMetrics *metrics = &timeline->metrics;
    if (y < metrics->phases_top)
        return g_strdup(_("All of the run: drag to show another part"));
    if (y >= metrics->lanes_top && y < metrics->lanes_top + metrics->lanes)
        return timeline_dup_description();
    if (y >= metrics->rows_top && y < metrics->lanes_top && timeline->threads)
        return g_strdup(
            _("What each thread did. Solid: it has the CPU. Hatched: it could run and waits for "
              "the CPU. A line: it waits in a system call. Crossed: the schedule holds it. "
              "Arrows: who woke whom, and who got the CPU. Scroll here for more rows."));
    if (y >= metrics->rows_top && y < metrics->lanes_top)
        return g_strdup(_("Who ran from when to when: click to show only what one did, scroll here for "
                          "more rows"));
    return NULL;
}

char *timeline_dup_tooltip(RuiTimeline *timeline, int x, int y)
{
    RwTrack track;
    TimelineChevron chevron;
    if (!timeline->view || !rui_view_get_index(timeline->view))
        return NULL;
    if (timeline_find_chevron(timeline, x, y, &chevron))
        return timeline_dup_chevron(timeline, chevron);
    if (x < timeline_get_left(timeline))
        return dup_name(timeline, y);
    const RwSpan *span = timeline_get_span_at(timeline, x, y);
    if (span)
        return dup_span(timeline, span);
    char *thread = timeline->threads ? timeline_dup_thread_tooltip(timeline, x, y) : NULL;
    if (thread)
        return thread;
    if (timeline_get_strip(timeline, y, &track))
        return dup_events(timeline, track, x);
    return dup_place(timeline, x);
}

char *timeline_dup_description(void)
{
    g_autoptr(GPtrArray) lanes = g_ptr_array_new_with_free_func(g_free);
    for (guint track = 0; track < RW_TRACKS; track++)
        g_ptr_array_add(lanes, dup_lane(track));
    g_ptr_array_add(lanes, NULL);
    return g_strjoinv("\n", (char **)lanes->pdata);
}
