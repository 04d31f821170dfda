// SPDX-License-Identifier: MIT
//
// Both runs' events side by side, from just before they part.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_COMPARE_PAGE (rui_compare_page_get_type())
G_DECLARE_FINAL_TYPE(RuiComparePage, rui_compare_page, RUI, COMPARE_PAGE, GtkBox)

void rui_compare_page_set_view(RuiComparePage *page, RuiView *view);
const char *rui_compare_page_get_summary(RuiComparePage *page);
// For tests: "none", "busy", "pairs" or "problem"; the row that is marked as the playhead's.
const char *rui_compare_page_get_state(RuiComparePage *page);
guint rui_compare_page_get_here(RuiComparePage *page);
// How many lines between places of one event are drawn.
guint rui_compare_page_get_linked(RuiComparePage *page);

G_END_DECLS
