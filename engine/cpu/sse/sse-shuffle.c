// SPDX-License-Identifier: MIT
// Shuffles, blends and byte shifts chosen by an immediate.
//
// The immediate becomes a 16-byte mask when the instruction is decoded. It is kept in the op's imm and
// disp, which are adjacent; a memory operand is fetched by an op before. What the mask means differs by
// handler: PSHUFB selectors, or 0xff where a blend takes the source's byte.
#pragma GCC target("sse4.2")
#include "fp-private.h"
#include "sse-private.h"

#include <smmintrin.h>

_Static_assert(offsetof(RwOp, disp) == offsetof(RwOp, imm) + 8, "imm and disp hold a mask together");
#define MASK _mm_loadu_si128((const __m128i *)(const void *)&op->imm)

// One source: also byte shifts, whose source is the destination.
static RW_OP(op_select)
{
    RW_XREG.i = _mm_shuffle_epi8(RW_XRM.i, MASK);
    RW_NEXT;
}

// SHUFPS, SHUFPD: the low half from the destination, the high half from the source.
static RW_OP(op_select_halves)
{
    __m128i mask = MASK, lo = _mm_shuffle_epi8(RW_XREG.i, mask);
    __m128i hi = _mm_shuffle_epi8(RW_XRM.i, _mm_unpackhi_epi64(mask, mask));

    RW_XREG.i = _mm_unpacklo_epi64(lo, hi);
    RW_NEXT;
}

// PALIGNR: selectors 0-15 are source bytes, 16-31 destination bytes, 0xff is zero.
static RW_OP(op_palignr)
{
    __m128i mask = MASK;
    __m128i src = _mm_shuffle_epi8(RW_XRM.i, _mm_adds_epu8(mask, _mm_set1_epi8(0x70)));
    __m128i dst = _mm_shuffle_epi8(RW_XREG.i, _mm_sub_epi8(mask, _mm_set1_epi8(16)));

    RW_XREG.i = _mm_or_si128(src, dst);
    RW_NEXT;
}

static RW_OP(op_blend)
{
    RW_XREG.i = _mm_blendv_epi8(RW_XREG.i, RW_XRM.i, MASK);
    RW_NEXT;
}

// MMX: PSHUFW, and PALIGNR with its operands side by side.
static inline uint64_t mmx_select(__m128i v, __m128i mask)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(v, mask));
}
static RW_OP(op_mmx_select)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, mmx_select(_mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->rm)), MASK));
    RW_NEXT;
}
static RW_OP(op_mmx_select_src)
{
    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, mmx_select(cpu->xmm_src.i, MASK));
    RW_NEXT;
}
static RW_OP(op_mmx_palignr)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    __m128i v = _mm_set_epi64x((long long)rw_mmx_get(cpu, op->reg), (long long)rw_mmx_get(cpu, op->rm));
    rw_mmx_set(cpu, op->reg, mmx_select(v, MASK));
    RW_NEXT;
}
static RW_OP(op_mmx_palignr_src)
{
    rw_mmx_enter(cpu);
    __m128i v = _mm_set_epi64x((long long)rw_mmx_get(cpu, op->reg), (long long)cpu->xmm_src.u64[0]);
    rw_mmx_set(cpu, op->reg, mmx_select(v, MASK));
    RW_NEXT;
}
static RW_OP(op_mmx_fetch64)
{
    uint64_t v;

    RW_CHECK_MF;
    RW_LOAD(64, v, RW_EA);
    cpu->xmm_src.i = _mm_cvtsi64_si128((long long)v);
    RW_NEXT;
}

// ---- Masks: the selector of result byte i, for immediate imm ----

typedef uint8_t (*MaskFn)(unsigned i, unsigned imm);

