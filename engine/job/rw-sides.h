// SPDX-License-Identifier: MIT
//
// Who was held where in a recorded run until who had passed what, and whose system call was answered how,
// as a check tells it of the two runs that it leaves.
#pragma once

#include "rw-explain.h"

G_BEGIN_DECLS

typedef struct {
    // Of RwHoldAnswer and of RwExplained, one for each: of the schedule's holds, then of its faults, those
    // that came to pass, in the order in which they began.
    GPtrArray *answers, *explained;
} RwSides;

// Executes the run. NULL with an error, RW_ERROR_CANCELLED too; at once where its schedule has neither.
RwSides *rw_sides_new(const RwAgain *again, GCancellable *cancellable, GError **error);
// What was found is kept beside the run, so that it is known at once, and to whom the run is sent that
// cannot execute it. answers and explained: as in RwSides.
bool rw_sides_save(const GPtrArray *answers, const GPtrArray *explained, const char *run_path,
                   GError **error);
// NULL: nothing was kept, or nothing that is of such a run.
RwSides *rw_sides_load(const char *run_path, const RwManifest *manifest);
void rw_sides_free(RwSides *sides); // or NULL
// The hold, or fault, of that index in the schedule; false: it did not begin. Borrowed.
bool rw_sides_find(const RwSides *sides, bool fault, guint index, const RwHoldAnswer **ret_answer,
                   const RwExplained **ret_explained);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSides, rw_sides_free)

G_END_DECLS
