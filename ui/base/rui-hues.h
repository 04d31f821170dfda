// SPDX-License-Identifier: MIT
//
// Colours that tell things apart: programs, threads. None is red, which is the failure's.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

gboolean rui_is_dark(GtkWidget *widget); // whether its text is light
// The colour of thing number `number`; there are eight, which then come again. At least 4.5:1 on the ground
// of the widget, light or dark, and white text (dark: black) is legible on it.
GdkRGBA rui_hue(GtkWidget *widget, guint number);

G_END_DECLS
