// SPDX-License-Identifier: MIT
// Moves, extensions, LEA, stack, and what conditions choose.
#include "jit-private.h"

// AH … into RDX's low byte.
static int high_byte(RwJitBlock *t, const RwOpnd *o)
{
    asm_mov(&t->a, H_DX, jit_use(t, jit_gpr(o)));
    asm_shift_imm(&t->a, 32, 5, H_DX, 8);
    t->host_flags = 0;
    return H_DX;
}

// A destination: wholly written by 32 and 64 bits, else in part.
static int destination(RwJitBlock *t, const RwOpnd *o, unsigned bits)
{
    return bits >= 32 ? jit_def(t, jit_gpr(o)) : jit_update(t, jit_gpr(o));
}

static bool store(RwJitBlock *t, const RwJitInsn *in, unsigned bits)
{
    const RwOpnd *src = &in->insn.opnd[1];
    if (rw_opnd_is_imm(src)) {
        jit_operand(t, in->op, bits, true);
        asm_mem(&t->a, bits, bits == 8 ? 0xc6 : 0xc7, 0, jit_at(t));
        asm_imm(&t->a, bits, src->imm);
        return true;
    }
    if (!rw_opnd_is_any_gpr(src))
        return false;
    if (jit_is_low(src)) {
        int host = jit_use(t, jit_gpr(src));
        jit_operand(t, in->op, bits, true);
        asm_store(&t->a, bits, host, jit_at(t));
        return true;
    }
    jit_use(t, jit_gpr(src));
    jit_operand(t, in->op, bits, true);
    asm_store(&t->a, bits, high_byte(t, src), jit_at(t));
    return true;
}

static void load_constant(RwJitBlock *t, const RwJitInsn *in, unsigned bits)
{
    int host = destination(t, &in->insn.opnd[0], bits);
    int64_t v = in->insn.opnd[1].imm;
    if (bits >= 32) {
        asm_const(&t->a, host, bits == 32 ? (uint32_t)v : (uint64_t)v);
        return;
    }
    asm_reg(&t->a, bits, bits == 8 ? 0xc6 : 0xc7, 0, host);
    asm_imm(&t->a, bits, v);
}

bool jit_mov(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    unsigned bits = dst->size;
    if (rw_opnd_is_mem(dst))
        return store(t, in, bits);
    if (!jit_is_low(dst))
        return false;
    if (rw_opnd_is_imm(src)) {
        load_constant(t, in, bits);
    } else if (rw_opnd_is_mem(src)) {
        jit_operand(t, in->op, bits, false);
        asm_mem(&t->a, bits, bits == 8 ? 0x8a : 0x8b, destination(t, dst, bits), jit_at(t));
    } else if (rw_opnd_is_any_gpr(src)) {
        int from = jit_is_high(src) ? high_byte(t, src) : jit_use(t, jit_gpr(src));
        asm_reg(&t->a, bits, bits == 8 ? 0x8a : 0x8b, destination(t, dst, bits), from);
    } else {
        return false;
    }
    return true;
}

// arg: 0 MOVZX, 8 MOVSX and MOVSXD
bool jit_extend(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    unsigned bits = dst->size, from = src->size;
    uint64_t opcode = from == 32 ? 0x63 : (from == 8 ? 0x0fb6 : 0x0fb7) + in->row->arg;
    if (from >= bits || (from == 32 && !in->row->arg))
        return false;
    if (rw_opnd_is_mem(src)) {
        jit_operand(t, in->op, from, false);
        asm_mem(&t->a, bits, opcode, destination(t, dst, bits), jit_at(t));
        return true;
    }
    int host = jit_is_high(src) ? high_byte(t, src) : jit_use(t, jit_gpr(src));
    asm_reg(&t->a, bits, opcode | (from == 8 ? RW_ASM_BYTE : 0), destination(t, dst, bits), host);
    return true;
}

bool jit_lea(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOp *op = in->op;
    unsigned bits = in->insn.opnd[0].size;
    RwAsmMem m = {.base = H_NONE, .index = H_NONE, .scale = op->scale, .disp = (int32_t)op->disp};
    if (bits < 32 || op->disp != (int32_t)op->disp || op->index > RW_R_ZERO || op->base > RW_R_PAGE)
        return false;
    if (op->base < 16)
        m.base = (int8_t)jit_use(t, op->base);
    if (op->index < 16)
        m.index = (int8_t)jit_use(t, op->index);
    if (op->base == RW_R_PAGE) {
        asm_load(&t->a, 64, H_AX, SLOT(RW_R_PAGE));
        m.base = H_AX;
    }
    if (m.index == H_NONE)
        m.scale = 0;
    asm_mem(&t->a, bits, 0x8d, jit_def(t, jit_gpr(&in->insn.opnd[0])), m);
    return true;
}

bool jit_bswap(RwJitBlock *t, const RwJitInsn *in)
{
    unsigned bits = in->insn.opnd[0].size;
    if (bits < 32)
        return false;
    int host = jit_update(t, jit_gpr(&in->insn.opnd[0]));
    asm_reg(&t->a, bits, 0x0f, 1, host); // 0f c8 + r: a ModRM byte of the form 11 001 r
    return true;
}

