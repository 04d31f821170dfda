// SPDX-License-Identifier: MIT
//
// Where a thread is in its source at the playhead, or the one of the compared run where that is the same:
// the line, values, functions and variables. It follows the playhead when that has come to rest.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_SOURCE_PAGE (rui_source_page_get_type())
G_DECLARE_FINAL_TYPE(RuiSourcePage, rui_source_page, RUI, SOURCE_PAGE, GtkBox)

void rui_source_page_set_view(RuiSourcePage *page, RuiView *view);

// ---- For tests ----

// "busy", "text", "none" or "problem".
const char *rui_source_page_get_state(RuiSourcePage *page);
char *rui_source_page_dup_problem(RuiSourcePage *page); // its title and text
guint rui_source_page_get_line(RuiSourcePage *page); // 0: none
char *rui_source_page_dup_line(RuiSourcePage *page); // the text of that, without values
char *rui_source_page_dup_values(RuiSourcePage *page);
char *rui_source_page_dup_frames(RuiSourcePage *page);
char *rui_source_page_dup_variables(RuiSourcePage *page);
GtkDropDown *rui_source_page_get_threads(RuiSourcePage *page);
const char *rui_source_page_get_written(RuiSourcePage *page); // what is said of who wrote; or NULL
guint rui_source_page_get_answers(RuiSourcePage *page); // that were shown so far

G_END_DECLS
