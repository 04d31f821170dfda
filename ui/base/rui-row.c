// SPDX-License-Identifier: MIT
#include "rui-row.h"

struct _RuiRow {
    GObject parent_instance;
    gpointer data;
    GDestroyNotify free_data;
    GArray *array; // that data is in, or NULL
    GObject *owner;
};

G_DEFINE_FINAL_TYPE(RuiRow, rui_row, G_TYPE_OBJECT)

static void rui_row_finalize(GObject *object)
{
    RuiRow *row = RUI_ROW(object);
    if (row->free_data)
        row->free_data(row->data);
    g_clear_pointer(&row->array, g_array_unref);
    g_clear_object(&row->owner);
    G_OBJECT_CLASS(rui_row_parent_class)->finalize(object);
}

static void rui_row_class_init(RuiRowClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_row_finalize;
}

static void rui_row_init(RuiRow *row) {}

RuiRow *rui_row_new(gpointer data, GDestroyNotify free_data)
{
    RuiRow *row = g_object_new(RUI_TYPE_ROW, NULL);
    row->data = data;
    row->free_data = free_data;
    return row;
}

RuiRow *rui_row_new_within(gpointer data, GArray *array, gpointer owner)
{
    RuiRow *row = rui_row_new(data, NULL);
    row->array = g_array_ref(array);
    row->owner = owner ? g_object_ref(owner) : NULL;
    return row;
}

gpointer rui_row_get(RuiRow *row)
{
    return row->data;
}

GPtrArray *rui_rows_take(GPtrArray *array, GDestroyNotify free_data)
{
    gsize count;
    g_autofree gpointer *elements = g_ptr_array_steal(array, &count);
    GPtrArray *rows = g_ptr_array_new_full((guint)count, g_object_unref);
    for (gsize i = 0; i < count; i++)
        g_ptr_array_add(rows, rui_row_new(elements[i], free_data));
    return rows;
}
