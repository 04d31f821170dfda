// SPDX-License-Identifier: MIT
#pragma once

#include "rw-record.h"

struct _RwOrigin {
    RwSnapshot *snapshot;
    RwTraceWriter *prefix; // in memory
};
