// SPDX-License-Identifier: MIT
// What a schedule does at a step: the kinds of it, from rw-perturb.def.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { // numbers of the table's rows
#define RW_PERTURB_KIND(ID, ...) RW_PERTURB_ROW_##ID,
#include "rw-perturb.def"
#undef RW_PERTURB_KIND
    RW_N_PERTURBS
};

// RESCHED: every other runnable task goes before the current one. STALL: the current task sleeps for
// stall_ns. LATE: a timer armed at this step is due late_ns later. PREEMPT: a reschedule preempt_after
// instructions after this step, unless another step that is no system call comes first; instruction clock
// only. HOLD: the current task is held by the schedule's hold of that number, from 1. RELEASE: the task
// that the hold of that number held goes on. FAULT: the system call that comes next is answered as the
// schedule's fault of that number says.
typedef enum {
    RW_PERTURB_NONE = 0,
#define RW_PERTURB_KIND(ID, ...) RW_PERTURB_##ID = 1 << RW_PERTURB_ROW_##ID,
#include "rw-perturb.def"
#undef RW_PERTURB_KIND
    RW_PERTURB_ALL = (1 << RW_N_PERTURBS) - 1,
} RwPerturbKind;

typedef struct {
    uint32_t kinds; // RwPerturbKind bits
    uint32_t stall_ns;
    uint32_t late_ns;
    uint32_t preempt_after; // instructions
    uint32_t hold, release, fault; // numbers of holds and faults, from 1
} RwPerturb;

typedef enum { RW_UNIT_NONE, RW_UNIT_NS, RW_UNIT_INSTRUCTIONS, RW_UNIT_HOLD } RwPerturbUnit;

typedef struct {
    uint32_t bit;
    size_t amount; // where in an RwPerturb; 0: there is none
    RwPerturbUnit unit;
    const char *name, *member, *words, *step_words;
    const char *brief, *title; // to be translated
} RwPerturbInfo;

extern const RwPerturbInfo rw_perturbs[RW_N_PERTURBS];

// The amount of a row; NULL where there is none.
uint32_t *rw_perturb_amount(RwPerturb *perturb, unsigned row);
uint32_t rw_perturb_get_amount(const RwPerturb *perturb, unsigned row); // 0 where there is none
bool rw_perturb_equal(const RwPerturb *a, const RwPerturb *b);
// Leaves only these kinds of it, and no amounts of others.
void rw_perturb_keep(RwPerturb *perturb, uint32_t kinds);
// 0: no kind has that name.
uint32_t rw_perturb_from_name(const char *name);
