// SPDX-License-Identifier: MIT
//
// The run's bookmarks as a pop-over: a note at a step each. They are kept with the run.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_BOOKMARKS (rui_bookmarks_get_type())
G_DECLARE_FINAL_TYPE(RuiBookmarks, rui_bookmarks, RUI, BOOKMARKS, GtkPopover)

// Signal "changed": the set of steps is another.
void rui_bookmarks_set_view(RuiBookmarks *own, RuiView *view);
// Adds one at the playhead, and its note can be written; the pop-over is to be open.
void rui_bookmarks_add(RuiBookmarks *own);
void rui_bookmarks_set_note(RuiBookmarks *own, guint64 step, const char *note);
void rui_bookmarks_remove(RuiBookmarks *own, guint64 step);
// Their steps, in order; owned. For the timeline.
GArray *rui_bookmarks_dup_steps(RuiBookmarks *own); // of guint64
const char *rui_bookmarks_get_problem(RuiBookmarks *own); // or NULL

G_END_DECLS
