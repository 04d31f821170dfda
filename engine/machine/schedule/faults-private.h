// SPDX-License-Identifier: MIT
// The faults of a schedule, and how far each of them is: what windows.c and scheduler.c do for the rest.
#pragma once

#include "tasks-private.h"

typedef enum {
    RW_FAULT_WAITS, // for its place
    RW_FAULT_DUE, // its task stands there
    RW_FAULT_STRUCK, // its call is not back
    RW_FAULT_DONE,
} RwFaultPhase;

typedef struct {
    RwFaultPhase phase;
    uint32_t count; // how often its task was there
    uint64_t rip, rsp; // STRUCK: of the call: a handler that runs meanwhile has other ones
    uint64_t value; // STRUCK: what its register had
} RwFaultState;

bool rw_faults_are_valid(const RwSchedule *schedule);
bool rw_faults_equal(const RwSchedule *a, const RwSchedule *b);
void rw_faults_cut(RwSchedule *schedule, uint64_t step);
uint64_t rw_faults_part_at(const RwSchedule *a, const RwSchedule *b);
