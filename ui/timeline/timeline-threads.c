// SPDX-License-Identifier: MIT
//
// A row for each thread in the place of the processes, those of the compared run below in the same scale:
// up to where the runs part the steps of both are the same.
#include "timeline-private.h"

#include <glib/gi18n.h>

#define NAMES_MEASURED 64u // of the first ones
#define NAMES_WIDEST 170 // pixels

gboolean timeline_get_threads(RuiTimeline *timeline, gboolean compared, TimelineThreads *ret)
{
    const RwRunIndex *index = NULL;
    guint page = timeline_get_page(timeline), shown = page;
    if (!compared && timeline->view)
        index = rui_view_get_index(timeline->view);
    else if (timeline->compared)
        index = rw_session_run_get_index(timeline->compared);
    if (!index)
        return FALSE;
    *ret = (TimelineThreads){.index = index,
                             .rows = rw_run_index_get_threads(index),
                             .top = timeline->metrics.rows_top,
                             .first = timeline->first_row,
                             .compared = compared};
    if (compared) {
        ret->top += (int)(page + 1) * timeline->metrics.row;
        shown = timeline->metrics.rows > page + 1 ? MIN(page, timeline->metrics.rows - page - 1) : 0;
    }
    ret->end = MAX(MIN(ret->first + shown, rw_thread_rows_count(ret->rows)), ret->first);
    return TRUE;
}

guint timeline_get_thread_hue(RuiTimeline *timeline, const TimelineThreads *of, guint number)
{
    TimelineThreads own;
    if (!of->compared || !timeline_get_threads(timeline, FALSE, &own))
        return number;
    if (!timeline->hues)
        timeline->hues = rui_thread_hues_new(own.rows, of->rows);
    return rui_thread_hues_get(timeline->hues, TRUE, number);
}

const RwThreadRow *timeline_get_thread_at(RuiTimeline *timeline, double y, TimelineThreads *ret_of,
                                          guint *ret_number)
{
    for (guint compared = 0; compared < 2; compared++) {
        if (!timeline_get_threads(timeline, compared, ret_of) || y < ret_of->top)
            continue;
        *ret_number = ret_of->first + (guint)((y - ret_of->top) / timeline->metrics.row);
        if (*ret_number < ret_of->end)
            return rw_thread_rows_get(ret_of->rows, *ret_number);
    }
    return NULL;
}

// ---- Which rows ----

void timeline_set_threads(RuiTimeline *timeline, gboolean threads)
{
    if (timeline->threads == threads)
        return;
    timeline->threads = threads;
    timeline->first_row = 0;
    timeline->thread = RW_NO_THREAD;
    timeline_forget(timeline);
    if (timeline->view)
        timeline_update_accessible(timeline);
    gtk_widget_queue_resize(GTK_WIDGET(timeline));
    g_object_notify(G_OBJECT(timeline), "threads");
}

void timeline_refresh_threads(RuiTimeline *timeline)
{
    timeline_forget(timeline); // an index may come to lie where another one was
    if (timeline->threads)
        gtk_widget_queue_resize(GTK_WIDGET(timeline));
}

static GtkWidget *add_button(GtkWidget *box, const char *label, const char *hint)
{
    GtkWidget *button = gtk_toggle_button_new_with_label(label);
    gtk_widget_set_tooltip_text(button, hint);
    gtk_widget_set_focus_on_click(button, FALSE); // the timeline's keys go on
    gtk_box_append(GTK_BOX(box), button);
    return button;
}

GtkWidget *timeline_choice_new(RuiTimeline *timeline)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GtkWidget *processes = add_button(box, _("Processes"), _("A row for each process (t)"));
    GtkWidget *threads = add_button(box, _("Threads"), _("A row for each thread (t)"));
    gtk_widget_add_css_class(box, "linked");
    gtk_widget_add_css_class(box, "rows-choice");
    gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(processes), GTK_TOGGLE_BUTTON(threads));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(processes), TRUE);
    g_object_bind_property(timeline, "threads", processes, "active",
                           G_BINDING_BIDIRECTIONAL | G_BINDING_INVERT_BOOLEAN);
    g_object_bind_property(timeline, "threads", threads, "active", G_BINDING_BIDIRECTIONAL);
    return box;
}

