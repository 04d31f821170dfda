// SPDX-License-Identifier: MIT
// Integer and bitwise operations "op reg, reg/m" on XMM and MMX registers.
//
// MMX operations run as the XMM one on the low half where the two agree (elements don't cross over); those
// that pack, pair or select bytes have an expression of their own.
#pragma GCC target("sse4.2")
#include "fp-private.h"
#include "sse-private.h"

#include <smmintrin.h>

// XMM forms of a name: a is the destination's value, b the source's.
#define XMM_OP(name, expr)                                                                                 \
    static RW_OP(op_##name##_xx)                                                                           \
    {                                                                                                      \
        __m128i a = RW_XREG.i, b = RW_XRM.i;                                                               \
        (void)a;                                                                                           \
        RW_XREG.i = (expr);                                                                                \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD128A(op_##name##_xm, b, __m128i a = RW_XREG.i; (void)a; RW_XREG.i = (expr))
#define MMX_OP_SIZED(name, expr, bits)                                                                     \
    static RW_OP(op_##name##_mm)                                                                           \
    {                                                                                                      \
        RW_CHECK_MF;                                                                                       \
        rw_mmx_enter(cpu);                                                                                 \
        __m128i a = _mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->reg));                                \
        __m128i b = _mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->rm));                                 \
        (void)a;                                                                                           \
        rw_mmx_set(cpu, op->reg, (uint64_t)_mm_cvtsi128_si64(expr));                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_##name##_mm_m)                                                                         \
    {                                                                                                      \
        uint64_t v;                                                                                        \
        RW_CHECK_MF;                                                                                       \
        RW_LOAD(bits, v, RW_EA);                                                                           \
        rw_mmx_enter(cpu);                                                                                 \
        __m128i a = _mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->reg));                                \
        __m128i b = _mm_cvtsi64_si128((long long)v);                                                       \
        (void)a;                                                                                           \
        rw_mmx_set(cpu, op->reg, (uint64_t)_mm_cvtsi128_si64(expr));                                       \
        RW_NEXT;                                                                                           \
    }
#define MMX_OP(name, expr) MMX_OP_SIZED(name, expr, 64)

// The same expression in both sizes.
#define BOTH(name, expr)                                                                                   \
    XMM_OP(name, expr)                                                                                     \
    MMX_OP(name, expr)
// Both, the MMX one on operands side by side in one XMM register.
#define PAIR(name, f)                                                                                      \
    XMM_OP(name, f(a, b))                                                                                  \
    MMX_OP(name, f(_mm_unpacklo_epi64(a, b), _mm_setzero_si128()))
#define HIGH(v) _mm_unpackhi_epi64(v, v)

