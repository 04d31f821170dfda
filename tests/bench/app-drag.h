// SPDX-License-Identifier: MIT
#pragma once

#include "harness.h"

// Drags the pointer over the widget from its left part to its right and back for so many seconds, with 60
// positions a second from a thread of its own, as a pointer does. Returns when the button is up and shown.
// Returns how many positions the playhead had.
guint drag_across(App *app, GtkWidget *widget, double seconds);
