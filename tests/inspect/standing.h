// SPDX-License-Identifier: MIT
//
// A machine that stands at a step of a job, for tests that ask it something.
#pragma once

#include "rw-job.h"
#include "rw-seek.h"

typedef struct {
    RwStore *store;
    RwPreparedJob job;
    RwMachine *machine;
} Standing;

// argv: the program, ROOT STEP COMMAND...; the store is $REWIND_HOME. false: there are too few.
bool standing_set_up(Standing *standing, int argc, char **argv);
void standing_tear_down(Standing *standing);
