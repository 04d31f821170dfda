// SPDX-License-Identifier: MIT
#include "timeline-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>

#define ROWS_LEAST 2
#define ROWS_MOST 7 // of the processes in sight; more are scrolled to
#define THREADS_LEAST 4 // a program's, and somebody beside them
#define ROWS_BEFORE 4 // while the run is being loaded

enum { PROP_0, PROP_TIME_AXIS, PROP_THREADS, N_PROPS };

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE(RuiTimeline, rui_timeline, GTK_TYPE_WIDGET)

void timeline_forget(RuiTimeline *timeline)
{
    g_clear_object(&timeline->lanes);
    g_clear_object(&timeline->rows);
    g_clear_object(&timeline->overview);
    g_clear_pointer(&timeline->hues, rui_thread_hues_free);
    timeline->names = 0;
}

static void rui_timeline_dispose(GObject *object)
{
    RuiTimeline *timeline = RUI_TIMELINE(object);
    g_clear_object(&timeline->view);
    g_clear_object(&timeline->compared);
    g_clear_pointer(&timeline->choice, gtk_widget_unparent);
    timeline_forget(timeline);
    g_clear_pointer(&timeline->menu, gtk_widget_unparent);
    G_OBJECT_CLASS(rui_timeline_parent_class)->dispose(object);
}

static void rui_timeline_finalize(GObject *object)
{
    RuiTimeline *timeline = RUI_TIMELINE(object);
    for (guint i = 0; i < RUI_MARKS; i++)
        g_array_unref(timeline->marks[i]);
    G_OBJECT_CLASS(rui_timeline_parent_class)->finalize(object);
}

static void measure_names(RuiTimeline *timeline, int *ret_width, int *ret_height)
{
    const char *const names[] = {_("Overview"), _("Events")};
    *ret_height = 0;
    gtk_widget_measure(timeline->choice, GTK_ORIENTATION_HORIZONTAL, -1, NULL, ret_width, NULL, NULL);
    if (timeline->threads)
        *ret_width = MAX(*ret_width, timeline_measure_threads(timeline));
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, names[i], 0);
        int width, height;
        pango_layout_get_pixel_size(layout, &width, &height);
        *ret_width = MAX(*ret_width, width);
        *ret_height = MAX(*ret_height, height);
    }
}

// The height of all but the rows, and of each row.
static TimelineMetrics measure_parts(RuiTimeline *timeline)
{
    TimelineMetrics m = {0};
    measure_names(timeline, &m.gutter, &m.text);
    m.gutter += GUTTER_MARGIN + GUTTER_GAP;
    m.overview = m.text;
    m.phases = m.text + 4;
    m.row = m.text + 3;
    m.axis = m.text + 3;
    m.strips = timeline_count_strips(timeline);
    m.strip = MAX(3, m.text / 4);
    m.lanes = MAX(m.text, (int)m.strips * (m.strip + LANE_GAP));
    m.phases_top = m.overview + 4;
    m.rows_top = m.phases_top + m.phases + 3;
    m.all = m.rows_top + 3 + m.lanes + 3 + m.axis;
    return m;
}

static guint get_wanted_rows(RuiTimeline *timeline)
{
    gboolean loaded = timeline->view && rui_view_get_index(timeline->view);
    if (loaded && timeline->threads && timeline->compared)
        return ROWS_MOST; // of both
    return loaded ? CLAMP(timeline_count_rows(timeline), ROWS_LEAST, ROWS_MOST) : ROWS_BEFORE;
}

// Of two runs as few as are worth looking at together: three of each, and the line between them.
static guint get_least_rows(RuiTimeline *timeline)
{
    if (!timeline->threads)
        return ROWS_LEAST;
    return timeline->compared ? ROWS_MOST : MIN(THREADS_LEAST, get_wanted_rows(timeline));
}

static void rui_timeline_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                 int *natural, int *minimum_baseline, int *natural_baseline)
{
    RuiTimeline *timeline = RUI_TIMELINE(widget);
    TimelineMetrics m = measure_parts(timeline);
    gboolean vertical = orientation == GTK_ORIENTATION_VERTICAL;
    *minimum = vertical ? m.all + (int)get_least_rows(timeline) * m.row : 200;
    *natural = vertical ? m.all + (int)get_wanted_rows(timeline) * m.row : 800;
}

// As many rows as there is room for.
static void update_metrics(RuiTimeline *timeline, int height)
{
    TimelineMetrics m = measure_parts(timeline);
    m.rows = MAX(1, (guint)(MAX(height - m.all, 0) / m.row));
    m.lanes_top = m.rows_top + (int)m.rows * m.row + 3;
    m.bottom = m.lanes_top + m.lanes + 3;
    m.all = m.bottom + m.axis;
    if (m.text != timeline->metrics.text || m.strips != timeline->metrics.strips)
        timeline_forget(timeline);
    timeline->metrics = m;
    timeline_scroll_rows(timeline, 0);
}

