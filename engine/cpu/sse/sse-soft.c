// SPDX-License-Identifier: MIT
// SSE arithmetic in software: where an exception is unmasked, or the host can't be relied upon.
//
// Exceptions follow the manual, vol. 1, 11.5: those found before the operation (IE, DE, ZE) are looked for
// in all elements first; only when none of them is unmasked do the results and the others count.
#include "fp-private.h"
#include "softfp-private.h"
#include "sse-fp-private.h"

typedef struct {
    RwFpEnv env;
    bool src64, dst64;
    unsigned imm;
} Soft;

typedef uint64_t (*ElementFn)(Soft *s, uint64_t a, uint64_t b);

static RwNum in(const Soft *s, uint64_t v)
{
    return s->src64 ? rw_num_f64(&s->env, v) : rw_num_f32(&s->env, (uint32_t)v);
}

static uint64_t out(const Soft *s, RwNum n)
{
    return s->dst64 ? rw_num_to_f64(&n) : rw_num_to_f32(&n);
}

// ---- Elements ----

static uint64_t el_add(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    return out(s, rw_soft_add(&s->env, &x, &y));
}
static uint64_t el_sub(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    return out(s, rw_soft_sub(&s->env, &x, &y));
}
static uint64_t el_mul(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    return out(s, rw_soft_mul(&s->env, &x, &y));
}
static uint64_t el_div(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    return out(s, rw_soft_div(&s->env, &x, &y));
}
static uint64_t el_sqrt(Soft *s, uint64_t a, uint64_t b)
{
    RwNum y = in(s, b);

    (void)a;
    return out(s, rw_soft_sqrt(&s->env, &y));
}

// The operand itself, or the zero that DAZ makes of it.
static uint64_t operand(const Soft *s, uint64_t v, const RwNum *n)
{
    return n->cls == RW_NUM_ZERO ? out(s, *n) : v;
}

// The second operand when they are equal or one is a NaN.
static uint64_t el_min(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    return rw_soft_compare(&s->env, &x, &y, true) == RW_LESS ? operand(s, a, &x) : operand(s, b, &y);
}
static uint64_t el_max(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    return rw_soft_compare(&s->env, &x, &y, true) == RW_GREATER ? operand(s, a, &x) : operand(s, b, &y);
}

// Predicates 0-7: EQ LT LE UNORD NEQ NLT NLE ORD; the last four negate the first four.
static uint64_t el_cmp(Soft *s, uint64_t a, uint64_t b)
{
    RwNum x = in(s, a), y = in(s, b);
    unsigned p = s->imm & 3;
    RwOrder o = rw_soft_compare(&s->env, &x, &y, p == 1 || p == 2);
    bool yes = p == 0   ? o == RW_EQUAL
               : p == 1 ? o == RW_LESS
               : p == 2 ? o == RW_LESS || o == RW_EQUAL
                        : o == RW_UNORDERED;
    return yes != (s->imm >> 2 & 1) ? ~UINT64_C(0) : 0;
}

// ZF, PF, CF in the places of RFLAGS.
static uint64_t comparison_flags(Soft *s, uint64_t a, uint64_t b, bool signal)
{
    RwNum x = in(s, a), y = in(s, b);

    switch (rw_soft_compare(&s->env, &x, &y, signal)) {
    case RW_UNORDERED:
        return RW_FLAG_ZF | RW_FLAG_PF | RW_FLAG_CF;
    case RW_EQUAL:
        return RW_FLAG_ZF;
    case RW_LESS:
        return RW_FLAG_CF;
    default:
        return 0;
    }
}
static uint64_t el_comi(Soft *s, uint64_t a, uint64_t b)
{
    return comparison_flags(s, a, b, true);
}
static uint64_t el_ucomi(Soft *s, uint64_t a, uint64_t b)
{
    return comparison_flags(s, a, b, false);
}

static uint64_t el_convert(Soft *s, uint64_t a, uint64_t b)
{
    RwNum y = in(s, b);

    (void)a;
    return out(s, rw_soft_convert(&s->env, &y));
}
static uint64_t el_from_i32(Soft *s, uint64_t a, uint64_t b)
{
    (void)a;
    return out(s, rw_soft_from_int(&s->env, (int32_t)b));
}
static uint64_t el_from_i64(Soft *s, uint64_t a, uint64_t b)
{
    (void)a;
    return out(s, rw_soft_from_int(&s->env, (int64_t)b));
}
static uint64_t to_int(Soft *s, uint64_t v, unsigned bits, uint8_t rc)
{
    RwNum y = in(s, v);
    return (uint64_t)rw_soft_to_int(&s->env, &y, bits, rc);
}
static uint64_t el_to_i32(Soft *s, uint64_t a, uint64_t b)
{
    (void)a;
    return (uint32_t)to_int(s, b, 32, s->env.rc);
}
static uint64_t el_trunc_i32(Soft *s, uint64_t a, uint64_t b)
{
    (void)a;
    return (uint32_t)to_int(s, b, 32, RW_RC_ZERO);
}
static uint64_t el_to_i64(Soft *s, uint64_t a, uint64_t b)
{
    (void)a;
    return to_int(s, b, 64, s->env.rc);
}
static uint64_t el_trunc_i64(Soft *s, uint64_t a, uint64_t b)
{
    (void)a;
    return to_int(s, b, 64, RW_RC_ZERO);
}

