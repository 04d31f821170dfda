// SPDX-License-Identifier: MIT
#pragma once

#include "rw-boot.h"
#include "rw-record.h"

// Keeps a copy of the guest in the store, under its hash, unless it is there.
bool rw_keep_guest(RwStore *store, RwGuest *guest, GError **error);

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
