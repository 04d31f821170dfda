// SPDX-License-Identifier: MIT
// PMOVSX, PMOVZX and MOVDDUP: sources of 64, 32 or 16 bits, without an alignment rule.
#pragma GCC target("sse4.2")
#include "fp-private.h"
#include "sse-private.h"

#include <smmintrin.h>

#define EXTEND(name, bits, f)                                                                              \
    static RW_OP(op_##name##_xx)                                                                           \
    {                                                                                                      \
        RW_XREG.i = f(RW_XRM.i);                                                                           \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(op_##name##_xm, bits, v, RW_XREG.i = f(_mm_cvtsi64_si128((long long)v)))

static inline __m128i twice(__m128i v)
{
    return _mm_unpacklo_epi64(v, v);
}

EXTEND(PMOVSXBW, 64, _mm_cvtepi8_epi16)
EXTEND(PMOVSXBD, 32, _mm_cvtepi8_epi32)
EXTEND(PMOVSXBQ, 16, _mm_cvtepi8_epi64)
EXTEND(PMOVSXWD, 64, _mm_cvtepi16_epi32)
EXTEND(PMOVSXWQ, 32, _mm_cvtepi16_epi64)
EXTEND(PMOVSXDQ, 64, _mm_cvtepi32_epi64)
EXTEND(PMOVZXBW, 64, _mm_cvtepu8_epi16)
EXTEND(PMOVZXBD, 32, _mm_cvtepu8_epi32)
EXTEND(PMOVZXBQ, 16, _mm_cvtepu8_epi64)
EXTEND(PMOVZXWD, 64, _mm_cvtepu16_epi32)
EXTEND(PMOVZXWQ, 32, _mm_cvtepu16_epi64)
EXTEND(PMOVZXDQ, 64, _mm_cvtepu32_epi64)
EXTEND(MOVDDUP, 64, twice)

#define X(name) [RW_SSE_EXTEND_##name] = {op_##name##_xx, op_##name##_xm, NULL, NULL, op_##name##_xm_plain},
static const RwForms forms[] = {RW_SSE_EXTEND_LIST(X)};
#undef X

bool rw_emit_sse_extend(RwEmit *e, const RwMnemonic *m)
{
    return rw_emit_forms(e, &forms[m->arg]);
}
