// SPDX-License-Identifier: MIT
// FSIN FCOS FSINCOS FPTAN FPATAN F2XM1 FYL2X FYL2XP1: results rounded once from about 120 exact bits, by
// the control word's rounding mode. CPUs differ in the last bit of these; here they are defined by this
// file.
//
// Trigonometric arguments are reduced by the 66-bit pi of the manual (vol. 1, 8.3.8), as hardware does.
// Special operands: the tables of each instruction in vol. 2.
#include "widefp-private.h"
#include "x87-private.h"

// Rounds a value that can't be exact.
static RwNum inexact(RwFpEnv *e, RwWide v)
{
    return rw_soft_round(e, v.sign, v.exp, v.m | 1);
}

static RwNum invalid(RwFpEnv *e)
{
    e->flags |= RW_FP_IE;
    return rw_num_default_nan();
}

static void note_denormal(RwFpEnv *e, const RwNum *a)
{
    if (a->denormal)
        e->flags |= RW_FP_DE;
}

// ---- Sine, cosine, tangent ----

// pi/2 = HALF_PI 2^-67, 68 bits of which the last two are zeros
#define HALF_PI ((rw_u128)0xc << 64 | UINT64_C(0x90fdaa22168c234c))

typedef struct {
    RwWide r; // within pi/4 of 0
    unsigned quadrant;
} Reduced;

// |a| < 2^63, whose bits are shifted in one by one.
static Reduced reduce(const RwNum *a)
{
    rw_u128 r = a->sig;
    unsigned q = 0;

    if (a->exp < -4)
        return (Reduced){rw_wide(false, a->exp, (rw_u128)a->sig << 64), 0};
    for (int i = 0; i < a->exp + 4; i++) {
        r <<= 1;
        q <<= 1;
        if (r >= HALF_PI) {
            r -= HALF_PI;
            q |= 1;
        }
    }
    // r is in units of 2^-67: 127 - 67 = 60.
    if (2 * r > HALF_PI)
        return (Reduced){rw_wide(true, 60, HALF_PI - r), q + 1};
    return (Reduced){rw_wide(false, 60, r), q};
}

static RwWide sine(Reduced x)
{
    RwWide v = x.quadrant & 1 ? rw_wide_cos(x.r) : rw_wide_sin(x.r);

    return x.quadrant & 2 ? rw_wide_neg(v) : v;
}

static RwWide cosine(Reduced x)
{
    x.quadrant++;
    return sine(x);
}

static RwNum signed_result(RwFpEnv *e, RwWide v, bool negate)
{
    return inexact(e, negate ? rw_wide_neg(v) : v);
}

// False: the argument is out of range, C2 says so. The second result is what is pushed.
static bool trigonometric(unsigned kind, RwFpEnv *e, const RwNum *a, RwNum *ret, RwNum *ret_push)
{
    RwFpEnv exact = {.fmt = &rw_format_f80, .masked = RW_X87_EXCEPTIONS};
    RwNum one = rw_soft_from_int(&exact, 1), nan;

    *ret_push = one;
    if (rw_soft_nan(e, a, a, &nan) || a->cls == RW_NUM_INF) {
        *ret = *ret_push = a->cls == RW_NUM_INF ? invalid(e) : nan;
        return true;
    }
    if (a->cls == RW_NUM_ZERO) {
        *ret = kind == RW_X87_COS ? one : *a;
        return true;
    }
    if (a->exp >= 63)
        return false;
    note_denormal(e, a);
    Reduced x = reduce(a);
    if (kind == RW_X87_SINCOS)
        *ret_push = inexact(e, cosine(x));
    if (kind == RW_X87_COS)
        *ret = inexact(e, cosine(x));
    else if (kind == RW_X87_PTAN)
        *ret = signed_result(e, rw_wide_div(sine(x), cosine(x)), a->sign);
    else
        *ret = signed_result(e, sine(x), a->sign);
    return true;
}

static void do_trigonometric(RwCpu *cpu, const RwOp *op)
{
    unsigned kind = RW_X87_KIND(op);
    bool pushes = kind == RW_X87_PTAN || kind == RW_X87_SINCOS;
    RwNum r = rw_num_default_nan(), push = r;
    RwFpEnv e = rw_x87_env(cpu);

    e.fmt = &rw_format_f80;
    rw_x87_set_cc(cpu, RW_X87_C2, 0);
    if (rw_x87_is_empty(cpu, 0)) {
        if (rw_x87_underflow(cpu, op))
            return;
    } else if (pushes && !rw_x87_is_empty(cpu, 7)) {
        if (rw_x87_overflow(cpu, op))
            return;
    } else {
        RwNum a = rw_x87_get(cpu, 0);
        bool in_range = trigonometric(kind, &e, &a, &r, &push);
        rw_x87_set_cc(cpu, RW_X87_C2, in_range ? 0 : RW_X87_C2);
        if (!rw_x87_finish(cpu, op, &e) || !in_range)
            return;
    }
    rw_x87_put(cpu, 0, &r);
    if (pushes)
        rw_x87_push(cpu, &push);
}

