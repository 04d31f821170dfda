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

// Where Linux has a program's registers on x86-64, in words: in struct pt_regs, and in struct
// user_regs_struct, which has two more behind them. RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15:
extern const uint8_t rw_regs_places[16];
enum {
    RW_REGS_DI = 14,
    RW_REGS_CALL, // number of the system call, or UINT64_MAX
    RW_REGS_IP,
    RW_REGS_CS,
    RW_REGS_FLAGS,
    RW_REGS_SP,
    RW_REGS_SS,
    RW_N_REGS,
    RW_REGS_FS_BASE = RW_N_REGS,
    RW_REGS_GS_BASE,
};
#define RW_REGS_USER_CS 0x33u
#define RW_REGS_USER_SS 0x2bu

// Of user mode: as they are there, or as the thread left it for the kernel.
typedef struct {
    uint32_t pid, tid;
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15
    uint64_t ip, flags;
    uint64_t call; // number of the system call that it entered the kernel for, or UINT64_MAX
} RwUserRegisters;

// false: no program's thread has the CPU, or it is not known. Only of guests that know holds.
bool rw_machine_user_registers(RwMachine *machine, RwUserRegisters *ret_registers);
