// SPDX-License-Identifier: MIT
// Conversions between XMM registers and general or MMX registers. A memory or MMX source is fetched into
// cpu->xmm_src by an op before, so these have register forms only.
#include "sse-fp-private.h"
#include "fp-private.h"

#define CAREFUL(b)                                                                                         \
    if (RW_UNLIKELY(cpu->sse_unmasked)) {                                                                  \
        cpu->xmm_src.i = (b);                                                                              \
        return rw_sse_careful(cpu, op);                                                                    \
    }

// ---- From a general register (zero or sign extension done by the op) ----

#define FROM_INT(name, insn, type)                                                                         \
    static RW_OP(op_##name##_##type)                                                                       \
    {                                                                                                      \
        __m128i a = RW_XREG.i;                                                                             \
        int64_t v = (type)cpu->r[op->rm];                                                                  \
        CAREFUL(_mm_cvtsi64_si128(v))                                                                      \
        __asm__ volatile(insn " %1, %0" : "+x"(a) : "r"(v));                                               \
        RW_XREG.i = a;                                                                                     \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_##name##_##type##_src)                                                                 \
    {                                                                                                      \
        __m128i a = RW_XREG.i;                                                                             \
        int64_t v = (type)cpu->xmm_src.u64[0];                                                             \
        CAREFUL(_mm_cvtsi64_si128(v))                                                                      \
        __asm__ volatile(insn " %1, %0" : "+x"(a) : "r"(v));                                               \
        RW_XREG.i = a;                                                                                     \
        RW_NEXT;                                                                                           \
    }
FROM_INT(CVTSI2SS, "cvtsi2ssq", int32_t)
FROM_INT(CVTSI2SS, "cvtsi2ssq", int64_t)
FROM_INT(CVTSI2SD, "cvtsi2sdq", int32_t)
FROM_INT(CVTSI2SD, "cvtsi2sdq", int64_t)

bool rw_emit_sse_cvt_from_int(RwEmit *e, const RwMnemonic *m)
{
    // [double][64 bits][memory]
    static const RwOpFn fns[2][2][2] = {
        {{op_CVTSI2SS_int32_t, op_CVTSI2SS_int32_t_src}, {op_CVTSI2SS_int64_t, op_CVTSI2SS_int64_t_src}},
        {{op_CVTSI2SD_int32_t, op_CVTSI2SD_int32_t_src}, {op_CVTSI2SD_int64_t, op_CVTSI2SD_int64_t_src}},
    };
    bool wide = e->insn.opnd[1].size == 64, mem = rw_opnd_is_mem(&e->insn.opnd[1]);

    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, wide ? rw_fetch.m64 : rw_fetch.m32);
    RwOp *op = rw_emit(e, fns[m->arg == RW_SSE_FP_CVTSI2SD][wide][mem]);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = (uint64_t)m->arg << 8;
    return true;
}

// ---- To a general register ----

#define TO_INT(name, insn)                                                                                 \
    static RW_OP(op_##name##32)                                                                            \
    {                                                                                                      \
        __m128i b = RW_XRM.i;                                                                              \
        uint32_t r;                                                                                        \
        CAREFUL(b)                                                                                         \
        __asm__ volatile(insn "l %1, %0" : "=r"(r) : "x"(b));                                              \
        cpu->r[op->reg] = r;                                                                               \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_##name##64)                                                                            \
    {                                                                                                      \
        __m128i b = RW_XRM.i;                                                                              \
        uint64_t r;                                                                                        \
        CAREFUL(b)                                                                                         \
        __asm__ volatile(insn "q %1, %0" : "=r"(r) : "x"(b));                                              \
        cpu->r[op->reg] = r;                                                                               \
        RW_NEXT;                                                                                           \
    }
TO_INT(CVTSS2SI, "cvtss2si")
TO_INT(CVTSD2SI, "cvtsd2si")
TO_INT(CVTTSS2SI, "cvttss2si")
TO_INT(CVTTSD2SI, "cvttsd2si")

static const RwOpFn to_int[] = {
#define X(name) [RW_SSE_FP_##name##32] = op_##name##32, [RW_SSE_FP_##name##64] = op_##name##64,
    RW_SSE_CVT_INT_LIST(X)
#undef X
};

bool rw_emit_sse_cvt_to_int(RwEmit *e, const RwMnemonic *m)
{
    uint32_t kind = m->arg + (e->insn.opnd[0].size == 64);
    bool from_double = m->arg == RW_SSE_FP_CVTSD2SI32 || m->arg == RW_SSE_FP_CVTTSD2SI32;

    rw_emit_check_sse(e);
    uint8_t rm = rw_emit_fetch(e, from_double ? rw_fetch.m64 : rw_fetch.m32);
    RwOp *op = rw_emit(e, to_int[kind]);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = (uint64_t)kind << 8;
    return true;
}

// ---- MMX ----

static RW_OP(op_fetch_mmx)
{
    RW_CHECK_MF;
    cpu->xmm_src.i = _mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->rm));
    rw_mmx_enter(cpu);
    RW_NEXT;
}

#define FROM_MMX(name, insn)                                                                               \
    static RW_OP(op_##name)                                                                                \
    {                                                                                                      \
        __m128i a = RW_XREG.i, b = cpu->xmm_src.i;                                                         \
        if (RW_UNLIKELY(cpu->sse_unmasked))                                                                \
            return rw_sse_careful(cpu, op);                                                                \
        __asm__ volatile(insn " %1, %1" : "+x"(a), "+x"(b));                                               \
        op->imm >> 8 == RW_SSE_FP_CVTPI2PS ? (void)(RW_XREG.u64[0] = (uint64_t)_mm_cvtsi128_si64(b))       \
                                           : (void)(RW_XREG.i = b);                                        \
        RW_NEXT;                                                                                           \
    }
// The upper elements of CVTDQ2PS are zeros here, which convert without a flag.
FROM_MMX(CVTPI2PS, "cvtdq2ps")
FROM_MMX(CVTPI2PD, "cvtdq2pd")

// The source's upper half is cleared first: only its low two elements take part. The x87 state changes
// even when the conversion then raises an exception, as on hardware.
#define TO_MMX(name, insn, source)                                                                         \
    static RW_OP(op_##name)                                                                                \
    {                                                                                                      \
        __m128i b = source(RW_XRM.i);                                                                      \
        RW_CHECK_MF;                                                                                       \
        rw_mmx_enter(cpu);                                                                                 \
        CAREFUL(b)                                                                                         \
        __asm__ volatile(insn " %0, %0" : "+x"(b));                                                        \
        rw_mmx_set(cpu, op->reg, (uint64_t)_mm_cvtsi128_si64(b));                                          \
        RW_NEXT;                                                                                           \
    }
#define WHOLE(v) (v)
TO_MMX(CVTPS2PI, "cvtps2dq", _mm_move_epi64)
TO_MMX(CVTTPS2PI, "cvttps2dq", _mm_move_epi64)
TO_MMX(CVTPD2PI, "cvtpd2dq", WHOLE)
TO_MMX(CVTTPD2PI, "cvttpd2dq", WHOLE)

static RW_OP(op_check_mf)
{
    RW_CHECK_MF;
    RW_NEXT;
}

static void emit_source(RwEmit *e, const RwMnemonic *m, uint8_t *ret_rm)
{
    bool wide = m->arg == RW_SSE_FP_CVTPD2PI || m->arg == RW_SSE_FP_CVTTPD2PI;

    if (rw_opnd_is_mmx(&e->insn.opnd[1])) {
        rw_emit(e, op_fetch_mmx)->rm = e->insn.opnd[1].reg;
        *ret_rm = RW_XMM_SRC;
        return;
    }
    // A pending x87 exception comes before the operand's page fault.
    if (rw_opnd_is_mmx(&e->insn.opnd[0]))
        rw_emit(e, op_check_mf);
    *ret_rm = rw_emit_fetch(e, wide ? rw_fetch.m128a : rw_fetch.m64);
}

bool rw_emit_sse_cvt_mmx(RwEmit *e, const RwMnemonic *m)
{
#define X(name) [RW_SSE_FP_##name] = op_##name,
    static const RwOpFn fns[] = {RW_SSE_CVT_LIST(X)};
#undef X
    uint8_t rm;

    rw_emit_check_sse(e);
    if (rw_opnd_is_mmx(&e->insn.opnd[0]) || rw_opnd_is_mmx(&e->insn.opnd[1]))
        rw_emit_check_mmx(e);
    emit_source(e, m, &rm);
    RwOp *op = rw_emit(e, fns[m->arg]);
    op->reg = e->insn.opnd[0].reg;
    op->rm = rm;
    op->imm = (uint64_t)m->arg << 8;
    return true;
}
