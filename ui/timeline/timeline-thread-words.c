// SPDX-License-Identifier: MIT
//
// What is said of threads: where the pointer is, and to assistive technology.
#include "timeline-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>

char *timeline_dup_thread(const RwThreadRow *row)
{
    const char *name = row->name ? row->name : "?";
    if (row->kernel)
        return g_strdup_printf("%s %u", name, row->tid);
    if (!row->process || !g_strcmp0(row->process, row->name))
        return g_strdup_printf("%s %u/%u", name, row->pid, row->tid);
    return g_strdup_printf("%s %u/%u %s", name, row->pid, row->tid, row->process);
}

static char *dup_other(const RwThreadRows *rows, const RwThreadBar *bar)
{
    if (bar->other == RW_NO_THREAD)
        return g_strdup(_("nobody"));
    return timeline_dup_thread(rw_thread_rows_get(rows, bar->other));
}

static char *dup_blocked(const RwThreadBar *bar)
{
    const char *call = rw_thread_bar_get_call(bar);
    if (bar->call < 0)
        return g_strdup(_("waits"));
    // Translators: a thread, in the system call of that name or number.
    return call ? g_strdup_printf(_("waits in %s"), call)
                : g_strdup_printf(_("waits in system call %d"), bar->call);
}

static char *dup_ready(const RwThreadBar *bar, const char *other)
{
    switch (bar->cause) {
    case RW_CAUSE_WOKEN:
        return g_strdup_printf(_("waits for the CPU, woken by %s"), other);
    case RW_CAUSE_INTERRUPT:
        return g_strdup(_("waits for the CPU, woken by an interrupt"));
    case RW_CAUSE_SLICE:
        return g_strdup_printf(_("waits for the CPU: its time slice was over, %s got it"), other);
    case RW_CAUSE_FIRST:
        return g_strdup_printf(_("waits for the CPU: %s was woken and goes first"), other);
    case RW_CAUSE_YIELD:
        return g_strdup_printf(_("waits for the CPU: it gave way to %s"), other);
    case RW_CAUSE_SCHEDULE:
        return g_strdup_printf(_("waits for the CPU: the schedule gave it to %s"), other);
    default:
        return g_strdup_printf(_("waits for the CPU: %s got it"), other);
    }
}

static char *dup_bar(const RwThreadRows *rows, const RwThreadBar *bar)
{
    g_autofree char *other = dup_other(rows, bar);
    switch (bar->state) {
    case RW_THREAD_RUNS:
        return g_strdup(_("has the CPU"));
    case RW_THREAD_READY:
        return dup_ready(bar, other);
    case RW_THREAD_BLOCKED:
        return dup_blocked(bar);
    case RW_THREAD_HELD:
        return g_strdup_printf(_("held by the schedule, %s got the CPU"), other);
    default:
        return g_strdup(_("not there any more"));
    }
}

static gboolean is_known(const RwThreadRows *rows, guint64 time)
{
    return !rw_thread_rows_get_cut(rows) || time < rw_thread_rows_get_cut(rows);
}

char *timeline_dup_thread_state(const RwThreadRows *rows, const RwThreadRow *row, guint64 time)
{
    guint bar = rw_thread_row_find(row, 0, time);
    if (!is_known(rows, time))
        return g_strdup(_("not known: more is not kept of so long a run"));
    return bar == G_MAXUINT ? g_strdup(_("not there yet")) : dup_bar(rows, &row->bars[bar]);
}

// From which step to which, and how long.
static char *dup_extent(const TimelineThreads *of, const RwThreadRow *row, guint bar)
{
    guint64 last = rw_run_index_get_time(of->index, G_MAXUINT32), from = row->bars[bar].from;
    guint64 until = MAX(MIN(rw_thread_row_get_end(row, bar), last), from);
    g_autofree char *first = rui_dup_number((guint64)rw_run_index_find_place(of->index, from));
    g_autofree char *end = rui_dup_number((guint64)rw_run_index_find_place(of->index, until));
    g_autofree char *time = rui_dup_time(until - from);
    return g_strdup_printf(_("Steps %s to %s, %s"), first, end, time);
}

char *timeline_dup_thread_tooltip(RuiTimeline *timeline, double x, double y)
{
    TimelineThreads of;
    guint number;
    const RwThreadRow *row = timeline_get_thread_at(timeline, y, &of, &number);
    if (!row)
        return NULL;
    guint64 time = timeline_get_time_at(timeline, of.index, x + 0.5);
    guint bar = rw_thread_row_find(row, 0, time);
    g_autofree char *name = timeline_dup_thread(row);
    g_autofree char *state = timeline_dup_thread_state(of.rows, row, time);
    g_autofree char *extent =
        bar != G_MAXUINT && is_known(of.rows, time) ? dup_extent(&of, row, bar) : NULL;
    // Translators: a thread, what it does.
    g_autofree char *what = g_strdup_printf(_("%s: %s"), name, state);
    return g_strdup_printf("%s%s%s%s%s", of.compared ? _("Compared run") : "", of.compared ? "\n" : "",
                           what, extent ? "\n" : "", extent ? extent : "");
}

// What came about right before the step, with which whoever had the CPU then got to it.
static guint64 get_time_before(const RwRunIndex *index, guint64 step)
{
    guint64 time = rw_run_index_get_time(index, step);
    return time ? time - 1 : 0;
}

static char *dup_running(const TimelineThreads *of, guint64 time)
{
    guint32 running = rw_thread_rows_find_running(of->rows, time);
    if (!is_known(of->rows, time))
        return g_strdup(_("not known who has the CPU"));
    if (running == RW_NO_THREAD)
        return g_strdup(_("no thread has the CPU"));
    g_autofree char *name = timeline_dup_thread(rw_thread_rows_get(of->rows, running));
    // Translators: a thread.
    return g_strdup_printf(_("%s has the CPU"), name);
}

char *timeline_dup_threads_text(RuiTimeline *timeline)
{
    TimelineThreads own;
    if (!timeline_get_threads(timeline, FALSE, &own))
        return NULL;
    guint64 time = get_time_before(own.index, rui_view_get_step(timeline->view));
    g_autofree char *running = dup_running(&own, time);
    if (timeline->thread >= rw_thread_rows_count(own.rows))
        return g_steal_pointer(&running);
    const RwThreadRow *row = rw_thread_rows_get(own.rows, timeline->thread);
    g_autofree char *name = timeline_dup_thread(row);
    g_autofree char *state = timeline_dup_thread_state(own.rows, row, time);
    // Translators: who has the CPU; the thread that was chosen, what it does.
    return g_strdup_printf(_("%s; %s: %s"), running, name, state);
}
