// SPDX-License-Identifier: MIT
#include "virtual-list-private.h"

#include <math.h>

// Rows are there for so many pixels when a list is laid out for the first time.
#define FIRST_HEIGHT 480

enum { PROP_0, PROP_HADJUSTMENT, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };

G_DEFINE_FINAL_TYPE_WITH_CODE(RuiVirtualList, rui_virtual_list, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

// ---- Rows in sight ----

static double get_value(const VirtualListAxis *axis)
{
    return axis->adjustment ? gtk_adjustment_get_value(axis->adjustment) : 0;
}

static double get_all_height(RuiVirtualList *list)
{
    return (double)list->count * list->row_height;
}

static void set_adjustment(RuiVirtualList *list, VirtualListAxis *axis, double value, double upper,
                           double page, double step)
{
    if (!axis->adjustment)
        return;
    upper = MAX(upper, page);
    g_signal_handlers_block_by_func(axis->adjustment, virtual_list_queue_refresh, list);
    gtk_adjustment_configure(axis->adjustment, CLAMP(value, 0, upper - page), 0, upper, step, page * 0.9,
                             page);
    g_signal_handlers_unblock_by_func(axis->adjustment, virtual_list_queue_refresh, list);
}

static void scroll_down(RuiVirtualList *list, int height)
{
    double value = get_value(&list->down);
    if (list->wanted < list->count) {
        double top = (double)list->wanted * list->row_height;
        value = CLAMP(value, top + list->row_height - height, top);
    }
    list->wanted = GTK_INVALID_LIST_POSITION;
    set_adjustment(list, &list->down, value, get_all_height(list), height, list->row_height);
}

static gboolean is_at_end(RuiVirtualList *list)
{
    GtkAdjustment *down = list->down.adjustment;
    return down && list->count && list->wanted == GTK_INVALID_LIST_POSITION &&
           gtk_adjustment_get_value(down) + gtk_adjustment_get_page_size(down) >=
               gtk_adjustment_get_upper(down);
}

static void scroll_across(RuiVirtualList *list, int width)
{
    set_adjustment(list, &list->across, get_value(&list->across), list->widest, width,
                   list->row_height * 2.0);
}

static RuiVirtualRow *get_row(RuiVirtualList *list, guint position)
{
    return list->rows->pdata[position % list->rows->len];
}

RuiVirtualRow *virtual_list_find_row(RuiVirtualList *list, guint position)
{
    RuiVirtualRow *row = list->rows->len && position < list->count ? get_row(list, position) : NULL;
    return row && row->position == position && gtk_widget_get_child_visible(GTK_WIDGET(row)) ? row : NULL;
}

static void forget_rows(RuiVirtualList *list, guint from)
{
    for (guint i = 0; i < list->rows->len; i++) {
        RuiVirtualRow *row = list->rows->pdata[i];
        if (row->position >= from)
            row->position = GTK_INVALID_LIST_POSITION;
    }
}

static void need_rows(RuiVirtualList *list, guint count)
{
    if (count <= list->rows->len)
        return;
    while (list->rows->len < count) {
        GtkWidget *row = rui_virtual_row_new(list->type->create());
        gtk_widget_set_child_visible(row, FALSE);
        gtk_widget_set_parent(row, GTK_WIDGET(list));
        g_ptr_array_add(list->rows, row);
    }
    forget_rows(list, 0); // they stand elsewhere now
}

static int get_width_around(RuiVirtualRow *row)
{
    int all, content;
    gtk_widget_measure(GTK_WIDGET(row), GTK_ORIENTATION_HORIZONTAL, -1, &all, NULL, NULL, NULL);
    gtk_widget_measure(row->content, GTK_ORIENTATION_HORIZONTAL, -1, &content, NULL, NULL, NULL);
    return all - content;
}

static void show_item(RuiVirtualList *list, RuiVirtualRow *row, guint position)
{
    g_autoptr(GObject) item = g_list_model_get_item(list->model, position);
    row->position = position;
    int width = list->type->show(row->content, item);
    if (width > 0)
        list->widest = MAX(list->widest, width + get_width_around(row));
    gtk_accessible_update_relation(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_RELATION_POS_IN_SET,
                                   (int)position + 1, GTK_ACCESSIBLE_RELATION_SET_SIZE, (int)list->count,
                                   -1);
}

// The positions that are at least partly in sight.
static void get_sight(RuiVirtualList *list, int height, guint *ret_from, guint *ret_until)
{
    double top = get_value(&list->down) / list->row_height;
    *ret_from = (guint)CLAMP(floor(top), 0, list->count);
    *ret_until = (guint)CLAMP(ceil(top + (double)height / list->row_height), *ret_from, list->count);
}

static void hide_rest(RuiVirtualList *list, guint from, guint until)
{
    for (guint i = 0; i < list->rows->len; i++) {
        RuiVirtualRow *row = list->rows->pdata[i];
        if (row->position < from || row->position >= until)
            gtk_widget_set_child_visible(GTK_WIDGET(row), FALSE);
    }
}

static void show_sight(RuiVirtualList *list, int height)
{
    guint from, until;
    get_sight(list, height, &from, &until);
    need_rows(list, until - from);
    hide_rest(list, from, until);
    for (guint position = from; position < until; position++) {
        RuiVirtualRow *row = get_row(list, position);
        if (row->position != position)
            show_item(list, row, position);
        gtk_widget_set_child_visible(GTK_WIDGET(row), TRUE);
    }
}

static void measure_row(RuiVirtualList *list)
{
    gtk_widget_measure(list->rows->pdata[0], GTK_ORIENTATION_VERTICAL, -1, &list->row_height, NULL, NULL,
                       NULL);
    list->row_height = MAX(list->row_height, 1);
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    gboolean placed = gtk_widget_get_height(widget) > 0;
    int height = placed ? gtk_widget_get_height(widget) : FIRST_HEIGHT;
    guint wanted = list->wanted;
    list->refresh = 0;
    if (!list->type)
        return G_SOURCE_REMOVE;
    measure_row(list);
    scroll_down(list, height);
    if (!placed)
        list->wanted = wanted; // again when the height is known
    show_sight(list, height);
    scroll_across(list, gtk_widget_get_width(widget));
    virtual_list_show_selected(list);
    virtual_list_settle_focus(list);
    gtk_widget_queue_allocate(widget);
    return G_SOURCE_REMOVE;
}

// Not at once: a step changes items, their number and where the list is scrolled to. And not while it is
// laid out, when no row may come or ask for another size.
void virtual_list_queue_refresh(RuiVirtualList *list)
{
    if (!list->refresh)
        list->refresh = gtk_widget_add_tick_callback(GTK_WIDGET(list), on_tick, NULL, NULL);
}

// ---- Layout ----

static void rui_virtual_list_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                     int *minimum, int *natural, int *minimum_baseline,
                                     int *natural_baseline)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    *minimum = *natural = 1;
    if (orientation == GTK_ORIENTATION_HORIZONTAL || !list->type)
        return;
    measure_row(list);
    *minimum = list->row_height;
    *natural = (int)CLAMP(get_all_height(list), list->row_height, G_MAXINT / 2);
}

