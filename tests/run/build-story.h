// SPDX-License-Identifier: MIT
//
// A long run as a big build makes it: four compilers at a time, each with its headers, temporary files,
// object and lines of output, then tests that print a lot, one of which crashes.
#pragma once

#include "rw-trace.h"

typedef struct {
    uint64_t events; // at least so many
    uint64_t part_at; // another seed from this event on; 0: never
    uint32_t pids_before; // how many more processes the guest had had
} BuildRun;

// Writes its trace; *ret_end is what its manifest says of the end. Returns how many events there are.
uint64_t build_story_write(const char *path, BuildRun run, char sha[RW_SHA256_HEX_SIZE], RwEnd *ret_end);
