// SPDX-License-Identifier: MIT
//
// Work that is done by several threads, each with a machine of its own that it puts back into the state it
// needs. What comes out does not depend on how many there are.
#pragma once

#include "rw-machine.h"

typedef struct _RwPool RwPool;

RwPool *rw_pool_new(guint jobs); // at least 1
void rw_pool_free(RwPool *pool);

// Calls work() for 0 … count − 1 from the pool's threads, `machine` being the thread's own slot, and
// done(), which may be NULL, for each in order from the calling thread. Once stop() is true no more is
// begun; what was not begun is not done.
typedef struct {
    void (*work)(guint index, RwMachine **machine, void *data);
    void (*done)(guint index, void *data);
    bool (*stop)(void *data);
    void *data;
} RwPoolTask;

void rw_pool_run(RwPool *pool, guint count, const RwPoolTask *task);
