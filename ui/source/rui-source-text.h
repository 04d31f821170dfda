// SPDX-License-Identifier: MIT
//
// Source with one line in the accent colour, and values at the ends of lines. They are drawn, and no part
// of the text.
#pragma once

#include "source-values.h"

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

#define RUI_TYPE_SOURCE_TEXT (rui_source_text_get_type())
G_DECLARE_FINAL_TYPE(RuiSourceText, rui_source_text, RUI, SOURCE_TEXT, GtkSourceView)

// line from 1, 0: none. Takes the values, of SourceValue*; or NULL.
void rui_source_text_mark(RuiSourceText *text, guint line, GPtrArray *values);
guint rui_source_text_get_line(RuiSourceText *text);
char *rui_source_text_dup_values(RuiSourceText *text); // for tests: "57: after = 90", in lines

G_END_DECLS
