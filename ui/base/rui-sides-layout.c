// SPDX-License-Identifier: MIT
#include "rui-sides-layout.h"

enum { PROP_0, PROP_COLUMNS, PROP_GAP };

struct _RuiSidesLayout {
    GtkLayoutManager parent_instance;
    guint columns;
    int gap;
};

G_DEFINE_FINAL_TYPE(RuiSidesLayout, rui_sides_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkWidget *next_shown(GtkWidget *child)
{
    while (child && !gtk_widget_should_layout(child))
        child = gtk_widget_get_next_sibling(child);
    return child;
}

static GtkWidget *first_shown(GtkWidget *widget)
{
    return next_shown(gtk_widget_get_first_child(widget));
}

static GtkWidget *after(GtkWidget *child)
{
    return next_shown(gtk_widget_get_next_sibling(child));
}

static int count_shown(GtkWidget *widget)
{
    int count = 0;
    for (GtkWidget *child = first_shown(widget); child; child = after(child))
        count++;
    return count;
}

static int get_side_width(RuiSidesLayout *layout, int width, int count)
{
    return MAX(0, (width - (count - 1) * layout->gap) / count);
}

gboolean rui_sides_layout_is_stacked(RuiSidesLayout *layout, GtkWidget *widget, int width)
{
    int count = count_shown(widget);
    if (count < 2)
        return FALSE;
    PangoContext *context = gtk_widget_get_pango_context(widget);
    PangoFontMetrics *metrics = pango_context_get_metrics(context, NULL, NULL);
    int character = pango_font_metrics_get_approximate_char_width(metrics);
    pango_font_metrics_unref(metrics);
    return get_side_width(layout, width, count) < PANGO_PIXELS((int)layout->columns * character);
}

static GtkSizeRequestMode get_request_mode(GtkLayoutManager *manager, GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

// Of any width: one over the other is always possible.
static void measure_width(RuiSidesLayout *layout, GtkWidget *widget, int *minimum, int *natural)
{
    int count = count_shown(widget), least, wanted;
    *minimum = *natural = 0;
    for (GtkWidget *child = first_shown(widget); child; child = after(child)) {
        gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &wanted, NULL, NULL);
        *minimum = MAX(*minimum, least);
        *natural = MAX(*natural, wanted);
    }
    *natural = *natural * count + layout->gap * MAX(0, count - 1);
}

static void measure_height(RuiSidesLayout *layout, GtkWidget *widget, int width, int *minimum, int *natural)
{
    gboolean stacked = width < 0 || rui_sides_layout_is_stacked(layout, widget, width);
    int side = width < 0 || stacked ? width : get_side_width(layout, width, MAX(1, count_shown(widget)));
    int least, wanted;
    *minimum = *natural = 0;
    for (GtkWidget *child = first_shown(widget); child; child = after(child)) {
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, side, &least, &wanted, NULL, NULL);
        *minimum = stacked ? *minimum + least : MAX(*minimum, least);
        *natural = stacked ? *natural + wanted : MAX(*natural, wanted);
    }
}

static void measure(GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation, int for_size,
                    int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
    RuiSidesLayout *layout = RUI_SIDES_LAYOUT(manager);
    if (orientation == GTK_ORIENTATION_HORIZONTAL)
        measure_width(layout, widget, minimum, natural);
    else
        measure_height(layout, widget, for_size, minimum, natural);
}

static void allocate_beside(RuiSidesLayout *layout, GtkWidget *widget, int width, int height)
{
    int side = get_side_width(layout, width, MAX(1, count_shown(widget))), x = 0;
    gboolean backwards = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
    for (GtkWidget *child = first_shown(widget); child; child = after(child), x += side + layout->gap) {
        int right = after(child) ? x + side : width; // the last has what is left
        GtkAllocation place = {backwards ? width - right : x, 0, right - x, height};
        gtk_widget_size_allocate(child, &place, -1);
    }
}

// What is more than each wants at least they share.
static void allocate_stacked(GtkWidget *widget, int width, int height)
{
    int count = count_shown(widget), spare = height, y = 0, least;
    for (GtkWidget *child = first_shown(widget); child; child = after(child)) {
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
        spare -= least;
    }
    for (GtkWidget *child = first_shown(widget); child; child = after(child)) {
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
        int own = after(child) ? least + MAX(0, spare) / count : MAX(least, height - y);
        gtk_widget_size_allocate(child, &(GtkAllocation){0, y, width, own}, -1);
        y += own;
    }
}

static void allocate(GtkLayoutManager *manager, GtkWidget *widget, int width, int height, int baseline)
{
    if (rui_sides_layout_is_stacked(RUI_SIDES_LAYOUT(manager), widget, width))
        allocate_stacked(widget, width, height);
    else
        allocate_beside(RUI_SIDES_LAYOUT(manager), widget, width, height);
}

static void rui_sides_layout_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    RuiSidesLayout *layout = RUI_SIDES_LAYOUT(object);
    if (id == PROP_COLUMNS)
        layout->columns = g_value_get_uint(value);
    else if (id == PROP_GAP)
        layout->gap = g_value_get_int(value);
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static void rui_sides_layout_class_init(RuiSidesLayoutClass *class)
{
    GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS(class);
    const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS;
    G_OBJECT_CLASS(class)->set_property = rui_sides_layout_set_property;
    layout_class->get_request_mode = get_request_mode;
    layout_class->measure = measure;
    layout_class->allocate = allocate;
    g_object_class_install_property(
        G_OBJECT_CLASS(class), PROP_COLUMNS,
        g_param_spec_uint("columns", NULL, NULL, 0, 1000, 0, flags | G_PARAM_CONSTRUCT));
    g_object_class_install_property(
        G_OBJECT_CLASS(class), PROP_GAP,
        g_param_spec_int("gap", NULL, NULL, 0, 1000, 0, flags | G_PARAM_CONSTRUCT));
}

static void rui_sides_layout_init(RuiSidesLayout *layout) {}
