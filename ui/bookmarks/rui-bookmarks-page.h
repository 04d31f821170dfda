// SPDX-License-Identifier: MIT
//
// The run's bookmarks: a note at a step. They are kept with the run.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_BOOKMARKS_PAGE (rui_bookmarks_page_get_type())
G_DECLARE_FINAL_TYPE(RuiBookmarksPage, rui_bookmarks_page, RUI, BOOKMARKS_PAGE, GtkBox)

// Signal "changed": the set of steps is another.
void rui_bookmarks_page_set_view(RuiBookmarksPage *page, RuiView *view);
// Adds one at the playhead and opens its note for writing.
void rui_bookmarks_page_add(RuiBookmarksPage *page);
void rui_bookmarks_page_set_note(RuiBookmarksPage *page, guint64 step, const char *note);
void rui_bookmarks_page_remove(RuiBookmarksPage *page, guint64 step);
// Their steps, in order; owned. For the timeline.
GArray *rui_bookmarks_page_dup_steps(RuiBookmarksPage *page); // of guint64
const char *rui_bookmarks_page_get_problem(RuiBookmarksPage *page); // or NULL

G_END_DECLS
