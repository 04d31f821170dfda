// SPDX-License-Identifier: MIT
//
// Forks that turned out to be nothing new.
#pragma once

#include "rw-manifest.h"
#include "rw-trace.h"

G_BEGIN_DECLS

typedef struct {
    RwRunEntry *entry; // borrowed
    const RwRunEntry *same_as; // the oldest run that did the same, borrowed
} RwIdentical;

// Of the descendants of the run with that id those that ran exactly as an older one of them, or as the run
// itself: the same events and steps at the same instructions. What a schedule asked for without effect does
// not count. Those with forks of their own that stay are not among them. Borrows from runs, which
// rw_store_list() gave; the forks of a run come before it. BUSY when one of them is being recorded.
GPtrArray *rw_prune_find(const GPtrArray *runs, const char *id, GCancellable *cancellable, GError **error);

// SHA-256 of what happened in a run: its trace without what the schedule did.
bool rw_trace_digest(RwTrace *trace, GCancellable *cancellable, char ret_hex[RW_SHA256_HEX_SIZE],
                     GError **error);

G_END_DECLS
