// SPDX-License-Identifier: MIT
//
// Narrowing of holds: how far it is, and the first part of it, which leaves holds out.
#pragma once

#include "ahead-private.h"

typedef struct {
    const RwNarrowHolds *narrow;
    RwSchedule schedule; // the smallest so far
    RwLearned *seen; // its run, watched
    RwAhead ahead;
    RwTrialPoint begin; // right before the hold begins of which it is about
} RwNarrowing;

// Says which part of it is done, of which hold, from 0.
void rw_narrowing_tell(const RwNarrowing *search, const char *what, guint i);
// Which of n schedules end as is wanted. Each starts at a point of its own.
bool rw_narrowing_try(RwNarrowing *search, const RwTrialPoint *points, const RwSchedule *schedules, guint n,
                      bool *ret_wanted, GError **error);
// Leaves out holds of search->schedule without which it ends as is wanted; one stays.
bool rw_narrowing_leave_out(RwNarrowing *search, GError **error);
