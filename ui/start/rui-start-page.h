// SPDX-License-Identifier: MIT
//
// What a window shows before it shows a run: recent runs by job, and ways to get one.
#pragma once

#include "rui-run-list.h"

G_BEGIN_DECLS

#define RUI_TYPE_START_PAGE (rui_start_page_get_type())
G_DECLARE_FINAL_TYPE(RuiStartPage, rui_start_page, RUI, START_PAGE, GtkBox)

// Signal: "open" (char *ref).
void rui_start_page_set_session(RuiStartPage *page, RwSession *session);
RuiRunList *rui_start_page_get_list(RuiStartPage *page);

G_END_DECLS
