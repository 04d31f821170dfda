// SPDX-License-Identifier: MIT
//
// What a window shows of a run: the run, the one it is compared with, the playhead, the visible range.
// Widgets bind to it and to nothing of each other.
#pragma once

#include "rw-session-comparison.h"

G_BEGIN_DECLS

#define RUI_TYPE_VIEW (rui_view_get_type())
G_DECLARE_FINAL_TYPE(RuiView, rui_view, RUI, VIEW, GObject)

// Properties, all with notify: "run", "compared", "comparison", "step", "range" (boolean that only
// notifies), "history" (the same), "path" (the file looked at), "stop-kind", "busy" (something is being
// looked for), "filter" and "index" (booleans that only notify), "sides" (boolean that only notifies:
// rw_session_run_get_sides() of a run is known).
RuiView *rui_view_new(void);

RwSessionRun *rui_view_get_run(RuiView *view); // or NULL
void rui_view_set_run(RuiView *view, RwSessionRun *run);
const RwRunIndex *rui_view_get_index(RuiView *view); // NULL until the run is loaded
RwSessionRun *rui_view_get_compared(RuiView *view); // or NULL
// Starts a comparison; NULL ends it.
void rui_view_set_compared(RuiView *view, RwSessionRun *run);
RwSessionComparison *rui_view_get_comparison(RuiView *view); // NULL until it is done
const char *rui_view_get_compare_problem(RuiView *view); // why it could not be, or NULL
// Takes the compared run's place at the matching step.
void rui_view_swap(RuiView *view);

// ---- The playhead ----

guint64 rui_view_get_step(RuiView *view);
guint64 rui_view_get_steps(RuiView *view); // the run's last step
void rui_view_set_step(RuiView *view, guint64 step); // clamped; as a drag does it
void rui_view_jump(RuiView *view, guint64 step); // the same, and the way back is kept
void rui_view_mark_place(RuiView *view); // keeps the way back to here, before a drag
gboolean rui_view_can_go(RuiView *view, gboolean forward);
void rui_view_go(RuiView *view, gboolean forward); // jump history
void rui_view_move_phase(RuiView *view, gboolean forward);

// ---- Stops ----

// What Previous and Next stop at: of the thread and process of the event at the playhead.
void rui_view_set_stop_kind(RuiView *view, RwStopKind kind);
RwStopKind rui_view_get_stop_kind(RuiView *view);
// Stops at the events of one process or thread, until another run is shown or another kind is chosen.
void rui_view_follow(RuiView *view, RwStopKind kind, guint32 pid, guint32 tid);
RwStopKind rui_view_get_chosen_stop_kind(RuiView *view); // without that
void rui_view_seek(RuiView *view, gboolean forward);
// The thread that "this thread" and "this process" mean, and the kind of event.
void rui_view_set_subject(RuiView *view, guint32 pid, guint32 tid, guint type);
const char *rui_view_get_path(RuiView *view); // or NULL
void rui_view_set_path(RuiView *view, const char *path);

// ---- What is looked at: log, files and stops show nothing else ----

// One process of the run's; NULL: all again.
void rui_view_select_process(RuiView *view, const RwSpan *process);
// The one with that number that lives at a step, else any with it.
void rui_view_select_pid(RuiView *view, guint32 pid, guint64 step);
const RwSpan *rui_view_get_process(RuiView *view); // or NULL
// Steps [from, until); until 0: all again.
void rui_view_select_steps(RuiView *view, guint64 from, guint64 until);
gboolean rui_view_get_selected_steps(RuiView *view, guint64 *ret_from, guint64 *ret_until);
RwFilter rui_view_get_filter(RuiView *view); // both

// ---- The visible range, in steps ----

void rui_view_set_range(RuiView *view, double from, double until); // clamped

void rui_view_get_range(RuiView *view, double *ret_from, double *ret_until);
void rui_view_zoom(RuiView *view, double factor, double at); // factor < 1 shows less
void rui_view_zoom_all(RuiView *view);
void rui_view_pan(RuiView *view, double steps);

G_END_DECLS
