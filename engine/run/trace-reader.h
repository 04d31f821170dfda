// SPDX-License-Identifier: MIT
#pragma once

#include "trace-format.h"

#include "rw-base.h"

typedef struct {
    uint64_t offset; // of its head in the file
    RwTraceHead head;
} RwTraceBlock;

struct _RwTrace {
    char *path;
    int fd;
    uint64_t size;
    GArray *blocks; // of RwTraceBlock
    uint64_t events, steps;
    gboolean complete;
    gint blocks_read;
};

// Sets the error and returns FALSE.
gboolean rw_trace_damaged(const RwTrace *trace, const char *what, GError **error);
