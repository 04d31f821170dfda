// SPDX-License-Identifier: MIT
// Telling of the data that user mode accesses.
//
// While somebody is to be told, a translation of user mode starts hidden: reads and writes by it take the
// slow way, where the first of each is told and then allowed to be fast. Translations of watched pages stay
// hidden. So host code and handlers know nothing of it.
#pragma once

#include "mmu-private.h"

struct _RwWatcher {
    RwVcpuWatch to;
    GHashTable *watched; // guest-physical pages, by number
    GHashTable *told; // virtual and guest-physical page → RW_WATCH_… of what was told
    uint64_t rmw_from, rmw_to, rmw_icount; // what the instruction after so many reads and will write
};

void rw_watch_free(RwWatcher *watch); // NULL is fine
bool rw_watch_has_page(const RwWatcher *watch, uint64_t gpa);
// An access within a page, which is known to succeed; of the instruction that is executed.
void rw_watch_tell(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, unsigned flags);
// A read-modify-write was told: its writes are not. Whether such a one ends here.
void rw_watch_begin_rmw(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size);
bool rw_watch_ends_rmw(const RwCpu *cpu, const RwOp *op, uint64_t va);
// Another state was set: no read-modify-write is in work.
void rw_watch_forget_rmw(RwWatcher *watch);
