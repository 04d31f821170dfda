// SPDX-License-Identifier: MIT
//
// What recordings start from: a machine's state and the trace up to there. Immutable, for any thread.
#pragma once

#include "rw-seek.h"
#include "rw-trace.h"

G_BEGIN_DECLS

typedef struct _RwOrigin RwOrigin;

// Boots with what of `inputs` the machine itself depends on, up to where the machine is handed its job,
// which is the same for all jobs, seeds, wall clocks and schedules. NULL without an error when the guest
// did not get as far as asking for its job: record without an origin to see why. `store` may have the state
// from an earlier boot, and keeps this one's; of `limits` deadline, give_up and cancellable count.
RwOrigin *rw_origin_new_boot(const RwInputs *inputs, RwStore *store, RwGuest *guest, const char *image_path,
                             const RwLimits *limits, GError **error);
// The run of `inputs` goes on from `origin` until `step` is done, or to its end.
RwOrigin *rw_origin_new_later(const RwOrigin *origin, const RwInputs *inputs, uint64_t step,
                              GCancellable *cancellable, GError **error);
// A recorded run right after `step`. What is recorded from there shares its trace and keyframes.
RwOrigin *rw_origin_new_fork(const RwSeek *source, RwTrace *trace, uint64_t step, GCancellable *cancellable,
                             GError **error);
void rw_origin_free(RwOrigin *origin);
RwSnapshot *rw_origin_get_snapshot(const RwOrigin *origin); // borrowed

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwOrigin, rw_origin_free)

G_END_DECLS
