// SPDX-License-Identifier: MIT
//
// What was typed before into a row for writing, offered below it while it is typed again: Down goes into
// the list, Enter takes what is there, Escape puts it away.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_SUGGESTIONS_MAX 6 // that are offered at once

// texts: of char *, the last used first; taken over. What it does ends with the row (GtkEditable).
void rui_suggestions_add(GtkWidget *row, GPtrArray *texts);
// Those that are offered now, of char *, borrowed; NULL: none are. For tests.
const GPtrArray *rui_suggestions_get(GtkWidget *row);

G_END_DECLS
