// SPDX-License-Identifier: MIT
//
// A fork, a check or an explanation under way, or finished: a cell a schedule, counts, cancel. A cell opens
// or compares its run.
#pragma once

#include "rw-session-work.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_CHECK_PANE (rui_check_pane_get_type())
G_DECLARE_FINAL_TYPE(RuiCheckPane, rui_check_pane, RUI, CHECK_PANE, GtkBox)

// Signals: "open" (char *ref) and "compare" (char *ref); "answer" (gboolean found): the two runs of an
// explanation are to be shown; found: they were found just now. The pane shows the work until it is closed;
// NULL: nothing. title is for the heading.
void rui_check_pane_set_work(RuiCheckPane *pane, RwSessionWork *work, const char *title);
RwSessionWork *rui_check_pane_get_work(RuiCheckPane *pane); // or NULL
// For tests.
GtkWidget *rui_check_pane_get_cell(RuiCheckPane *pane, guint index); // borrowed, or NULL

G_END_DECLS
