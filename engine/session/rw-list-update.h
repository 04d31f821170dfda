// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <gio/gio.h>

G_BEGIN_DECLS

// Makes the store hold `items` (of objects), replacing only what is between the equal ones at both ends: a
// list view keeps its place, its selection and most of its rows.
void rw_list_update(GListStore *store, GPtrArray *items, bool (*equal)(gpointer a, gpointer b));

G_END_DECLS
