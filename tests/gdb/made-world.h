// SPDX-License-Identifier: MIT
//
// A process that is made up, for the protocol alone: two threads, 4 KiB of memory at 0x1000, one file. Each
// instruction has one byte; it goes on from 0x1000 to 0x1fff and back. At 0x1e00 a signal comes, and at
// 0x1f00 another program is executed.
#pragma once

#include "gdb-private.h"

#define MADE_PID 40u
#define MADE_BASE 0x1000u
#define MADE_SIZE 0x1000u
#define MADE_SIGNAL 0x1e00u
#define MADE_EXEC 0x1f00u

typedef struct {
    uint8_t memory[MADE_SIZE];
    GdbRegisters registers[2]; // of threads MADE_PID and MADE_PID + 1
    uint64_t headers, n_headers; // AT_PHDR, AT_PHNUM; 0: it has another auxiliary vector
    unsigned resumed; // how often
    GdbResume last;
} MadeWorld;

void made_world_init(MadeWorld *made, GdbWorld *ret);
bool made_world_read(void *made, uint64_t va, void *ret_bytes, size_t length); // for GdbStand