// ---- One of them ----

void timeline_choose_thread(RuiTimeline *timeline, guint number)
{
    TimelineThreads own;
    timeline->thread = number;
    if (number != RW_NO_THREAD && timeline_get_threads(timeline, FALSE, &own)) {
        timeline_show_row(timeline, number);
        rui_view_select_pid(timeline->view, rw_thread_rows_get(own.rows, number)->pid,
                            rui_view_get_step(timeline->view));
    }
    timeline_update_accessible(timeline);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

// Any of them: that a thread waits, or is gone, is an answer too.
gboolean timeline_choose_next_thread(RuiTimeline *timeline, gboolean down)
{
    TimelineThreads own;
    guint count = timeline_get_threads(timeline, FALSE, &own) ? rw_thread_rows_count(own.rows) : 0;
    if (!count)
        return GDK_EVENT_PROPAGATE;
    guint now = timeline->thread < count ? timeline->thread : down ? count - 1 : 0;
    timeline_choose_thread(timeline, (now + (down ? 1 : count - 1)) % count);
    return GDK_EVENT_STOP;
}

// ---- Their names ----

static int measure_names(RuiTimeline *timeline, const RwThreadRows *rows)
{
    int widest = 0;
    for (guint i = 0; i < MIN(rw_thread_rows_count(rows), NAMES_MEASURED); i++) {
        g_autofree char *name = timeline_dup_thread(rw_thread_rows_get(rows, i));
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, name, 0);
        int width;
        pango_layout_get_pixel_size(layout, &width, NULL);
        widest = MAX(widest, width);
    }
    return widest;
}

int timeline_measure_threads(RuiTimeline *timeline)
{
    TimelineThreads of;
    for (guint compared = 0; !timeline->names && compared < 2; compared++)
        if (timeline_get_threads(timeline, compared, &of))
            timeline->names = MAX(timeline->names, measure_names(timeline, of.rows));
    return MIN(timeline->names, NAMES_WIDEST);
}

static void append_name(RuiTimeline *timeline, GtkSnapshot *snapshot, const TimelineThreads *of,
                        guint number)
{
    gboolean chosen = !of->compared && number == timeline->thread;
    GdkRGBA color = timeline_get_text_color(timeline, chosen ? 1 : 0.8f),
            band = timeline_get_blue(timeline);
    double y = of->top + (int)(number - of->first) * timeline->metrics.row;
    double width = timeline_get_left(timeline) - GUTTER_MARGIN - GUTTER_GAP / 2;
    g_autofree char *name = timeline_dup_thread(rw_thread_rows_get(of->rows, number));
    g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, name, width);
    band.alpha = 0.25f;
    if (chosen)
        timeline_append_rect(snapshot, &band, 0, y, timeline_get_left(timeline) - 2, timeline->metrics.row);
    timeline_append_layout(snapshot, layout, GUTTER_MARGIN, y + 1, &color);
}

static void append_compared(RuiTimeline *timeline, GtkSnapshot *snapshot, const TimelineThreads *of)
{
    GdkRGBA text = timeline_get_text_color(timeline, 0.8f), line = timeline_get_text_color(timeline, 0.3f);
    double y = of->top - timeline->metrics.row, left = timeline_get_left(timeline);
    g_autoptr(PangoLayout) name = timeline_layout_new(timeline, _("Compared run"), left - GUTTER_MARGIN);
    timeline_append_rect(snapshot, &line, left, y + timeline->metrics.row / 2, timeline_get_width(timeline),
                         1);
    timeline_append_layout(snapshot, name, GUTTER_MARGIN, y + 1, &text);
}

void timeline_snapshot_threads(RuiTimeline *timeline, GtkSnapshot *snapshot)
{
    TimelineThreads of;
    for (guint compared = 0; compared < 2; compared++) {
        if (!timeline_get_threads(timeline, compared, &of))
            continue;
        if (compared)
            append_compared(timeline, snapshot, &of);
        for (guint i = of.first; i < of.end; i++)
            append_name(timeline, snapshot, &of, i);
    }
}
