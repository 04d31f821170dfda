// SPDX-License-Identifier: MIT
//
// The lines that two texts have in common, and the others as a unified diff.
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

// Both as text of any bytes, in lines that end with a newline. As few lines as there can be are removed and
// added (Myers, "An O(ND) difference algorithm"), unless that were more than 2 × RW_DIFF_MOST: then all
// between the first and the last one that differ are. Three lines around each difference stay. Empty where
// nothing differs; NULL: cancelled. Names of the two texts come into its first lines, as they are.
#define RW_DIFF_MOST 1500u
GBytes *rw_diff_new(GBytes *left, GBytes *right, const char *left_name, const char *right_name,
                    GCancellable *cancellable);

// Of the first byte that differs, which the end of one is, too; the length of both where none does.
gsize rw_diff_find_first(GBytes *left, GBytes *right);

G_END_DECLS