// Left of the phases, over the rows.
static void allocate_choice(RuiTimeline *timeline)
{
    const TimelineMetrics *m = &timeline->metrics;
    int width, height;
    gtk_widget_measure(timeline->choice, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
    gtk_widget_measure(timeline->choice, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
    GtkAllocation at = {GUTTER_MARGIN, m->phases_top + (m->phases - height) / 2, width, height};
    gtk_widget_size_allocate(timeline->choice, &at, -1);
}

static void rui_timeline_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    RuiTimeline *timeline = RUI_TIMELINE(widget);
    update_metrics(timeline, height);
    allocate_choice(timeline);
    if (timeline->menu)
        gtk_popover_present(GTK_POPOVER(timeline->menu));
}

static void rui_timeline_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    RuiTimeline *timeline = RUI_TIMELINE(widget);
    graphene_rect_t all =
        GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget), (float)gtk_widget_get_height(widget));
    if (!timeline->view || !rui_view_get_run(timeline->view))
        return;
    gtk_snapshot_push_clip(snapshot, &all);
    timeline_snapshot_overview(timeline, snapshot);
    timeline_snapshot_phases(timeline, snapshot);
    timeline_snapshot_rows(timeline, snapshot);
    timeline_snapshot_lanes(timeline, snapshot);
    timeline_snapshot_axis(timeline, snapshot);
    timeline_snapshot_selection(timeline, snapshot);
    timeline_snapshot_marks(timeline, snapshot);
    timeline_snapshot_playhead(timeline, snapshot);
    timeline_snapshot_chevrons(timeline, snapshot);
    gtk_widget_snapshot_child(widget, timeline->choice, snapshot);
    gtk_snapshot_pop(snapshot);
}

static void rui_timeline_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(rui_timeline_parent_class)->css_changed(widget, change);
    timeline_forget(RUI_TIMELINE(widget)); // its colours
    // Where nothing that draws is another, as when libadwaita switches transitions off while it changes
    // colours, nobody else asks for it.
    gtk_widget_queue_draw(widget);
}

static gboolean rui_timeline_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                           GtkTooltip *tooltip)
{
    g_autofree char *text = keyboard ? NULL : timeline_dup_tooltip(RUI_TIMELINE(widget), x, y);
    gtk_tooltip_set_text(tooltip, text);
    return text != NULL;
}

static void rui_timeline_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    if (id == PROP_TIME_AXIS)
        g_value_set_boolean(value, RUI_TIMELINE(object)->time_axis);
    else if (id == PROP_THREADS)
        g_value_set_boolean(value, RUI_TIMELINE(object)->threads);
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void set_time_axis(RuiTimeline *timeline, gboolean time_axis)
{
    if (timeline->time_axis == time_axis)
        return;
    timeline->time_axis = time_axis;
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
    g_object_notify_by_pspec(G_OBJECT(timeline), properties[PROP_TIME_AXIS]);
}

static void rui_timeline_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    if (id == PROP_TIME_AXIS)
        set_time_axis(RUI_TIMELINE(object), g_value_get_boolean(value));
    else if (id == PROP_THREADS)
        timeline_set_threads(RUI_TIMELINE(object), g_value_get_boolean(value));
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void rui_timeline_class_init(RuiTimelineClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_timeline_dispose;
    G_OBJECT_CLASS(class)->finalize = rui_timeline_finalize;
    G_OBJECT_CLASS(class)->get_property = rui_timeline_get_property;
    G_OBJECT_CLASS(class)->set_property = rui_timeline_set_property;
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
    properties[PROP_TIME_AXIS] = g_param_spec_boolean("time-axis", NULL, NULL, FALSE, flags);
    properties[PROP_THREADS] = g_param_spec_boolean("threads", NULL, NULL, FALSE, flags);
    g_object_class_install_properties(G_OBJECT_CLASS(class), N_PROPS, properties);
    widget_class->measure = rui_timeline_measure;
    widget_class->size_allocate = rui_timeline_size_allocate;
    widget_class->snapshot = rui_timeline_snapshot;
    widget_class->css_changed = rui_timeline_css_changed;
    widget_class->query_tooltip = rui_timeline_query_tooltip;
    // A GPropertyAction of its own would hold it for good.
    gtk_widget_class_install_property_action(widget_class, "timeline.time-axis", "time-axis");
    gtk_widget_class_install_property_action(widget_class, "timeline.threads", "threads");
    gtk_widget_class_set_css_name(widget_class, "timeline");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
}

