// SPDX-License-Identifier: MIT
#include "rui-cell.h"

struct _RuiCell {
    GtkWidget parent_instance;
    char *text;
    PangoAttrList *attrs;
    PangoLayout *layout; // made to be drawn
    PangoEllipsizeMode ellipsize;
    float xalign;
    guint columns; // of the text
    guint least; // columns that there is room for
    // of the font; serial 0: not known
    guint serial;
    int char_width, height, ascent; // Pango units
};

enum { PROP_0, PROP_XALIGN, PROP_ELLIPSIZE };

G_DEFINE_FINAL_TYPE(RuiCell, rui_cell, GTK_TYPE_WIDGET)

static void rui_cell_finalize(GObject *object)
{
    RuiCell *cell = RUI_CELL(object);
    g_clear_object(&cell->layout);
    g_clear_pointer(&cell->attrs, pango_attr_list_unref);
    g_free(cell->text);
    G_OBJECT_CLASS(rui_cell_parent_class)->finalize(object);
}

static void look_at_font(RuiCell *cell)
{
    PangoContext *context = gtk_widget_get_pango_context(GTK_WIDGET(cell));
    if (cell->serial == pango_context_get_serial(context))
        return;
    PangoFontMetrics *metrics = pango_context_get_metrics(context, NULL, NULL);
    cell->serial = pango_context_get_serial(context);
    cell->char_width = MAX(pango_font_metrics_get_approximate_char_width(metrics),
                           pango_font_metrics_get_approximate_digit_width(metrics));
    cell->ascent = pango_font_metrics_get_ascent(metrics);
    cell->height =
        MAX(pango_font_metrics_get_height(metrics), cell->ascent + pango_font_metrics_get_descent(metrics));
    pango_font_metrics_unref(metrics);
}

static int get_width(RuiCell *cell, guint columns)
{
    return PANGO_PIXELS_CEIL((int)MIN(columns, 10000) * cell->char_width);
}

static void rui_cell_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                             int *natural, int *minimum_baseline, int *natural_baseline)
{
    RuiCell *cell = RUI_CELL(widget);
    look_at_font(cell);
    if (orientation == GTK_ORIENTATION_VERTICAL) {
        *minimum = *natural = PANGO_PIXELS_CEIL(cell->height);
        *minimum_baseline = *natural_baseline = PANGO_PIXELS(cell->ascent);
    } else {
        *minimum = *natural = get_width(cell, cell->least);
    }
}

static PangoLayout *make_layout(RuiCell *cell)
{
    PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(cell), cell->text);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    pango_layout_set_attributes(layout, cell->attrs);
    return layout;
}

static void rui_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    RuiCell *cell = RUI_CELL(widget);
    int width = gtk_widget_get_width(widget), text_width, text_height;
    gboolean right_to_left = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
    if (!cell->text)
        return;
    if (!cell->layout)
        cell->layout = make_layout(cell);
    if (cell->ellipsize != PANGO_ELLIPSIZE_NONE) {
        pango_layout_set_ellipsize(cell->layout, cell->ellipsize);
        pango_layout_set_width(cell->layout, width * PANGO_SCALE);
    }
    pango_layout_get_pixel_size(cell->layout, &text_width, &text_height);
    double left = MAX(0, width - text_width) * (double)(right_to_left ? 1 - cell->xalign : cell->xalign);
    // The layout places its text in the width it was given, which is all of it.
    double x = cell->ellipsize != PANGO_ELLIPSIZE_NONE && right_to_left ? 0 : left;
    gtk_snapshot_render_layout(snapshot, gtk_widget_get_style_context(widget), x,
                               (gtk_widget_get_height(widget) - text_height) / 2.0, cell->layout);
}

static void rui_cell_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(rui_cell_parent_class)->css_changed(widget, change);
    g_clear_object(&RUI_CELL(widget)->layout);
}

