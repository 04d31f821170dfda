// SPDX-License-Identifier: MIT
//
// The bar under the timeline: where the playhead is, and what moves it.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_TRANSPORT (rui_transport_get_type())
G_DECLARE_FINAL_TYPE(RuiTransport, rui_transport, RUI, TRANSPORT, GtkBox)

void rui_transport_set_view(RuiTransport *transport, RuiView *view);
// Parts to point at, borrowed: Previous, Next and what they stop at; Fork and Check.
GtkWidget *rui_transport_get_stops(RuiTransport *transport);
GtkWidget *rui_transport_get_fork(RuiTransport *transport);

G_END_DECLS
