// SPDX-License-Identifier: MIT
// Memory operands by the TLB, and the ways out of a block's straight line.
#include "jit-private.h"

static RwJitStub *add_stub(RwJitBlock *t, uint8_t *at, const RwOp *op, bool is_slot)
{
    g_assert(t->n_stubs < G_N_ELEMENTS(t->stub));
    RwJitStub *stub = &t->stub[t->n_stubs++];
    *stub = (RwJitStub){.at = at, .op = op, .is_slot = is_slot, .state = t->s};
    return stub;
}

void jit_leave_if(RwJitBlock *t, unsigned cc, const RwOp *op)
{
    add_stub(t, asm_jcc(&t->a, cc), op, false);
}

void jit_take_if(RwJitBlock *t, unsigned cc, const RwOp *slot)
{
    add_stub(t, asm_jcc(&t->a, cc), slot, true);
}

// RAX = a slot of r[] that isn't a register; then `rest` on top.
static void add_to_slot(RwJitBlock *t, unsigned slot, RwAsmMem rest)
{
    asm_load(&t->a, 64, H_AX, SLOT((int)slot));
    if (rest.base == H_NONE)
        rest.base = H_AX;
    else
        rest.index = H_AX;
    asm_mem(&t->a, 64, 0x8d, H_AX, rest);
}

void jit_address(RwJitBlock *t, const RwOp *op)
{
    RwAsmMem m = {.base = H_NONE, .index = H_NONE, .scale = 0, .disp = (int32_t)op->disp};
    bool far = op->disp != (int32_t)op->disp;
    if (far)
        m.disp = 0;
    if (op->base < 16)
        m.base = (int8_t)jit_use(t, op->base);
    if (op->index < 16) {
        m.index = (int8_t)jit_use(t, op->index);
        m.scale = op->scale;
    }
    bool special_index = op->index > RW_R_ZERO, special_base = op->base > RW_R_ZERO;
    if (special_index && !special_base) {
        add_to_slot(t, op->index, m);
    } else if (special_base) {
        asm_load(&t->a, 64, H_AX, SLOT(op->base));
        if (special_index)
            asm_mem(&t->a, 64, 0x03, H_AX, SLOT(op->index));
        m.base = H_AX;
        asm_mem(&t->a, 64, 0x8d, H_AX, m);
    } else if (m.index == H_NONE && m.disp == 0 && m.base != H_NONE) {
        asm_mov(&t->a, H_AX, m.base);
    } else {
        asm_mem(&t->a, 64, 0x8d, H_AX, m);
    }
    if (far) {
        asm_const(&t->a, H_CX, (uint64_t)op->disp);
        asm_alu(&t->a, 64, ALU_ADD, H_AX, H_CX);
    }
}

// RDX = TLB entry for RAX.
static void entry(RwJitBlock *t)
{
    G_STATIC_ASSERT(sizeof(RwTlbEntry) == 32);
    asm_reg(&t->a, 32, 0x8b, H_DX, H_AX);
    asm_shift_imm(&t->a, 32, 5, H_DX, 12 - 5);
    asm_alu_imm(&t->a, 32, ALU_AND, H_DX, (RW_TLB_SIZE - 1) << 5);
    asm_mem(&t->a, 64, 0x03, H_DX, CPU(tlb));
}

static RwJitStub *compare_tag(RwJitBlock *t, const RwOp *op, bool write)
{
    int32_t tag = write ? offsetof(RwTlbEntry, wtag) : offsetof(RwTlbEntry, rtag);
    asm_mem(&t->a, 64, 0x3b, H_CX, AT(H_DX, tag));
    RwJitStub *stub = add_stub(t, asm_jcc(&t->a, CC_NE), op, false);
    asm_mem(&t->a, 64, 0x03, H_AX, AT(H_DX, offsetof(RwTlbEntry, addend)));
    t->host_flags = 0;
    t->at = 0;
    return stub;
}

static RwJitStub *check(RwJitBlock *t, const RwOp *op, unsigned bytes, bool write)
{
    entry(t);
    if (bytes > 1)
        asm_mem(&t->a, 64, 0x8d, H_CX, AT(H_AX, (int32_t)bytes - 1));
    else
        asm_mov(&t->a, H_CX, H_AX);
    asm_alu_imm(&t->a, 64, ALU_AND, H_CX, -4096);
    return compare_tag(t, op, write);
}

void jit_check(RwJitBlock *t, const RwOp *op, unsigned bytes, bool write)
{
    check(t, op, bytes, write);
}

void jit_check_range(RwJitBlock *t, const RwOp *op, unsigned bytes, bool write)
{
    check(t, op, bytes, write)->is_stray = true;
}

void jit_check_aligned(RwJitBlock *t, const RwOp *op, bool write)
{
    entry(t);
    asm_mov(&t->a, H_CX, H_AX);
    asm_alu_imm(&t->a, 64, ALU_AND, H_CX, (int32_t)0xfffff00f); // a misaligned address matches no tag
    compare_tag(t, op, write);
}

void jit_stack(RwJitBlock *t, const RwOp *op, unsigned base, int32_t disp, bool write)
{
    if (jit_share(t, op, base, disp, 8))
        return;
    asm_mem(&t->a, 64, 0x8d, H_AX, AT(jit_use(t, base), disp));
    jit_check(t, op, 8, write);
}

void jit_operand(RwJitBlock *t, const RwOp *op, unsigned bits, bool write)
{
    if (jit_share(t, op, op->base, op->disp, bits / 8))
        return;
    jit_address(t, op);
    jit_check(t, op, bits / 8, write);
}
