// SPDX-License-Identifier: MIT
// SSE arithmetic: the host's own instruction, as in the handlers (sse-fp.c), by the guest's MXCSR, which
// the host's is while host code runs. Where that would not do (an exception is unmasked) the handler is
// left to.
#include "jit-private.h"

#define X0 0 // host's XMM0
#define MOVDQA (RW_ASM_66 | 0x0f6f)

bool jit_is_fp(const RwJitRow *row)
{
    return row->translate == jit_fp_op || row->translate == jit_fp_compare ||
           row->translate == jit_fp_from_int || row->translate == jit_fp_to_int;
}

// Whether it is left to the handlers is known before anything changes.
static void check(RwJitBlock *t, const RwJitInsn *in)
{
    jit_sse_check(t, in);
    asm_alu_mem_imm(&t->a, 32, ALU_CMP, CPU(sse_unmasked), 0);
    jit_leave_if(t, CC_NE, in->first);
    t->host_flags = 0;
}

// The second operand, in memory: cpu->xmm[] or the guest's.
static RwAsmMem source(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *src = &in->insn.opnd[1];
    if (rw_opnd_is_xmm(src))
        return jit_xmm(src);
    if (src->size == 128) {
        jit_address(t, in->op);
        jit_check_aligned(t, in->op, false);
    } else {
        jit_operand(t, in->op, src->size, false);
    }
    return jit_at(t);
}

static bool is_form(const RwJitInsn *in)
{
    return rw_opnd_is_xmm(&in->insn.opnd[0]) &&
           (rw_opnd_is_xmm(&in->insn.opnd[1]) || rw_opnd_is_mem(&in->insn.opnd[1])) && jit_sse_opcode(in);
}

// "op xmm, xmm/m", perhaps with an immediate. arg: the mandatory prefix
bool jit_fp_op(RwJitBlock *t, const RwJitInsn *in)
{
    bool has_imm = in->insn.n_opnds == 3;
    if (!is_form(in) ||
        (has_imm && !(rw_opnd_is_imm(&in->insn.opnd[2]) && rw_opnd_is_xmm(&in->insn.opnd[1]))))
        return false;
    check(t, in);
    RwAsmMem from = source(t, in);
    asm_mem(&t->a, 32, MOVDQA, X0, jit_xmm(&in->insn.opnd[0]));
    asm_mem(&t->a, 32, jit_sse_opcode(in), X0, from);
    if (has_imm) // CMP has 8 predicates, ROUND 16 modes
        asm8(&t->a, (unsigned)in->insn.opnd[2].uimm & (in->insn.opcode == 0xc2 ? 7 : 15));
    jit_sse_put(t, &in->insn.opnd[0]);
    return true;
}

// COMISS and the like.
bool jit_fp_compare(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    if (!is_form(in))
        return false;
    check(t, in);
    RwAsmMem from = source(t, in);
    asm_mem(a, 32, MOVDQA, X0, jit_xmm(&in->insn.opnd[0]));
    asm_mem(a, 32, jit_sse_opcode(in), X0, from);
    jit_save_host_flags(t, in);
    return true;
}

// CVTSI2SS, CVTSI2SD of a register.
bool jit_fp_from_int(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *src = &in->insn.opnd[1];
    if (!rw_opnd_is_xmm(&in->insn.opnd[0]) || !jit_is_low(src))
        return false;
    check(t, in);
    int host = jit_use(t, jit_gpr(src));
    asm_mem(&t->a, 32, MOVDQA, X0, jit_xmm(&in->insn.opnd[0]));
    asm_reg(&t->a, src->size, jit_sse_opcode(in), X0, host);
    jit_sse_put(t, &in->insn.opnd[0]);
    return true;
}

// CVTSS2SI and the like of a register.
bool jit_fp_to_int(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0];
    if (!jit_is_low(dst) || !rw_opnd_is_xmm(&in->insn.opnd[1]))
        return false;
    check(t, in);
    asm_mem(&t->a, dst->size, jit_sse_opcode(in), jit_def(t, jit_gpr(dst)), jit_xmm(&in->insn.opnd[1]));
    return true;
}
