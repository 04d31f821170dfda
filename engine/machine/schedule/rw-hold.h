// SPDX-License-Identifier: MIT
// Holds: a task is kept from going on at a place until something else has happened. Places are named by
// tasks and by what a task does itself, so that what others do meanwhile does not shift them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// A thread or process of the job. The job's first process is 1; child n of a task (processes and threads,
// in the order of their creation, from 1) has that task's name and n behind it: 1.2.1. Zeros behind the
// end.
#define RW_TASK_DEPTH 12
typedef struct {
    uint16_t path[RW_TASK_DEPTH]; // path[0] 0: nobody
} RwTaskName;

typedef enum {
    RW_PLACE_START, // as it comes to user mode, at all or from the hold's first step on
    RW_PLACE_CALL, // before a system call is entered
    RW_PLACE_RETURN, // as it is back from one, before the next instruction
    RW_PLACE_AT, // before it executes an instruction of user mode
    RW_PLACE_AFTER, // right after that
    RW_PLACE_END, // as the task ends: only to be passed
    // Only to be held at: in the middle of an instruction of user mode that reads memory and writes it,
    // without LOCK. It has read, and writes when the hold ends, as two processors would let it
    // (rw_machine_splits()). Where the instruction is another one: as AT.
    RW_PLACE_WITHIN,
    // Only to be held at: `further` instructions behind an instruction of user mode that writes memory,
    // which the others do not see before the hold ends: a processor keeps what it writes for a while, and
    // goes on reading (x86-TSO: Intel SDM volume 3, 9.2). Where nothing lies between but plain
    // instructions, one after the other; else as AFTER.
    RW_PLACE_UNSEEN,
    RW_N_PLACES,
} RwPlaceKind;

typedef struct {
    RwTaskName task;
    RwPlaceKind kind;
    uint64_t number; // CALL, RETURN: of the system call; AT, AFTER, WITHIN, UNSEEN: virtual address; START,
                     // END: 0
    uint32_t nth; // which time, from 1, counted by task from the hold's first step on; START, END: 1
    uint32_t further; // so many instructions of its own in user mode behind that; WITHIN: 0, UNSEEN: from 1
} RwPlace;

typedef enum {
    RW_UNTIL_PASSED, // another task has passed a place
    RW_UNTIL_IDLE, // nothing else can run
    RW_UNTIL_TIME, // so much virtual time has gone by
    RW_N_UNTILS,
} RwUntil;

#define RW_HOLDS_MAX 16
// A hold ends, too, when so many instructions were executed meanwhile: somebody may be spinning until the
// held one goes on. While everybody sleeps nothing is executed.
#define RW_HOLD_BUSY 200000000ull
#define RW_HOLD_NS_MAX (3600ull * 1000000000)
#define RW_HOLD_NS_DEFAULT (10ull * 1000000000)

// One whose place is nobody's START holds all others: each task that neither a hold nor a fault of its
// schedule names, and that created none of these, as it comes to user mode. That is until nothing else can
// run for the first time (IDLE, without `next` and `again`); then they go on one by one, as they came,
// whenever nothing else can. So many tasks at most; more are not held.
#define RW_HOLD_OTHERS_MAX 512

typedef struct {
    uint64_t from, before; // it may begin at steps from .. before - 1; before: UINT64_MAX for no end
    RwPlace place;
    RwUntil until;
    RwPlace passed; // PASSED; else all zero
    uint64_t limit_ns; // virtual time after which it ends in any case, 1 to RW_HOLD_NS_MAX
    bool other_next; // PASSED: when it begins the other task runs before all others, else in its turn
    bool next; // when it ends the task runs before all others, else in its turn
    bool again; // IDLE, without `next`: it begins again whenever its task comes back to user mode, until
                // limit_ns after it first began: the task runs only where nobody else can
} RwHold;

bool rw_task_name_equal(const RwTaskName *a, const RwTaskName *b);
// Child number n of `parent`; nobody where the name would be too long.
RwTaskName rw_task_name_child(const RwTaskName *parent, uint32_t n);
bool rw_task_name_is_ancestor(const RwTaskName *ancestor, const RwTaskName *name); // or the same
bool rw_hold_is_of_others(const RwHold *hold);
bool rw_place_is_instruction(const RwPlace *place); // AT, AFTER, WITHIN, UNSEEN
bool rw_place_equal(const RwPlace *a, const RwPlace *b);
bool rw_hold_equal(const RwHold *a, const RwHold *b);
bool rw_place_is_valid(const RwPlace *place);
// Whether it is in its one form.
bool rw_hold_is_valid(const RwHold *hold);
