// SPDX-License-Identifier: MIT
//
// Memory of a guest that never was: a kernel with a few tasks, as rewind-layout.h lets it be told.
#pragma once

#include "rw-kernel.h"

#define MADE_SIZE (256u << 10) // guest-physical memory from 0 on
#define MADE_MM_VA 0x400000ull // the first mapping: a program with a build id

enum { MADE_INIT = 1, MADE_JOB = 33, MADE_THREAD = 34, MADE_KERNEL_THREAD = 2, MADE_OWN_PID = 7 };

// For g_free().
uint8_t *made_kernel_new(void);
// To read from it: `memory` has `size` bytes, at most MADE_SIZE of which count, and stays.
typedef struct {
    const uint8_t *memory;
    size_t size;
} MadeMemory;
RwKernelSource made_kernel_source(MadeMemory *memory);
// Reads everything there is; returns how much that was. Dies where something is not as it is promised.
size_t made_read_all(RwKernel *kernel);
