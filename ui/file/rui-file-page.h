// SPDX-License-Identifier: MIT
//
// The view's file as it was at the playhead: text with its language's colours, or a hex dump.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_FILE_PAGE (rui_file_page_get_type())
G_DECLARE_FINAL_TYPE(RuiFilePage, rui_file_page, RUI, FILE_PAGE, GtkBox)

void rui_file_page_set_view(RuiFilePage *page, RuiView *view);
// "none", "busy", "absent", "text", "hex" or "problem", for tests.
const char *rui_file_page_get_state(RuiFilePage *page);
char *rui_file_page_dup_text(RuiFilePage *page);

G_END_DECLS
