// SPDX-License-Identifier: MIT
//
// What `rewind shell` and `rewind gdb` tell of themselves with --status-fd.
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _TerminalStatus TerminalStatus;

typedef struct {
    guint32 pid; // whom it is about; 0: not told so far
    guint64 step; // where it stands
    gboolean runs; // something does that closing it would end
    gboolean ended; // as a shell does that one leaves; else something was wrong
} TerminalState;

// Reads the descriptor, which is taken over. `changed` is called with the state after each line.
TerminalStatus *terminal_status_new(int fd, guint64 step,
                                    void (*changed)(const TerminalState *state, gpointer data),
                                    gpointer data);
void terminal_status_free(TerminalStatus *status);

// For tests, too: what a line says. FALSE: it is none that is known.
gboolean terminal_state_take(TerminalState *state, const char *line);

G_END_DECLS