// imm: rounding mode 0-1, 2: MXCSR's instead, 3: PE isn't raised. Denormals raise nothing.
static uint64_t el_round(Soft *s, uint64_t a, uint64_t b)
{
    RwNum y = in(s, b);
    uint8_t rc = s->env.rc;

    (void)a;
    y.denormal = false;
    if (!(s->imm & 4))
        s->env.rc = s->imm & 3;
    RwNum r = rw_soft_round_int(&s->env, &y);
    s->env.rc = rc;
    if (s->imm & 8)
        s->env.flags &= (uint8_t)~RW_FP_PE;
    return out(s, r);
}

// ---- Kinds ----

typedef enum { TO_XMM, TO_XMM_ZERO, TO_GPR, TO_FLAGS, TO_MMX } Target; // ZERO: above the elements

typedef struct {
    ElementFn fn;
    uint8_t src, dst; // bytes of an element
    uint8_t n;
    Target to;
} Kind;

#define FOUR(name, fn)                                                                                     \
    [RW_SSE_FP_##name##PS] = {fn, 4, 4, 4, TO_XMM}, [RW_SSE_FP_##name##PD] = {fn, 8, 8, 2, TO_XMM},        \
    [RW_SSE_FP_##name##SS] = {fn, 4, 4, 1, TO_XMM}, [RW_SSE_FP_##name##SD] = {fn, 8, 8, 1, TO_XMM}

static const Kind kinds[] = {
    FOUR(ADD, el_add),
    FOUR(SUB, el_sub),
    FOUR(MUL, el_mul),
    FOUR(DIV, el_div),
    FOUR(SQRT, el_sqrt),
    FOUR(MIN, el_min),
    FOUR(MAX, el_max),
    FOUR(CMP, el_cmp),
    FOUR(ROUND, el_round),
    [RW_SSE_FP_COMISS] = {el_comi, 4, 4, 1, TO_FLAGS},
    [RW_SSE_FP_COMISD] = {el_comi, 8, 8, 1, TO_FLAGS},
    [RW_SSE_FP_UCOMISS] = {el_ucomi, 4, 4, 1, TO_FLAGS},
    [RW_SSE_FP_UCOMISD] = {el_ucomi, 8, 8, 1, TO_FLAGS},
    [RW_SSE_FP_CVTSS2SD] = {el_convert, 4, 8, 1, TO_XMM},
    [RW_SSE_FP_CVTSD2SS] = {el_convert, 8, 4, 1, TO_XMM},
    [RW_SSE_FP_CVTPS2PD] = {el_convert, 4, 8, 2, TO_XMM},
    [RW_SSE_FP_CVTPD2PS] = {el_convert, 8, 4, 2, TO_XMM_ZERO},
    [RW_SSE_FP_CVTDQ2PS] = {el_from_i32, 4, 4, 4, TO_XMM},
    [RW_SSE_FP_CVTDQ2PD] = {el_from_i32, 4, 8, 2, TO_XMM},
    [RW_SSE_FP_CVTPS2DQ] = {el_to_i32, 4, 4, 4, TO_XMM},
    [RW_SSE_FP_CVTTPS2DQ] = {el_trunc_i32, 4, 4, 4, TO_XMM},
    [RW_SSE_FP_CVTPD2DQ] = {el_to_i32, 8, 4, 2, TO_XMM_ZERO},
    [RW_SSE_FP_CVTTPD2DQ] = {el_trunc_i32, 8, 4, 2, TO_XMM_ZERO},
    [RW_SSE_FP_CVTSI2SS] = {el_from_i64, 8, 4, 1, TO_XMM},
    [RW_SSE_FP_CVTSI2SD] = {el_from_i64, 8, 8, 1, TO_XMM},
    [RW_SSE_FP_CVTSS2SI32] = {el_to_i32, 4, 4, 1, TO_GPR},
    [RW_SSE_FP_CVTSS2SI64] = {el_to_i64, 4, 8, 1, TO_GPR},
    [RW_SSE_FP_CVTSD2SI32] = {el_to_i32, 8, 4, 1, TO_GPR},
    [RW_SSE_FP_CVTSD2SI64] = {el_to_i64, 8, 8, 1, TO_GPR},
    [RW_SSE_FP_CVTTSS2SI32] = {el_trunc_i32, 4, 4, 1, TO_GPR},
    [RW_SSE_FP_CVTTSS2SI64] = {el_trunc_i64, 4, 8, 1, TO_GPR},
    [RW_SSE_FP_CVTTSD2SI32] = {el_trunc_i32, 8, 4, 1, TO_GPR},
    [RW_SSE_FP_CVTTSD2SI64] = {el_trunc_i64, 8, 8, 1, TO_GPR},
    [RW_SSE_FP_CVTPI2PS] = {el_from_i32, 4, 4, 2, TO_XMM},
    [RW_SSE_FP_CVTPI2PD] = {el_from_i32, 4, 8, 2, TO_XMM},
    [RW_SSE_FP_CVTPS2PI] = {el_to_i32, 4, 4, 2, TO_MMX},
    [RW_SSE_FP_CVTTPS2PI] = {el_trunc_i32, 4, 4, 2, TO_MMX},
    [RW_SSE_FP_CVTPD2PI] = {el_to_i32, 8, 4, 2, TO_MMX},
    [RW_SSE_FP_CVTTPD2PI] = {el_trunc_i32, 8, 4, 2, TO_MMX},
};

static uint64_t get_element(const RwXmm *v, unsigned size, unsigned i)
{
    return size == 8 ? v->u64[i] : v->u32[i];
}

static void set_element(RwXmm *v, unsigned size, unsigned i, uint64_t x)
{
    if (size == 8)
        v->u64[i] = x;
    else
        v->u32[i] = (uint32_t)x;
}

static Soft soft_env(const RwCpu *cpu, const Kind *k, unsigned imm)
{
    uint32_t m = cpu->mxcsr;

    return (Soft){
        .env = {.fmt = k->dst == 8 ? &rw_format_f64 : &rw_format_f32,
                .rc = m >> 13 & 3,
                .masked = m >> 7 & 0x3f,
                .daz = m & RW_MXCSR_DAZ,
                .ftz = m & RW_MXCSR_FTZ},
        .src64 = k->src == 8,
        .dst64 = k->dst == 8,
        .imm = imm,
    };
}

// Adds the flags to MXCSR; the vector to raise, or 0.
static int note_flags(RwCpu *cpu, const Soft *s, unsigned pre)
{
    unsigned unmasked = ~(unsigned)s->env.masked;

    if (pre & unmasked)
        cpu->mxcsr |= pre;
    else
        cpu->mxcsr |= s->env.flags;
    if (!((pre | s->env.flags) & unmasked & RW_MXCSR_FLAGS))
        return 0;
    return cpu->cr4 & RW_CR4_OSXMMEXCPT ? RW_XM : RW_UD;
}

static void write_result(RwCpu *cpu, const RwOp *op, const Kind *k, const RwXmm *r)
{
    unsigned bytes = k->n * k->dst;

    switch (k->to) {
    case TO_XMM:
        memcpy(RW_XREG.u8, r->u8, bytes);
        break;
    case TO_XMM_ZERO:
        RW_XREG.i = r->i;
        break;
    case TO_GPR:
        cpu->r[op->reg] = r->u64[0];
        break;
    case TO_FLAGS:
        rw_set_arith(cpu, r->u64[0]);
        break;
    case TO_MMX:
        rw_mmx_set(cpu, op->reg, r->u64[0]);
        break;
    }
}

// One after the other all elements; a zero or the vector of the exception.
static int elements(RwCpu *cpu, const Kind *k, ElementFn odd, const RwXmm *a, const RwXmm *b, unsigned imm,
                    RwXmm *ret)
{
    Soft s = soft_env(cpu, k, imm);

    ret->i = _mm_setzero_si128();
    for (unsigned i = 0; i < k->n; i++) {
        ElementFn fn = i & 1 ? odd : k->fn;
        set_element(ret, k->dst, i, fn(&s, get_element(a, k->src, i), get_element(b, k->src, i)));
    }
    return note_flags(cpu, &s, s.env.flags & RW_FP_PRE);
}

static __attribute__((noinline)) int careful(RwCpu *cpu, const RwOp *op)
{
    const Kind *k = &kinds[op->imm >> 8];
    RwXmm r;
    int vector = elements(cpu, k, k->fn, &RW_XREG, &cpu->xmm_src, op->imm & 0xff, &r);

    if (!vector)
        write_result(cpu, op, k, &r);
    return vector;
}

RW_OP(rw_sse_careful)
{
    int vector = careful(cpu, op);

    if (vector)
        return rw_fault(cpu, op, vector, RW_NO_ERROR);
    RW_NEXT;
}

// ---- Horizontal and alternating operations, dot products ----

static const Kind add_ps = {el_add, 4, 4, 4, TO_XMM}, add_pd = {el_add, 8, 8, 2, TO_XMM};
static const Kind sub_ps = {el_sub, 4, 4, 4, TO_XMM}, sub_pd = {el_sub, 8, 8, 2, TO_XMM};
static const Kind mul_ps = {el_mul, 4, 4, 4, TO_XMM}, mul_pd = {el_mul, 8, 8, 2, TO_XMM};

// Elements 0, 2, … of a and then of b; with odd = 1 elements 1, 3, ….
static RwXmm unzip(const RwXmm *a, const RwXmm *b, unsigned size, unsigned odd)
{
    unsigned half = 8 / size;
    RwXmm r;

    for (unsigned i = 0; i < half; i++) {
        set_element(&r, size, i, get_element(a, size, 2 * i + odd));
        set_element(&r, size, half + i, get_element(b, size, 2 * i + odd));
    }
    return r;
}

static int horizontal(RwCpu *cpu, const Kind *k, const RwXmm *a, const RwXmm *b, RwXmm *ret)
{
    RwXmm even = unzip(a, b, k->src, 0), odd = unzip(a, b, k->src, 1);

    return elements(cpu, k, k->fn, &even, &odd, 0, ret);
}

// imm: elements multiplied 4-7, elements written 0-3. Each step's exceptions count before the next.
static int dot(RwCpu *cpu, const Kind *mul, const Kind *add, const RwXmm *a, const RwXmm *b, unsigned imm,
               RwXmm *ret)
{
    RwXmm x = {.u64 = {0}}, y = {.u64 = {0}}, sum;
    unsigned n = mul->n;

    for (unsigned i = 0; i < n; i++) {
        if (!(imm >> (4 + i) & 1))
            continue;
        set_element(&x, mul->src, i, get_element(a, mul->src, i));
        set_element(&y, mul->src, i, get_element(b, mul->src, i));
    }
    int vector = elements(cpu, mul, mul->fn, &x, &y, 0, &sum);
    for (unsigned step = 1; step < n && !vector; step *= 2) {
        RwXmm t = sum, other;
        for (unsigned i = 0; i < n; i++)
            set_element(&other, mul->src, i, get_element(&t, mul->src, i ^ step));
        bool neighbour_first = n == 4 && step == 1;
        vector = elements(cpu, add, add->fn, neighbour_first ? &other : &t, neighbour_first ? &t : &other,
                          0, &sum);
    }
    for (unsigned i = 0; i < n; i++) {
        if (!(imm >> i & 1))
            set_element(&sum, mul->src, i, 0);
    }
    *ret = sum;
    return vector;
}

static __attribute__((noinline)) int careful_across(RwCpu *cpu, const RwOp *op)
{
    const RwXmm *a = &RW_XREG, *b = &cpu->xmm_src;
    unsigned imm = op->imm & 0xff;
    RwXmm r;
    int vector = 0;

    switch (op->imm >> 8) {
    case RW_SSE_FP_HADDPS:
        vector = horizontal(cpu, &add_ps, a, b, &r);
        break;
    case RW_SSE_FP_HADDPD:
        vector = horizontal(cpu, &add_pd, a, b, &r);
        break;
    case RW_SSE_FP_HSUBPS:
        vector = horizontal(cpu, &sub_ps, a, b, &r);
        break;
    case RW_SSE_FP_HSUBPD:
        vector = horizontal(cpu, &sub_pd, a, b, &r);
        break;
    case RW_SSE_FP_ADDSUBPS:
        vector = elements(cpu, &sub_ps, el_add, a, b, 0, &r);
        break;
    case RW_SSE_FP_ADDSUBPD:
        vector = elements(cpu, &sub_pd, el_add, a, b, 0, &r);
        break;
    case RW_SSE_FP_DPPS:
        vector = dot(cpu, &mul_ps, &add_ps, a, b, imm, &r);
        break;
    default:
        vector = dot(cpu, &mul_pd, &add_pd, a, b, imm, &r);
        break;
    }
    if (!vector)
        RW_XREG = r;
    return vector;
}

RW_OP(rw_sse_careful_across)
{
    int vector = careful_across(cpu, op);

    if (vector)
        return rw_fault(cpu, op, vector, RW_NO_ERROR);
    RW_NEXT;
}
