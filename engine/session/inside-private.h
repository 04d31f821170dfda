// SPDX-License-Identifier: MIT
//
// Machines of a run that is looked into: one timeline is kept from question to question, so that a second
// one near the first costs little.
#pragma once

#include "rw-session-run.h"
#include "rw-symbols.h"
#include "rw-timeline.h"

typedef struct _RwInside RwInside;

RwInside *rw_inside_new(void);
void rw_inside_free(RwInside *inside);
// A machine that stands there, or where the run's job ended, to be asked by one thread at a time. From any
// thread.
RwMachine *rw_inside_fork(RwInside *inside, RwSessionRun *run, const RwPosition *position,
                          GCancellable *cancellable, GError **error);
void rw_inside_give_back(RwInside *inside, RwMachine *machine); // instead of freeing it; NULL is fine

// The timeline itself, and what is known of the run's programs: the caller's alone until rw_inside_end().
void rw_inside_begin(RwInside *inside, GCancellable *cancellable);
void rw_inside_end(RwInside *inside, GCancellable *cancellable);

typedef struct {
    RwTimeline *timeline;
    RwSymbols *symbols;
} RwInsideLook;
// Between these two: to there, or to where the run's job ended.
bool rw_inside_go(RwInside *inside, RwSessionRun *run, const RwPosition *position,
                  GCancellable *cancellable, RwInsideLook *ret, GError **error);
// How much of what is executed for the question that is under way is done, from 0 to 1. From any thread.
double rw_inside_get_progress(RwInside *inside);

// Of a run. Borrowed.
RwInside *rw_session_run_get_inside(RwSessionRun *run);
