// SPDX-License-Identifier: MIT
//
// An array as a list model whose rows are made as they are asked for.
#pragma once

#include "rui-row.h"

G_BEGIN_DECLS

#define RUI_TYPE_ROWS (rui_rows_get_type())
G_DECLARE_FINAL_TYPE(RuiRows, rui_rows, RUI, ROWS, GObject)

RuiRows *rui_rows_new(void);
// Shows the array's elements from now on; each row's data is one of them. What is the same at both ends
// stays. A reference of array and owner is taken: owner keeps alive what elements point to, or is NULL.
// array NULL: nothing.
void rui_rows_set(RuiRows *rows, GArray *array, gpointer owner,
                  gboolean (*equal)(gconstpointer a, gconstpointer b));

G_END_DECLS