static uint8_t mask_pshufd(unsigned i, unsigned imm)
{
    return (uint8_t)((imm >> (i / 4 * 2) & 3) * 4 + i % 4);
}
static uint8_t mask_pshuflw(unsigned i, unsigned imm)
{
    return (uint8_t)(i < 8 ? (imm >> (i / 2 * 2) & 3) * 2 + i % 2 : i);
}
static uint8_t mask_pshufhw(unsigned i, unsigned imm)
{
    return (uint8_t)(i >= 8 ? 8u + mask_pshuflw(i - 8, imm) : i);
}
static uint8_t mask_shufpd(unsigned i, unsigned imm)
{
    return (uint8_t)((imm >> (i / 8) & 1) * 8 + i % 8);
}
static uint8_t mask_palignr(unsigned i, unsigned imm)
{
    return (uint8_t)(imm + i < 32 ? imm + i : 0xff);
}
static uint8_t mask_mmx_palignr(unsigned i, unsigned imm)
{
    return (uint8_t)(imm + i < 16 ? imm + i : 0xff);
}
static uint8_t mask_pblendw(unsigned i, unsigned imm)
{
    return imm >> (i / 2) & 1 ? 0xff : 0;
}
static uint8_t mask_blendps(unsigned i, unsigned imm)
{
    return imm >> (i / 4) & 1 ? 0xff : 0;
}
static uint8_t mask_blendpd(unsigned i, unsigned imm)
{
    return imm >> (i / 8) & 1 ? 0xff : 0;
}
static uint8_t mask_pslldq(unsigned i, unsigned imm)
{
    return (uint8_t)(i >= imm ? i - imm : 0xff);
}
static uint8_t mask_psrldq(unsigned i, unsigned imm)
{
    return (uint8_t)(i + imm < 16 ? i + imm : 0xff);
}

static const struct {
    RwOpFn fn;
    MaskFn mask;
    RwOpFn mmx, mmx_src; // register and fetched operand
    MaskFn mmx_mask;
} shuffles[] = {
    [RW_SSE_SHUFFLE_PSHUFD] = {op_select, mask_pshufd, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_PSHUFLW] = {op_select, mask_pshuflw, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_PSHUFHW] = {op_select, mask_pshufhw, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_PSHUFW] = {NULL, NULL, op_mmx_select, op_mmx_select_src, mask_pshuflw},
    [RW_SSE_SHUFFLE_SHUFPS] = {op_select_halves, mask_pshufd, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_SHUFPD] = {op_select_halves, mask_shufpd, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_PALIGNR] = {op_palignr, mask_palignr, op_mmx_palignr, op_mmx_palignr_src,
                                mask_mmx_palignr},
    [RW_SSE_SHUFFLE_PBLENDW] = {op_blend, mask_pblendw, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_BLENDPS] = {op_blend, mask_blendps, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_BLENDPD] = {op_blend, mask_blendpd, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_PSLLDQ] = {op_select, mask_pslldq, NULL, NULL, NULL},
    [RW_SSE_SHUFFLE_PSRLDQ] = {op_select, mask_psrldq, NULL, NULL, NULL},
};

static void set_mask(RwOp *op, MaskFn fn, unsigned imm)
{
    uint8_t mask[16];

    for (unsigned i = 0; i < 16; i++)
        mask[i] = fn(i, imm);
    memcpy(&op->imm, mask, 8);
    memcpy(&op->disp, mask + 8, 8);
}

static const RwOpnd *immediate(const RwEmit *e)
{
    for (unsigned i = 1; i < e->insn.n_opnds; i++) {
        if (e->insn.opnd[i].type == RW_OPND_IMM)
            return &e->insn.opnd[i];
    }
    return NULL;
}

static bool emit_mmx(RwEmit *e, const RwMnemonic *m, unsigned imm)
{
    bool mem = rw_opnd_is_mem(&e->insn.opnd[1]);

    if (!shuffles[m->arg].mmx)
        return false;
    rw_emit_check_mmx(e);
    uint8_t rm = rw_emit_fetch(e, op_mmx_fetch64);
    RwOp *op = rw_emit(e, mem ? shuffles[m->arg].mmx_src : shuffles[m->arg].mmx);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    set_mask(op, shuffles[m->arg].mmx_mask, imm);
    return true;
}

bool rw_emit_sse_shuffle(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *i = immediate(e);

    if (!i)
        return false;
    unsigned imm = i->uimm & 0xff;
    if (rw_opnd_is_mmx(&e->insn.opnd[0]))
        return emit_mmx(e, m, imm);
    if (!shuffles[m->arg].fn)
        return false;
    rw_emit_check_sse(e);
    uint8_t dst = e->insn.opnd[0].reg;
    // PSLLDQ and PSRLDQ have no second register.
    uint8_t rm = i == &e->insn.opnd[1] ? dst : rw_emit_fetch(e, rw_fetch.m128a);
    RwOp *op = rw_emit(e, shuffles[m->arg].fn);
    op->reg = dst;
    op->rm = rm;
    set_mask(op, shuffles[m->arg].mask, imm);
    return true;
}
