// SPDX-License-Identifier: MIT
// Faults, traps and interrupts (exception.c).
#pragma once

#include "rflags-private.h"
#include "state-private.h"

enum {
    RW_DE = 0,
    RW_DB = 1,
    RW_NMI = 2,
    RW_BP = 3,
    RW_OF = 4,
    RW_BR = 5,
    RW_UD = 6,
    RW_NM = 7,
    RW_DF = 8,
    RW_TS = 10,
    RW_NP = 11,
    RW_SS_FAULT = 12,
    RW_GP = 13,
    RW_PF = 14,
    RW_MF = 16,
    RW_AC = 17,
    RW_XM = 19,
};
#define RW_NO_ERROR (-1)
// Raises a fault at op's instruction: puts RIP and the instruction count back to it, delivers it through
// the IDT. Returns RW_GO_ON or RW_LEAVE (triple fault): `return rw_fault(cpu, op, RW_GP, 0);`
int rw_fault(RwCpu *cpu, const RwOp *op, int vector, int64_t error) RW_SLOW;
// The same for traps: RIP and count are after the instruction (INT3, INT n, INTO, single step).
int rw_trap(RwCpu *cpu, const RwOp *op, int vector, bool software);
// A fault between blocks, at cpu->rip with the count already right (instruction fetch, undecodable
// bytes): no op. Returns RW_GO_ON or RW_LEAVE.
int rw_fault_at_rip(RwCpu *cpu, int vector, int64_t error);
// For the run loop, between instructions:
// - rw_deliver_irq: irq_pending, RFLAGS.IF and no shadow: takes the interrupt (clears irq_pending). False:
// triple fault, cpu->exit is filled in.
// - rw_single_step_trap: after an instruction that started with RFLAGS.TF set and that raised nothing:
// #DB with DR6.BS. Returns RW_GO_ON or RW_LEAVE. Raised nothing: cpu->event is still 0.
// A triple fault below rw_load_slow() and friends can't say RW_LEAVE: cpu->exit.kind is then
// RW_EXIT_SHUTDOWN, which the loop looks at after every RW_GO_ON (it sets kind to 0 at entry).
// cpu->shadow holds off both for one instruction: the loop reads and clears it before that instruction
// (which may set it again).
bool rw_deliver_irq(RwCpu *cpu);
int rw_single_step_trap(RwCpu *cpu);
// After an instruction that met a data breakpoint, DR6 being set: #DB.
int rw_watch_trap(RwCpu *cpu);
// Instruction breakpoints of DR7 at cpu->rip, unless RFLAGS.RF: delivers #DB and returns true with
// ret_action; RF is cleared after any instruction that completes. Only called when single_step.
bool rw_check_code_breakpoint(RwCpu *cpu, int *ret_action);
// Recomputes cpu->single_step from TF, the shadow and DR7 (RF is only ever set with breakpoints in DR7).
static inline void rw_update_single_step(RwCpu *cpu)
{
    cpu->single_step = (cpu->rflags & RW_FLAG_TF) || cpu->shadow || (cpu->dr[7] & 0xff);
}
