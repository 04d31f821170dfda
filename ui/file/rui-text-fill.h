// SPDX-License-Identifier: MIT
//
// Puts a file into a text buffer piece by piece, so that the window goes on drawing meanwhile.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// What is longer in a line is left out: a text view lays a line out as a whole.
#define RUI_LINE_MAX 4000u // bytes

typedef struct _RuiTextFill RuiTextFill;

// Empties the buffer and begins; a reference of bytes is taken, the buffer is borrowed. done(data) comes at
// the end, later than this call.
RuiTextFill *rui_text_fill_new(GtkTextBuffer *buffer, GBytes *bytes, GSourceOnceFunc done, gpointer data);
void rui_text_fill_free(RuiTextFill *fill); // ends it where it is
gboolean rui_text_fill_is_done(const RuiTextFill *fill);
gboolean rui_text_fill_has_cut(const RuiTextFill *fill); // whether a line had too much so far

G_END_DECLS
