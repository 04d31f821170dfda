// SPDX-License-Identifier: MIT
// A bare machine for the test guest: RAM, the CPU at the guest's 64-bit entry, three ports.
#pragma once

#include "rw-cpu.h"

typedef struct {
    RwCpu *cpu;
    uint8_t *ram;
    GString *text; // what the guest wrote to port 0xe9
    RwExit end; // the exit that ended the guest
} BareMachine;

// NULL, after a message on stderr, when the image can't be read.
BareMachine *bare_new(const char *image);
void bare_free(BareMachine *m);
// Runs to the absolute count, answering the ports. False: the guest has ended (end says how).
bool bare_run(BareMachine *m, uint64_t limit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BareMachine, bare_free)
