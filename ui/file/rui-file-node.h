// SPDX-License-Identifier: MIT
//
// A file or folder of the tree. It stays the same object while it is there, so that what is unfolded stays
// so.
#pragma once

#include "rw-session-files.h"

G_BEGIN_DECLS

#define RUI_TYPE_FILE_NODE (rui_file_node_get_type())
G_DECLARE_FINAL_TYPE(RuiFileNode, rui_file_node, RUI, FILE_NODE, GObject)

// Signal "changed": it looks different.

const char *rui_file_node_get_path(RuiFileNode *node);
const RwFolderRow *rui_file_node_get_row(RuiFileNode *node);
gboolean rui_file_node_is_folder(RuiFileNode *node);
// Of RuiFileNode, borrowed: of a folder what it holds, nothing until that is known.
GListStore *rui_file_node_get_children(RuiFileNode *node);

// Makes the nodes be what a folder holds (of RwFolderRow, by name; NULL: nothing): those that stay are the
// same ones.
void rui_file_nodes_update(GListStore *nodes, const char *folder, GPtrArray *rows);

G_END_DECLS
