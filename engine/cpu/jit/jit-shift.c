// SPDX-License-Identifier: MIT
// Shifts and rotates of registers.
#include "jit-private.h"

enum { ROL = 0, ROR = 1, SHL = 4, SHR = 5, SAR = 7 };

static RwJitKind kind_of(unsigned n, bool by_cl)
{
    switch (n) {
    case ROL:
        return K_ROL;
    case ROR:
        return K_ROR;
    case SHR:
        return by_cl ? K_SHR_CL : K_SHR;
    case SAR:
        return by_cl ? K_SAR_CL : K_SAR;
    default:
        return by_cl ? K_SHL_CL : K_SHL;
    }
}

static void by_cl(RwJitBlock *t, const RwJitInsn *in, unsigned bits)
{
    RwJitAsm *a = &t->a;
    if (in->live)
        jit_flags_now(t); // a count of 0 leaves them
    asm_mov(a, H_CX, jit_use(t, RW_R_RCX));
    int host = jit_update(t, jit_gpr(&in->insn.opnd[0]));
    if (in->live) {
        jit_save(t, 0, host);
        asm_reg(a, 32, 0x8b, H_AX, H_CX);
        asm_alu_imm(a, 32, ALU_AND, H_AX, bits == 64 ? 63 : 31);
        jit_save(t, 1, H_AX);
    }
    asm_reg(a, bits, bits == 8 ? 0xd2 : 0xd3, (int)in->row->arg, host);
    t->host_flags = 0;
    if (in->live)
        jit_set_pending(t, kind_of(in->row->arg, true), bits, 0);
}

// What the host has of the flags: OF is ours only for a count of one; none after more than all bits.
static unsigned host_flags(unsigned n, unsigned bits, unsigned count)
{
    if (count >= bits || n == ROL || n == ROR)
        return 0;
    return F_CF | F_ZF | F_SF | F_PF | (count == 1 ? F_OF : 0);
}

static void by_imm(RwJitBlock *t, const RwJitInsn *in, unsigned bits, unsigned count)
{
    unsigned n = in->row->arg;
    if (in->live && (n == ROL || n == ROR))
        jit_flags_now(t);
    int host = jit_update(t, jit_gpr(&in->insn.opnd[0]));
    if (count == 0) {
        if (bits == 32)
            asm_reg(&t->a, 32, 0x8b, host, host);
        return;
    }
    if (in->live)
        jit_save(t, 0, host);
    asm_shift_imm(&t->a, bits, n, host, count);
    t->host_flags = 0;
    if (!in->live)
        return;
    jit_set_pending(t, kind_of(n, false), bits, host_flags(n, bits, count));
    t->s.pending.has_imm = true;
    t->s.pending.imm = (int32_t)count;
}

static unsigned count_of(const RwJitInsn *in, const RwOpnd *o)
{
    return (unsigned)o->uimm & (in->insn.opnd[0].size == 64 ? 63 : 31);
}

// arg: ModRM.reg
bool jit_shift(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *count = &in->insn.opnd[1];
    unsigned n = in->row->arg;
    if (!jit_is_low(dst))
        return false;
    if (rw_opnd_is_imm(count)) {
        by_imm(t, in, dst->size, count_of(in, count));
        return true;
    }
    if (in->live && (n == ROL || n == ROR))
        return false;
    by_cl(t, in, dst->size);
    return true;
}

// SHLD, SHRD by an immediate, where nobody looks at the flags. arg: opcode.
bool jit_double_shift(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *count = &in->insn.opnd[2];
    if (rw_opnd_is_mem(dst) || dst->size < 32 || in->live || !rw_opnd_is_imm(count) ||
        !(count->uimm & (dst->size - 1)))
        return false;
    int from = jit_use(t, jit_gpr(&in->insn.opnd[1]));
    asm_reg(&t->a, dst->size, in->row->arg, from, jit_update(t, jit_gpr(dst)));
    asm8(&t->a, (unsigned)count->uimm & 0xff);
    t->host_flags = 0;
    return true;
}
