// SPDX-License-Identifier: MIT
//
// What is looked at instead of all of the run, each a chip that takes it back. Hidden while that is
// nothing.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_FILTER_BAR (rui_filter_bar_get_type())
G_DECLARE_FINAL_TYPE(RuiFilterBar, rui_filter_bar, RUI, FILTER_BAR, GtkBox)

void rui_filter_bar_set_view(RuiFilterBar *bar, RuiView *view);

G_END_DECLS
