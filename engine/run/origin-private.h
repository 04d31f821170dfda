// SPDX-License-Identifier: MIT
#pragma once

#include "rw-record.h"

// Keeps a copy of the guest in the store, under its hash, unless it is there.
gboolean rw_keep_guest(RwStore *store, RwGuest *guest, GError **error);

struct _RwOrigin {
    RwSnapshot *snapshot;
    RwTraceWriter *prefix; // in memory
    // Of a fork: the parent's keyframes, of which those up to the step are the fork's too; or NULL.
    char *keyframes;
    uint64_t step;
};
