// SPDX-License-Identifier: MIT
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// Makes rows of GtkTreeListRow with RuiFileNode. expanded(row, pspec, data): one was folded or unfolded.
GtkListItemFactory *file_tree_factory_new(GCallback expanded, gpointer data);

G_END_DECLS
