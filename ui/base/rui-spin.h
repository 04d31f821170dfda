// SPDX-License-Identifier: MIT
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

// The spinner turns as long as it is in sight. Set to spin in a template it would have every frame of the
// window drawn, hidden or not.
void rui_spin_in_sight(GtkSpinner *spinner);

G_END_DECLS
