// SPDX-License-Identifier: MIT
// MUL, DIV, bit scans, and what reads and writes memory in one instruction: XCHG, XADD, CMPXCHG. With one
// CPU a LOCK prefix adds nothing.
#include "jit-private.h"

// RCX = the operand, zero-extended.
static void operand_to_cx(RwJitBlock *t, const RwJitInsn *in, const RwOpnd *o)
{
    if (rw_opnd_is_mem(o)) {
        jit_operand(t, in->op, o->size, false);
        asm_load(&t->a, o->size, H_CX, jit_at(t));
    } else if (o->size < 32) {
        asm_reg(&t->a, 32, o->size == 8 ? 0x0fb6 | RW_ASM_BYTE : 0x0fb7, H_CX, jit_use(t, jit_gpr(o)));
    } else {
        asm_reg(&t->a, o->size, 0x8b, H_CX, jit_use(t, jit_gpr(o)));
    }
}

// RDX:RAX, of 32 or 64 bits, to the guest's.
static void wide_result(RwJitBlock *t, unsigned bits)
{
    asm_reg(&t->a, bits, 0x8b, jit_def(t, RW_R_RAX), H_AX);
    asm_reg(&t->a, bits, 0x8b, jit_def(t, RW_R_RDX), H_DX);
}

// MUL and IMUL of one operand. arg: ModRM.reg
bool jit_mul(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *o = &in->insn.opnd[0];
    unsigned bits = o->size;
    if (bits < 32 || in->insn.n_opnds != 1)
        return false;
    operand_to_cx(t, in, o);
    asm_mov(&t->a, H_AX, jit_use(t, RW_R_RAX));
    asm_reg(&t->a, bits, 0xf7, in->insn.mnemonic == ZYDIS_MNEMONIC_MUL ? 4 : 5, H_CX);
    wide_result(t, bits);
    t->host_flags = 0;
    if (!in->live)
        return true;
    asm_setcc(&t->a, CC_O, H_CX);
    jit_save(t, 0, H_AX);
    jit_save(t, 1, H_CX);
    jit_set_pending(t, K_MUL, bits, F_CF | F_OF);
    return true;
}

// Leaves where the quotient does not fit: for DIV exactly there, for IDIV also where the dividend needs
// more bits than the divisor has, and for a divisor of -1. RAX is the dividend's low half then.
static void check_division(RwJitBlock *t, const RwJitInsn *in, unsigned bits)
{
    RwJitAsm *a = &t->a;
    int low = jit_use(t, RW_R_RAX), high = jit_use(t, RW_R_RDX);
    asm_mov(a, H_AX, low);
    if (in->insn.mnemonic == ZYDIS_MNEMONIC_DIV) {
        asm_alu(a, bits, ALU_CMP, high, H_CX);
        jit_leave_if(t, CC_AE, in->op);
        asm_mov(a, H_DX, high);
        return;
    }
    asm_reg(a, bits, 0x8b, H_DX, low);
    asm_shift_imm(a, bits, 7, H_DX, bits - 1);
    asm_alu(a, bits, ALU_CMP, high, H_DX);
    jit_leave_if(t, CC_NE, in->op);
    asm_mem(a, bits, 0x8d, H_DX, AT(H_CX, 1));
    asm_alu_imm(a, bits, ALU_CMP, H_DX, 1);
    jit_leave_if(t, CC_BE, in->op);
    asm_mov(a, H_DX, high);
}

// DIV and IDIV, which leave the flags alone.
bool jit_div(RwJitBlock *t, const RwJitInsn *in)
{
    unsigned bits = in->insn.opnd[0].size;
    if (bits < 32)
        return false;
    operand_to_cx(t, in, &in->insn.opnd[0]);
    check_division(t, in, bits);
    asm_reg(&t->a, bits, 0xf7, in->insn.mnemonic == ZYDIS_MNEMONIC_DIV ? 6 : 7, H_CX);
    wide_result(t, bits);
    t->host_flags = 0;
    return true;
}

// BSF, BSR. A source of 0 leaves the destination; the flags are those of a logic operation on the source.
// arg: opcode
bool jit_scan(RwJitBlock *t, const RwJitInsn *in)
{
    unsigned bits = in->insn.opnd[0].size;
    operand_to_cx(t, in, &in->insn.opnd[1]);
    if (in->live)
        jit_save(t, 0, H_CX);
    asm_reg(&t->a, bits == 64 ? 64 : 32, in->row->arg, H_AX, H_CX);
    asm_reg(&t->a, bits == 16 ? 16 : 64, 0x0f45, jit_update(t, jit_gpr(&in->insn.opnd[0])), H_AX); // CMOVNE
    t->host_flags = 0;
    if (in->live)
        jit_set_pending(t, K_LOGIC, bits, F_ZF);
    return true;
}

// XCHG with memory, in either order.
bool jit_xchg_memory(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *reg = &in->insn.opnd[rw_opnd_is_mem(&in->insn.opnd[0])];
    unsigned bits = reg->size;
    if (!jit_is_low(reg))
        return false;
    int host = jit_use(t, jit_gpr(reg));
    jit_operand(t, in->op, bits, true);
    asm_load(&t->a, bits, H_CX, jit_at(t));
    asm_store(&t->a, bits, host, jit_at(t));
    asm_reg(&t->a, bits, bits == 8 ? 0x8a : 0x8b, jit_update(t, jit_gpr(reg)), H_CX);
    return true;
}

bool jit_xadd(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    const RwOpnd *reg = &in->insn.opnd[1];
    unsigned bits = reg->size;
    if (!rw_opnd_is_mem(&in->insn.opnd[0]) || bits < 32)
        return false;
    int host = jit_use(t, jit_gpr(reg));
    jit_operand(t, in->op, bits, true);
    asm_load(a, bits, H_CX, jit_at(t));
    if (in->live) {
        jit_save(t, 0, H_CX);
        jit_save(t, 1, host);
    }
    asm_alu(a, bits, ALU_ADD, host, H_CX);
    asm_store(a, bits, host, jit_at(t));
    asm_reg(a, bits, 0x8b, jit_def(t, jit_gpr(reg)), H_CX);
    t->host_flags = 0;
    if (in->live)
        jit_set_pending(t, K_ADD, bits, F_ALL);
    return true;
}

// Memory that is not equal is written with what it held: nothing to do, as it may be written.
bool jit_cmpxchg(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    const RwOpnd *reg = &in->insn.opnd[1];
    unsigned bits = reg->size;
    if (!rw_opnd_is_mem(&in->insn.opnd[0]) || bits < 32)
        return false;
    int host = jit_use(t, jit_gpr(reg));
    jit_use(t, RW_R_RAX);
    jit_operand(t, in->op, bits, true);
    asm_load(a, bits, H_CX, jit_at(t));
    int accumulator = jit_update(t, RW_R_RAX);
    if (in->live) {
        jit_save(t, 0, accumulator);
        jit_save(t, 1, H_CX);
    }
    asm_alu(a, bits, ALU_CMP, accumulator, H_CX);
    uint8_t *other = asm_jcc(a, CC_NE);
    asm_store(a, bits, host, jit_at(t));
    asm_patch(a, other, a->p);
    asm_reg(a, 64, 0x0f45, accumulator, H_CX); // CMOVNE
    t->host_flags = 0;
    if (in->live)
        jit_set_pending(t, K_SUB, bits, F_ALL);
    return true;
}
