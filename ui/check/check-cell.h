// SPDX-License-Identifier: MIT
//
// One schedule of a check as a button. Its colour and shape are how the run ended; a ring says that it
// ended another way than the run that is checked.
#pragma once

#include "rw-session-sides.h"
#include "rw-session-work.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkWidget *check_cell_new(guint number); // of the schedule
// fraction: how far it is, see rw_session_work_get_fraction(). sides: of its holds; NULL while they are not
// known.
void check_cell_show(GtkWidget *button, const RwCheckCell *cell, double fraction, const RwSides *sides);

G_END_DECLS
