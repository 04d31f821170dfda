// SPDX-License-Identifier: MIT
//
// What lies over a list of RwEventPair or CompareLine rows (compare-row.h): a bar in the thread's colour
// beside each event, and a line between the two places of an event that both runs have, in another order.
#pragma once

#include "rui-virtual-list.h"
#include "rw-session-comparison.h"

G_BEGIN_DECLS

#define RUI_TYPE_COMPARE_LINKS (rui_compare_links_get_type())
G_DECLARE_FINAL_TYPE(RuiCompareLinks, rui_compare_links, RUI, COMPARE_LINKS, GtkWidget)

// Over which it lies, at the same place and size; it is within a GtkScrolledWindow. Once.
void rui_compare_links_set_list(RuiCompareLinks *links, RuiVirtualList *list);
// Whose threads the colours are of; once both are loaded. NULL: of none.
void rui_compare_links_set_runs(RuiCompareLinks *links, RwSessionRun *left, RwSessionRun *right);
// The colour of a pair's thread, for rui_hue(): that of the timeline's rows.
guint rui_compare_links_get_hue(RuiCompareLinks *links, RwEventPair *pair, RwEventSide side);
// How many lines were drawn last, for tests.
guint rui_compare_links_get_drawn(RuiCompareLinks *links);

G_END_DECLS