BOTH(PADDB, _mm_add_epi8(a, b))
BOTH(PADDW, _mm_add_epi16(a, b))
BOTH(PADDD, _mm_add_epi32(a, b))
BOTH(PADDQ, _mm_add_epi64(a, b))
BOTH(PADDSB, _mm_adds_epi8(a, b))
BOTH(PADDSW, _mm_adds_epi16(a, b))
BOTH(PADDUSB, _mm_adds_epu8(a, b))
BOTH(PADDUSW, _mm_adds_epu16(a, b))
BOTH(PSUBB, _mm_sub_epi8(a, b))
BOTH(PSUBW, _mm_sub_epi16(a, b))
BOTH(PSUBD, _mm_sub_epi32(a, b))
BOTH(PSUBQ, _mm_sub_epi64(a, b))
BOTH(PSUBSB, _mm_subs_epi8(a, b))
BOTH(PSUBSW, _mm_subs_epi16(a, b))
BOTH(PSUBUSB, _mm_subs_epu8(a, b))
BOTH(PSUBUSW, _mm_subs_epu16(a, b))
BOTH(PMULLW, _mm_mullo_epi16(a, b))
BOTH(PMULHW, _mm_mulhi_epi16(a, b))
BOTH(PMULHUW, _mm_mulhi_epu16(a, b))
BOTH(PMULUDQ, _mm_mul_epu32(a, b))
BOTH(PMADDWD, _mm_madd_epi16(a, b))
BOTH(PSADBW, _mm_sad_epu8(a, b))
BOTH(PAVGB, _mm_avg_epu8(a, b))
BOTH(PAVGW, _mm_avg_epu16(a, b))
BOTH(PMINUB, _mm_min_epu8(a, b))
BOTH(PMINSW, _mm_min_epi16(a, b))
BOTH(PMAXUB, _mm_max_epu8(a, b))
BOTH(PMAXSW, _mm_max_epi16(a, b))
BOTH(PCMPEQB, _mm_cmpeq_epi8(a, b))
BOTH(PCMPEQW, _mm_cmpeq_epi16(a, b))
BOTH(PCMPEQD, _mm_cmpeq_epi32(a, b))
BOTH(PCMPGTB, _mm_cmpgt_epi8(a, b))
BOTH(PCMPGTW, _mm_cmpgt_epi16(a, b))
BOTH(PCMPGTD, _mm_cmpgt_epi32(a, b))
BOTH(PAND, _mm_and_si128(a, b))
BOTH(PANDN, _mm_andnot_si128(a, b))
BOTH(POR, _mm_or_si128(a, b))
BOTH(PXOR, _mm_xor_si128(a, b))
// PUNPCKL of MMX registers reads 32 bits of memory only.
XMM_OP(PUNPCKLBW, _mm_unpacklo_epi8(a, b))
MMX_OP_SIZED(PUNPCKLBW, _mm_unpacklo_epi8(a, b), 32)
XMM_OP(PUNPCKLWD, _mm_unpacklo_epi16(a, b))
MMX_OP_SIZED(PUNPCKLWD, _mm_unpacklo_epi16(a, b), 32)
XMM_OP(PUNPCKLDQ, _mm_unpacklo_epi32(a, b))
MMX_OP_SIZED(PUNPCKLDQ, _mm_unpacklo_epi32(a, b), 32)
XMM_OP(PUNPCKHBW, _mm_unpackhi_epi8(a, b))
MMX_OP(PUNPCKHBW, HIGH(_mm_unpacklo_epi8(a, b)))
XMM_OP(PUNPCKHWD, _mm_unpackhi_epi16(a, b))
MMX_OP(PUNPCKHWD, HIGH(_mm_unpacklo_epi16(a, b)))
XMM_OP(PUNPCKHDQ, _mm_unpackhi_epi32(a, b))
MMX_OP(PUNPCKHDQ, HIGH(_mm_unpacklo_epi32(a, b)))
PAIR(PACKSSWB, _mm_packs_epi16)
PAIR(PACKSSDW, _mm_packs_epi32)
PAIR(PACKUSWB, _mm_packus_epi16)

// SSSE3
XMM_OP(PSHUFB, _mm_shuffle_epi8(a, b))
MMX_OP(PSHUFB, _mm_shuffle_epi8(a, _mm_and_si128(b, _mm_set1_epi8((char)0x87))))
PAIR(PHADDW, _mm_hadd_epi16)
PAIR(PHADDD, _mm_hadd_epi32)
PAIR(PHADDSW, _mm_hadds_epi16)
PAIR(PHSUBW, _mm_hsub_epi16)
PAIR(PHSUBD, _mm_hsub_epi32)
PAIR(PHSUBSW, _mm_hsubs_epi16)
BOTH(PMADDUBSW, _mm_maddubs_epi16(a, b))
BOTH(PSIGNB, _mm_sign_epi8(a, b))
BOTH(PSIGNW, _mm_sign_epi16(a, b))
BOTH(PSIGND, _mm_sign_epi32(a, b))
BOTH(PMULHRSW, _mm_mulhrs_epi16(a, b))
BOTH(PABSB, _mm_abs_epi8(b))
BOTH(PABSW, _mm_abs_epi16(b))
BOTH(PABSD, _mm_abs_epi32(b))

