// SPDX-License-Identifier: MIT
//
// What the pointer does, by keys while the timeline has the focus.
#include "timeline-private.h"

// Those that live at the playhead, by row: the next one after the selected one, or before it.
static gboolean select_next(RuiTimeline *timeline, gboolean down)
{
    const RwRunIndex *index = rui_view_get_index(timeline->view);
    const RwSpan *selected = rui_view_get_process(timeline->view);
    guint rows = timeline_count_rows(timeline);
    if (timeline->threads)
        return timeline_choose_next_thread(timeline, down);
    if (!index || !rows)
        return GDK_EVENT_PROPAGATE;
    guint row = selected ? selected->row : down ? rows - 1 : 0;
    for (guint i = 0; i < rows; i++) {
        row = (row + (down ? 1 : rows - 1)) % rows;
        const RwSpan *span =
            rw_spans_get_at(rw_run_index_get_spans(index), row, rui_view_get_step(timeline->view));
        if (!span)
            continue;
        timeline_show_row(timeline, row);
        rui_view_select_process(timeline->view, span);
        break;
    }
    return GDK_EVENT_STOP;
}

static gboolean go_to_selected(RuiTimeline *timeline)
{
    const RwSpan *selected = rui_view_get_process(timeline->view);
    if (selected)
        rui_view_jump(timeline->view, selected->from);
    return selected ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static gboolean take_back(RuiTimeline *timeline)
{
    guint64 from, until;
    gboolean steps = rui_view_get_selected_steps(timeline->view, &from, &until);
    gboolean thread = timeline->threads && timeline->thread != RW_NO_THREAD;
    if (!steps && !thread && !rui_view_get_process(timeline->view))
        return GDK_EVENT_PROPAGATE;
    timeline_choose_thread(timeline, RW_NO_THREAD);
    rui_view_select_steps(timeline->view, 0, 0);
    rui_view_select_process(timeline->view, NULL);
    return GDK_EVENT_STOP;
}

// From the playhead on, or up to it; the other end stays where it was.
static gboolean select_at_playhead(RuiTimeline *timeline, gboolean begins)
{
    guint64 from, until, step = rui_view_get_step(timeline->view);
    if (!rui_view_get_selected_steps(timeline->view, &from, &until)) {
        from = 0;
        until = rui_view_get_steps(timeline->view) + 1;
    }
    if (begins)
        rui_view_select_steps(timeline->view, step, MAX(until, step + 1));
    else
        rui_view_select_steps(timeline->view, MIN(from, step), step + 1);
    return GDK_EVENT_STOP;
}

static gboolean on_key(GtkEventControllerKey *keys, guint key, guint code, GdkModifierType state,
                       RuiTimeline *timeline)
{
    const GdkModifierType others = GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK;
    if (!timeline->view || !rui_view_get_run(timeline->view) || state & others)
        return GDK_EVENT_PROPAGATE;
    switch (key) {
    case GDK_KEY_Up:
    case GDK_KEY_Down:
        return select_next(timeline, key == GDK_KEY_Down);
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
        return go_to_selected(timeline);
    case GDK_KEY_Escape:
        return take_back(timeline);
    case GDK_KEY_bracketleft:
    case GDK_KEY_bracketright:
        return select_at_playhead(timeline, key == GDK_KEY_bracketleft);
    default:
        return GDK_EVENT_PROPAGATE;
    }
}

void timeline_add_keys(RuiTimeline *timeline)
{
    GtkEventController *keys = gtk_event_controller_key_new();
    g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), timeline);
    gtk_widget_add_controller(GTK_WIDGET(timeline), keys);
}
