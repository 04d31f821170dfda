// SPDX-License-Identifier: MIT
// What the thread that has the CPU is doing, as its registers tell. For words, not for decisions: the guest
// can make it up.
#pragma once

#include "rw-machine.h"

typedef struct {
    uint32_t pid, tid; // as the last switch said; 0: nobody's
    bool in_call; // inside of a system call, or about to return from it
    uint32_t number; // of it
    uint64_t argument; // its first
    uint64_t ip; // where in its program; 0: not known
} RwCaller;

// Where the machine stands, or in a sink's step().
void rw_machine_caller(RwMachine *machine, RwCaller *ret_caller);

// Of user mode: as they are there, or as the thread left it for the kernel.
typedef struct {
    uint32_t pid, tid;
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15
    uint64_t ip, flags;
    uint64_t call; // number of the system call that it entered the kernel for, or UINT64_MAX
} RwUserRegisters;

// false: no program's thread has the CPU, or it is not known. Only of guests that know holds.
bool rw_machine_user_registers(RwMachine *machine, RwUserRegisters *ret_registers);
