// SPDX-License-Identifier: MIT
// How often each task was where, counted along by a machine that goes ahead of others: what a hold that
// these get would have counted by now. No part of a run: it changes nothing, and no file has it.
#pragma once

#include "scheduler-private.h"

#define RW_TALLY_ADDRESSES (RW_STOPS_MAX - RW_HOLD_ADDRESSES_MAX)

typedef struct {
    RwPlace place;
    RwPlaceState state;
    bool told;
} RwMark;

typedef struct {
    GArray *rows; // of RwTallyRow, by task, kind and number
    RwMark marks[RW_MARKS_MAX];
    unsigned n_marks;
    bool met; // a mark is, and was not told
    bool frozen; // it counts no more
    uint64_t from; // steps done when it began
    uint64_t addresses[RW_TALLY_ADDRESSES]; // instructions that are counted, in order
    unsigned n;
} RwTally;

RwTally *rw_tally_new(uint64_t from, const uint64_t *addresses, unsigned n); // at most RW_TALLY_ADDRESSES
RwTally *rw_tally_copy(const RwTally *tally); // NULL of NULL
void rw_tally_free(RwTally *tally);
bool rw_tally_has(const RwTally *tally, uint64_t address);
void rw_tally_add_stops(const RwTally *tally, RwVcpuStops *stops);

// As for a scheduler's places.
void rw_tally_count(RwTally *tally, const RwTask *task, RwPlaceKind what, uint64_t number);
void rw_tally_count_user(RwTally *tally, const RwTask *task);
uint64_t rw_tally_user_left(const RwTally *tally, const RwTask *task);
// task: NULL for all of them.
uint32_t rw_tally_get(const RwTally *tally, const RwTaskName *task, RwPlaceKind what, uint64_t number);

// How far `place` would be. false: that cannot be told.
bool rw_tally_state(const RwTally *tally, const RwTasks *tasks, const RwPlace *place, RwPlaceState *ret);
// What `scheduler` would have kept if `schedule` had been its own since the tally began, into `ret`, which
// has no schedule yet. false: that cannot be told.
bool rw_tally_swap(const RwTally *tally, const RwTasks *tasks, const RwScheduler *scheduler,
                   const RwSchedule *schedule, RwScheduler *ret);
