// SPDX-License-Identifier: MIT
//
// The files that were changed by the playhead, newest first. Activating one makes it the view's file.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_FILE_LIST (rui_file_list_get_type())
G_DECLARE_FINAL_TYPE(RuiFileList, rui_file_list, RUI, FILE_LIST, GtkBox)

void rui_file_list_set_view(RuiFileList *list, RuiView *view);
// Of RuiRow with RwFileRow, for tests.
GListModel *rui_file_list_get_rows(RuiFileList *list);

G_END_DECLS
