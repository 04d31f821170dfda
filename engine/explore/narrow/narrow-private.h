// SPDX-License-Identifier: MIT
//
// From a schedule that makes a run end differently to the one thing it does that decides.
#pragma once

#include "rw-caller.h"
#include "trial-private.h"

typedef struct {
    RwPool *pool;
    RwTrialPoint origin; // the unperturbed run's state before window.from
    RwSchedule base; // the unperturbed run's schedule: of it what lies before the window stays
    RwVerdict verdict;
    RwWindow window; // under which the run ends as the verdict wants
    uint64_t base_steps, window_steps; // how long the unperturbed run and that one are
    RwLimits limits; // give_up and cancellable
    uint64_t budget; // bytes of all the snapshots there are at a time; 0: a quarter of what the host has
    void (*progress)(const char *what, void *data); // or NULL
    void *data;
} RwNarrow;

typedef struct {
    RwWindow window; // the smallest found; its last step decides
    RwPerturb perturb; // what is left of what happens there
    bool exact; // a preemption, and one instruction earlier it does not decide
    RwCaller caller; // whom it strikes, where
    uint64_t peak; // bytes of snapshots that there were at a time
} RwNarrowed;

// false with an error. When even an empty window at its start ends so, ret->window is empty.
bool rw_narrow(const RwNarrow *narrow, RwNarrowed *ret, GError **error);
