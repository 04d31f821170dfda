// SPDX-License-Identifier: MIT
#pragma once

#include "rw-boot.h"
#include "rw-record.h"
#include "rw-why.h"

// Keeps a copy of the guest in the store, under its hash, unless it is there.
bool rw_keep_guest(RwStore *store, RwGuest *guest, GError **error);

// What a run's manifest gets of what its guest tells, and options->output of what its job writes.
typedef struct {
    const RwRecordOptions *options;
    RwManifest *manifest;
    RwWhy why;
} RwTold;

void rw_told_record(RwTold *told, const struct rewind_record *record, const uint8_t *payload,
                    size_t length);
void rw_told_end(RwTold *told, const RwEnd *end, gint64 start_us);

RwRecorded *rw_recorded_new(const RwInputs *inputs, const RwRecordOptions *options);
RwLimits rw_record_limits(const RwRecordOptions *options, gint64 start_us, GCancellable *cancellable);
// A machine in the origin's state: the spare one, or a new one; and back to be the spare one.
RwMachine *rw_origin_start(const RwRecordOptions *options, GError **error);
void rw_origin_leave(const RwRecordOptions *options, RwMachine *machine);

struct _RwOrigin {
    RwSnapshot *snapshot;
    RwTraceWriter *prefix; // in memory
    // Of a boot whose pages the store has: the keyframe there.
    bool has_first;
    RwKeyframe first;
    // Of a fork: the parent's keyframes, of which those up to the step are the fork's too; or NULL.
    char *keyframes;
    uint64_t step;
};
