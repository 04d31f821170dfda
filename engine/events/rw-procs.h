// SPDX-License-Identifier: MIT
//
// Who lived when: processes and threads as a trace's events tell.
#pragma once

#include "rw-trace.h"

G_BEGIN_DECLS

typedef struct {
    uint32_t pid, tid; // equal for a process's first thread
    uint32_t parent; // pid of the process that made it; 0 for the first
    uint64_t start, end; // steps; end 0: alive
    int status; // as wait(2) reports it, once it ended
    char **argv; // of its process; NULL for a further thread
} RwProc;

typedef struct _RwProcs RwProcs;

// Everything up to and including `step` (UINT64_MAX: the whole run).
RwProcs *rw_procs_new(RwTrace *trace, uint64_t step, GError **error);
void rw_procs_free(RwProcs *procs);

// The same by hand: feed it a trace's items in their order.
RwProcs *rw_procs_new_empty(void);
void rw_procs_feed(RwProcs *procs, const RwTraceItem *item);
// The one that has the number there; NULL: none is known. Borrowed until the next is fed.
const RwProc *rw_procs_find(RwProcs *procs, uint32_t tid);

// Processes by tree order, each followed by its further threads, then by its children. depth 0 is init.
// The kernel's own threads are left out. Stop by returning false.
void rw_procs_walk(RwProcs *procs, bool ended_too,
                   bool (*visit)(const RwProc *proc, guint depth, void *data), void *data);
// The same tree as it was at `step`: those that lived then, with the programs that they were.
void rw_procs_walk_at(RwProcs *procs, uint64_t step,
                      bool (*visit)(const RwProc *proc, guint depth, void *data), void *data);

// Every process, without its further threads, by the order of start; exec: the step at which it first
// became a program, 0: it never did.
void rw_procs_each(RwProcs *procs, void (*visit)(const RwProc *proc, uint64_t exec, void *data),
                   void *data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwProcs, rw_procs_free)

G_END_DECLS