// ---- 2^x - 1 ----

static RwNum power(RwFpEnv *e, const RwNum *a)
{
    RwNum nan;

    if (rw_soft_nan(e, a, a, &nan))
        return nan;
    RwNum minus_one = {.cls = RW_NUM_NORMAL, .sign = true, .sig = UINT64_C(1) << 63};
    if (a->cls == RW_NUM_INF)
        return a->sign ? minus_one : *a;
    if (a->cls == RW_NUM_ZERO)
        return *a;
    note_denormal(e, a);
    if (a->exp >= 0) {
        // 1 and -1 are exact (though PE is set); beyond them the manual gives no result: the operand
        // stays, as on hardware.
        RwNum r = *a;
        if (a->exp == 0 && a->sig == UINT64_C(1) << 63 && a->sign)
            r.exp = -1;
        e->flags |= RW_FP_PE;
        return r;
    }
    return inexact(e, rw_wide_expm1(rw_wide_mul(rw_wide_num(a), rw_wide_ln2)));
}

// ---- y log2 (x) ----

// The product of a logarithm that is a zero or an infinity with y; or of any with y infinite or zero.
static RwNum special_product(RwFpEnv *e, const RwNum *y, const RwNum *log)
{
    bool sign = y->sign != log->sign;

    if ((y->cls == RW_NUM_INF && log->cls == RW_NUM_ZERO) ||
        (y->cls == RW_NUM_ZERO && log->cls == RW_NUM_INF))
        return invalid(e);
    if (y->cls == RW_NUM_INF || log->cls == RW_NUM_INF)
        return rw_num_inf(sign);
    return rw_num_zero(sign);
}

// x = m 2^k with m within a factor sqrt (2) of 1; log2 x = k + log2 ((1 + s) / (1 - s)).
static RwWide log2_of(const RwNum *x, bool *ret_exact)
{
    const uint64_t root2 = 0xb504f333f9de6484;
    int k = x->exp + (x->sig > root2);
    RwWide one = rw_wide_int(1), m = rw_wide(false, x->exp - k, (rw_u128)x->sig << 64);
    RwWide s = rw_wide_div(rw_wide_sub(m, one), rw_wide_add(m, one));

    *ret_exact = !s.m;
    return rw_wide_add(rw_wide_int(k), rw_wide_log2_ratio(s));
}

static RwNum y_log2_x(RwFpEnv *e, const RwNum *y, const RwNum *x)
{
    RwNum nan, log = rw_num_zero(false);
    bool exact;

    if (rw_soft_nan(e, y, x, &nan))
        return nan;
    if (x->sign && x->cls != RW_NUM_ZERO)
        return invalid(e);
    bool x_zero = x->cls == RW_NUM_ZERO;
    if (x_zero && y->cls == RW_NUM_NORMAL) {
        e->flags |= RW_FP_ZE;
        return rw_num_inf(!y->sign);
    }
    note_denormal(e, x);
    note_denormal(e, y);
    if (x_zero || x->cls == RW_NUM_INF) {
        log = rw_num_inf(x_zero);
        return special_product(e, y, &log);
    }
    RwWide l = log2_of(x, &exact);
    if (!l.m || y->cls != RW_NUM_NORMAL) {
        log.cls = l.m ? RW_NUM_NORMAL : RW_NUM_ZERO;
        log.sign = l.m && l.sign;
        return special_product(e, y, &log);
    }
    if (!exact)
        return inexact(e, rw_wide_mul(l, rw_wide_num(y)));
    // x is a power of two: the product has at most 79 bits. PE is set all the same, as on hardware.
    RwWide p = rw_wide_mul(l, rw_wide_num(y));
    e->flags |= p.exp < e->fmt->emin ? RW_FP_PE | RW_FP_UE : RW_FP_PE;
    return rw_soft_round(e, p.sign, p.exp, p.m);
}

