// SPDX-License-Identifier: MIT
//
// The folders at the playhead as a tree: what the run changed has a dot, what it removed is struck out.
#pragma once

#include "rui-file-node.h"
#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_FILE_TREE (rui_file_tree_get_type())
G_DECLARE_FINAL_TYPE(RuiFileTree, rui_file_tree, RUI, FILE_TREE, GtkBox)

// Signal "activate" (const char *path): a file was chosen.
void rui_file_tree_set_view(RuiFileTree *tree, RuiView *view);
// Unfolds the folders that lead there and selects it, as soon as they are known; NULL: nothing.
void rui_file_tree_show_path(RuiFileTree *tree, const char *path);
// Of GtkTreeListRow with RuiFileNode, for tests.
GListModel *rui_file_tree_get_rows(RuiFileTree *tree);
// For tests: whether what is shown is of the playhead's step.
gboolean rui_file_tree_is_settled(RuiFileTree *tree);

G_END_DECLS
