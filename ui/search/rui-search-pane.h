// SPDX-License-Identifier: MIT
//
// Search over log, kernel log, file paths and events, with the total count; Return goes from one to the
// next.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_SEARCH_PANE (rui_search_pane_get_type())
G_DECLARE_FINAL_TYPE(RuiSearchPane, rui_search_pane, RUI, SEARCH_PANE, GtkBox)

// Signal "changed": something else was found.
void rui_search_pane_set_view(RuiSearchPane *pane, RuiView *view);
void rui_search_pane_open(RuiSearchPane *pane); // and takes the keyboard
void rui_search_pane_close(RuiSearchPane *pane);
gboolean rui_search_pane_is_open(RuiSearchPane *pane);
void rui_search_pane_set_text(RuiSearchPane *pane, const char *text);
const char *rui_search_pane_get_count(RuiSearchPane *pane); // "3 matches"; "" while it searches
void rui_search_pane_move(RuiSearchPane *pane, gboolean forward);
// Where the matches are, see RwFound; NULL: there are none. Borrowed until "changed".
const GArray *rui_search_pane_get_places(RuiSearchPane *pane);
// For tests: shows matches of that kind alone.
GtkToggleButton *rui_search_pane_get_chip(RuiSearchPane *pane, RwHitKind kind);

G_END_DECLS