// XMM only
XMM_OP(PUNPCKLQDQ, _mm_unpacklo_epi64(a, b))
XMM_OP(PUNPCKHQDQ, _mm_unpackhi_epi64(a, b))
XMM_OP(PMULDQ, _mm_mul_epi32(a, b))
XMM_OP(PMULLD, _mm_mullo_epi32(a, b))
XMM_OP(PMINSB, _mm_min_epi8(a, b))
XMM_OP(PMINSD, _mm_min_epi32(a, b))
XMM_OP(PMINUW, _mm_min_epu16(a, b))
XMM_OP(PMINUD, _mm_min_epu32(a, b))
XMM_OP(PMAXSB, _mm_max_epi8(a, b))
XMM_OP(PMAXSD, _mm_max_epi32(a, b))
XMM_OP(PMAXUW, _mm_max_epu16(a, b))
XMM_OP(PMAXUD, _mm_max_epu32(a, b))
XMM_OP(PCMPEQQ, _mm_cmpeq_epi64(a, b))
XMM_OP(PCMPGTQ, _mm_cmpgt_epi64(a, b))
XMM_OP(PACKUSDW, _mm_packus_epi32(a, b))
XMM_OP(PHMINPOSUW, _mm_minpos_epu16(b))
#define SIGN32(v) _mm_srai_epi32(v, 31)
#define SIGN64(v) _mm_shuffle_epi32(SIGN32(v), 0xf5)
XMM_OP(PBLENDVB, _mm_blendv_epi8(a, b, cpu->xmm[0].i))
XMM_OP(BLENDVPS, _mm_blendv_epi8(a, b, SIGN32(cpu->xmm[0].i)))
XMM_OP(BLENDVPD, _mm_blendv_epi8(a, b, SIGN64(cpu->xmm[0].i)))
XMM_OP(ANDPS, _mm_and_si128(a, b))
XMM_OP(ANDNPS, _mm_andnot_si128(a, b))
XMM_OP(ORPS, _mm_or_si128(a, b))
XMM_OP(XORPS, _mm_xor_si128(a, b))
XMM_OP(UNPCKLPS, _mm_unpacklo_epi32(a, b))
XMM_OP(UNPCKHPS, _mm_unpackhi_epi32(a, b))
XMM_OP(MOVSHDUP, _mm_shuffle_epi32(b, 0xf5))
XMM_OP(MOVSLDUP, _mm_shuffle_epi32(b, 0xa0))

// ZF: no bit of b is in a. CF: no bit of b is outside a. The others are 0.
static inline void ptest(RwCpu *cpu, __m128i a, __m128i b)
{
    uint64_t zf = _mm_testz_si128(a, b) ? RW_FLAG_ZF : 0;
    uint64_t cf = _mm_testc_si128(a, b) ? RW_FLAG_CF : 0;

    rw_set_arith(cpu, zf | cf);
}
static RW_OP(op_PTEST_xx)
{
    ptest(cpu, RW_XREG.i, RW_XRM.i);
    RW_NEXT;
}
RW_OP_LOAD128A(op_PTEST_xm, b, ptest(cpu, RW_XREG.i, b))

