// SPDX-License-Identifier: MIT
//
// What programs meet on: files, pipes, sockets, processes.
#pragma once

#include "stream-private.h"

// The objects that one program and another one touch from a step on, at least one of them changing it.
typedef struct _RwObjects RwObjects;

RwObjects *rw_objects_new(void);
void rw_objects_free(RwObjects *objects);
// Adds what a run does from `step` on.
bool rw_objects_add(RwObjects *objects, RwTrace *trace, uint64_t step, GCancellable *cancellable,
                    GError **error);
// Then: leaves those that `program`, "make check#1", shares with another.
void rw_objects_choose(RwObjects *objects, const char *program);
// Whether the event touches one of these.
bool rw_objects_touch(const RwObjects *objects, const RwTraceItem *item);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwObjects, rw_objects_free)