// y log2 (1 + x). The manual gives no result for x <= -1: x stays, as on hardware.
static RwNum y_log2_xp1(RwFpEnv *e, const RwNum *y, const RwNum *x)
{
    RwNum nan, log = *x;

    if (rw_soft_nan(e, y, x, &nan))
        return nan;
    if (x->sign && x->cls == RW_NUM_INF)
        return invalid(e);
    note_denormal(e, x);
    note_denormal(e, y);
    if (x->cls != RW_NUM_NORMAL || y->cls != RW_NUM_NORMAL)
        return special_product(e, y, &log);
    RwWide w = rw_wide_num(x), one = rw_wide_int(1), l;
    if (x->sign && x->exp >= 0) {
        e->flags |= RW_FP_PE;
        return *x;
    }
    if (x->exp < -2) {
        l = rw_wide_log2_ratio(rw_wide_div(w, rw_wide_add(w, rw_wide_int(2))));
    } else {
        bool exact;
        RwWide sum = rw_wide_add(one, w);
        RwNum n = {.cls = RW_NUM_NORMAL, .exp = sum.exp, .sig = (uint64_t)(sum.m >> 64)};
        l = log2_of(&n, &exact);
    }
    return inexact(e, rw_wide_mul(l, rw_wide_num(y)));
}

// ---- atan (y / x), by quadrant ----

static RwNum pi_quarters(RwFpEnv *e, bool sign, unsigned n)
{
    RwWide v = rw_wide_mul(rw_wide_pi, rw_wide_int((int)n));

    v.exp -= 2;
    v.sign = sign;
    return inexact(e, v);
}

static RwNum arctangent_special(RwFpEnv *e, const RwNum *y, const RwNum *x)
{
    if (y->cls == RW_NUM_INF)
        return pi_quarters(e, y->sign, x->cls != RW_NUM_INF ? 2 : x->sign ? 3 : 1);
    if (y->cls == RW_NUM_ZERO || x->cls == RW_NUM_INF)
        return x->sign ? pi_quarters(e, y->sign, 4) : rw_num_zero(y->sign);
    return pi_quarters(e, y->sign, 2);
}

static RwNum arctangent(RwFpEnv *e, const RwNum *y, const RwNum *x)
{
    RwNum nan;

    if (rw_soft_nan(e, y, x, &nan))
        return nan;
    note_denormal(e, x);
    note_denormal(e, y);
    if (x->cls != RW_NUM_NORMAL || y->cls != RW_NUM_NORMAL)
        return arctangent_special(e, y, x);
    RwWide a = rw_wide_num(y), b = rw_wide_num(x), r;
    a.sign = b.sign = false;
    bool steep = a.exp > b.exp || (a.exp == b.exp && a.m > b.m);
    r = rw_wide_atan(steep ? rw_wide_div(b, a) : rw_wide_div(a, b));
    if (steep) {
        RwWide half_pi = rw_wide_pi;
        half_pi.exp--;
        r = rw_wide_sub(half_pi, r);
    }
    if (x->sign)
        r = rw_wide_sub(rw_wide_pi, r);
    r.sign = y->sign;
    return inexact(e, r);
}

// ---- Operations on ST(0), or on ST(1) and ST(0), which is popped ----

static void do_algebraic(RwCpu *cpu, const RwOp *op)
{
    bool two = RW_X87_KIND(op) != RW_X87_F2XM1;
    RwFpEnv e = rw_x87_env(cpu);
    RwNum r = rw_num_default_nan();

    e.fmt = &rw_format_f80;
    if (rw_x87_is_empty(cpu, 0) || (two && rw_x87_is_empty(cpu, 1))) {
        if (rw_x87_underflow(cpu, op))
            return;
    } else {
        RwNum x = rw_x87_get(cpu, 0), y = rw_x87_get(cpu, 1);
        r = !two                               ? power(&e, &x)
            : RW_X87_KIND(op) == RW_X87_YL2X   ? y_log2_x(&e, &y, &x)
            : RW_X87_KIND(op) == RW_X87_YL2XP1 ? y_log2_xp1(&e, &y, &x)
                                               : arctangent(&e, &y, &x);
        if (!rw_x87_finish(cpu, op, &e))
            return;
    }
    rw_x87_put(cpu, two ? 1 : 0, &r);
    if (two)
        rw_x87_pop(cpu);
}

static RW_OP(op_trigonometric)
{
    RW_X87_BEGIN;
    do_trigonometric(cpu, op);
    RW_NEXT;
}
static RW_OP(op_algebraic)
{
    RW_X87_BEGIN;
    do_algebraic(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_transcendental(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_x87(e, m->arg >= RW_X87_SIN || m->arg == RW_X87_PTAN ? op_trigonometric : op_algebraic, m->arg);
    return true;
}
