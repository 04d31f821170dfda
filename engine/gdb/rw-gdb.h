// SPDX-License-Identifier: MIT
//
// A debugger's way into a recorded run: the remote protocol of gdb on a timeline, forwards and backwards.
//
// One process is debugged, with all of its threads. The recording is not changed by anything that the
// debugger asks for. What it sends is not trusted.
//
// One thread at a time.
#pragma once

#include "rw-timeline.h"

G_BEGIN_DECLS

typedef struct {
    const RwSeek *seek; // the run; borrowed
    RwTrace *trace; // of it, borrowed likewise
    RwPosition position; // where it stands at first
    uint32_t pid, tid; // as events number them; 0: who has the CPU there, or had it last
    bool kernel; // the guest's kernel, wherever the CPU is, in place of a process
    // A folder of the host's, nobody else's, to put the sources in of what the debugger reads, as far as
    // the run has them: /src/a.c becomes FOLDER/src/a.c. Borrowed; or NULL.
    const char *sources;
    // A line for the user that the protocol has no way for; or NULL. From the thread that serves.
    void (*warn)(const char *message, void *data);
    // It stands there from now on; NULL: it has begun to go elsewhere. Of a run that was left by a change:
    // where. Or NULL. From the thread that serves.
    void (*stands)(const RwPosition *position, void *data);
    void *data;
    GCancellable *cancellable; // ends serving, or NULL
} RwGdbConfig;

typedef struct _RwGdb RwGdb;

// RW_ERROR_NOT_FOUND: no such process at the position; RW_ERROR_USAGE and those of rw_timeline_go().
RwGdb *rw_gdb_new(const RwGdbConfig *config, GError **error);
void rw_gdb_free(RwGdb *gdb);
uint32_t rw_gdb_get_pid(const RwGdb *gdb); // of whom it debugs; 0: the kernel
// An ELF file with the symbols of the guest's kernel.
GBytes *rw_gdb_kernel_symbols(RwGdb *gdb, GError **error);
// Answers the debugger at the other end of a stream socket until it detaches, kills, or closes it. The
// descriptor stays the caller's. RW_ERROR_IO, RW_ERROR_CANCELLED.
bool rw_gdb_serve(RwGdb *gdb, int fd, GError **error);
// For tests.
RwTimeline *rw_gdb_get_timeline(RwGdb *gdb);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwGdb, rw_gdb_free)

G_END_DECLS
