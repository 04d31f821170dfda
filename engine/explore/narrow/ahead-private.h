// SPDX-License-Identifier: MIT
//
// Candidates that differ in one hold are the same run until it begins, or until the first of them lets it
// end: each starts where it parts from the others.
#pragma once

#include "holds-private.h"
#include "points-private.h"

typedef struct {
    const RwNarrowHolds *narrow;
    RwMachine *machine; // that goes ahead; or NULL
    RwRoom room;
    uint64_t kept; // bytes of a point that stays beside those that it leaves
    uint64_t executed; // instructions
    GArray *addresses; // of uint64_t: instructions that are counted on the way from the start
} RwAhead;

void rw_ahead_init(RwAhead *ahead, const RwNarrowHolds *narrow);
void rw_ahead_clear(RwAhead *ahead);
// Instructions that candidates may name. The first ones fit.
void rw_ahead_count(RwAhead *ahead, uint64_t address);
void rw_ahead_count_place(RwAhead *ahead, const RwPlace *place); // if it is at one
bool rw_ahead_counts(const RwAhead *ahead, uint64_t address);
// Goes from `from` on under `schedule` and leaves a point right where each of the places is reached, before
// anything comes of it. Where one is not, or there is no room, that is an earlier point: whoever starts
// there does the same and takes longer.
bool rw_ahead_go(RwAhead *ahead, const RwTrialPoint *from, const RwSchedule *schedule,
                 const RwPlace *places, guint n, RwTrialPoint *ret, GError **error);
