// SPDX-License-Identifier: MIT
//
// A line of text that changes often. A GtkLabel shapes each text to be measured and has its window laid out
// anew; this one shapes it to be drawn, and is as wide as its widest text was.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_CELL (rui_cell_get_type())
G_DECLARE_FINAL_TYPE(RuiCell, rui_cell, RUI, CELL, GtkWidget)

// Properties for templates, set once: "xalign", "ellipsize".
//
// chars: how wide it is at least. PANGO_ELLIPSIZE_NONE: it grows with its texts, as far as the number of
// characters tells; else it takes what it gets and shows all of its text as a tooltip.
GtkWidget *rui_cell_new(float xalign, PangoEllipsizeMode ellipsize, guint chars);
// attrs may be NULL; a reference is taken.
void rui_cell_set_text(RuiCell *cell, const char *text, PangoAttrList *attrs);
const char *rui_cell_get_text(RuiCell *cell); // never NULL
int rui_cell_get_text_width(RuiCell *cell); // pixels, as far as the number of characters tells

G_END_DECLS
