// SPDX-License-Identifier: MIT
#pragma once

#include "rw-record.h"

struct _RwOrigin {
    RwSnapshot *snapshot;
    RwTraceWriter *prefix; // in memory
    // Of a fork: the parent's keyframes, of which those up to the step are the fork's too; or NULL.
    char *keyframes;
    uint64_t step;
};
