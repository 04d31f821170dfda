// SPDX-License-Identifier: MIT
//
// Completes a path of the run as it is typed, from what its folder holds at the playhead.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

// Goes with the entry. Tab writes as much as all that match have in common.
void rui_path_completion_add(GtkEntry *entry, RuiView *view);

G_END_DECLS
