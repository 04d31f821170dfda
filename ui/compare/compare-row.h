// SPDX-License-Identifier: MIT
//
// A row of two ledgers: an event of each run, or a gap.
#pragma once

#include "compare-line.h"

#include <gtk/gtk.h>

#define COMPARE_GUTTER 36 // pixels between the two columns, for lines from one to the other

GtkWidget *compare_row_new(void); // floating
// here: it is the one of the step at which the playhead is.
void compare_row_show(GtkWidget *row, RwSessionComparison *comparison, RwEventPair *pair, gboolean here);
// In one column, with a word for which run's it is.
void compare_row_show_line(GtkWidget *row, RwSessionComparison *comparison, CompareLine *line,
                           gboolean here);
