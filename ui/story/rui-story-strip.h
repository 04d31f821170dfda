// SPDX-License-Identifier: MIT
//
// Over a run: what failed and with which words, where the run parts from one that passed, between which two
// lines; each a link to its step. A run that passed has one line.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_STORY_STRIP (rui_story_strip_get_type())
G_DECLARE_FINAL_TYPE(RuiStoryStrip, rui_story_strip, RUI, STORY_STRIP, GtkBox)

// Property "shown": the user has not closed it. Signal: "compare" (char *ref: with that run).
void rui_story_strip_set_view(RuiStoryStrip *strip, RuiView *view);
void rui_story_strip_set_shown(RuiStoryStrip *strip, gboolean shown);
gboolean rui_story_strip_get_shown(RuiStoryStrip *strip);

void rui_story_strip_tell_again(RuiStoryStrip *strip); // what is known of the run may be more

G_END_DECLS
