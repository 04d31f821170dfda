// SPDX-License-Identifier: MIT
#pragma once

#include "spot-private.h"

struct _RwScan {
    RwTimeline *timeline;
    const RwWhen *whens; // borrowed
    size_t n;
    bool forward, needed, watches;
    bool takes_all; // also returns that are not sure
    RwSpot after, before; // hits lie between
    RwBreaks breaks;
    bool has;
    RwSeen best;
    GArray *unsure;
    GHashTable *calls; // thread → Call: what it is in; none: nothing is known
    // Of memory (scan-memory.c):
    GHashTable
        *pages; // guest-physical page → the virtual one of a condition that was seen there, by number
    GHashTable *roots; // process → its address space, as it was when it ran
    GArray *writes; // what was written and may be another value now
    bool left; // the run was left for a look at it
};

bool rw_scan_covers(const RwScan *scan, const RwSpot *spot);
// A hit there, filled with who has the CPU.
RwSeen rw_scan_seen(RwScan *scan, size_t which, const RwSpot *spot);

// ---- branch.c ----

void rw_branch_set_scan(RwTimeline *timeline, RwScan *scan); // of a branch; NULL: none any more

// ---- scan-memory.c ----

void rw_scan_add_watch(RwScan *scan); // to scan->breaks
void rw_scan_remove_watch(RwScan *scan);
// Where the machine stands now: which pages the memory is in.
void rw_scan_find_pages(RwScan *scan);
// The machine came back: what was written is there.
void rw_scan_settle(RwScan *scan);
