// SPDX-License-Identifier: MIT
//
// Who is who in the holds and faults of a schedule, as a run with it tells.
#pragma once

#include "rw-learn.h"

G_BEGIN_DECLS

// A task of the answer, and where it stands.
typedef struct {
    RwPlace place;
    uint32_t pid, tid; // 0: not known
    guint thread; // its number among its process's, from 1; 0: the only one
    char *program; // or NULL
    int took; // the signal that it took right there when the hold was over; 0: none
    bool timer; // it was a timer's
} RwHoldSide;

// A hold that is left after narrowing: one was held until another had passed something, or for a time. Or a
// fault: its call gave a rare answer.
typedef struct {
    bool is_fault;
    RwHold hold; // else it waits for nobody
    RwFault fault;
    uint64_t
        length; // of a fault: how many bytes the call was to handle, where it is one that handles bytes
    guint index; // in the schedule
    uint64_t step; // at which it begins
    RwHoldSide held; // or struck
    RwHoldSide passed; // where the hold is until a place is passed
    uint64_t found_ns; // where it is for a time: how long it was when it was found
} RwHoldAnswer;

void rw_hold_answer_free(void *answer); // or NULL

// What the run of `learned` tells of each of its holds, or faults, from number `base` on, in the order in
// which they began: of RwHoldAnswer. The step of one that did not begin is 0.
GPtrArray *rw_hold_answers_new(const RwLearned *learned, const RwSchedule *schedule, guint base);
GPtrArray *rw_fault_answers_new(const RwLearned *learned, const RwSchedule *schedule, guint base);

G_END_DECLS
