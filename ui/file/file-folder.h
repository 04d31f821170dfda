// SPDX-License-Identifier: MIT
//
// A folder's list: names, and how large the files are.
#pragma once

#include "rui-virtual-list.h"
#include "rw-session-files.h"

G_BEGIN_DECLS

void file_folder_set_up(RuiVirtualList *list, GListStore *rows);
// Puts a folder's rows, of RwFolderRow, into the store; the array is emptied. NULL: none.
void file_folder_fill(GListStore *rows, GPtrArray *folder);
const char *file_folder_get_icon(char type); // of an entry, see RwFolderRow
char *file_folder_dup_child(const char *folder, GListStore *rows, guint position); // a path, or NULL
char *file_folder_dup_parent(const char *path); // NULL: there is none above

G_END_DECLS
