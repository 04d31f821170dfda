// SPDX-License-Identifier: MIT
#include "timeline-private.h"

#include "rui-words.h"

#include <glib/gi18n.h>

G_DEFINE_FINAL_TYPE(RuiTimeline, rui_timeline, GTK_TYPE_WIDGET)

static void rui_timeline_dispose(GObject *object)
{
    RuiTimeline *timeline = RUI_TIMELINE(object);
    g_clear_object(&timeline->view);
    g_clear_object(&timeline->lanes);
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
    *ret_width = *ret_height = 0;
    for (guint track = 0; track < RW_TRACKS; track++) {
        g_autoptr(PangoLayout) layout = timeline_layout_new(timeline, rui_get_track((RwTrack)track), 0);
        int width, height;
        pango_layout_get_pixel_size(layout, &width, &height);
        *ret_width = MAX(*ret_width, width);
        *ret_height = MAX(*ret_height, height);
    }
}

static void update_metrics(RuiTimeline *timeline)
{
    TimelineMetrics m = {0};
    measure_names(timeline, &m.gutter, &m.text);
    m.gutter += GUTTER_MARGIN + GUTTER_GAP;
    m.lane = m.text;
    m.phases = m.text + 4;
    m.axis = m.text + 3;
    m.lanes_top = m.phases + 4;
    m.lanes = RW_TRACKS * (m.lane + LANE_GAP);
    m.bottom = m.lanes_top + m.lanes + 3;
    m.all = m.bottom + m.axis;
    if (m.all != timeline->metrics.all)
        g_clear_object(&timeline->lanes);
    timeline->metrics = m;
}

static void rui_timeline_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                                 int *natural, int *minimum_baseline, int *natural_baseline)
{
    update_metrics(RUI_TIMELINE(widget));
    *minimum = orientation == GTK_ORIENTATION_VERTICAL ? RUI_TIMELINE(widget)->metrics.all : 200;
    *natural = MAX(*minimum, orientation == GTK_ORIENTATION_VERTICAL ? 0 : 800);
}

static void rui_timeline_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    RuiTimeline *timeline = RUI_TIMELINE(widget);
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
    timeline_snapshot_lanes(timeline, snapshot);
    timeline_snapshot_phases(timeline, snapshot);
    timeline_snapshot_axis(timeline, snapshot);
    timeline_snapshot_marks(timeline, snapshot);
    timeline_snapshot_playhead(timeline, snapshot);
    gtk_snapshot_pop(snapshot);
}

static void rui_timeline_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(rui_timeline_parent_class)->css_changed(widget, change);
    g_clear_object(&RUI_TIMELINE(widget)->lanes); // its colours
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

static void rui_timeline_class_init(RuiTimelineClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_timeline_dispose;
    G_OBJECT_CLASS(class)->finalize = rui_timeline_finalize;
    widget_class->measure = rui_timeline_measure;
    widget_class->size_allocate = rui_timeline_size_allocate;
    widget_class->snapshot = rui_timeline_snapshot;
    widget_class->css_changed = rui_timeline_css_changed;
    widget_class->query_tooltip = rui_timeline_query_tooltip;
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
    timeline_add_controllers(timeline);
}

// ---- Following the view ----

static void update_accessible(RuiTimeline *timeline)
{
    guint64 step = rui_view_get_step(timeline->view);
    g_autofree char *number = rui_dup_number(step);
    g_autofree char *text = g_strdup_printf(_("Step %s"), number);
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX,
        (double)rui_view_get_steps(timeline->view), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double)step,
        GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void on_step(RuiTimeline *timeline)
{
    update_accessible(timeline);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

void rui_timeline_set_view(RuiTimeline *timeline, RuiView *view)
{
    g_set_object(&timeline->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(on_step), timeline, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::range", G_CALLBACK(gtk_widget_queue_draw), timeline,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::comparison", G_CALLBACK(gtk_widget_queue_draw), timeline,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(gtk_widget_queue_draw), timeline,
                            G_CONNECT_SWAPPED);
}

void rui_timeline_set_marks(RuiTimeline *timeline, RuiMarkKind kind, const guint64 *steps, guint count)
{
    g_array_set_size(timeline->marks[kind], 0);
    if (count)
        g_array_append_vals(timeline->marks[kind], steps, count);
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

// ---- Places ----

double timeline_get_left(RuiTimeline *timeline)
{
    return timeline->metrics.gutter;
}

double timeline_get_width(RuiTimeline *timeline)
{
    return MAX(1, gtk_widget_get_width(GTK_WIDGET(timeline)) - (double)timeline->metrics.gutter - 8);
}

double timeline_to_x(RuiTimeline *timeline, double step)
{
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    return timeline->metrics.gutter + (step - from) / (until - from) * timeline_get_width(timeline);
}

double timeline_to_step(RuiTimeline *timeline, double x)
{
    double from, until;
    rui_view_get_range(timeline->view, &from, &until);
    return from + (x - timeline->metrics.gutter) / timeline_get_width(timeline) * (until - from);
}

double rui_timeline_get_x(RuiTimeline *timeline, guint64 step)
{
    return timeline_to_x(timeline, (double)step + 0.5);
}

gboolean timeline_is_dark(RuiTimeline *timeline)
{
    GdkRGBA text;
    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(timeline)), &text);
    return text.red + text.green + text.blue > 1.5f;
}

GdkRGBA timeline_get_color(RuiTimeline *timeline, const char *light, const char *dark)
{
    GdkRGBA color;
    gdk_rgba_parse(&color, timeline_is_dark(timeline) ? dark : light);
    return color;
}
