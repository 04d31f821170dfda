// SPDX-License-Identifier: MIT
//
// Where there is no room for two ledgers beside each other: one column, with both sides of a difference one
// over the other, and what both runs have once.
#pragma once

#include "rw-session-comparison.h"

G_BEGIN_DECLS

#define COMPARE_TYPE_LINE (compare_line_get_type())
G_DECLARE_FINAL_TYPE(CompareLine, compare_line, COMPARE, LINE, GObject)

guint compare_line_get_row(CompareLine *line); // of the pairs
RwEventPair *compare_line_get_pair(CompareLine *line);
RwEventSide compare_line_get_side(CompareLine *line);
gboolean compare_line_is_both(CompareLine *line); // then its side is the left one

GListModel *compare_lines_new(GListModel *pairs); // of RwEventPair; owned, of CompareLine
guint compare_lines_find(GListModel *lines, guint row); // the first of a row of the pairs

G_END_DECLS
