// SPDX-License-Identifier: MIT
// ALU operations, INC DEC NOT NEG, IMUL, bit tests.
#include "jit-private.h"

// The second operand: a register or an immediate.
typedef struct {
    int reg; // H_NONE: imm
    int32_t imm;
} Source;

static void apply(RwJitBlock *t, unsigned bits, unsigned alu, int dst, Source s)
{
    if (s.reg != H_NONE) {
        asm_alu(&t->a, bits, alu, dst, s.reg);
    } else if (alu != ALU_TEST) {
        asm_alu_imm(&t->a, bits, alu, dst, s.imm);
    } else {
        asm_reg(&t->a, bits, bits == 8 ? 0xf6 : 0xf7, 0, dst);
        asm_imm(&t->a, bits, s.imm);
    }
}

// AH … into RDX.
static int high_byte(RwJitBlock *t, const RwOpnd *o)
{
    asm_mov(&t->a, H_DX, jit_use(t, jit_gpr(o)));
    asm_shift_imm(&t->a, 32, 5, H_DX, 8);
    t->host_flags = 0;
    return H_DX;
}

static bool is_logic(unsigned alu)
{
    return alu == ALU_OR || alu == ALU_AND || alu == ALU_XOR || alu == ALU_TEST;
}

static void pend_sum(RwJitBlock *t, unsigned alu, unsigned bits, Source s)
{
    jit_set_pending(t, alu == ALU_ADD ? K_ADD : K_SUB, bits, F_ALL);
    t->s.pending.has_imm = s.reg == H_NONE;
    t->s.pending.imm = s.imm;
}

// dst op= s, with flags if they matter; CMP and TEST may change dst when it is scratch.
static void operate(RwJitBlock *t, const RwJitInsn *in, unsigned bits, int dst, Source s)
{
    unsigned alu = in->row->arg;
    bool scratch = dst == H_CX || dst == H_DX;
    t->host_flags = 0;
    if (!in->live) {
        if (alu < ALU_CMP)
            apply(t, bits, alu, dst, s);
        return;
    }
    if (!is_logic(alu)) {
        jit_save(t, 0, dst);
        if (s.reg != H_NONE)
            jit_save(t, 1, s.reg);
        apply(t, bits, alu, dst, s);
        pend_sum(t, alu, bits, s);
        return;
    }
    if (alu == ALU_TEST && dst != s.reg) {
        if (!scratch)
            asm_mov(&t->a, H_AX, dst);
        dst = scratch ? dst : H_AX;
        alu = ALU_AND;
    }
    apply(t, bits, alu, dst, s);
    jit_save(t, 0, dst);
    jit_set_pending(t, K_LOGIC, bits, F_ALL);
}

// ADC and SBB to a register: flags at once.
static void with_carry(RwJitBlock *t, const RwJitInsn *in, unsigned bits, int dst, Source s)
{
    RwJitAsm *a = &t->a;
    unsigned alu = in->row->arg;
    if (in->live) {
        t->host_flags = 0;
        asm_mov(a, H_DX, dst);
        apply(t, 64, ALU_XOR, H_DX, s);
    }
    jit_carry_in(t);
    apply(t, bits, alu, dst, s);
    t->host_flags = 0;
    if (!in->live)
        return;
    asm_setcc(a, CC_B, H_AX);
    asm_store(a, 32, H_AX, CPU(fl_misc));
    asm_alu(a, 64, ALU_XOR, H_DX, dst);
    asm_sext(a, bits, H_AX, dst);
    asm_sext(a, bits, H_DX, H_DX);
    asm_store(a, 64, H_AX, CPU(fl_res));
    asm_store(a, 64, H_DX, CPU(fl_vec));
    jit_set_pending(t, K_NONE, bits, 0);
}

// [m] op= s; the operand's host address is in RAX.
static void operate_in_memory(RwJitBlock *t, const RwJitInsn *in, unsigned bits, Source s)
{
    RwJitAsm *a = &t->a;
    unsigned alu = in->row->arg;
    RwAsmMem m = jit_at(t);
    if (in->live) {
        asm_load(a, bits, H_CX, m);
        operate(t, in, bits, H_CX, s);
        asm_store(a, bits, H_CX, m);
    } else if (s.reg != H_NONE) {
        asm_mem(a, bits, alu * 8 | (bits != 8), s.reg, m);
    } else {
        asm_alu_mem_imm(a, bits, alu, m, s.imm);
    }
}

