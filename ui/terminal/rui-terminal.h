// SPDX-License-Identifier: MIT
//
// A shell in the run's machine, or gdb on it, at the step where the playhead was: the command `rewind` on a
// terminal. It lives on when the playhead moves; gdb takes the playhead with it unless it is pinned.
#pragma once

#include "rui-view.h"

#include <vte/vte.h>

G_BEGIN_DECLS

#define RUI_TYPE_TERMINAL (rui_terminal_get_type())
G_DECLARE_FINAL_TYPE(RuiTerminal, rui_terminal, RUI, TERMINAL, GtkBox)

typedef enum { RUI_TERMINAL_SHELL, RUI_TERMINAL_GDB } RuiTerminalKind;

// The path of the command, as it is beside this program; NULL: there is none.
char *rui_terminal_find_command(void);

// Property "title": what it is, its step and process. Signal "ended": it can be closed. pid: of which
// process; 0: the one that has the CPU there.
RuiTerminal *rui_terminal_new(RuiView *view, RuiTerminalKind kind, const char *command, guint32 pid);
const char *rui_terminal_get_title(RuiTerminal *terminal);
guint64 rui_terminal_get_step(RuiTerminal *terminal);
gboolean rui_terminal_is_busy(RuiTerminal *terminal); // something runs in it
VteTerminal *rui_terminal_get_vte(RuiTerminal *terminal);
GtkWidget *rui_terminal_get_away(RuiTerminal *terminal); // what says that the playhead is elsewhere
GtkToggleButton *rui_terminal_get_pin(RuiTerminal *terminal);

G_END_DECLS
