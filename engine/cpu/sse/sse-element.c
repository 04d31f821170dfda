// SPDX-License-Identifier: MIT
// Single elements: PEXTR, EXTRACTPS, PINSR, INSERTPS, and the masks of sign bits (MOVMSK, PMOVMSKB).
#include "fp-private.h"
#include "sse-private.h"

// ---- Extract: bytes [imm, imm + size) of register reg ----

#define EXTRACT(bits)                                                                                      \
    static RW_OP(op_extract##bits)                                                                         \
    {                                                                                                      \
        cpu->r[op->rm] = RW_XREG.u##bits[op->imm];                                                         \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_STORE(op_extract##bits##_mem, bits, RW_XREG.u##bits[op->imm])
EXTRACT(8)
EXTRACT(16)
EXTRACT(32)
EXTRACT(64)

static RW_OP(op_mmx_extract16)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    cpu->r[op->rm] = (uint16_t)(rw_mmx_get(cpu, op->reg) >> (op->imm * 16));
    RW_NEXT;
}

// arg: element size in bits.
bool rw_emit_sse_extract(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *src = &e->insn.opnd[1];
    uint64_t imm = e->insn.opnd[2].uimm;
    RwOp *op;

    if (rw_opnd_is_mmx(src)) {
        rw_emit_check_mmx(e);
        op = rw_emit_rm(e, op_mmx_extract16, NULL, &e->insn.opnd[0]);
        imm &= 3;
    } else {
        rw_emit_check_sse(e);
        op = m->arg == 8    ? rw_emit_rm(e, op_extract8, op_extract8_mem, &e->insn.opnd[0])
             : m->arg == 16 ? rw_emit_rm(e, op_extract16, op_extract16_mem, &e->insn.opnd[0])
             : m->arg == 32 ? rw_emit_rm(e, op_extract32, op_extract32_mem, &e->insn.opnd[0])
                            : rw_emit_rm(e, op_extract64, op_extract64_mem, &e->insn.opnd[0]);
        imm &= 128 / m->arg - 1;
    }
    if (!op)
        return false;
    op->reg = src->reg;
    op->imm = imm;
    return true;
}

// ---- Insert ----

#define INSERT(bits)                                                                                       \
    static RW_OP(op_insert##bits)                                                                          \
    {                                                                                                      \
        RW_XREG.u##bits[op->imm] = (uint##bits##_t)cpu->r[op->rm];                                         \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(op_insert##bits##_mem, bits, v, RW_XREG.u##bits[op->imm] = v)
INSERT(8)
INSERT(16)
INSERT(32)
INSERT(64)

static inline void mmx_insert16(RwCpu *cpu, const RwOp *op, uint16_t v)
{
    unsigned shift = (unsigned)op->imm * 16;
    uint64_t old = rw_mmx_get(cpu, op->reg);

    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, (old & ~((uint64_t)0xffff << shift)) | (uint64_t)v << shift);
}
static RW_OP(op_mmx_insert16)
{
    RW_CHECK_MF;
    mmx_insert16(cpu, op, (uint16_t)cpu->r[op->rm]);
    RW_NEXT;
}
static RW_OP(op_mmx_insert16_mem)
{
    uint16_t v;

    RW_CHECK_MF;
    RW_LOAD(16, v, RW_EA);
    mmx_insert16(cpu, op, v);
    RW_NEXT;
}

bool rw_emit_sse_insert(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    uint64_t imm = e->insn.opnd[2].uimm;
    RwOp *op;

    if (rw_opnd_is_mmx(dst)) {
        rw_emit_check_mmx(e);
        op = rw_emit_rm(e, op_mmx_insert16, op_mmx_insert16_mem, src);
        imm &= 3;
    } else {
        rw_emit_check_sse(e);
        op = m->arg == 8    ? rw_emit_rm(e, op_insert8, op_insert8_mem, src)
             : m->arg == 16 ? rw_emit_rm(e, op_insert16, op_insert16_mem, src)
             : m->arg == 32 ? rw_emit_rm(e, op_insert32, op_insert32_mem, src)
                            : rw_emit_rm(e, op_insert64, op_insert64_mem, src);
        imm &= 128 / m->arg - 1;
    }
    if (!op)
        return false;
    op->reg = dst->reg;
    op->imm = imm;
    return true;
}

// imm: source element 6-7 (registers only), destination element 4-5, elements to clear 0-3.
static RW_OP(op_insertps)
{
    uint32_t v = RW_XRM.u32[op->imm >> 6];

    RW_XREG.u32[op->imm >> 4 & 3] = v;
    for (unsigned i = 0; i < 4; i++) {
        if (op->imm >> i & 1)
            RW_XREG.u32[i] = 0;
    }
    RW_NEXT;
}

bool rw_emit_sse_insertps(RwEmit *e, const RwMnemonic *m)
{
    unsigned imm = e->insn.opnd[2].uimm & 0xff;

    (void)m;
    if (rw_opnd_is_mem(&e->insn.opnd[1]))
        imm &= 0x3f;
    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, rw_fetch.m32);
    RwOp *op = rw_emit(e, op_insertps);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = imm;
    return true;
}

// ---- Sign bits ----

static RW_OP(op_movmskps)
{
    cpu->r[op->reg] = (unsigned)_mm_movemask_ps(RW_XRM.ps);
    RW_NEXT;
}
static RW_OP(op_movmskpd)
{
    cpu->r[op->reg] = (unsigned)_mm_movemask_pd(RW_XRM.pd);
    RW_NEXT;
}
static RW_OP(op_pmovmskb)
{
    cpu->r[op->reg] = (unsigned)_mm_movemask_epi8(RW_XRM.i);
    RW_NEXT;
}
static RW_OP(op_mmx_pmovmskb)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    cpu->r[op->reg] = (unsigned)_mm_movemask_epi8(_mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->rm)));
    RW_NEXT;
}

bool rw_emit_sse_movmsk(RwEmit *e, const RwMnemonic *m)
{
    static const RwOpFn fn[] = {
        [RW_MOVMSK_PS] = op_movmskps, [RW_MOVMSK_PD] = op_movmskpd, [RW_MOVMSK_B] = op_pmovmskb};
    bool mmx = rw_opnd_is_mmx(&e->insn.opnd[1]);

    if (mmx && m->arg != RW_MOVMSK_B)
        return false;
    (mmx ? rw_emit_check_mmx : rw_emit_check_sse)(e);
    RwOp *op = rw_emit_rm(e, mmx ? op_mmx_pmovmskb : fn[m->arg], NULL, &e->insn.opnd[1]);
    if (op)
        op->reg = e->insn.opnd[0].reg;
    return op != NULL;
}
