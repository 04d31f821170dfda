// SPDX-License-Identifier: MIT
//
// Runs of which only the ending counts: nothing is recorded.
#pragma once

#include "pool-private.h"
#include "verdict-private.h"

// Where a run stands: the machine's state, and what matters of what the job wrote by then.
typedef struct {
    RwSnapshot *snapshot;
    RwFailsOutput output;
    uint64_t bytes; // that the snapshot keeps
} RwTrialPoint;

// `base` up to the window, and then perturbed by it.
RwSchedule rw_trial_schedule(const RwSchedule *base, const RwWindow *window);
// A machine of *slot in the state of `from`, under `schedule`. NULL: no memory for one.
RwMachine *rw_trial_machine(RwMachine **slot, RwSnapshot *from, const RwSchedule *schedule, GError **error);

// Follows what a job writes: give rw_trial_watch() a machine before it runs, and it a NULL after.
typedef struct {
    const RwFails *fails; // borrowed, or NULL
    RwFailsOutput output;
} RwTrialWatch;

void rw_trial_watch(RwMachine *machine, RwTrialWatch *watch);

typedef struct {
    RwTrialPoint from; // borrowed
    RwSchedule schedule;
    const RwVerdict *verdict; // borrowed
    RwEnd end; // filled in
    bool wanted; // filled in: it ended as the verdict wants
    GError *error;
} RwTrial;

// Does them in parallel, each to its end. false with the first error, or RW_ERROR_CANCELLED.
bool rw_trials_run(RwPool *pool, RwTrial *trials, guint count, const RwLimits *limits, GError **error);
