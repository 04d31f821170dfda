// SPDX-License-Identifier: MIT
#include "rui-rows.h"

struct _RuiRows {
    GObject parent_instance;
    GArray *array; // or NULL
    GObject *owner;
};

static GType get_item_type(GListModel *model)
{
    return RUI_TYPE_ROW;
}

static guint get_n_items(GListModel *model)
{
    RuiRows *rows = RUI_ROWS(model);
    return rows->array ? rows->array->len : 0;
}

static gpointer get_element(GArray *array, guint position)
{
    return array->data + (gsize)position * g_array_get_element_size(array);
}

static gpointer get_item(GListModel *model, guint position)
{
    RuiRows *rows = RUI_ROWS(model);
    if (position >= get_n_items(model))
        return NULL;
    return rui_row_new_within(get_element(rows->array, position), rows->array, rows->owner);
}

static void list_model_init(GListModelInterface *interface)
{
    interface->get_item_type = get_item_type;
    interface->get_n_items = get_n_items;
    interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(RuiRows, rui_rows, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))

static void rui_rows_finalize(GObject *object)
{
    RuiRows *rows = RUI_ROWS(object);
    g_clear_pointer(&rows->array, g_array_unref);
    g_clear_object(&rows->owner);
    G_OBJECT_CLASS(rui_rows_parent_class)->finalize(object);
}

static void rui_rows_class_init(RuiRowsClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_rows_finalize;
}

static void rui_rows_init(RuiRows *rows) {}

RuiRows *rui_rows_new(void)
{
    return g_object_new(RUI_TYPE_ROWS, NULL);
}

void rui_rows_set(RuiRows *rows, GArray *array, gpointer owner,
                  gboolean (*equal)(gconstpointer a, gconstpointer b))
{
    g_autoptr(GArray) old_array = rows->array;
    guint old = old_array ? old_array->len : 0, count = array ? array->len : 0;
    guint head = 0, tail = 0, most = MIN(old, count);
    while (head < most && equal(get_element(old_array, head), get_element(array, head)))
        head++;
    while (tail < most - head &&
           equal(get_element(old_array, old - tail - 1), get_element(array, count - tail - 1)))
        tail++;
    rows->array = array ? g_array_ref(array) : NULL;
    g_set_object(&rows->owner, owner); // after the comparison, which looks at what it keeps
    if (old != count || head < most)
        g_list_model_items_changed(G_LIST_MODEL(rows), head, old - head - tail, count - head - tail);
}
