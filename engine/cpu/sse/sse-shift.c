// SPDX-License-Identifier: MIT
// Shifts of XMM and MMX elements. The count is the low 64 bits of the source, or an immediate, which is
// moved into a register the same way: counts past the element's width give zeros (or signs).
#include "fp-private.h"
#include "sse-private.h"

#define SHIFT(name, f)                                                                                     \
    static RW_OP(op_##name##_xx)                                                                           \
    {                                                                                                      \
        RW_XREG.i = f(RW_XREG.i, RW_XRM.i);                                                                \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD128A(op_##name##_xm, b, RW_XREG.i = f(RW_XREG.i, b))                                         \
    static RW_OP(op_##name##_xi)                                                                           \
    {                                                                                                      \
        RW_XREG.i = f(RW_XREG.i, _mm_cvtsi64_si128((long long)op->imm));                                   \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static inline void mmx_##name(RwCpu *cpu, unsigned n, uint64_t count)                                  \
    {                                                                                                      \
        __m128i a = _mm_cvtsi64_si128((long long)rw_mmx_get(cpu, n));                                      \
                                                                                                           \
        rw_mmx_enter(cpu);                                                                                 \
        rw_mmx_set(cpu, n, (uint64_t)_mm_cvtsi128_si64(f(a, _mm_cvtsi64_si128((long long)count))));        \
    }                                                                                                      \
    static RW_OP(op_##name##_mm)                                                                           \
    {                                                                                                      \
        RW_CHECK_MF;                                                                                       \
        mmx_##name(cpu, op->reg, rw_mmx_get(cpu, op->rm));                                                 \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_##name##_mm_m)                                                                         \
    {                                                                                                      \
        uint64_t v;                                                                                        \
        RW_CHECK_MF;                                                                                       \
        RW_LOAD(64, v, RW_EA);                                                                             \
        mmx_##name(cpu, op->reg, v);                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_##name##_mi)                                                                           \
    {                                                                                                      \
        RW_CHECK_MF;                                                                                       \
        mmx_##name(cpu, op->reg, op->imm);                                                                 \
        RW_NEXT;                                                                                           \
    }

SHIFT(PSLLW, _mm_sll_epi16)
SHIFT(PSLLD, _mm_sll_epi32)
SHIFT(PSLLQ, _mm_sll_epi64)
SHIFT(PSRLW, _mm_srl_epi16)
SHIFT(PSRLD, _mm_srl_epi32)
SHIFT(PSRLQ, _mm_srl_epi64)
SHIFT(PSRAW, _mm_sra_epi16)
SHIFT(PSRAD, _mm_sra_epi32)

#define X(name)                                                                                            \
    [RW_SSE_SHIFT_##                                                                                       \
        name] = {{op_##name##_xx, op_##name##_xm, op_##name##_mm, op_##name##_mm_m, op_##name##_xm_plain}, \
                 op_##name##_xi,                                                                           \
                 op_##name##_mi},
static const struct {
    RwForms var;
    RwOpFn xmm_imm, mmx_imm;
} shifts[] = {RW_SSE_SHIFT_LIST(X)};
#undef X

bool rw_emit_sse_shift(RwEmit *e, const RwMnemonic *m)
{
    bool mmx = rw_opnd_is_mmx(&e->insn.opnd[0]);

    if (e->insn.opnd[1].type != RW_OPND_IMM)
        return rw_emit_forms(e, &shifts[m->arg].var);
    (mmx ? rw_emit_check_mmx : rw_emit_check_sse)(e);
    RwOp *op = rw_emit(e, mmx ? shifts[m->arg].mmx_imm : shifts[m->arg].xmm_imm);
    op->reg = e->insn.opnd[0].reg;
    op->imm = e->insn.opnd[1].uimm & 0xff;
    return true;
}
