// SPDX-License-Identifier: MIT
//
// Two or more widgets beside each other, equally wide, or one over the other where that would make one of
// them narrower than `columns` characters.
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_SIDES_LAYOUT (rui_sides_layout_get_type())
G_DECLARE_FINAL_TYPE(RuiSidesLayout, rui_sides_layout, RUI, SIDES_LAYOUT, GtkLayoutManager)

// Properties, to be set when it is made: "columns" (characters of the widget's font), "gap" (pixels between
// those that are beside each other).
gboolean rui_sides_layout_is_stacked(RuiSidesLayout *layout, GtkWidget *widget, int width);

G_END_DECLS
