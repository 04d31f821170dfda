// SPDX-License-Identifier: MIT
//
// Who is concerned where two runs part: whom the deciding step strikes, and who runs instead.
#pragma once

#include "rw-caller.h"
#include "rw-compare.h"

G_BEGIN_DECLS

typedef struct {
    uint32_t pid, tid; // 0: nobody, the machine is idle
    char *program; // "./bank"; NULL for nobody
    uint64_t stalled; // the step at which the schedule had put it to sleep, and it slept until now; 0: it
                      // had not
} RwDeciderThread;

typedef struct {
    RwDeciderThread struck; // whose turn it was at that step
    // Who runs then, and who would have: the first switch that the two runs do not share. Both nobody when
    // they share all.
    bool parts;
    RwDeciderThread ran, instead;
} RwDecider;

// `with` and `without` are the same run until `step`, at which only `with` was perturbed.
RwDecider *rw_decider_new(RwTrace *with, RwTrace *without, uint64_t step, const RwCaller *caller,
                          GError **error);
void rw_decider_free(RwDecider *decider);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwDecider, rw_decider_free)

G_END_DECLS
