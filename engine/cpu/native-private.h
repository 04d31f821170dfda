// SPDX-License-Identifier: MIT
/*
 * Hot blocks as host code.
 *
 * Once a block ran a few times, runs of frequent instructions in it become host code, and each op's
 * handler the place in that code where its instruction starts: such code is a handler like any other,
 * called with the RwCpu and the op, and ends by jumping to another op's handler. What it doesn't do
 * itself (a TLB miss, a rare form, a fault) it leaves to the op's C handler, before anything changed;
 * that goes on with the next op's handler as ever. So blocks are entered, left, chained and killed the
 * same way with and without it.
 */
#pragma once

#include "code-private.h"

typedef enum {
    N_NONE, /* left to the C handler */
    N_NOP,
    N_MOV_RR,
    N_MOV_RI,
    N_LOAD, /* bits from memory, extended to bits2 as `sign` says */
    N_EXTEND, /* the same from a register */
    N_STORE,
    N_STORE_IMM,
    N_LEA,
    N_ALU, /* alu: 0 ADD, 1 OR, 4 AND, 5 SUB, 6 XOR, 7 CMP, 8 TEST */
    N_SHIFT, /* alu: 4 SHL, 5 SHR, 7 SAR */
    N_INC, /* alu: 0 INC, 1 DEC */
    N_NOT,
    N_NEG,
    N_IMUL,
    N_SETCC,
    N_CMOV,
    N_PUSH,
    N_PUSH_IMM,
    N_POP,
    N_JCC,
    N_GOTO,
    N_CALL,
    N_RET,
    N_JMP_REG,
    N_JMP_MEM,
    N_CALL_REG,
} RwNativeKind;

typedef enum { N_RR, N_RI, N_RM, N_MR, N_MI } RwNativeForm;

/* What native.c has to know of an op. */
typedef struct {
    uint8_t kind;
    uint8_t form; /* of N_ALU */
    uint8_t bits, bits2;
    uint8_t alu, cc;
    bool sign;
    bool fused; /* N_ALU: a conditional jump on cc follows in the same op */
    bool live; /* its flags are looked at by somebody */
    int16_t dst, src; /* byte offsets into r[] */
    int64_t imm;
} RwNativeOp;

/* Fills in n for the instruction whose last op is op: N_NONE where it is not one that is known. */
void rw_native_classify(RwNativeOp *n, const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *opnd,
                        const RwOp *op);
