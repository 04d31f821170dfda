// SPDX-License-Identifier: MIT
// Emission of FP and SIMD instructions: the checks of CR0 and CR4, once a block, and operand forms.
//
// One check op stands before the first instruction of its kind in a block. It belongs to that
// instruction, so a fault it raises is that instruction's; later ones in the block need none, as nothing
// in a block changes CR0 or CR4.
#include "fp-private.h"

// Manual vol. 3, 2.5 and 13.1: EM or no OSFXSR is #UD, before TS, which is #NM.
static RW_OP(op_check_sse)
{
    if (RW_UNLIKELY((cpu->cr0 & RW_CR0_EM) || !(cpu->cr4 & RW_CR4_OSFXSR)))
        return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
    if (RW_UNLIKELY(cpu->cr0 & RW_CR0_TS))
        return rw_fault(cpu, op, RW_NM, RW_NO_ERROR);
    RW_NEXT;
}

static RW_OP(op_check_x87)
{
    if (RW_UNLIKELY(cpu->cr0 & (RW_CR0_EM | RW_CR0_TS)))
        return rw_fault(cpu, op, RW_NM, RW_NO_ERROR);
    RW_NEXT;
}

static RW_OP(op_check_mmx)
{
    if (RW_UNLIKELY(cpu->cr0 & RW_CR0_EM))
        return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
    if (RW_UNLIKELY(cpu->cr0 & RW_CR0_TS))
        return rw_fault(cpu, op, RW_NM, RW_NO_ERROR);
    RW_NEXT;
}

static void emit_check(RwEmit *e, uint8_t bit, RwOpFn fn)
{
    if (e->fp_checked & bit)
        return;
    rw_emit(e, fn);
    e->fp_checked |= bit;
}

void rw_emit_check_sse(RwEmit *e)
{
    emit_check(e, RW_CHECKED_SSE, op_check_sse);
}

void rw_emit_check_x87(RwEmit *e)
{
    emit_check(e, RW_CHECKED_X87, op_check_x87);
}

void rw_emit_check_mmx(RwEmit *e)
{
    emit_check(e, RW_CHECKED_MMX, op_check_mmx);
}

RwOp *rw_emit_rm(RwEmit *e, RwOpFn fn_reg, RwOpFn fn_mem, const RwOpnd *o)
{
    if (rw_opnd_is_mem(o)) {
        if (!fn_mem)
            return NULL;
        RwEa ea = rw_emit_ea(e, o);
        return rw_emit_mem(e, fn_mem, &ea);
    }
    if (o->type != RW_OPND_REG || !fn_reg)
        return NULL;
    RwOp *op = rw_emit(e, fn_reg);
    op->rm = o->reg;
    return op;
}

RwOp *rw_emit_mem_op(RwEmit *e, RwOpFn fn, RwOpFn plain, const RwOpnd *mem)
{
    RwEa ea = rw_emit_ea(e, mem);

    return rw_emit_mem(e, plain && ea.index == RW_R_ZERO ? plain : fn, &ea);
}

bool rw_emit_forms(RwEmit *e, const RwForms *f)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1], *imm = &e->insn.opnd[2];
    bool mmx = rw_opnd_is_mmx(dst);

    if (!mmx && !rw_opnd_is_xmm(dst))
        return false;
    if (!rw_opnd_is_mem(src) && rw_opnd_is_mmx(src) != mmx)
        return false;
    RwOpFn reg = mmx ? f->mm : f->xx, mem = mmx ? f->mm_m : f->xm;
    if (!(rw_opnd_is_mem(src) ? mem : reg))
        return false;
    (mmx ? rw_emit_check_mmx : rw_emit_check_sse)(e);
    RwOp *op = rw_opnd_is_mem(src) ? rw_emit_mem_op(e, mem, mmx ? NULL : f->xm_plain, src)
                                   : rw_emit_rm(e, reg, NULL, src);
    op->reg = dst->reg;
    if (e->insn.n_opnds > 2 && imm->type == RW_OPND_IMM)
        op->imm = imm->uimm & 0xff;
    return true;
}

uint8_t rw_emit_fetch(RwEmit *e, RwOpFn load)
{
    const RwOpnd *src = &e->insn.opnd[1];

    if (!rw_opnd_is_mem(src))
        return src->reg;
    RwEa ea = rw_emit_ea(e, src);
    rw_emit_mem(e, load, &ea);
    return RW_XMM_SRC;
}

RW_OP_LOAD128A(fetch128a, v, cpu->xmm_src.i = v)
RW_OP_LOAD128(fetch128, v, cpu->xmm_src.i = v)
RW_OP_LOAD(fetch64, 64, v, cpu->xmm_src.i = _mm_cvtsi64_si128((long long)v))
RW_OP_LOAD(fetch32, 32, v, cpu->xmm_src.i = _mm_cvtsi32_si128((int)v))
RW_OP_LOAD(fetch16, 16, v, cpu->xmm_src.i = _mm_cvtsi32_si128(v))
RW_OP_LOAD(fetch8, 8, v, cpu->xmm_src.i = _mm_cvtsi32_si128(v))

const RwFetchOps rw_fetch = {fetch128a, fetch128, fetch64, fetch32, fetch16, fetch8};
