// SPDX-License-Identifier: MIT
//
// One run's source where a thread of it is: the text with its line and values, or what is missing. It
// follows the playhead when that has come to rest; the compared run's is where that run is at the same
// point.
#pragma once

#include "rui-source-text.h"
#include "rui-view.h"
#include "rw-session-source.h"

G_BEGIN_DECLS

#define RUI_TYPE_SOURCE_SIDE (rui_source_side_get_type())
G_DECLARE_FINAL_TYPE(RuiSourceSide, rui_source_side, RUI, SOURCE_SIDE, GtkBox)

// Signal "changed": what it shows, or whether it waits for something.

// other: of the compared run. What is called here comes from the page: it asks nothing by itself.
void rui_source_side_set_view(RuiSourceSide *side, RuiView *view, gboolean other);
void rui_source_side_update(RuiSourceSide *side); // asks where that is another place than what is shown
void rui_source_side_take_run(RuiSourceSide *side); // another one may be there
void rui_source_side_take_step(RuiSourceSide *side); // what was gone to, or chosen, is so no more
// tid 0: the playhead's. It stays chosen until another run is there.
void rui_source_side_choose_thread(RuiSourceSide *side, guint32 tid);
void rui_source_side_choose_frame(RuiSourceSide *side, guint frame);
// In place of the playhead's, as long as that is at the step `head`.
void rui_source_side_go(RuiSourceSide *side, RwPosition position, guint64 head);

GtkToggleButton *rui_source_side_get_title(RuiSourceSide *side); // active: it is the one that is looked at
void rui_source_side_show_title(RuiSourceSide *side, gboolean shown);
RwSource *rui_source_side_get_source(RuiSourceSide *side); // that is shown; or NULL
RwSessionRun *rui_source_side_get_run(RuiSourceSide *side); // whose that is, or that was asked; or NULL
guint32 rui_source_side_get_tid(RuiSourceSide *side); // that was chosen, or 0
gboolean rui_source_side_is_elsewhere(RuiSourceSide *side); // it was sent there
gboolean rui_source_side_is_busy(RuiSourceSide *side); // an answer is to come
RuiSourceText *rui_source_side_get_text(RuiSourceSide *side);

// ---- For tests ----

const char *rui_source_side_get_state(RuiSourceSide *side); // "busy", "text", "none" or "problem"
char *rui_source_side_dup_problem(RuiSourceSide *side); // its title and text
char *rui_source_side_dup_line(RuiSourceSide *side); // the text of that, without values
guint rui_source_side_get_answers(RuiSourceSide *side); // that were shown so far

G_END_DECLS
