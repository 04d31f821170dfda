// SPDX-License-Identifier: MIT
//
// Runs of which only the ending counts: nothing is recorded.
#pragma once

#include "pool.h"
#include "rw-manifest.h"

// What makes an ending the one that is looked for.
typedef struct {
    RwEnd reference; // how schedule 0 ends
    bool passing; // schedule 0 fails: looked for is one that passes; else any that is not the reference's
} RwVerdict;

RwVerdict rw_verdict_new(const RwEnd *reference);
bool rw_verdict_wants(const RwVerdict *verdict, const RwEnd *end);
bool rw_end_passes(const RwEnd *end); // the job exited with 0

// A machine of *slot in the state of `from`, under `schedule`. NULL: no memory for one.
RwMachine *rw_trial_machine(RwMachine **slot, RwSnapshot *from, const RwSchedule *schedule, GError **error);

typedef struct {
    RwSnapshot *from; // borrowed
    RwSchedule schedule;
    RwEnd end; // filled in
    GError *error;
} RwTrial;

// Does them in parallel, each to its end. FALSE with the first error, or RW_ERROR_CANCELLED.
gboolean rw_trials_run(RwPool *pool, RwTrial *trials, guint count, const RwLimits *limits, GError **error);
