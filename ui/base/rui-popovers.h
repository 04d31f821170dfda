// SPDX-License-Identifier: MIT
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// From now on, of every pop-over of the program: what was pressed to open it does not stay so, and while it
// is open its window shows no tooltip, which would lie over it.
void rui_popovers_watch(void);

G_END_DECLS
