// SPDX-License-Identifier: MIT
//
// A plain structure in a list model.
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define RUI_TYPE_ROW (rui_row_get_type())
G_DECLARE_FINAL_TYPE(RuiRow, rui_row, RUI, ROW, GObject)

RuiRow *rui_row_new(gpointer data, GDestroyNotify free_data); // takes data over
// data is within array; array and owner, which may be NULL, are kept alive.
RuiRow *rui_row_new_within(gpointer data, GArray *array, gpointer owner);
gpointer rui_row_get(RuiRow *row);
// Makes rows of an array's elements and empties it; free_data as the array's own.
GPtrArray *rui_rows_take(GPtrArray *array, GDestroyNotify free_data);

G_END_DECLS
