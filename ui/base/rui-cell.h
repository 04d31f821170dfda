// SPDX-License-Identifier: MIT
//
// A line of text in a row of a long list. A list makes up to 200 rows wherever it is scrolled to, and shows
// a tenth of them: a GtkLabel shapes its text to be measured, this one only to be drawn.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_CELL (rui_cell_get_type())
G_DECLARE_FINAL_TYPE(RuiCell, rui_cell, RUI, CELL, GtkWidget)

// chars: how wide it is at least. PANGO_ELLIPSIZE_NONE: it is as wide as its text, as far as the number of
// characters tells; else it takes what it gets and shows all of its text as a tooltip.
GtkWidget *rui_cell_new(float xalign, PangoEllipsizeMode ellipsize, guint chars);
// attrs may be NULL; a reference is taken.
void rui_cell_set_text(RuiCell *cell, const char *text, PangoAttrList *attrs);

G_END_DECLS