static void rui_cell_system_setting_changed(GtkWidget *widget, GtkSystemSetting setting)
{
    GTK_WIDGET_CLASS(rui_cell_parent_class)->system_setting_changed(widget, setting);
    g_clear_object(&RUI_CELL(widget)->layout); // another font or resolution
    gtk_widget_queue_resize(widget);
}

static gboolean rui_cell_query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard,
                                       GtkTooltip *tooltip)
{
    RuiCell *cell = RUI_CELL(widget);
    if (!cell->layout || !pango_layout_is_ellipsized(cell->layout))
        return FALSE;
    gtk_tooltip_set_text(tooltip, cell->text);
    return TRUE;
}

static void rui_cell_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    RuiCell *cell = RUI_CELL(object);
    if (id == PROP_XALIGN)
        cell->xalign = g_value_get_float(value);
    else if (id == PROP_ELLIPSIZE)
        cell->ellipsize = g_value_get_enum(value);
    else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    // Set once: with every text GTK would ask the display where the pointer is.
    gtk_widget_set_has_tooltip(GTK_WIDGET(cell), cell->ellipsize != PANGO_ELLIPSIZE_NONE);
}

static void rui_cell_class_init(RuiCellClass *class)
{
    const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS;
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    object_class->finalize = rui_cell_finalize;
    object_class->set_property = rui_cell_set_property;
    g_object_class_install_property(object_class, PROP_XALIGN,
                                    g_param_spec_float("xalign", NULL, NULL, 0, 1, 0, flags));
    g_object_class_install_property(
        object_class, PROP_ELLIPSIZE,
        g_param_spec_enum("ellipsize", NULL, NULL, PANGO_TYPE_ELLIPSIZE_MODE, PANGO_ELLIPSIZE_NONE, flags));
    widget_class->measure = rui_cell_measure;
    widget_class->snapshot = rui_cell_snapshot;
    widget_class->css_changed = rui_cell_css_changed;
    widget_class->system_setting_changed = rui_cell_system_setting_changed;
    widget_class->query_tooltip = rui_cell_query_tooltip;
    gtk_widget_class_set_css_name(widget_class, "label");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void rui_cell_init(RuiCell *cell)
{
    gtk_widget_set_overflow(GTK_WIDGET(cell), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *rui_cell_new(float xalign, PangoEllipsizeMode ellipsize, guint chars)
{
    RuiCell *cell = g_object_new(RUI_TYPE_CELL, "xalign", xalign, "ellipsize", ellipsize, NULL);
    cell->least = chars;
    return GTK_WIDGET(cell);
}

static guint count_columns(const char *text)
{
    guint columns = 0;
    for (const char *c = text; *c; c = g_utf8_next_char(c))
        columns += g_unichar_iswide(g_utf8_get_char(c)) ? 2 : 1;
    return columns;
}

void rui_cell_set_text(RuiCell *cell, const char *text, PangoAttrList *attrs)
{
    if (!g_strcmp0(cell->text, text) && !attrs && !cell->attrs)
        return;
    g_clear_object(&cell->layout);
    g_clear_pointer(&cell->attrs, pango_attr_list_unref);
    cell->attrs = attrs ? pango_attr_list_ref(attrs) : NULL;
    g_free(cell->text);
    cell->text = g_strdup(text);
    gtk_accessible_update_property(GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
    cell->columns = count_columns(text);
    if (cell->ellipsize == PANGO_ELLIPSIZE_NONE && cell->columns > cell->least) {
        cell->least = cell->columns;
        gtk_widget_queue_resize(GTK_WIDGET(cell));
    }
    gtk_widget_queue_draw(GTK_WIDGET(cell));
}

const char *rui_cell_get_text(RuiCell *cell)
{
    return cell->text ? cell->text : "";
}

int rui_cell_get_text_width(RuiCell *cell)
{
    look_at_font(cell);
    return get_width(cell, cell->columns);
}
