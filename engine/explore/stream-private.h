// SPDX-License-Identifier: MIT
//
// A trace as events of programs that can be found again in another run.
#pragma once

#include "rw-compare.h"

typedef struct _RwStream RwStream;

typedef struct {
    GStringChunk *names; // where the programs' are kept; outlives the stream
    bool frequent; // those that come in masses too, see rw_event_is_frequent()
    GCancellable *cancellable; // or NULL
} RwStreamOptions;

RwStream *rw_stream_new(RwTrace *trace, const RwStreamOptions *options, GError **error);
// At `step` of another trace, which is the same before that as the one in which `from` stands there.
RwStream *rw_stream_new_twin(const RwStream *from, RwTrace *trace, uint64_t step, GError **error);
void rw_stream_free(RwStream *stream);
// 1: *ret is the next event, valid until the next call; 0: no more; -1: damaged, or cancelled.
int rw_stream_next(RwStream *stream, RwProgramEvent *ret, GError **error);
// The same for what came before `step`; with 0 it stands there.
int rw_stream_next_before(RwStream *stream, uint64_t step, RwProgramEvent *ret, GError **error);
// The program of a process as it is known by now, in options.names.
const char *rw_stream_get_program(RwStream *stream, uint32_t pid);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwStream, rw_stream_free)
