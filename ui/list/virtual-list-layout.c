// SPDX-License-Identifier: MIT
//
// Which rows are in sight, what they show and where they stand.
#include "virtual-list-private.h"

#include <math.h>

// Rows are there for so many pixels when a list is laid out for the first time.
#define FIRST_HEIGHT 480

double virtual_list_get_value(const VirtualListAxis *axis)
{
    return axis->adjustment ? gtk_adjustment_get_value(axis->adjustment) : 0;
}

double virtual_list_get_all_height(RuiVirtualList *list)
{
    return (double)list->count * list->row_height;
}

void virtual_list_scroll(RuiVirtualList *list, VirtualListAxis *axis, double value, double upper,
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
    double value = virtual_list_get_value(&list->down);
    if (list->wanted < list->count) {
        double top = (double)list->wanted * list->row_height;
        double third = floor((double)height / 3 / list->row_height) * list->row_height;
        double around =
            list->wanted == list->followed ? third : 0; // what comes before and after it is seen, too
        value = list->third ? top - third
                            : CLAMP(value, top + list->row_height - height + around, top - around);
    }
    list->wanted = GTK_INVALID_LIST_POSITION;
    virtual_list_scroll(list, &list->down, value, virtual_list_get_all_height(list), height,
                        list->row_height);
}

// Whether what is followed was in sight when the list was laid out last.
static gboolean follows(RuiVirtualList *list)
{
    GtkAdjustment *down = list->down.adjustment;
    if (!down || list->followed >= list->count || list->wanted != GTK_INVALID_LIST_POSITION)
        return FALSE;
    double top = (double)list->followed * list->row_height, value = gtk_adjustment_get_value(down);
    return top >= value && top + list->row_height <= value + gtk_adjustment_get_page_size(down);
}

static void scroll_across(RuiVirtualList *list, int width)
{
    virtual_list_scroll(list, &list->across, virtual_list_get_value(&list->across), list->widest, width,
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

void virtual_list_forget_rows(RuiVirtualList *list, guint from)
{
    for (guint i = 0; i < list->rows->len; i++) {
        RuiVirtualRow *row = list->rows->pdata[i];
        if (row->position >= from)
            row->position = GTK_INVALID_LIST_POSITION;
    }
}

void virtual_list_need_rows(RuiVirtualList *list, guint count)
{
    if (count <= list->rows->len)
        return;
    while (list->rows->len < count) {
        GtkWidget *row = rui_virtual_row_new(list->type->create());
        gtk_widget_set_child_visible(row, FALSE);
        gtk_widget_set_parent(row, GTK_WIDGET(list));
        g_ptr_array_add(list->rows, row);
    }
    virtual_list_forget_rows(list, 0); // they stand elsewhere now
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
    double top = virtual_list_get_value(&list->down) / list->row_height;
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
    virtual_list_need_rows(list, until - from);
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

void virtual_list_measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    *minimum = *natural = 1;
    if (orientation == GTK_ORIENTATION_HORIZONTAL || !list->type)
        return;
    measure_row(list);
    *minimum = list->row_height;
    *natural = (int)CLAMP(virtual_list_get_all_height(list), list->row_height, G_MAXINT / 2);
}

void virtual_list_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    RuiVirtualList *list = RUI_VIRTUAL_LIST(widget);
    guint from, until;
    if (!list->rows->len || !list->row_height)
        return virtual_list_queue_refresh(list);
    if (follows(list)) {
        list->wanted = list->followed;
        list->third = FALSE;
    }
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
        gtk_widget_allocate(GTK_WIDGET(row), row_width, MAX(high, list->row_height), -1,
                            gsk_transform_translate(
                                NULL, &GRAPHENE_POINT_INIT((float)-virtual_list_get_value(&list->across),
                                                           (float)((double)position * list->row_height -
                                                                   virtual_list_get_value(&list->down)))));
    }
}
