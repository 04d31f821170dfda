// SPDX-License-Identifier: MIT
// Two runs that should be the same: compares the hashes of the CPU's state every so many instructions,
// and names the first difference.
#pragma once

#include "rw-cpu.h"

// One way of running the machine. Machines are started twice when they differ: once to find out, and
// again to find the instruction.
typedef struct {
    const char *name;
    void *(*start)(gpointer data); // a machine at count 0; NULL: it can't be started
    void (*stop)(void *machine);
    RwCpu *(*get_cpu)(void *machine);
    bool (*run)(void *machine, uint64_t limit); // to the absolute count; false: it has ended
    gpointer data;
} StateDiffSide;

// Runs both until they end or `limit`. True: the same hash after every `every` instructions and the same
// count at the end. Otherwise report says at which instruction they part and what differs.
bool state_diff(const StateDiffSide *a, const StateDiffSide *b, uint64_t every, uint64_t limit,
                GString *report);
// Appends the fields in which two states differ, one a line.
void state_diff_fields(const RwCpuState *a, const RwCpuState *b, GString *report);
