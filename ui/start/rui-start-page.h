// SPDX-License-Identifier: MIT
//
// What a window shows before it shows a run: the store's runs by job, a search over them, and ways to get
// one.
#pragma once

#include "rui-run-list.h"

G_BEGIN_DECLS

#define RUI_TYPE_START_PAGE (rui_start_page_get_type())
G_DECLARE_FINAL_TYPE(RuiStartPage, rui_start_page, RUI, START_PAGE, GtkBox)

// Signal: "open" (char *ref).
void rui_start_page_set_session(RuiStartPage *page, RwSession *session);
// The keyboard goes to the search, which is for `words` then; NULL: for what it was.
void rui_start_page_search(RuiStartPage *page, const char *words);
const char *rui_start_page_get_words(RuiStartPage *page); // that are searched for
RuiRunList *rui_start_page_get_list(RuiStartPage *page);

G_END_DECLS