static void rui_virtual_list_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    guint from, until;
    if (!list->rows->len || !list->row_height)
        return virtual_list_queue_refresh(list);
    if (list->type->keeps_end && is_at_end(list))
        list->wanted = list->count - 1;
    scroll_down(list, height);
    scroll_across(list, width);
    get_sight(list, height, &from, &until);
    hide_rest(list, from, until);
    int row_width = width;
    for (guint position = from; position < until; position++) {
        RuiVirtualRow *row = virtual_list_find_row(list, position);
        int least, high;
        if (!row) { // more is in sight than before
            virtual_list_queue_refresh(list);
            continue;
        }
        gtk_widget_measure(GTK_WIDGET(row), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
        gtk_widget_measure(GTK_WIDGET(row), GTK_ORIENTATION_VERTICAL, -1, &high, NULL, NULL, NULL);
        if (high != list->row_height)
            virtual_list_queue_refresh(list); // another font
        row_width = MAX(width, MAX(least, list->widest));
        gtk_widget_allocate(
            GTK_WIDGET(row), row_width, MAX(high, list->row_height), -1,
            gsk_transform_translate(NULL, &GRAPHENE_POINT_INIT((float)-get_value(&list->across),
                                                               (float)((double)position * list->row_height -
                                                                       get_value(&list->down)))));
    }
}

// ---- The model ----

static void on_items_changed(RuiVirtualList *list, guint position, guint removed, guint added)
{
    double top = get_value(&list->down);
    list->count = list->count - removed + added;
    if (!list->count)
        list->widest = 0;
    forget_rows(list, position);
    virtual_list_splice_selection(list, position, removed, added);
    // What was scrolled to stays where it is.
    if (top > 0 && ((double)position + removed) * list->row_height <= top)
        set_adjustment(list, &list->down, top + ((double)added - removed) * list->row_height,
                       get_all_height(list), gtk_widget_get_height(GTK_WIDGET(list)), list->row_height);
    virtual_list_queue_refresh(list);
}

static void drop_model(RuiVirtualList *list)
{
    if (list->model)
        g_signal_handlers_disconnect_by_func(list->model, on_items_changed, list);
    g_clear_object(&list->model);
}

void rui_virtual_list_set_model(RuiVirtualList *list, GListModel *model)
{
    guint old = list->count;
    drop_model(list);
    list->count = 0;
    if (old)
        on_items_changed(list, 0, 0, 0);
    rui_virtual_list_unselect_all(list);
    if (!model)
        return;
    list->model = g_object_ref(model);
    g_signal_connect_swapped(model, "items-changed", G_CALLBACK(on_items_changed), list);
    on_items_changed(list, 0, 0, g_list_model_get_n_items(model));
}

GListModel *rui_virtual_list_get_model(RuiVirtualList *list)
{
    return list->model;
}

