// SPDX-License-Identifier: MIT
// SSE arithmetic: its kinds, which the handlers on the host's instructions (sse-fp.c, sse-convert.c) and
// their twin in software (sse-soft.c) share. An op's imm is the immediate byte | kind << 8.
#pragma once

#include "cpu-private.h"

#define RW_SSE_FP_FOUR(X, name) X(name##PS) X(name##PD) X(name##SS) X(name##SD)
// "op xmm, xmm/m" with floating-point operands.
#define RW_SSE_FP_LIST(X)                                                                                  \
    RW_SSE_FP_FOUR(X, ADD)                                                                                 \
    RW_SSE_FP_FOUR(X, SUB)                                                                                 \
    RW_SSE_FP_FOUR(X, MUL)                                                                                 \
    RW_SSE_FP_FOUR(X, DIV)                                                                                 \
    RW_SSE_FP_FOUR(X, SQRT)                                                                                \
    RW_SSE_FP_FOUR(X, MIN)                                                                                 \
    RW_SSE_FP_FOUR(X, MAX)                                                                                 \
    RW_SSE_FP_FOUR(X, CMP)                                                                                 \
    RW_SSE_FP_FOUR(X, ROUND)                                                                               \
    X(COMISS)                                                                                              \
    X(COMISD)                                                                                              \
    X(UCOMISS)                                                                                             \
    X(UCOMISD)                                                                                             \
    X(CVTSS2SD)                                                                                            \
    X(CVTSD2SS)                                                                                            \
    X(CVTPS2PD)                                                                                            \
    X(CVTPD2PS)                                                                                            \
    X(CVTDQ2PS)                                                                                            \
    X(CVTDQ2PD)                                                                                            \
    X(CVTPS2DQ)                                                                                            \
    X(CVTTPS2DQ)                                                                                           \
    X(CVTPD2DQ)                                                                                            \
    X(CVTTPD2DQ)                                                                                           \
    X(HADDPS)                                                                                              \
    X(HADDPD)                                                                                              \
    X(HSUBPS)                                                                                              \
    X(HSUBPD)                                                                                              \
    X(ADDSUBPS)                                                                                            \
    X(ADDSUBPD)                                                                                            \
    X(DPPS)                                                                                                \
    X(DPPD)                                                                                                \
    X(RCPPS)                                                                                               \
    X(RCPSS)                                                                                               \
    X(RSQRTPS)                                                                                             \
    X(RSQRTSS)
// Between XMM registers and general or MMX registers.
#define RW_SSE_CVT_LIST(X)                                                                                 \
    X(CVTPI2PS)                                                                                            \
    X(CVTPI2PD)                                                                                            \
    X(CVTPS2PI)                                                                                            \
    X(CVTTPS2PI)                                                                                           \
    X(CVTPD2PI)                                                                                            \
    X(CVTTPD2PI)
#define RW_SSE_CVT_INT_LIST(X)                                                                             \
    X(CVTSS2SI)                                                                                            \
    X(CVTSD2SI)                                                                                            \
    X(CVTTSS2SI)                                                                                           \
    X(CVTTSD2SI)

#define X(m) RW_SSE_FP_##m,
#define Y(m) RW_SSE_FP_##m##32, RW_SSE_FP_##m##64,
enum { RW_SSE_FP_LIST(X) RW_SSE_CVT_LIST(X) RW_SSE_CVT_INT_LIST(Y) RW_SSE_FP_CVTSI2SS, RW_SSE_FP_CVTSI2SD };
#undef X
#undef Y

bool rw_emit_sse_fp(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_cvt_mmx(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sse_cvt_to_int(RwEmit *e, const RwMnemonic *m); // arg: the kind for 32 bits
bool rw_emit_sse_cvt_from_int(RwEmit *e, const RwMnemonic *m);

// The operation in software; the second operand is in cpu->xmm_src.
RW_OP(rw_sse_careful);
RW_OP(rw_sse_careful_across); // horizontal, alternating, dot product

// sse-approx.c: one element of RCP and RSQRT.
uint32_t rw_sse_rcp(uint32_t v);
uint32_t rw_sse_rsqrt(uint32_t v);
