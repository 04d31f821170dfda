// SPDX-License-Identifier: MIT
//
// Numbers, times and kinds in the user's language.
#pragma once

#include "rw-session-sides.h"

G_BEGIN_DECLS

char *rui_dup_number(guint64 number); // "12,345"
// A number as somebody types it, with the separators of any language or without; FALSE when it is none, or
// more than `most`.
gboolean rui_parse_number(const char *text, guint64 most, guint64 *ret);
char *rui_dup_time(guint64 ticks); // virtual time, 1/4 ns: "0.012345 s"
char *rui_dup_date(gint64 us); // "today 14:03", "12 Nov 14:03"
char *rui_dup_size(guint64 bytes);
char *rui_dup_phase(const RwPhase *phase); // "Boot", its name, "End"
char *rui_dup_step_kind(const RwStepInfo *step); // "The armed timer was due"
// What the run's schedule did at a step, a line each, with both sides of holds; NULL when it did nothing.
char *rui_dup_perturbation(RwSessionRun *run, const RwPerturb *perturb);
const char *rui_get_change(RwChangeKind kind); // "created", …
const char *rui_get_event_title(guint type); // "Output", "A program starts", …
const char *rui_get_track(RwTrack track);
const char *rui_get_track_hint(RwTrack track); // what it shows: "Signals that were taken"
const char *rui_get_stop(RwStopKind kind);

// ---- Runs ----

char *rui_dup_end(const RwEnd *end); // "passed", "exited with 2", "killed by SIGSEGV", "stalled"
char *rui_dup_ending(RwRunItem *item); // "passed", "failed, exited with 2", "damaged"
char *rui_dup_fault(const RwFault *fault); // "task 1.2 before read(): at most 1 bytes"
char *rui_dup_hold(const RwHold *hold); // "task 1.2 waits before write() until nothing else can run"
// "schedule 6 over steps 3,629 to 5,140"; "" where not known. sides: of its holds, in brief; or NULL.
char *rui_dup_schedule(RwRunItem *item, const RwSides *sides);
// Of one that has a parent: "fork at step 3,629, schedule 6".
char *rui_dup_fork(RwRunItem *item, const RwSides *sides);

// ---- Both sides of holds ----

// One of a schedule's holds, or faults.
typedef struct {
    const RwSchedule *schedule;
    gboolean fault;
    guint index;
} RuiHeld;

// "held: thread 3 of ./bank before bank.c:57   balance = after;", and in another line until when; in brief
// in one line without the source. While that is not known, sides NULL too: as rui_dup_hold() and
// rui_dup_fault().
char *rui_dup_sides(const RwSides *sides, RuiHeld held, gboolean brief);
char *rui_dup_all_sides(const RwSides *sides); // of all that came to pass, in lines; NULL: none did

G_END_DECLS