static bool alu_memory(RwJitBlock *t, const RwJitInsn *in, bool carry)
{
    const RwOpnd *src = &in->insn.opnd[1];
    unsigned bits = in->insn.opnd[0].size;
    bool write = in->row->arg < ALU_CMP;
    Source s = {.reg = H_NONE};
    if (rw_opnd_is_imm(src))
        s.imm = (int32_t)src->imm;
    else if (jit_is_low(src))
        s.reg = jit_use(t, jit_gpr(src));
    else
        return false;
    if (carry)
        return false;
    jit_operand(t, in->op, bits, write);
    if (write) {
        operate_in_memory(t, in, bits, s);
        return true;
    }
    asm_load(&t->a, bits, H_CX, jit_at(t));
    operate(t, in, bits, H_CX, s);
    return true;
}

static bool is_zeroing(const RwJitInsn *in)
{
    unsigned alu = in->row->arg;
    return (alu == ALU_XOR || alu == ALU_SUB) && !rw_opnd_is_mem(&in->insn.opnd[1]) &&
           !rw_opnd_is_imm(&in->insn.opnd[1]) && in->insn.opnd[0].reg == in->insn.opnd[1].reg &&
           in->insn.opnd[0].size >= 32;
}

static bool zero_register(RwJitBlock *t, const RwJitInsn *in)
{
    asm_const(&t->a, jit_def(t, jit_gpr(&in->insn.opnd[0])), 0);
    if (in->live)
        jit_set_pending(t, K_ZERO, 32, 0);
    return true;
}

static Source source(RwJitBlock *t, const RwJitInsn *in, unsigned bits)
{
    const RwOpnd *src = &in->insn.opnd[1];
    Source s = {.reg = H_NONE};
    if (rw_opnd_is_imm(src)) {
        s.imm = (int32_t)src->imm;
    } else if (rw_opnd_is_mem(src)) {
        jit_operand(t, in->op, bits, false);
        asm_load(&t->a, bits, H_CX, jit_at(t));
        s.reg = H_CX;
    } else {
        s.reg = jit_is_high(src) ? high_byte(t, src) : jit_use(t, jit_gpr(src));
    }
    return s;
}

bool jit_alu(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    unsigned bits = dst->size, alu = in->row->arg;
    bool carry = alu == ALU_ADC || alu == ALU_SBB, write = alu < ALU_CMP;
    if (rw_opnd_is_mem(dst))
        return alu_memory(t, in, carry);
    if (jit_is_high(dst) && (write || jit_is_high(src) || rw_opnd_is_mem(src)))
        return false;
    if (jit_is_high(src) && carry)
        return false;
    if (is_zeroing(in))
        return zero_register(t, in);
    if (carry) {
        t->host_flags = 0; // what comes before the operation itself changes them
        jit_prepare_cond(t, CC_B);
    }
    Source s = source(t, in, bits);
    int host = jit_is_high(dst) ? high_byte(t, dst)
               : write          ? jit_update(t, jit_gpr(dst))
                                : jit_use(t, jit_gpr(dst));
    if (carry)
        with_carry(t, in, bits, host, s);
    else
        operate(t, in, bits, host, s);
    return true;
}

// ---- One operand ----

// fl_misc gets what CF is, for flags that leave it alone. An operand in memory may fault, and then the
// flags before it count: those that are made on top of what is in fl_… are made first.
static void keep_carry(RwJitBlock *t, bool memory)
{
    if (t->s.pending.kind == K_IN || (memory && t->s.pending.kind >= K_ROL && t->s.pending.kind <= K_CARRY))
        jit_flags_now(t);
    if (t->s.pending.kind == K_NONE || t->s.pending.kind == K_INC || t->s.pending.kind == K_DEC)
        return;
    jit_prepare_cond(t, CC_B);
    if (t->s.pending.kind == K_NONE)
        return;
    asm_setcc(&t->a, jit_cond(t, CC_B), H_AX);
    asm_store(&t->a, 32, H_AX, CPU(fl_misc));
}

