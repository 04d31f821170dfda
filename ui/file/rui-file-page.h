// SPDX-License-Identifier: MIT
//
// The view's path as it was at the playhead: a file as text with its language's colours or as a hex dump,
// a folder, or how the file differs from the compared run's; beside it the tree of folders.
#pragma once

#include "rui-file-tree.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_FILE_PAGE (rui_file_page_get_type())
G_DECLARE_FINAL_TYPE(RuiFilePage, rui_file_page, RUI, FILE_PAGE, GtkBox)

void rui_file_page_set_view(RuiFilePage *page, RuiView *view);
void rui_file_page_save(RuiFilePage *page, GFile *file); // all of what is shown
// "none", "busy", "absent", "text", "hex", "folder", "note" (of a comparison) or "problem", for tests.
const char *rui_file_page_get_state(RuiFilePage *page);
const char *rui_file_page_get_problem(RuiFilePage *page); // what "problem" says, as markup
char *rui_file_page_dup_text(RuiFilePage *page);
GListModel *rui_file_page_get_folder(RuiFilePage *page); // of RuiRow with RwFolderRow
gboolean rui_file_page_has_more(RuiFilePage *page); // than is shown

// For tests.
RuiFileTree *rui_file_page_get_tree(RuiFilePage *page);
// For tests: the button that compares the file with the other run's.
GtkToggleButton *rui_file_page_get_both(RuiFilePage *page);

G_END_DECLS
