// SPDX-License-Identifier: MIT
#pragma once

#include "trace-format-private.h"

#include "rw-base.h"

typedef struct {
    const RwTrace *file; // whose descriptor it is read from: the trace's own or that of one it goes on from
    uint64_t offset; // of its head in the file
    RwTraceHead head;
} RwTraceBlock;

struct _RwTrace {
    char *path;
    int fd;
    uint64_t size;
    RwTrace *base; // of which the first blocks are; or NULL
    GArray *blocks; // of RwTraceBlock
    guint own; // the first of them that is in this file
    uint64_t events, steps;
    bool complete;
    gint blocks_read;
};

// Sets the error and returns false.
bool rw_trace_damaged(const RwTrace *trace, const char *what, GError **error);