static void rui_timeline_init(RuiTimeline *timeline)
{
    for (guint i = 0; i < RUI_MARKS; i++)
        timeline->marks[i] = g_array_new(FALSE, FALSE, sizeof(guint64));
    gtk_widget_set_focusable(GTK_WIDGET(timeline), TRUE);
    gtk_widget_set_has_tooltip(GTK_WIDGET(timeline), TRUE);
    gtk_widget_add_css_class(GTK_WIDGET(timeline), "caption"); // the font of all its texts
    g_autofree char *description = timeline_dup_description();
    gtk_accessible_update_property(GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Timeline"),
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
    timeline->thread = RW_NO_THREAD;
    timeline->choice = timeline_choice_new(timeline);
    gtk_widget_set_parent(timeline->choice, GTK_WIDGET(timeline));
    timeline_add_controllers(timeline);
}

// ---- Following the view ----

static char *dup_value(RuiTimeline *timeline)
{
    const RwSpan *process = rui_view_get_process(timeline->view);
    g_autofree char *number = rui_dup_number(rui_view_get_step(timeline->view));
    g_autofree char *name = process ? timeline_dup_process(process) : NULL;
    g_autofree char *threads = timeline->threads ? timeline_dup_threads_text(timeline) : NULL;
    // Translators: a step; who has the CPU there, what a thread does there.
    if (threads)
        return g_strdup_printf(_("Step %s: %s"), number, threads);
    // Translators: a step; the process that alone is shown.
    return name ? g_strdup_printf(_("Step %s, only %s"), number, name)
                : g_strdup_printf(_("Step %s"), number);
}

void timeline_update_accessible(RuiTimeline *timeline)
{
    guint64 step = rui_view_get_step(timeline->view);
    g_autofree char *text = dup_value(timeline);
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX,
        (double)rui_view_get_steps(timeline->view), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double)step,
        GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void on_step(RuiTimeline *timeline)
{
    timeline_update_accessible(timeline);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

// Another run, or all of this one is there now.
static void on_run(RuiTimeline *timeline)
{
    timeline->first_row = 0;
    timeline->thread = RW_NO_THREAD;
    timeline_forget(timeline); // an index may come to lie where another one was
    gtk_widget_queue_resize(GTK_WIDGET(timeline));
}

// The compared run's threads are there when it is loaded.
static void on_compared(RuiTimeline *timeline)
{
    RwSessionRun *compared = rui_view_get_compared(timeline->view);
    if (timeline->compared)
        g_signal_handlers_disconnect_by_func(timeline->compared, timeline_refresh_threads, timeline);
    g_set_object(&timeline->compared, compared);
    if (compared)
        g_signal_connect_object(compared, "notify::loaded", G_CALLBACK(timeline_refresh_threads), timeline,
                                G_CONNECT_SWAPPED);
    timeline_refresh_threads(timeline);
}

void rui_timeline_set_view(RuiTimeline *timeline, RuiView *view)
{
    g_set_object(&timeline->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(on_step), timeline, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::filter", G_CALLBACK(on_step), timeline, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::range", G_CALLBACK(gtk_widget_queue_draw), timeline,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::comparison", G_CALLBACK(gtk_widget_queue_draw), timeline,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::compared", G_CALLBACK(on_compared), timeline, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(on_run), timeline, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::index", G_CALLBACK(on_run), timeline, G_CONNECT_SWAPPED);
}

void rui_timeline_set_marks(RuiTimeline *timeline, RuiMarkKind kind, const guint64 *steps, guint count)
{
    g_array_set_size(timeline->marks[kind], 0);
    if (count)
        g_array_append_vals(timeline->marks[kind], steps, count);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

// ---- Rows ----

guint timeline_count_rows(RuiTimeline *timeline)
{
    const RwRunIndex *index = timeline->view ? rui_view_get_index(timeline->view) : NULL;
    TimelineThreads own, other;
    if (timeline->threads) {
        guint count = timeline_get_threads(timeline, FALSE, &own) ? rw_thread_rows_count(own.rows) : 0;
        gboolean more = timeline_get_threads(timeline, TRUE, &other);
        return more ? MAX(count, rw_thread_rows_count(other.rows)) : count;
    }
    return index ? rw_spans_count_rows(rw_run_index_get_spans(index)) : 0;
}

guint timeline_get_page(RuiTimeline *timeline)
{
    guint rows = timeline->metrics.rows; // a line says that those below are the compared run's
    return timeline->threads && timeline->compared ? MAX(1, (rows - 1) / 2) : rows;
}

void timeline_scroll_rows(RuiTimeline *timeline, int rows)
{
    int all = (int)timeline_count_rows(timeline), shown = (int)timeline_get_page(timeline);
    timeline->first_row = (guint)CLAMP((int)timeline->first_row + rows, 0, MAX(all - shown, 0));
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

void timeline_show_row(RuiTimeline *timeline, guint row)
{
    guint first = timeline->first_row, shown = timeline_get_page(timeline);
    if (row < first)
        timeline_scroll_rows(timeline, (int)row - (int)first);
    else if (row >= first + shown)
        timeline_scroll_rows(timeline, (int)(row - (first + shown - 1)));
}
