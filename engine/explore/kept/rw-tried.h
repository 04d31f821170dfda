// SPDX-License-Identifier: MIT
//
// How the schedules of a check ended that was not finished, kept beside the run of schedule 0, so that the
// same check need not execute them again. What is read may be of anybody: a file that is not as it must be
// is as none, and what it says to have ended in another way than schedule 0 is executed all the same.
#pragma once

#include "rw-manifest.h"

G_BEGIN_DECLS

typedef struct _RwTried RwTried;

// inputs: of schedule 0. Reads what is there.
RwTried *rw_tried_new(RwStore *store, const RwInputs *inputs);
void rw_tried_free(RwTried *tried); // or NULL

// The rest from any thread. A run is found by its id, so by all of its inputs.
guint rw_tried_count(RwTried *tried);
bool rw_tried_find(RwTried *tried, const RwInputs *inputs, RwEnd *ret);
void rw_tried_put(RwTried *tried, const RwInputs *inputs, const RwEnd *end);

// From one thread at a time. Writes what there is; now: also where it has just done so. Where it cannot be
// written no more is lost than that.
void rw_tried_save(RwTried *tried, bool now);
void rw_tried_forget(RwTried *tried); // it is finished: removes the file

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTried, rw_tried_free)

G_END_DECLS
