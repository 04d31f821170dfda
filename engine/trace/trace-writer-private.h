// SPDX-License-Identifier: MIT
#pragma once

#include "trace-format-private.h"

#include "rw-base.h"

// A writer to memory whose first blocks are those of the trace at `base`, the last of which is `last`.
RwTraceWriter *rw_trace_writer_new_on_base(const char *base, uint64_t blocks, const RwTraceHead *last);
// The step after which it goes on; nothing was written to it yet.
void rw_trace_writer_go_on(RwTraceWriter *writer, const RwTraceBase *at);
// Makes `base`, and what that goes on from, the base of the trace at `path`: hard links, or copies where
// there can be none.
bool rw_trace_link_base(const char *base, const char *path, GError **error);
