// SPDX-License-Identifier: MIT
//
// A trace as events of programs that can be found again in another run: programs by their arguments and
// how often they were seen with them, threads by order of appearance.
#pragma once

#include "rw-event.h"

typedef struct _RwStream RwStream;

typedef struct {
    RwTraceItem item; // valid until the next call
    const char *program; // "make check#1"; valid while the stream is
    guint thread; // 0 is a process's first
} RwStreamEvent;

// Without `frequent` those that come in masses are left out, see rw_event_is_frequent().
RwStream *rw_stream_new(RwTrace *trace, gboolean frequent, GError **error);
void rw_stream_free(RwStream *stream);
// 1: *ret is the next event; 0: no more; -1: damaged.
int rw_stream_next(RwStream *stream, RwStreamEvent *ret, GError **error);

// Whether they are the same thing done by the same thread of the same program, whenever.
gboolean rw_stream_event_same(const RwStreamEvent *a, const RwStreamEvent *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwStream, rw_stream_free)
