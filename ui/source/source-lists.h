// SPDX-License-Identifier: MIT
//
// What stands around the source: above it the threads, below it the functions that one is in, its own code
// before libraries', which are folded, and the variables of the shown one.
#pragma once

#include "rw-session-source.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SOURCE_NO_FRAME G_MAXUINT

void source_lists_narrow(GtkDropDown *threads); // however long the chosen one's name, it can be narrow
void source_lists_fill_frames(GtkListBox *list, const RwSource *source, gboolean unfolded);
// Of a row: SOURCE_NO_FRAME for that which unfolds the libraries'.
guint source_lists_get_frame(GtkListBoxRow *row);
// Each with a button, "source.written" with its name, but for Python's.
void source_lists_fill_variables(GtkListBox *list, const RwSourceFrame *frame);
char *source_lists_dup_text(GtkListBox *list); // for tests: what it says, a line a row

G_END_DECLS
