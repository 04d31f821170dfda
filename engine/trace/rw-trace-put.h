// SPDX-License-Identifier: MIT
#pragma once

#include "rw-trace.h"

// Writes everything that the trace has, to a writer that stands at the start.
bool rw_trace_writer_put_trace(RwTraceWriter *writer, RwTrace *trace, GError **error);
