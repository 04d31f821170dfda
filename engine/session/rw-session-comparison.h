// SPDX-License-Identifier: MIT
//
// Two runs side by side: where their events part, as rw_compare() and so the command `compare` find it. The
// frequent kinds (switches, opens for reading, writes) do not count.
#pragma once

#include "rw-session-run.h"

G_BEGIN_DECLS

#define RW_TYPE_SESSION_COMPARISON (rw_session_comparison_get_type())
G_DECLARE_FINAL_TYPE(RwSessionComparison, rw_session_comparison, RW, SESSION_COMPARISON, GObject)

// One row: an event of either run, or of both.
#define RW_TYPE_EVENT_PAIR (rw_event_pair_get_type())
G_DECLARE_FINAL_TYPE(RwEventPair, rw_event_pair, RW, EVENT_PAIR, GObject)

typedef enum {
    RW_EVENT_LEFT,
    RW_EVENT_RIGHT,
} RwEventSide;

#define RW_EVENT_NOWHERE G_MAXUINT

RwEventItem *rw_event_pair_get_event(RwEventPair *pair, RwEventSide side); // or NULL
bool rw_event_pair_is_same(RwEventPair *pair);
// Whose it is, in a line; NULL where there is none.
const char *rw_event_pair_get_program(RwEventPair *pair, RwEventSide side);
// Which thread's, counted from 0 as they come in the rows: the same number is the same thread in both runs.
guint rw_event_pair_get_thread(RwEventPair *pair, RwEventSide side);
// The row at which the other run has the same event of the same thread, earlier or later among the others;
// RW_EVENT_NOWHERE: this row has both, or the other run does not have it in these rows.
guint rw_event_pair_get_elsewhere(RwEventPair *pair, RwEventSide side);

void rw_session_comparison_new_async(RwSessionRun *left, RwSessionRun *right, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
RwSessionComparison *rw_session_comparison_new_finish(GAsyncResult *result, GError **error);

RwSessionRun *rw_session_comparison_get_left(RwSessionComparison *comparison);
RwSessionRun *rw_session_comparison_get_right(RwSessionComparison *comparison);
bool rw_session_comparison_is_identical(RwSessionComparison *comparison); // of events
guint64 rw_session_comparison_get_shared(RwSessionComparison *comparison); // events before they part
// The step of the first event that is not the same, in each run: where one has no more events, its last
// step. 0 when they are identical.
guint64 rw_session_comparison_get_left_step(RwSessionComparison *comparison);
guint64 rw_session_comparison_get_right_step(RwSessionComparison *comparison);
// Whose events these are, in a line: NULL where the run has no more events.
const char *rw_session_comparison_get_left_program(RwSessionComparison *comparison);
const char *rw_session_comparison_get_right_program(RwSessionComparison *comparison);
// The first step at which only one of the schedules did something, or each something else; 0: none.
guint64 rw_session_comparison_get_schedules_step(RwSessionComparison *comparison);
// The last shared events and what follows them on either side: RwEventPair.
GListModel *rw_session_comparison_get_pairs(RwSessionComparison *comparison);
// How many of these rows are before the first that differs.
guint rw_session_comparison_get_context(RwSessionComparison *comparison);
// The step of the right run that belongs to one of the left run, and the other way round.
guint64 rw_session_comparison_match(RwSessionComparison *comparison, guint64 step, bool from_left);

G_END_DECLS
