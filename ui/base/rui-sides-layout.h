// SPDX-License-Identifier: MIT
//
// Two or more widgets beside each other, equally wide, or one over the other where that would make one of
// them too narrow.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// Lays the children of a widget out so, in place of what it does itself: as narrow as `columns` characters
// of its font they stand beside each other; gap: pixels between them then.
void rui_sides_lay_out(GtkWidget *widget, guint columns, int gap);
gboolean rui_sides_are_stacked(GtkWidget *widget, int width); // of one that was, if it had that width

G_END_DECLS
