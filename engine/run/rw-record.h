// SPDX-License-Identifier: MIT
//
// Doing runs: the first time, again, and against what was recorded.
#pragma once

#include "rw-origin.h"
#include "rw-seek.h"

G_BEGIN_DECLS

// ---- Recording ----

typedef struct {
    RwStore *store;
    RwGuest *guest;
    const char *image_path;
    RwOrigin *origin; // or NULL: from power-on
    const char *name, *root; // for the manifest; or NULL
    const char *parent_id; // for the manifest: the run that it is a fork of; or NULL
    uint64_t parent_step; // from which step on
    bool keyframes; // records them too, as far apart as their cost tells, or
    uint64_t keyframe_spacing; // so many instructions; 0: by cost
    gint64 timeout_us; // wall clock; 0: none
    uint64_t give_up; // instructions since power-on at which a run is timed out; 0: none
    // A machine that an earlier recording from the same origin left here, to be put back into its state,
    // which is faster than a new one; this recording leaves its own. Or NULL. The caller frees it.
    RwMachine **spare;
    GCancellable *cancellable;
    _Atomic uint64_t
        *executed; // kept at the instructions since power-on, for other threads to see; or NULL
    // The job's output as it comes, from the recording thread. fd: 1, 2, 0 for its terminal. Or NULL.
    void (*output)(uint32_t fd, const uint8_t *bytes, size_t length, void *data);
    void *data;
} RwRecordOptions;

typedef enum {
    RW_RECORDED_NEW,
    RW_RECORDED_SAME, // a run of that id was there with the same trace; it stays
    RW_RECORDED_DIFFERS, // one was there and this is another: `difference` says where; both are kept
    RW_RECORDED_NOT, // nothing of it is in the store: rw_execute()
    RW_RECORDED_DROPPED, // it was cut short and a longer one is there; this one is gone
} RwRecordedAs;

typedef struct {
    RwManifest *manifest;
    RwRecordedAs as;
    char *path; // where this recording, or the same one, lies; NULL of RW_RECORDED_NOT
    char *difference; // of RW_RECORDED_DIFFERS
} RwRecorded;

void rw_recorded_free(RwRecorded *recorded);

// Records the run of `inputs`. On error, when cancelled too (RW_ERROR_CANCELLED), nothing of it is left.
RwRecorded *rw_record(const RwInputs *inputs, const RwRecordOptions *options, GError **error);

// The same run from options->origin, of which only the manifest is made, without events and trace: nothing
// comes into the store.
RwRecorded *rw_execute(const RwInputs *inputs, const RwRecordOptions *options, GError **error);

// What that made of a run that was executed before and ended so.
RwRecorded *rw_executed_new(const RwInputs *inputs, const RwRecordOptions *options, const RwEnd *end);

// ---- Replaying ----

typedef struct {
    uint64_t from; // the step after which it began
    uint64_t events, steps; // compared and found the same
    uint64_t keyframes; // with which state and memory were compared
    char *difference; // NULL: identical
} RwReplayed;

void rw_replayed_clear(RwReplayed *replayed);

// Executes a run again from the nearest keyframe from which one can go to `from`, 0: from power-on, and
// compares every record and step from there on with its trace, and where there is a keyframe the machine's
// state and memory with it. A run that was cut short is compared as far
// as it goes. Stops after `to`, UINT64_MAX: at its end.
// NOT_FOUND when `from` is past its end.
bool rw_replay(const RwSeek *source, uint64_t from, uint64_t to, GCancellable *cancellable, RwReplayed *ret,
               GError **error);

// ---- The log ----

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwRecorded, rw_recorded_free)

G_END_DECLS
