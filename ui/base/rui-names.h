// SPDX-License-Identifier: MIT
//
// For assistive technology, what templates cannot say.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// Names the first widget of that type within `widget`, and the button in it: parts that are GTK's own.
void rui_name_part(GtkWidget *widget, GType type, const char *name);
// GTK 4.8 calls a button whose label has a mnemonic by it twice, once with the underscore: by its text
// alone.
void rui_name_buttons(GtkWidget *widget); // and all below it
// Of a stack's pages only the visible one is there; a GtkStack or an AdwViewStack.
void rui_hide_closed_pages(GtkWidget *stack);

G_END_DECLS
