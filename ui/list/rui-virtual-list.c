// SPDX-License-Identifier: MIT
#include "virtual-list-private.h"

enum { PROP_0, PROP_HADJUSTMENT, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };

G_DEFINE_FINAL_TYPE_WITH_CODE(RuiVirtualList, rui_virtual_list, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(GTK_TYPE_SCROLLABLE, NULL))

// ---- The model ----

static void on_items_changed(RuiVirtualList *list, guint position, guint removed, guint added)
{
    double top = virtual_list_get_value(&list->down);
    list->count = list->count - removed + added;
    if (!list->count)
        list->widest = 0;
    virtual_list_forget_rows(list, position);
    virtual_list_splice_selection(list, position, removed, added);
    // What was scrolled to stays where it is.
    if (top > 0 && ((double)position + removed) * list->row_height <= top)
        virtual_list_scroll(list, &list->down, top + ((double)added - removed) * list->row_height,
                            virtual_list_get_all_height(list), gtk_widget_get_height(GTK_WIDGET(list)),
                            list->row_height);
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
    list->followed = GTK_INVALID_LIST_POSITION;
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
    virtual_list_need_rows(list, 1); // one to measure
    gtk_accessible_update_property(GTK_ACCESSIBLE(list), GTK_ACCESSIBLE_PROPERTY_MULTI_SELECTABLE,
                                   type->multiple, -1);
}

void rui_virtual_list_scroll_to(RuiVirtualList *list, guint position)
{
    list->wanted = position;
    list->third = FALSE;
    virtual_list_queue_refresh(list);
}

void rui_virtual_list_follow(RuiVirtualList *list, guint position)
{
    rui_virtual_list_scroll_to(list, position);
    list->followed = position;
}

void rui_virtual_list_refresh(RuiVirtualList *list)
{
    virtual_list_forget_rows(list, 0);
    virtual_list_queue_refresh(list);
}

void rui_virtual_list_scroll_to_third(RuiVirtualList *list, guint position)
{
    list->wanted = position;
    list->third = TRUE;
    virtual_list_queue_refresh(list);
}

GtkWidget *rui_virtual_list_get_content(RuiVirtualList *list, guint position)
{
    RuiVirtualRow *row = virtual_list_find_row(list, position);
    return row ? row->content : NULL;
}

gboolean rui_virtual_list_get_place(RuiVirtualList *list, guint position, double *ret_top,
                                    double *ret_height)
{
    *ret_top = (double)position * list->row_height - virtual_list_get_value(&list->down);
    *ret_height = list->row_height;
    return position < list->count && list->row_height > 0;
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
    widget_class->measure = virtual_list_measure;
    widget_class->size_allocate = virtual_list_size_allocate;
    widget_class->focus = rui_virtual_list_focus;
    widget_class->grab_focus = virtual_list_grab_focus;
    g_object_class_override_property(object_class, PROP_HADJUSTMENT, "hadjustment");
    g_object_class_override_property(object_class, PROP_VADJUSTMENT, "vadjustment");
    g_object_class_override_property(object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
    g_object_class_override_property(object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
    g_signal_new("activate", RUI_TYPE_VIRTUAL_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                 G_TYPE_UINT);
    g_signal_new("menu", RUI_TYPE_VIRTUAL_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                 G_TYPE_UINT, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
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
    list->followed = list->wanted = list->cursor = list->anchor = GTK_INVALID_LIST_POSITION;
    gtk_widget_set_focusable(GTK_WIDGET(list), TRUE);
    gtk_widget_set_overflow(GTK_WIDGET(list), GTK_OVERFLOW_HIDDEN);
    virtual_list_add_click(list);
}
