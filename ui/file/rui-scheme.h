// SPDX-License-Identifier: MIT
#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

// From now on a text has colours that can be read on light and on dark ground.
void rui_follow_scheme(GtkSourceView *view);

G_END_DECLS
