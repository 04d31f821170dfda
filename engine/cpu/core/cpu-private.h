// SPDX-License-Identifier: MIT
// Inside the software CPU.
//
// Instructions are decoded once (decode/) into blocks of RwOp, cached by guest-physical address. A
// handler does one operation and tail-calls the next op's handler (RW_NEXT). Operands, immediate and
// address parts sit in the op; registers in cpu->r[]. A guest instruction is one op, or some helper
// ops (address computation) and one last.
//
// Rules for handlers
//  - RW_OP (name) { … RW_NEXT; }. Nothing of the architectural state changes before the last
//    load or store that can fault has succeeded: a fault restarts the instruction.
//  - No address of a local variable is passed to a function that isn't inlined (it would stop gcc
//    from making the tail call); slow paths hand values over in cpu->tmp.
//  - RW_LOAD*, RW_STORE*, RW_LOAD_RMW* return from the handler when they fault.
//  - No C floating point arithmetic outside the FPU/SSE files (it would touch host flags).
#pragma once

#include "decode-private.h"
#include "exception-private.h"
#include "memory-private.h"
#include "position-private.h"
#include "rflags-private.h"
#include "state-private.h"

// Around everything that executes ops: the guest's rounding, FTZ and DAZ go into the host's MXCSR with all
// exceptions masked, and the sticky flags come back into cpu->mxcsr. They don't nest.
void rw_fp_enter(RwCpu *cpu);
void rw_fp_leave(RwCpu *cpu);
// Between these two others may do floating point arithmetic, as those who are called back and hash tables
// that grow do. Most often they cost nearly nothing.
void rw_fp_pause(RwCpu *cpu);
void rw_fp_resume(RwCpu *cpu);
