// SPDX-License-Identifier: MIT
//
// A narrowing of holds that is under way.
#pragma once

#include "ahead-private.h"

#define RW_CANDIDATES 8 // schedules that are tried at a time

typedef struct {
    const RwNarrowHolds *narrow;
    RwSchedule schedule; // the smallest so far
    RwLearned *seen; // its run, watched
    RwAhead ahead;
    RwTrialPoint begin; // right before the hold begins of which it is about
    uint32_t must_pass; // bits by index: holds that must end by what they wait for
} RwNarrowing;

void rw_narrowing_tell(const RwNarrowing *narrowing, const char *what, guint i);
// Which of the schedules, at most RW_HOLDS_MAX, end as is wanted. All start right before the hold begins,
// or each at a point of its own. false with an error.
bool rw_narrowing_try(RwNarrowing *narrowing, const RwSchedule *schedules, guint n, bool *ret_wanted,
                      GError **error);
bool rw_narrowing_try_from(RwNarrowing *narrowing, const RwTrialPoint *points, const RwSchedule *schedules,
                           guint n, bool *ret_wanted, GError **error);
const RwLearnedEvent *rw_narrowing_event(const RwNarrowing *narrowing, guint i); // of `seen`

// Watches the run of a schedule, which becomes `seen`; ends: with those of pipes, see RwLearnOptions.
bool rw_narrowing_watch(RwNarrowing *narrowing, const RwSchedule *schedule, bool ends, GError **error);
// The hold until that is passed, which must be.
RwSchedule rw_narrowing_until(const RwNarrowing *narrowing, guint i, const RwPlace *passed, bool as_found);

// Of the only hold that is left, whose run was watched, where it does not say what meets on what: the last
// meeting that comes the other way round without it, if turning that alone will do (retell.c).
bool rw_narrowing_retell(RwNarrowing *narrowing, GError **error);

// ---- How a hold ends (ends.c) ----

// Hold i, whose run was watched, ends as early as will do.
bool rw_narrowing_shorten(RwNarrowing *narrowing, guint i, GError **error);
// Of hold i, which is as short as it can be and whose run was watched again: where a signal is what comes
// of it, until that was sent, which says more than what happened to come first. *ret_done: it is.
bool rw_narrowing_end_with_sent(RwNarrowing *narrowing, guint i, bool *ret_done, GError **error);
