// SPDX-License-Identifier: MIT
//
// A made-up run: what a machine would tell its sink, a function of the seed alone.
#pragma once

#include "rw-trace.h"

typedef struct {
    uint64_t seed;
    guint per_step; // up to this many records before each step
} FakeRun;

typedef struct {
    FakeRun run;
    uint64_t state;
    RwStepInfo last;
    uint64_t events;
    RwTraceWriter *writer; // may be changed on the way
} Fake;

Fake fake_new(FakeRun run, RwTraceWriter *writer);
// Tells what happens up to and including step `until`, from where it is.
void fake_tell(Fake *fake, uint64_t until);
