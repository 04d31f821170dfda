// SPDX-License-Identifier: MIT
// SSE arithmetic on the host's own instructions.
//
// Inline assembly, as the operands' order decides which NaN comes out and a compiler may swap those of
// commutative intrinsics; volatile, as it reads and changes MXCSR.
#pragma GCC target("sse4.2")
#include "sse-fp-private.h"
#include "fp-private.h"

#include <smmintrin.h>

#define CAREFUL(b, fn)                                                                                     \
    if (RW_UNLIKELY(cpu->sse_unmasked)) {                                                                  \
        cpu->xmm_src.i = (b);                                                                              \
        return fn(cpu, op);                                                                                \
    }

// Handlers of one kind: `body` makes a (the destination's value, then the result) of a and b.
#define FP_OP(name, load, widen, fallback, body)                                                           \
    static RW_OP(op_##name##_xx)                                                                           \
    {                                                                                                      \
        __m128i a = RW_XREG.i, b = RW_XRM.i;                                                               \
        CAREFUL(b, fallback)                                                                               \
        body;                                                                                              \
        RW_XREG.i = a;                                                                                     \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    load(op_##name##_xm, v, __m128i a = RW_XREG.i, b = widen(v); CAREFUL(b, fallback) body; RW_XREG.i = a)
#define LOAD64(name, v, ...) RW_OP_LOAD(name, 64, v, __VA_ARGS__)
#define LOAD32(name, v, ...) RW_OP_LOAD(name, 32, v, __VA_ARGS__)
#define FROM64(v) _mm_cvtsi64_si128((long long)(v))
#define FROM32(v) _mm_cvtsi32_si128((int)(v))
#define SAME(v) (v)

#define ASM(insn) __asm__ volatile(insn " %1, %0" : "+x"(a) : "x"(b))
#define ASM_IMM(insn, imm) __asm__ volatile(insn " %2, %1, %0" : "+x"(a) : "x"(b), "i"(imm))
#define PACKED(name, insn) FP_OP(name, RW_OP_LOAD128A, SAME, rw_sse_careful, ASM(insn))
#define ACROSS(name, insn) FP_OP(name, RW_OP_LOAD128A, SAME, rw_sse_careful_across, ASM(insn))
#define SINGLE(name, insn) FP_OP(name, LOAD32, FROM32, rw_sse_careful, ASM(insn))
#define DOUBLE(name, insn) FP_OP(name, LOAD64, FROM64, rw_sse_careful, ASM(insn))
#define FOUR(NAME, insn)                                                                                   \
    PACKED(NAME##PS, insn "ps")                                                                            \
    PACKED(NAME##PD, insn "pd")                                                                            \
    SINGLE(NAME##SS, insn "ss")                                                                            \
    DOUBLE(NAME##SD, insn "sd")

FOUR(ADD, "add")
FOUR(SUB, "sub")
FOUR(MUL, "mul")
FOUR(DIV, "div")
FOUR(SQRT, "sqrt")
FOUR(MIN, "min")
FOUR(MAX, "max")

DOUBLE(CVTSD2SS, "cvtsd2ss")
SINGLE(CVTSS2SD, "cvtss2sd")
DOUBLE(CVTPS2PD, "cvtps2pd")
PACKED(CVTPD2PS, "cvtpd2ps")
PACKED(CVTDQ2PS, "cvtdq2ps")
DOUBLE(CVTDQ2PD, "cvtdq2pd")
PACKED(CVTPS2DQ, "cvtps2dq")
PACKED(CVTTPS2DQ, "cvttps2dq")
PACKED(CVTPD2DQ, "cvtpd2dq")
PACKED(CVTTPD2DQ, "cvttpd2dq")

ACROSS(HADDPS, "haddps")
ACROSS(HADDPD, "haddpd")
ACROSS(HSUBPS, "hsubps")
ACROSS(HSUBPD, "hsubpd")
ACROSS(ADDSUBPS, "addsubps")
ACROSS(ADDSUBPD, "addsubpd")

// ---- Immediates: a constant in the instruction, so one case each ----

#define CASE(n, insn)                                                                                      \
    case n:                                                                                                \
        __asm__ volatile(insn " $" #n ", %1, %0" : "+x"(a) : "x"(b));                                      \
        break;
#define CASES4(a0, a1, a2, a3, insn) CASE(a0, insn) CASE(a1, insn) CASE(a2, insn) CASE(a3, insn)
#define CMP(insn)                                                                                          \
    switch (op->imm & 7) {                                                                                 \
        CASES4(0, 1, 2, 3, insn)                                                                           \
        CASES4(4, 5, 6, 7, insn)                                                                           \
    }
#define ROUND(insn)                                                                                        \
    switch (op->imm & 15) {                                                                                \
        CASES4(0, 1, 2, 3, insn)                                                                           \
        CASES4(4, 5, 6, 7, insn)                                                                           \
        CASES4(8, 9, 10, 11, insn)                                                                         \
        CASES4(12, 13, 14, 15, insn)                                                                       \
    }

FP_OP(CMPPS, RW_OP_LOAD128A, SAME, rw_sse_careful, CMP("cmpps"))
FP_OP(CMPPD, RW_OP_LOAD128A, SAME, rw_sse_careful, CMP("cmppd"))
FP_OP(CMPSS, LOAD32, FROM32, rw_sse_careful, CMP("cmpss"))
FP_OP(CMPSD, LOAD64, FROM64, rw_sse_careful, CMP("cmpsd"))
FP_OP(ROUNDPS, RW_OP_LOAD128A, SAME, rw_sse_careful, ROUND("roundps"))
FP_OP(ROUNDPD, RW_OP_LOAD128A, SAME, rw_sse_careful, ROUND("roundpd"))
FP_OP(ROUNDSS, LOAD32, FROM32, rw_sse_careful, ROUND("roundss"))
FP_OP(ROUNDSD, LOAD64, FROM64, rw_sse_careful, ROUND("roundsd"))

// Elements that aren't multiplied become zeros before, so that they raise nothing.
static inline __m128i elements32(unsigned bits)
{
    const __m128i each = _mm_setr_epi32(1, 2, 4, 8);
    return _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), each), each);
}
static inline __m128i elements64(unsigned bits)
{
    return _mm_set_epi64x(bits & 2 ? -1 : 0, bits & 1 ? -1 : 0);
}
// Sums of all elements in every element. Which of two NaNs comes out depends on the order: the neighbour
// first in the first step of DPPS, the element's own sum first else.
#define SWAPPED_PLUS(insn, order)                                                                          \
    b = a;                                                                                                 \
    a = _mm_shuffle_epi32(b, order);                                                                       \
    ASM(insn)
#define PLUS_SWAPPED(insn, order)                                                                          \
    b = _mm_shuffle_epi32(a, order);                                                                       \
    ASM(insn)
#define DOT(mask, mul, steps)                                                                              \
    a = _mm_and_si128(a, mask((unsigned)op->imm >> 4 & 15));                                               \
    b = _mm_and_si128(b, mask((unsigned)op->imm >> 4 & 15));                                               \
    ASM(mul);                                                                                              \
    steps;                                                                                                 \
    a = _mm_and_si128(a, mask((unsigned)op->imm & 15))
FP_OP(DPPS, RW_OP_LOAD128A, SAME, rw_sse_careful_across,
      DOT(elements32, "mulps", SWAPPED_PLUS("addps", 0xb1); PLUS_SWAPPED("addps", 0x4e)))
FP_OP(DPPD, RW_OP_LOAD128A, SAME, rw_sse_careful_across,
      DOT(elements64, "mulpd", PLUS_SWAPPED("addpd", 0x4e)))

// ---- Comparisons into RFLAGS ----

#define COMPARE(insn)                                                                                      \
    bool zf, pf, cf;                                                                                       \
    __asm__ volatile(insn " %4, %3" : "=@ccz"(zf), "=@ccp"(pf), "=@ccc"(cf) : "x"(a), "x"(b));             \
    rw_set_arith(cpu, (uint64_t)zf << 6 | (uint64_t)pf << 2 | (uint64_t)cf)
FP_OP(COMISS, LOAD32, FROM32, rw_sse_careful, COMPARE("comiss"))
FP_OP(COMISD, LOAD64, FROM64, rw_sse_careful, COMPARE("comisd"))
FP_OP(UCOMISS, LOAD32, FROM32, rw_sse_careful, COMPARE("ucomiss"))
FP_OP(UCOMISD, LOAD64, FROM64, rw_sse_careful, COMPARE("ucomisd"))

// ---- Approximations ----

static inline __m128i approx(__m128i a, __m128i b, uint32_t (*f)(uint32_t), unsigned n)
{
    uint32_t v[4];

    _mm_storeu_si128((__m128i *)v, b);
    for (unsigned i = 0; i < n; i++)
        v[i] = f(v[i]);
    __m128i r = _mm_loadu_si128((const __m128i *)v);
    return n == 4 ? r : _mm_blend_epi16(a, r, 3);
}
#define APPROX(f, n)                                                                                       \
    static RW_OP(op_##f##n##_xx)                                                                           \
    {                                                                                                      \
        RW_XREG.i = approx(RW_XREG.i, RW_XRM.i, f, n);                                                     \
        RW_NEXT;                                                                                           \
    }
APPROX(rw_sse_rcp, 4)
APPROX(rw_sse_rcp, 1)
APPROX(rw_sse_rsqrt, 4)
APPROX(rw_sse_rsqrt, 1)
RW_OP_LOAD128A(op_RCPPS_xm, b, RW_XREG.i = approx(RW_XREG.i, b, rw_sse_rcp, 4))
RW_OP_LOAD128A(op_RSQRTPS_xm, b, RW_XREG.i = approx(RW_XREG.i, b, rw_sse_rsqrt, 4))
RW_OP_LOAD(op_RCPSS_xm, 32, v, RW_XREG.u32[0] = rw_sse_rcp(v))
RW_OP_LOAD(op_RSQRTSS_xm, 32, v, RW_XREG.u32[0] = rw_sse_rsqrt(v))
#define op_RCPPS_xx op_rw_sse_rcp4_xx
#define op_RCPSS_xx op_rw_sse_rcp1_xx
#define op_RSQRTPS_xx op_rw_sse_rsqrt4_xx
#define op_RSQRTSS_xx op_rw_sse_rsqrt1_xx

#define X(name) [RW_SSE_FP_##name] = {op_##name##_xx, op_##name##_xm, NULL, NULL, op_##name##_xm_plain},
static const RwForms forms[] = {RW_SSE_FP_LIST(X)};
#undef X

bool rw_emit_sse_fp(RwEmit *e, const RwMnemonic *m)
{
    if (!rw_emit_forms(e, &forms[m->arg]))
        return false;
    e->ops[e->n_ops - 1].imm |= (uint64_t)m->arg << 8;
    return true;
}