// CBW CWDE CDQE; CDQ CQO. arg: bits, + 1 for the latter.
bool jit_widen(RwJitBlock *t, const RwJitInsn *in)
{
    unsigned bits = in->row->arg & ~1u;
    RwJitAsm *a = &t->a;
    if (in->row->arg & 1) {
        int from = jit_use(t, RW_R_RAX), to = jit_def(t, RW_R_RDX);
        asm_reg(a, bits, 0x8b, to, from);
        asm_shift_imm(a, bits, 7, to, bits - 1);
        t->host_flags = 0;
        return true;
    }
    int host = jit_update(t, RW_R_RAX);
    if (bits == 64)
        asm_reg(a, 64, 0x63, host, host);
    else
        asm_reg(a, bits, (bits == 16 ? 0x0fbe | RW_ASM_BYTE : 0x0fbf), host, host);
    return true;
}

bool jit_xchg(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *x = &in->insn.opnd[0], *y = &in->insn.opnd[1];
    if (rw_opnd_is_mem(x) || rw_opnd_is_mem(y))
        return jit_xchg_memory(t, in);
    if (x->size < 32)
        return false;
    int hx = jit_update(t, jit_gpr(x)), hy = jit_update(t, jit_gpr(y));
    asm_reg(&t->a, x->size, 0x8b, H_AX, hx);
    asm_reg(&t->a, x->size, 0x8b, hx, hy);
    asm_reg(&t->a, x->size, 0x8b, hy, H_AX);
    return true;
}

static bool setcc_memory(RwJitBlock *t, const RwJitInsn *in)
{
    t->host_flags = 0; // the look into the TLB changes them
    jit_prepare_cond(t, in->row->arg);
    jit_operand(t, in->op, 8, true);
    asm_mov(&t->a, H_CX, H_AX);
    unsigned cc = jit_cond(t, in->row->arg);
    asm_mem(&t->a, 8, 0x0f90 | cc, 0, AT(H_CX, t->at));
    return true;
}

bool jit_setcc(RwJitBlock *t, const RwJitInsn *in)
{
    if (rw_opnd_is_mem(&in->insn.opnd[0]))
        return setcc_memory(t, in);
    if (!jit_is_low(&in->insn.opnd[0]))
        return false;
    jit_prepare_cond(t, in->row->arg);
    int host = jit_update(t, jit_gpr(&in->insn.opnd[0]));
    asm_reg(&t->a, 8, 0x0f90 | jit_cond(t, in->row->arg), 0, host);
    return true;
}

bool jit_cmov(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    unsigned bits = dst->size;
    int from = H_CX;
    if (rw_opnd_is_mem(src))
        t->host_flags = 0; // the look into the TLB changes them
    jit_prepare_cond(t, in->row->arg);
    if (rw_opnd_is_mem(src)) {
        jit_operand(t, in->op, bits, false);
        asm_load(&t->a, bits, H_CX, jit_at(t));
    } else {
        from = jit_use(t, jit_gpr(src));
    }
    int host = jit_update(t, jit_gpr(dst));
    asm_reg(&t->a, bits, 0x0f40 | jit_cond(t, in->row->arg), host, from);
    return true;
}

// ---- Stack ----

static void move_rsp(RwJitBlock *t, int32_t by)
{
    int rsp = jit_update(t, RW_R_RSP);
    asm_mem(&t->a, 64, 0x8d, rsp, AT(rsp, by));
}

static bool push_memory(RwJitBlock *t, const RwJitInsn *in)
{
    jit_operand(t, in->op, 64, false);
    asm_load(&t->a, 64, H_CX, jit_at(t));
    asm_store(&t->a, 64, H_CX, CPU(jit_target)); // the next check loses it
    asm_mem(&t->a, 64, 0x8d, H_AX, AT(jit_use(t, RW_R_RSP), -8));
    jit_check(t, in->op, 8, true);
    asm_load(&t->a, 64, H_CX, CPU(jit_target));
    asm_store(&t->a, 64, H_CX, jit_at(t));
    move_rsp(t, -8);
    return true;
}

bool jit_push(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *src = &in->insn.opnd[0];
    if (in->insn.operand_width != 64)
        return false;
    if (rw_opnd_is_mem(src))
        return push_memory(t, in);
    int host = rw_opnd_is_imm(src) ? H_NONE : jit_use(t, jit_gpr(src));
    jit_stack(t, in->op, RW_R_RSP, -8, true);
    if (host != H_NONE) {
        asm_store(&t->a, 64, host, jit_at(t));
    } else {
        asm_mem(&t->a, 64, 0xc7, 0, jit_at(t));
        asm32(&t->a, (uint32_t)src->imm);
    }
    move_rsp(t, -8);
    return true;
}

bool jit_pop(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0];
    if (rw_opnd_is_mem(dst) || in->insn.operand_width != 64 || !rw_opnd_is_any_gpr(dst))
        return false;
    jit_stack(t, in->op, RW_R_RSP, 0, false);
    if (jit_gpr(dst) != RW_R_RSP)
        move_rsp(t, 8);
    asm_load(&t->a, 64, jit_def(t, jit_gpr(dst)), jit_at(t));
    return true;
}

// LEAVE
bool jit_leave_frame(RwJitBlock *t, const RwJitInsn *in)
{
    if (in->insn.operand_width != 64)
        return false;
    int rbp = jit_use(t, RW_R_RBP);
    jit_stack(t, in->op, RW_R_RBP, 0, false);
    asm_mem(&t->a, 64, 0x8d, jit_def(t, RW_R_RSP), AT(rbp, 8));
    asm_load(&t->a, 64, jit_def(t, RW_R_RBP), jit_at(t));
    return true;
}

bool jit_nop(RwJitBlock *t, const RwJitInsn *in)
{
    (void)t;
    (void)in;
    return true;
}
