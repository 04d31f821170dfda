// SPDX-License-Identifier: MIT
//
// What is wrong with a row of the form, said right below it.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// row: of a list. Nothing is wrong with it at first.
void record_note_add(GtkWidget *row);
void record_note_set(GtkWidget *row, const char *text); // NULL: nothing is wrong any more
const char *record_note_get(GtkWidget *row); // borrowed, or NULL

G_END_DECLS
