// SPDX-License-Identifier: MIT
//
// Search in one text: matches are highlighted, Enter and Shift+Enter go to the next and the previous one.
// Nothing of it blocks, however long the text.
#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

#define RUI_TYPE_FIND_BAR (rui_find_bar_get_type())
G_DECLARE_FINAL_TYPE(RuiFindBar, rui_find_bar, RUI, FIND_BAR, GtkBox)

void rui_find_bar_set_view(RuiFindBar *bar, GtkSourceView *view); // once
void rui_find_bar_open(RuiFindBar *bar); // what is selected is looked for; the keyboard goes to it
void rui_find_bar_close(RuiFindBar *bar); // the keyboard goes back to the text
gboolean rui_find_bar_is_open(RuiFindBar *bar);

// ---- For tests ----

GtkEditable *rui_find_bar_get_entry(RuiFindBar *bar);
const char *
rui_find_bar_get_count(RuiFindBar *bar); // what is said of matches: "2 of 7"; "" while it counts

G_END_DECLS