// INC, DEC, NEG of a register (scratch or not).
static void step(RwJitBlock *t, const RwJitInsn *in, unsigned bits, int reg)
{
    static const uint8_t opcode[] = {0xff, 0xff, 0xf7}, field[] = {0, 1, 3};
    unsigned what = in->row->arg;
    t->host_flags = 0;
    if (in->live && what < 2) {
        jit_save(t, 0, reg);
    } else if (in->live) {
        asm_mem(&t->a, 64, 0xc7, 0, CPU(jit[0]));
        asm32(&t->a, 0);
        jit_save(t, 1, reg);
    }
    asm_reg(&t->a, bits, opcode[what] & (bits == 8 ? 0xfe : 0xff), field[what], reg);
    if (in->live)
        jit_set_pending(t,
                        what == 0   ? K_INC
                        : what == 1 ? K_DEC
                                    : K_SUB,
                        bits, what < 2 ? F_ALL & ~F_CF : F_ALL);
}

// arg: 0 INC, 1 DEC, 2 NEG
bool jit_inc(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *o = &in->insn.opnd[0];
    if (jit_is_high(o))
        return false;
    if (in->live && in->row->arg < 2)
        keep_carry(t, rw_opnd_is_mem(o));
    if (!rw_opnd_is_mem(o)) {
        step(t, in, o->size, jit_update(t, jit_gpr(o)));
        return true;
    }
    jit_operand(t, in->op, o->size, true);
    asm_load(&t->a, o->size, H_CX, jit_at(t));
    step(t, in, o->size, H_CX);
    asm_store(&t->a, o->size, H_CX, jit_at(t));
    return true;
}

bool jit_not(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *o = &in->insn.opnd[0];
    unsigned opcode = o->size == 8 ? 0xf6 : 0xf7;
    if (jit_is_high(o))
        return false;
    if (rw_opnd_is_mem(o)) {
        jit_operand(t, in->op, o->size, true);
        asm_mem(&t->a, o->size, opcode, 2, jit_at(t));
    } else {
        asm_reg(&t->a, o->size, opcode, 2, jit_update(t, jit_gpr(o)));
    }
    return true;
}

// IMUL r, r/m and r, r/m, imm of 32 and 64 bits.
bool jit_imul(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    unsigned bits = dst->size, n = in->insn.n_opnds;
    if (n == 1)
        return jit_mul(t, in);
    if (bits < 32)
        return false;
    int from = source(t, in, bits).reg, to;
    if (n == 3) {
        to = jit_def(t, jit_gpr(dst));
        asm_reg(&t->a, bits, 0x69, to, from);
        asm32(&t->a, (uint32_t)in->insn.opnd[2].imm);
    } else {
        to = jit_update(t, jit_gpr(dst));
        asm_reg(&t->a, bits, 0x0faf, to, from);
    }
    (void)src;
    t->host_flags = 0;
    if (!in->live)
        return true;
    asm_setcc(&t->a, CC_O, H_AX);
    jit_save(t, 0, to);
    jit_save(t, 1, H_AX);
    jit_set_pending(t, K_MUL, bits, F_CF | F_OF);
    return true;
}

// BT BTS BTR BTC of a register; arg: ModRM.reg of the form with an immediate. Only CF changes.
bool jit_bt(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *bit = &in->insn.opnd[1];
    bool write = in->row->arg != 4;
    if (rw_opnd_is_mem(dst))
        return false;
    if (in->live)
        jit_flags_now(t);
    int by = rw_opnd_is_imm(bit) ? H_NONE : jit_use(t, jit_gpr(bit));
    int host = write ? jit_update(t, jit_gpr(dst)) : jit_use(t, jit_gpr(dst));
    if (by == H_NONE) {
        asm_reg(&t->a, dst->size, 0x0fba, (int)in->row->arg, host);
        asm8(&t->a, (unsigned)bit->uimm & 0xff);
    } else {
        asm_reg(&t->a, dst->size, 0x0f83 + 8 * in->row->arg, by, host);
    }
    t->host_flags = 0;
    if (!in->live)
        return true;
    asm_setcc(&t->a, CC_B, H_AX);
    jit_save(t, 0, H_AX);
    jit_set_pending(t, K_CARRY, 8, F_CF);
    return true;
}
