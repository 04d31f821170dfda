// SPDX-License-Identifier: MIT
#pragma once

#include "rui-terminal.h"
#include "terminal-status.h"

G_BEGIN_DECLS

struct _RuiTerminal {
    GtkBox parent_instance;
    // template
    GtkWidget *bar, *debugger, *away;
    GtkBox *backwards, *forwards;
    GtkToggleButton *pin;
    GtkLabel *where;
    VteTerminal *vte;
    GtkPopover *menu;
    // owned
    RuiView *view;
    RuiTerminalKind kind;
    char *run; // by what names it
    char *title, *link; // link: under the pointer when the menu was opened, or NULL
    TerminalStatus *status; // or NULL
    TerminalState state; // as it told last
    gboolean alive; // its program
    guint follow; // the callback that will move the playhead, 0: none
};

// terminal-menu.c: copy, paste, links
void terminal_class_install_menu(GtkWidgetClass *class);
void terminal_add_menu(RuiTerminal *terminal);
// terminal-run.c: its program
void terminal_start(RuiTerminal *terminal, const char *command, guint32 pid);
void terminal_changed(RuiTerminal *terminal); // what the program told

G_END_DECLS
