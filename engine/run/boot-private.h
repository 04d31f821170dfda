// SPDX-License-Identifier: MIT
#pragma once

#include "rw-record.h"

struct _RwBoot {
    RwSnapshot *snapshot;
    RwTraceWriter *prefix; // in memory
};
