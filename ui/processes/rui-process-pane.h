// SPDX-License-Identifier: MIT
//
// The processes and threads that lived at the playhead, as a tree.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_PROCESS_PANE (rui_process_pane_get_type())
G_DECLARE_FINAL_TYPE(RuiProcessPane, rui_process_pane, RUI, PROCESS_PANE, GtkBox)

void rui_process_pane_set_view(RuiProcessPane *pane, RuiView *view);
// Of RuiRow with RwProcRow, for tests.
GListModel *rui_process_pane_get_rows(RuiProcessPane *pane);

G_END_DECLS
