// SPDX-License-Identifier: MIT
//
// From a schedule of holds to the smallest: as few as possible, each as short and as late as possible.
#pragma once

#include "rw-check.h"
#include "trial-private.h"

typedef struct {
    RwPool *pool;
    RwTrialPoint origin; // where the schedules start
    const RwInputs *inputs; // of schedule 0, with the seed
    RwVerdict verdict;
    RwSchedule schedule; // under which the run ends as the verdict wants
    guint base; // how many of its holds, or faults, stay as they are, being schedule 0's
    uint64_t max_delay_ns;
    RwLimits limits; // give_up and cancellable
    uint64_t budget; // bytes of all the snapshots there are at a time; 0: a quarter of what the host has
    void (*progress)(const char *what, void *data); // or NULL
    void *data;
} RwNarrowHolds;

typedef struct {
    RwSchedule schedule; // that is left: its hold that begins last decides
    GPtrArray *answers; // who is who in it: of RwHoldAnswer, owned
    uint64_t executed; // instructions, all in all
    uint64_t peak; // bytes of snapshots that there were at a time
} RwNarrowedHolds;

bool rw_narrow_holds(const RwNarrowHolds *narrow, RwNarrowedHolds *ret, GError **error);

// faults.c: the same of faults, of which only the number is smaller.
bool rw_narrow_faults(const RwNarrowHolds *narrow, RwNarrowedHolds *ret, GError **error);
RwSchedule rw_without_hold(const RwSchedule *schedule, guint left_out);
RwSchedule rw_without_fault(const RwSchedule *schedule, guint left_out);

// answer.c: the first signal that a task, by its index, takes behind the event of that order, if that is
// before all else; NULL: it takes none. Borrowed.
const RwLearnedSignal *rw_hold_taken(const RwLearned *learned, guint task, guint64 after);
