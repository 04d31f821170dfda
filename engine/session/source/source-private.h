// SPDX-License-Identifier: MIT
//
// Where a thread is in its source. All but rw_source_new() and rw_source_choose_frame() are for who has the
// run's timeline, between rw_inside_begin() and rw_inside_end().
#pragma once

#include "inside-private.h"
#include "rw-session-source.h"

RwSource *rw_source_new(RwSourceState state);
// The innermost of its own that has a line, else one that has a name.
guint rw_source_choose_frame(const RwSource *source);

// Answers that were given: NULL, or one more reference.
RwSource *rw_source_find_kept(RwSessionRun *run, const RwSourcePlace *place);
void rw_source_keep(RwSessionRun *run, const RwSourcePlace *place, RwSource *source);

// There, as far as it is known.
RwSource *rw_source_go(RwSessionRun *run, const RwSourcePlace *place, GCancellable *cancellable,
                       GError **error);
// Behind the end of the job, which starts at `start`: where the thread, or the last one, was before it
// ended. NULL without an error: there is no such place.
RwSource *rw_source_find_ended(RwSessionRun *run, const RwSourcePlace *place, guint64 start,
                               GCancellable *cancellable, GError **error);
