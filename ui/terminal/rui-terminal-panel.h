// SPDX-License-Identifier: MIT
//
// The terminals of a window, each in a tab. It can be seen while there is one, unless it is hidden.
#pragma once

#include "rui-terminal.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define RUI_TYPE_TERMINAL_PANEL (rui_terminal_panel_get_type())
G_DECLARE_FINAL_TYPE(RuiTerminalPanel, rui_terminal_panel, RUI, TERMINAL_PANEL, GtkBox)

void rui_terminal_panel_set_view(RuiTerminalPanel *panel, RuiView *view);
// At the playhead; see rui_terminal_new(). What is in the way is said by the action win.toast.
void rui_terminal_panel_open(RuiTerminalPanel *panel, RuiTerminalKind kind, guint32 pid);
gboolean rui_terminal_panel_is_busy(RuiTerminalPanel *panel); // something runs in one of them
RuiTerminal *rui_terminal_panel_get_terminal(RuiTerminalPanel *panel); // the one that is shown, or NULL
AdwTabView *rui_terminal_panel_get_tabs(RuiTerminalPanel *panel);

// Asks whether what runs is to be ended; "response" is then called with "close" or "cancel".
void rui_terminal_ask(GtkWidget *widget, const char *heading, GCallback response, gpointer data);

G_END_DECLS
