// SPDX-License-Identifier: MIT
//
// At This Step: what happened at the playhead, in words, and what only one of two compared runs got there.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_MOMENT_PAGE (rui_moment_page_get_type())
G_DECLARE_FINAL_TYPE(RuiMomentPage, rui_moment_page, RUI, MOMENT_PAGE, GtkBox)

void rui_moment_page_set_view(RuiMomentPage *page, RuiView *view);
const char *rui_moment_page_get_text(RuiMomentPage *page);
// The card that is shown where the schedules of two compared runs part.
GtkWidget *rui_moment_page_get_difference(RuiMomentPage *page);

G_END_DECLS
