// SPDX-License-Identifier: MIT
//
// A recorded run's machine at any of its steps: from the nearest keyframe, then forward.
#pragma once

#include "rw-keyframes.h"
#include "rw-manifest.h"
#include "rw-trace.h"

G_BEGIN_DECLS

typedef struct {
    RwStore *store;
    const RwManifest *manifest;
    const char *dir; // the run's directory
    RwGuest *guest;
    const char *image_path;
    // Called with one line when a keyframe cannot be used and an earlier one or power-on is taken; or NULL.
    void (*warn)(const char *message, void *data);
    void *data;
} RwSeek;

// With `step` done, schedule and job set, no sink; 0: at power-on. For the caller to free.
// NOT_FOUND past the end of the run. Where a hold may not have begun by then it may not know the tasks'
// names: see rw_seek_know_tasks().
RwMachine *rw_seek(const RwSeek *source, uint64_t step, GCancellable *cancellable, GError **error);
// The same without going forward: at the nearest keyframe from which one can, or at power-on.
RwMachine *rw_seek_nearest(const RwSeek *source, uint64_t step, GError **error);
// The run's keyframes; NULL with NOT_FOUND when it has none.
RwKeyframes *rw_seek_open_keyframes(const RwSeek *source, GError **error);
// For tests. From keyframe i of those, schedule and job set.
RwMachine *rw_seek_restore(const RwSeek *source, const RwKeyframes *keyframes, guint i, GError **error);

// Tells a machine that stands at a step of the trace's run the names of the job's tasks, where it was
// restored from a state that has none: holds need them.
bool rw_seek_know_tasks(RwMachine *machine, RwTrace *trace, GError **error);

// A machine at power-on with the job and the schedule of `inputs`.
RwMachine *rw_inputs_power_on(const RwInputs *inputs, RwGuest *guest, const char *image_path,
                              GError **error);

G_END_DECLS
