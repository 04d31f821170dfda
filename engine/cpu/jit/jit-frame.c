// SPDX-License-Identifier: MIT
// The frame that host code runs in, and what all of it has in common: ways in and out.
#include "jit-private.h"

static const uint8_t saved[] = {H_BX, H_BP, H_12, H_13, H_14, H_15};

static void push(RwJitAsm *a, unsigned reg)
{
    if (reg >= 8)
        asm8(a, 0x41);
    asm8(a, 0x50u | (reg & 7u));
}

static void pop(RwJitAsm *a, unsigned reg)
{
    if (reg >= 8)
        asm8(a, 0x41);
    asm8(a, 0x58u | (reg & 7u));
}

void jit_push_frame(RwJitAsm *a)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(saved); i++)
        push(a, saved[i]);
    asm_alu_imm(a, 64, ALU_SUB, H_SP, JIT_FRAME); // calls want it aligned
    asm_mem(a, 64, 0x8d, H_BP, AT(H_DI, JIT_BIAS));
    jit_load_pinned(a);
}

static void pop_frame(RwJitAsm *a)
{
    asm_alu_imm(a, 64, ALU_ADD, H_SP, JIT_FRAME);
    for (unsigned i = G_N_ELEMENTS(saved); i-- > 0;)
        pop(a, saved[i]);
}

static void call(RwJitAsm *a, void (*function)(RwCpu *))
{
    asm_mem(a, 64, 0x8d, H_DI, AT(H_BP, -JIT_BIAS));
    asm_const(a, H_AX, (uint64_t)(uintptr_t)function);
    asm8(a, 0xff);
    asm8(a, 0xd0);
}

// Registers that calls don't keep, while flags are made in the middle of a block.
static const uint8_t lost[] = {H_SI, H_DI, H_8, H_9, H_10, H_11};

static void write_make_flags(RwJit *jit, RwJitAsm *a)
{
    jit->make_flags = a->p;
    for (unsigned i = 0; i < G_N_ELEMENTS(lost); i++)
        push(a, lost[i]);
    asm_alu_imm(a, 64, ALU_SUB, H_SP, 8);
    call(a, rw_jit_make_flags);
    asm_alu_imm(a, 64, ALU_ADD, H_SP, 8);
    for (unsigned i = G_N_ELEMENTS(lost); i-- > 0;)
        pop(a, lost[i]);
    asm8(a, 0xc3);
}

// Pinned registers and the flags, to the RwCpu; RSI, RAX stay.
static void write_all(RwJitAsm *a)
{
    jit_store_pinned(a);
    asm_alu_mem_imm(a, 32, ALU_CMP, CPU(jit_kind), K_NONE);
    uint8_t *none = asm_jcc(a, CC_E);
    asm_mov(a, H_BX, H_SI);
    asm_mov(a, H_12, H_AX);
    call(a, rw_jit_make_flags);
    asm_mov(a, H_SI, H_BX);
    asm_mov(a, H_AX, H_12);
    asm_patch(a, none, a->p);
}

static void write_leave(RwJit *jit, RwJitAsm *a)
{
    jit->leave = a->p;
    asm_load(a, 64, H_AX, AT(H_SI, 0));
    jit->leave_to = a->p;
    asm_store(a, 64, H_CX, CPU(blk));
    uint8_t *blk_known = a->p;
    write_all(a);
    asm_mem(a, 64, 0x8d, H_DI, AT(H_BP, -JIT_BIAS));
    pop_frame(a);
    asm_reg(a, 32, 0xff, 4, H_AX);
    jit->go_on = a->p;
    asm_load(a, 64, H_AX, AT(H_SI, 0));
    asm_jmp_to(a, blk_known);
}

static void write_partial(RwJit *jit, RwJitAsm *a)
{
    jit->partial = a->p;
    asm_mem(a, 64, 0x03, H_CX, SLOT(RW_R_PAGE));
    asm_store(a, 64, H_CX, CPU(rip));
    write_all(a);
    asm_const(a, H_AX, RW_PARTIAL);
    pop_frame(a);
    asm8(a, 0xc3);
}

void jit_write_common(RwJit *jit)
{
    RwJitAsm a = {.p = jit->code, .end = jit->code + 4096};
    int32_t native = (int32_t)offsetof(RwBlock, native) - (int32_t)offsetof(RwBlock, ops);
    jit->enter = a.p;
    jit_push_frame(&a);
    asm_mem(&a, 32, 0xff, 4, AT(H_SI, native));
    write_leave(jit, &a);
    write_partial(jit, &a);
    write_make_flags(jit, &a);
    jit->after_stubs = a.p;
}
