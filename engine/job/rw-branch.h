// SPDX-License-Identifier: MIT
//
// A recorded run up to one of its steps, from which it goes on another way: forks, and checks from there.
#pragma once

#include "rw-again.h"
#include "rw-check.h"
#include "rw-origin.h"

G_BEGIN_DECLS

typedef struct {
    RwAgain again;
    const RwManifest *parent; // borrowed, as is dir
    const char *dir;
    RwOrigin *origin; // right before the step
    RwInputs *inputs; // the parent's; for the caller to change from `step` on
    uint64_t step; // the first that may be another
} RwBranch;

// step: one of the job's, see rw_inspect_clamp(). To be closed also after a failure.
bool rw_branch_open(const RwContext *context, const RwManifest *parent, const char *dir, RwTrace *trace,
                    uint64_t step, RwBranch *ret, GError **error);
void rw_branch_close(RwBranch *branch);

// Another limit of what may be recorded, for what is made of the branch. USAGE: the parent has none, and so
// did not count.
bool rw_branch_set_max_output(RwBranch *branch, uint64_t bytes, GError **error);

// What a fork does from the step on instead of what its parent did. Their `from` is not used.
typedef struct {
    RwWindow window; // number 0: none
    const RwHold *holds;
    uint32_t n_holds;
    const RwFault *faults;
    uint32_t n_faults;
    bool reseed; // its random numbers follow `seed`, else the parent's
    uint64_t seed;
} RwFork;

// Records the parent's run up to the step and what `fork` says from there. `options` gets what the branch
// knows; of the caller are name, keyframes, time limits, output. FULL for a fork of too many forks.
RwRecorded *rw_branch_fork(const RwBranch *branch, const RwFork *fork, RwRecordOptions *options,
                           GError **error);

// Checks schedules from the step on; the parent is schedule 0. `options` gets what the branch knows, the
// window's `from` too.
bool rw_branch_check(const RwBranch *branch, RwCheckOptions *options, RwCheckSummary *ret, GError **error);

G_END_DECLS