void rui_virtual_list_set_row_type(RuiVirtualList *list, const RuiVirtualRowType *type)
{
    list->type = type;
    need_rows(list, 1); // one to measure
    gtk_accessible_update_property(GTK_ACCESSIBLE(list), GTK_ACCESSIBLE_PROPERTY_MULTI_SELECTABLE,
                                   type->multiple, -1);
}

void rui_virtual_list_scroll_to(RuiVirtualList *list, guint position)
{
    list->wanted = position;
    virtual_list_queue_refresh(list);
}

GtkWidget *rui_virtual_list_get_content(RuiVirtualList *list, guint position)
{
    RuiVirtualRow *row = virtual_list_find_row(list, position);
    return row ? row->content : NULL;
}

// ---- The class ----

static void take_adjustment(RuiVirtualList *list, VirtualListAxis *axis, GtkAdjustment *adjustment)
{
    if (axis->adjustment)
        g_signal_handlers_disconnect_by_data(axis->adjustment, list);
    g_clear_object(&axis->adjustment);
    if (!adjustment)
        return;
    axis->adjustment = g_object_ref_sink(adjustment);
    g_signal_connect_swapped(adjustment, "value-changed", G_CALLBACK(virtual_list_queue_refresh), list);
    gtk_widget_queue_allocate(GTK_WIDGET(list));
}

static void rui_virtual_list_set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(object);
    switch (id) {
    case PROP_HADJUSTMENT:
        return take_adjustment(list, &list->across, g_value_get_object(value));
    case PROP_VADJUSTMENT:
        return take_adjustment(list, &list->down, g_value_get_object(value));
    case PROP_HSCROLL_POLICY:
        list->across.policy = g_value_get_enum(value);
        break;
    case PROP_VSCROLL_POLICY:
        list->down.policy = g_value_get_enum(value);
        break;
    default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
}

static void rui_virtual_list_get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(object);
    switch (id) {
    case PROP_HADJUSTMENT:
        return g_value_set_object(value, list->across.adjustment);
    case PROP_VADJUSTMENT:
        return g_value_set_object(value, list->down.adjustment);
    case PROP_HSCROLL_POLICY:
        return g_value_set_enum(value, list->across.policy);
    case PROP_VSCROLL_POLICY:
        return g_value_set_enum(value, list->down.policy);
    default:
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
}

static void rui_virtual_list_dispose(GObject *object)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(object);
    drop_model(list);
    list->count = 0;
    if (list->refresh)
        gtk_widget_remove_tick_callback(GTK_WIDGET(list), list->refresh);
    list->refresh = 0;
    take_adjustment(list, &list->across, NULL);
    take_adjustment(list, &list->down, NULL);
    g_ptr_array_set_size(list->rows, 0);
    G_OBJECT_CLASS(rui_virtual_list_parent_class)->dispose(object);
}

static void rui_virtual_list_finalize(GObject *object)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(object);
    g_ptr_array_unref(list->rows);
    gtk_bitset_unref(list->selected);
    G_OBJECT_CLASS(rui_virtual_list_parent_class)->finalize(object);
}

static gboolean rui_virtual_list_focus(GtkWidget *widget, GtkDirectionType direction)
{
    if (gtk_widget_is_focus(widget) || gtk_widget_get_focus_child(widget))
        return FALSE; // on to what comes after the list
    return gtk_widget_grab_focus(widget);
}

static void rui_virtual_list_class_init(RuiVirtualListClass *class)
{
    GObjectClass *object_class = G_OBJECT_CLASS(class);
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    object_class->dispose = rui_virtual_list_dispose;
    object_class->finalize = rui_virtual_list_finalize;
    object_class->set_property = rui_virtual_list_set_property;
    object_class->get_property = rui_virtual_list_get_property;
    widget_class->measure = rui_virtual_list_measure;
    widget_class->size_allocate = rui_virtual_list_size_allocate;
    widget_class->focus = rui_virtual_list_focus;
    widget_class->grab_focus = virtual_list_grab_focus;
    g_object_class_override_property(object_class, PROP_HADJUSTMENT, "hadjustment");
    g_object_class_override_property(object_class, PROP_VADJUSTMENT, "vadjustment");
    g_object_class_override_property(object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
    g_object_class_override_property(object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
    g_signal_new("activate", RUI_TYPE_VIRTUAL_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                 G_TYPE_UINT);
    gtk_widget_class_set_css_name(widget_class, "listview"); // as GTK's own, for the theme
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_LIST);
    virtual_list_add_keys(widget_class);
}

static void unparent_row(gpointer row)
{
    gtk_widget_unparent(row);
}

static void rui_virtual_list_init(RuiVirtualList *list)
{
    list->rows = g_ptr_array_new_with_free_func(unparent_row);
    list->selected = gtk_bitset_new_empty();
    list->wanted = list->cursor = list->anchor = GTK_INVALID_LIST_POSITION;
    gtk_widget_set_focusable(GTK_WIDGET(list), TRUE);
    gtk_widget_set_overflow(GTK_WIDGET(list), GTK_OVERFLOW_HIDDEN);
    virtual_list_add_click(list);
}
