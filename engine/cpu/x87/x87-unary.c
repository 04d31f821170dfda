// SPDX-License-Identifier: MIT
// FCHS, FABS, FXAM, FSQRT, FRNDINT, FSCALE, FXTRACT. Precision control concerns FSQRT alone.
#include "x87-private.h"

// ---- Sign and class ----

static void change_sign(RwCpu *cpu, const RwOp *op)
{
    RwNum nan = rw_num_default_nan();

    if (rw_x87_is_empty(cpu, 0)) {
        if (!rw_x87_underflow(cpu, op))
            rw_x87_put(cpu, 0, &nan);
        return;
    }
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    if (RW_X87_KIND(op) == RW_X87_CHS)
        rw_x87_st(cpu, 0)->sign_exponent ^= 0x8000;
    else
        rw_x87_st(cpu, 0)->sign_exponent &= 0x7fff;
}

static void examine(RwCpu *cpu, const RwOp *op)
{
    static const uint16_t by_class[] = {
        [RW_NUM_ZERO] = RW_X87_C3, [RW_NUM_NORMAL] = RW_X87_C2, [RW_NUM_INF] = RW_X87_C2 | RW_X87_C0,
        [RW_NUM_QNAN] = RW_X87_C0, [RW_NUM_SNAN] = RW_X87_C0,   [RW_NUM_INVALID] = 0,
    };
    RwNum n = rw_x87_get(cpu, 0);
    unsigned cc = by_class[n.cls];

    (void)op;
    if (n.denormal)
        cc = RW_X87_C3 | RW_X87_C2;
    if (rw_x87_is_empty(cpu, 0))
        cc = RW_X87_C3 | RW_X87_C0;
    rw_x87_set_cc(cpu, RW_X87_CC, cc | (n.sign ? RW_X87_C1 : 0));
}

// ---- One operand, one result ----

static RwNum scale_by_infinity(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    bool invalid = b->sign ? a->cls == RW_NUM_INF : a->cls == RW_NUM_ZERO;

    if (invalid) {
        e->flags |= RW_FP_IE;
        return rw_num_default_nan();
    }
    return b->sign ? rw_num_zero(a->sign) : rw_num_inf(a->sign);
}

// a 2^trunc (b)
static RwNum scale(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    RwNum nan;

    if (rw_soft_nan(e, a, b, &nan))
        return nan;
    if (a->denormal || b->denormal)
        e->flags |= RW_FP_DE;
    if (b->cls == RW_NUM_INF)
        return scale_by_infinity(e, a, b);
    if (a->cls != RW_NUM_NORMAL)
        return *a;
    if (b->cls == RW_NUM_ZERO) { // no operation: an unmasked underflow, too, is none
        RwFpEnv exact = {.fmt = &rw_format_f80, .masked = RW_X87_EXCEPTIONS};
        return rw_soft_round(&exact, a->sign, a->exp, (rw_u128)a->sig << 64);
    }
    // Past this every result is out of range.
    int n = b->exp < 0 ? 0 : b->exp > 16 ? 1 << 17 : (int)(b->sig >> (63 - b->exp));
    return rw_soft_round(e, a->sign, a->exp + (b->sign ? -n : n), (rw_u128)a->sig << 64);
}

static void one_result(RwCpu *cpu, const RwOp *op)
{
    unsigned kind = RW_X87_KIND(op);
    RwFpEnv e = rw_x87_env(cpu);
    RwNum r = rw_num_default_nan();

    if (rw_x87_is_empty(cpu, 0) || (kind == RW_X87_SCALE && rw_x87_is_empty(cpu, 1))) {
        if (!rw_x87_underflow(cpu, op))
            rw_x87_put(cpu, 0, &r);
        return;
    }
    RwNum a = rw_x87_get(cpu, 0);
    if (kind == RW_X87_SQRT) {
        r = rw_soft_sqrt(&e, &a);
    } else {
        e.fmt = &rw_format_f80;
        RwNum b = rw_x87_get(cpu, 1);
        r = kind == RW_X87_RNDINT ? rw_soft_round_int(&e, &a) : scale(&e, &a, &b);
    }
    if (rw_x87_finish(cpu, op, &e))
        rw_x87_put(cpu, 0, &r);
}

// ---- FXTRACT: the exponent replaces ST(0), the significand is pushed ----

static void split(RwFpEnv *e, const RwNum *a, RwNum *ret_exp, RwNum *ret_sig)
{
    RwNum nan;

    *ret_sig = *a;
    if (rw_soft_nan(e, a, a, &nan)) {
        *ret_exp = *ret_sig = nan;
    } else if (a->cls == RW_NUM_ZERO) {
        e->flags |= RW_FP_ZE;
        *ret_exp = rw_num_inf(true);
    } else if (a->cls == RW_NUM_INF) {
        *ret_exp = rw_num_inf(false);
    } else {
        if (a->denormal)
            e->flags |= RW_FP_DE;
        RwFpEnv exact = {.fmt = &rw_format_f80, .masked = RW_X87_EXCEPTIONS};
        *ret_exp = rw_soft_from_int(&exact, a->exp);
        ret_sig->exp = 0;
    }
}

static void extract(RwCpu *cpu, const RwOp *op)
{
    RwFpEnv e = rw_x87_env(cpu);
    RwNum exp = rw_num_default_nan(), sig = exp;

    if (rw_x87_is_empty(cpu, 0)) {
        if (rw_x87_underflow(cpu, op))
            return;
    } else if (!rw_x87_is_empty(cpu, 7)) {
        if (rw_x87_overflow(cpu, op))
            return;
    } else {
        RwNum a = rw_x87_get(cpu, 0);
        split(&e, &a, &exp, &sig);
        if (!rw_x87_finish(cpu, op, &e))
            return;
    }
    rw_x87_put(cpu, 0, &exp);
    rw_x87_push(cpu, &sig);
}

// ---- Emission ----

static void prem(RwCpu *cpu, const RwOp *op)
{
    rw_x87_do_remainder(cpu, op, false);
}
static void prem1(RwCpu *cpu, const RwOp *op)
{
    rw_x87_do_remainder(cpu, op, true);
}

typedef void (*Body)(RwCpu *cpu, const RwOp *op);

static const Body bodies[] = {
    [RW_X87_CHS] = change_sign, [RW_X87_ABS] = change_sign,   [RW_X87_XAM] = examine,
    [RW_X87_SQRT] = one_result, [RW_X87_RNDINT] = one_result, [RW_X87_SCALE] = one_result,
    [RW_X87_XTRACT] = extract,  [RW_X87_PREM] = prem,         [RW_X87_PREM1] = prem1,
};

static RW_OP(op_unary)
{
    RW_X87_BEGIN;
    bodies[RW_X87_KIND(op)](cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_unary(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_x87(e, op_unary, m->arg);
    return true;
}
