// SPDX-License-Identifier: MIT
// From instructions to ops (decode.c, ea.c), and the tables of mnemonics.
#pragma once

#include "decoded-private.h"
#include "state-private.h"

typedef struct {
    RwCpu *cpu;
    RwDecoded insn;
    uint16_t off; // offset in the page of the instruction's first byte
    uint8_t icnt; // instructions of the block before it
    bool end; // set by an emitter: nothing may follow in this block
    uint8_t fp_checked; // fp.h: which "FP may be used" checks this block has; 0 at a block's start. An
                        // instruction that writes CR0 or CR4 must end its block
    RwOp *ops; // the block so far
    unsigned n_ops, max_ops;
} RwEmit;

// Parts of a memory operand, made by rw_emit_ea() (which may emit a helper op first: FS/GS with an
// index, 32-bit addresses).
typedef struct {
    int64_t disp;
    uint8_t base, index, scale;
} RwEa;

RwEa rw_emit_ea(RwEmit *e, const RwOpnd *mem);
// Appends an op with off, len, icnt set and base = index = RW_R_ZERO. Valid until the next rw_emit().
RwOp *rw_emit(RwEmit *e, RwOpFn fn);
// rw_emit() with a memory operand.
RwOp *rw_emit_mem(RwEmit *e, RwOpFn fn, const RwEa *ea);
// The 8-bit register of an operand.
static inline uint8_t *rw_r8(RwCpu *cpu, uint8_t offset)
{
    return (uint8_t *)cpu->r + offset;
}

// One row a mnemonic (Zydis has one for each operation): emit returns false for a form that this CPU
// does not have (the instruction then faults with #UD). arg is the group's own.
typedef struct _RwMnemonic RwMnemonic;
struct _RwMnemonic {
    uint16_t mnemonic; // ZYDIS_MNEMONIC_…
    bool (*emit)(RwEmit *e, const RwMnemonic *m);
    uint32_t arg;
};
// A group's rows, ended by an entry with emit NULL. A mnemonic in no table is not advertised: #UD.
// A mnemonic may stand in several groups (MOV to a segment register, POP FS, far RET are the system
// group's): decoding asks the system group first, then the others, until an emitter returns true; one that
// returns false has emitted nothing.
extern const RwMnemonic rw_group_integer[]; // alu.c, shift.c, muldiv.c, bit.c, string.c, stack.c, …
extern const RwMnemonic rw_group_flow[]; // flow.c: jumps, calls, returns, Jcc, LOOP, JRCXZ
extern const RwMnemonic
    rw_group_system[]; // system.c: privileged, segments, MSRs, CPUID, I/O, SYSCALL, IRETQ
extern const RwMnemonic rw_group_sse[]; // sse*.c: SSE to SSE4.2, AES, PCLMUL
extern const RwMnemonic rw_group_x87[]; // x87*.c, mmx.c: x87, MMX, FXSAVE
