// SPDX-License-Identifier: MIT
//
// A recorded run of the store at REWIND_HOME, a timeline on it, and machines that come to a position
// without one.
#pragma once

#include "rw-again.h"
#include "rw-timeline.h"

typedef struct {
    RwStore *store;
    RwRunEntry *entry;
    RwManifest *manifest;
    RwTrace *trace;
    RwAgain again;
    RwTimeline *timeline;
    RwSnapshot *origin; // where the job starts
    RwMachine *plain; // a fork of it
    GRand *rand;
} Fixture;

void fixture_open(Fixture *f, const char *run, uint64_t memory);
void fixture_close(Fixture *f);
// Hash of the machine at a position, memory included, come to from the origin without looking at anything;
// `seek`: from rw_seek() instead.
uint64_t fixture_hash(Fixture *f, const RwPosition *position, bool seek);
// The timeline's is that one.
void fixture_check(Fixture *f, bool seek);
RwPosition fixture_random(Fixture *f); // one that the run has
// The same machine, brought to a position: borrowed.
RwMachine *fixture_plain(Fixture *f, const RwPosition *position);
