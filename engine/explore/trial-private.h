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
    bool ahead; // its machine counted places: holds of other schedules get how far they would be
} RwTrialPoint;

// `base` up to the window, and then perturbed by it.
RwSchedule rw_trial_schedule(const RwSchedule *base, const RwWindow *window);
// A machine of *slot in the state of `from`, under `schedule`. NULL: no memory for one.
RwMachine *rw_trial_machine(RwMachine **slot, RwSnapshot *from, const RwSchedule *schedule, GError **error);
// The same from a point that a machine that counts left; from `origin` where it cannot be told how far the
// schedule's holds would be. Which of the two; NULL: no memory.
const RwTrialPoint *rw_trial_stand(RwMachine **slot, const RwTrialPoint *point, const RwSchedule *schedule,
                                   const RwTrialPoint *origin, GError **error);

// Follows what a job writes: give rw_trial_watch() a machine before it runs, and it a NULL after.
typedef struct {
    const RwFails *fails; // borrowed, or NULL
    RwFailsOutput output;
} RwTrialWatch;

void rw_trial_watch(RwMachine *machine, RwTrialWatch *watch);

typedef struct {
    RwTrialPoint from; // borrowed
    const RwTrialPoint *origin; // borrowed; where `from` is ahead: see rw_trial_stand()
    RwSchedule schedule;
    const RwVerdict *verdict; // borrowed
    RwEnd end; // filled in
    uint64_t executed; // filled in: instructions
    bool wanted; // filled in: it ended as the verdict wants
    uint32_t cut; // filled in: see rw_machine_cut_holds()
    GError *error;
} RwTrial;

// Does them in parallel, each to its end. false with the first error, or RW_ERROR_CANCELLED.
bool rw_trials_run(RwPool *pool, RwTrial *trials, guint count, const RwLimits *limits, GError **error);
