// SPDX-License-Identifier: MIT
//
// Readers that are given damaged files, as fast as they go: in process, in memory.
#pragma once

#include "rw-base.h"

// ---- Chance: the same seed gives the same variants ----

typedef struct {
    uint64_t state;
} Random;

uint64_t random_next(Random *random);
size_t random_below(Random *random, size_t n); // n > 0

// ---- Inputs ----

typedef struct {
    GPtrArray *inputs; // of GBytes, those of one target
} Inputs;

// Damages what is in `out` in one to four ways; pieces come from the inputs.
void mutate(GByteArray *out, const Inputs *inputs, Random *random);

// Adds a variant of the JSON text, which is JSON too; parts come from it and from the inputs.
void json_vary(GByteArray *out, const char *text, size_t length, const Inputs *inputs, Random *random);

// ---- Targets ----

typedef struct {
    const char *name;
    // true when the reader took it. Dies of what a reader gets wrong.
    bool (*read)(const uint8_t *bytes, size_t length);
    // Makes checks right again that would keep damage from what lies behind them; or NULL.
    void (*mend)(GByteArray *bytes);
    // Makes a variant in its own way; or NULL.
    void (*vary)(GByteArray *out, const Inputs *inputs, Random *random);
} Target;

extern const Target targets[], more_targets[]; // up to one without a name
extern const Target target_rwd, target_members, target_gdb, target_condition, target_kernel;
const Target *find_target(const char *name);
// Of those that no file of a run is an input of.
void add_own_inputs(const Target *target, Inputs *inputs);
void add_kernel(Inputs *inputs); // of target_kernel

// A file in memory with these bytes: its path, until the next call.
const char *memory_file(const uint8_t *bytes, size_t length);

// An empty folder in memory; main() removes it.
const char *scratch_dir(void);

// target-gdb.c
void add_gdb_inputs(Inputs *inputs);
void add_condition_inputs(Inputs *inputs);
void mend_gdb(GByteArray *bytes);

// mend.c
void mend_trace(GByteArray *bytes);
void mend_keyframes(GByteArray *bytes);
void mend_pack(GByteArray *bytes);