#define F_XMM(name) [RW_SSE_INT_##name] = {op_##name##_xx, op_##name##_xm, NULL, NULL, op_##name##_xm_plain}
#define F_AS(name, as) [RW_SSE_INT_##name] = {op_##as##_xx, op_##as##_xm, NULL, NULL, op_##as##_xm_plain}
#define F_BOTH(name)                                                                                       \
    [RW_SSE_INT_##                                                                                         \
        name] = {op_##name##_xx, op_##name##_xm, op_##name##_mm, op_##name##_mm_m, op_##name##_xm_plain}
static const RwForms forms[] = {
    F_BOTH(PADDB),      F_BOTH(PADDW),
    F_BOTH(PADDD),      F_BOTH(PADDQ),
    F_BOTH(PADDSB),     F_BOTH(PADDSW),
    F_BOTH(PADDUSB),    F_BOTH(PADDUSW),
    F_BOTH(PSUBB),      F_BOTH(PSUBW),
    F_BOTH(PSUBD),      F_BOTH(PSUBQ),
    F_BOTH(PSUBSB),     F_BOTH(PSUBSW),
    F_BOTH(PSUBUSB),    F_BOTH(PSUBUSW),
    F_BOTH(PMULLW),     F_BOTH(PMULHW),
    F_BOTH(PMULHUW),    F_BOTH(PMULUDQ),
    F_BOTH(PMADDWD),    F_BOTH(PSADBW),
    F_BOTH(PAVGB),      F_BOTH(PAVGW),
    F_BOTH(PMINUB),     F_BOTH(PMINSW),
    F_BOTH(PMAXUB),     F_BOTH(PMAXSW),
    F_BOTH(PCMPEQB),    F_BOTH(PCMPEQW),
    F_BOTH(PCMPEQD),    F_BOTH(PCMPGTB),
    F_BOTH(PCMPGTW),    F_BOTH(PCMPGTD),
    F_BOTH(PAND),       F_BOTH(PANDN),
    F_BOTH(POR),        F_BOTH(PXOR),
    F_BOTH(PUNPCKLBW),  F_BOTH(PUNPCKLWD),
    F_BOTH(PUNPCKLDQ),  F_BOTH(PUNPCKHBW),
    F_BOTH(PUNPCKHWD),  F_BOTH(PUNPCKHDQ),
    F_BOTH(PACKSSWB),   F_BOTH(PACKSSDW),
    F_BOTH(PACKUSWB),   F_BOTH(PSHUFB),
    F_BOTH(PHADDW),     F_BOTH(PHADDD),
    F_BOTH(PHADDSW),    F_BOTH(PHSUBW),
    F_BOTH(PHSUBD),     F_BOTH(PHSUBSW),
    F_BOTH(PMADDUBSW),  F_BOTH(PSIGNB),
    F_BOTH(PSIGNW),     F_BOTH(PSIGND),
    F_BOTH(PMULHRSW),   F_BOTH(PABSB),
    F_BOTH(PABSW),      F_BOTH(PABSD),
    F_XMM(PUNPCKLQDQ),  F_XMM(PUNPCKHQDQ),
    F_XMM(PMULDQ),      F_XMM(PMULLD),
    F_XMM(PMINSB),      F_XMM(PMINSD),
    F_XMM(PMINUW),      F_XMM(PMINUD),
    F_XMM(PMAXSB),      F_XMM(PMAXSD),
    F_XMM(PMAXUW),      F_XMM(PMAXUD),
    F_XMM(PCMPEQQ),     F_XMM(PCMPGTQ),
    F_XMM(PACKUSDW),    F_XMM(PHMINPOSUW),
    F_XMM(PBLENDVB),    F_XMM(BLENDVPS),
    F_XMM(BLENDVPD),    F_XMM(PTEST),
    F_XMM(ANDPS),       F_XMM(ANDNPS),
    F_XMM(ORPS),        F_XMM(XORPS),
    F_AS(ANDPD, ANDPS), F_AS(ANDNPD, ANDNPS),
    F_AS(ORPD, ORPS),   F_AS(XORPD, XORPS),
    F_XMM(UNPCKLPS),    F_AS(UNPCKLPD, PUNPCKLQDQ),
    F_XMM(UNPCKHPS),    F_AS(UNPCKHPD, PUNPCKHQDQ),
    F_XMM(MOVSHDUP),    F_XMM(MOVSLDUP),
};

bool rw_emit_sse_int(RwEmit *e, const RwMnemonic *m)
{
    return rw_emit_forms(e, &forms[m->arg]);
}
