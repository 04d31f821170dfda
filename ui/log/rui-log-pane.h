// SPDX-License-Identifier: MIT
//
// The job's output up to the playhead, or the kernel's log.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_LOG_PANE (rui_log_pane_get_type())
G_DECLARE_FINAL_TYPE(RuiLogPane, rui_log_pane, RUI, LOG_PANE, GtkBox)

void rui_log_pane_set_view(RuiLogPane *pane, RuiView *view);
void rui_log_pane_show_kernel(RuiLogPane *pane, gboolean kernel);
gboolean rui_log_pane_shows_kernel(RuiLogPane *pane);
// Lines there are now, for tests.
GListModel *rui_log_pane_get_lines(RuiLogPane *pane);
// Whether it says that lines are left out, since there are too many.
gboolean rui_log_pane_is_cut(RuiLogPane *pane);
// The selected lines, or else all up to the playhead, as text; owned.
char *rui_log_pane_dup_text(RuiLogPane *pane);
// For tests: how many of the lines were written by the playhead; the chip that shows errors alone.
guint rui_log_pane_get_written(RuiLogPane *pane);
GtkToggleButton *rui_log_pane_get_errors(RuiLogPane *pane);

GtkToggleButton *rui_log_pane_get_wrap(RuiLogPane *pane); // whether long lines are wrapped

G_END_DECLS
