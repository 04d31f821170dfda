// SPDX-License-Identifier: MIT
#include "rui-sides-layout.h"

#define KEY "rui-sides"

typedef struct {
    guint columns;
    int gap;
} Sides;

static const Sides *get_sides(GtkWidget *widget)
{
    return g_object_get_data(G_OBJECT(widget), KEY);
}

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

static int get_side_width(const Sides *sides, int width, int count)
{
    return MAX(0, (width - (count - 1) * sides->gap) / count);
}

gboolean rui_sides_are_stacked(GtkWidget *widget, int width)
{
    const Sides *sides = get_sides(widget);
    int count = count_shown(widget);
    if (count < 2)
        return FALSE;
    PangoContext *context = gtk_widget_get_pango_context(widget);
    PangoFontMetrics *metrics = pango_context_get_metrics(context, NULL, NULL);
    int character = pango_font_metrics_get_approximate_char_width(metrics);
    pango_font_metrics_unref(metrics);
    return get_side_width(sides, width, count) < PANGO_PIXELS((int)sides->columns * character);
}

static GtkSizeRequestMode get_request_mode(GtkWidget *widget)
{
    return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

// Of any width: one over the other is always possible.
static void measure_width(GtkWidget *widget, int *minimum, int *natural)
{
    const Sides *sides = get_sides(widget);
    int count = count_shown(widget), least, wanted;
    *minimum = *natural = 0;
    for (GtkWidget *child = first_shown(widget); child; child = after(child)) {
        gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &wanted, NULL, NULL);
        *minimum = MAX(*minimum, least);
        *natural = MAX(*natural, wanted);
    }
    *natural = *natural * count + sides->gap * MAX(0, count - 1);
}

static void measure_height(GtkWidget *widget, int width, int *minimum, int *natural)
{
    const Sides *sides = get_sides(widget);
    gboolean stacked = width < 0 || rui_sides_are_stacked(widget, width);
    int side = width < 0 || stacked ? width : get_side_width(sides, width, MAX(1, count_shown(widget)));
    int least, wanted;
    *minimum = *natural = 0;
    for (GtkWidget *child = first_shown(widget); child; child = after(child)) {
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, side, &least, &wanted, NULL, NULL);
        *minimum = stacked ? *minimum + least : MAX(*minimum, least);
        *natural = stacked ? *natural + wanted : MAX(*natural, wanted);
    }
}

static void measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                    int *minimum_baseline, int *natural_baseline)
{
    if (orientation == GTK_ORIENTATION_HORIZONTAL)
        measure_width(widget, minimum, natural);
    else
        measure_height(widget, for_size, minimum, natural);
}

static void allocate_beside(GtkWidget *widget, int width, int height)
{
    const Sides *sides = get_sides(widget);
    int side = get_side_width(sides, width, MAX(1, count_shown(widget))), x = 0;
    gboolean backwards = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
    for (GtkWidget *child = first_shown(widget); child; child = after(child), x += side + sides->gap) {
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

static void allocate(GtkWidget *widget, int width, int height, int baseline)
{
    if (rui_sides_are_stacked(widget, width))
        allocate_stacked(widget, width, height);
    else
        allocate_beside(widget, width, height);
}

void rui_sides_lay_out(GtkWidget *widget, guint columns, int gap)
{
    Sides *sides = g_new(Sides, 1);
    *sides = (Sides){columns, gap};
    g_object_set_data_full(G_OBJECT(widget), KEY, sides, g_free);
    gtk_widget_set_layout_manager(widget, gtk_custom_layout_new(get_request_mode, measure, allocate));
}
