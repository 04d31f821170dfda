// SPDX-License-Identifier: MIT
//
// A match: where it is, and its text with the match in bold.
#pragma once

#include "rw-session-run.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

// A match and what was looked for, both in one item.
typedef struct {
    RwHit hit; // owns its text
    char *needle; // owned
} SearchHit;

void search_hit_free(gpointer hit);
const char *search_hit_get_kind(RwHitKind kind); // "Log", "Files", …
GtkWidget *search_row_new(void);
int search_row_show(GtkWidget *row, gpointer item); // of RuiRow with SearchHit

G_END_DECLS
