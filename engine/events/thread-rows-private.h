// SPDX-License-Identifier: MIT
#pragma once

#include "rw-thread-rows.h"

#include "rw-turns.h"

// While it is made, and what it owns of a row.
typedef struct {
    RwThreadRow row;
    GArray *bars; // of RwThreadBar
    GArray *marked; // of guint
    guint number; // as they came
    guint rank, process; // where it belongs among the rows; number of its process's first thread
    bool ended;
    // After its last turn:
    RwLeft left;
    int32_t call;
} RwThreadMade;

typedef struct {
    uint64_t from;
    uint32_t thread; // RW_NO_THREAD: idle, or one that is not kept
} RwThreadOwner;

struct _RwThreadRows {
    GPtrArray *threads; // of RwThreadMade, owned; as they came, once finished in order
    GArray *owners; // of RwThreadOwner, by time: who has the CPU
    GStringChunk *texts;
    uint64_t cut;
    // while they are made
    RwTurns *turns;
    GHashTable *now; // tid → RwThreadMade of the thread that has it now
    guint bars; // of all threads
    RwThreadMade *last; // whose turn ended last, or NULL
};

void rw_thread_rows_sort(RwThreadRows *rows, uint32_t first);
