// SPDX-License-Identifier: MIT
// FPREM and FPREM1: exact remainders, and the low bits of the quotient in C0 C3 C1.
//
// An exponent difference below 64 is done in one step. A larger one is brought down by N at a time, with
// C2 set, and the program repeats the instruction; the manual leaves N open (32 to 63): here it is
// 32 + difference mod 32.
#include "x87-private.h"

enum { NO_QUOTIENT = ~0u }; // NaNs leave C0 and C3 as they were

typedef struct {
    uint64_t rem; // in units of the divisor's last bit
    uint64_t quotient;
} Division;

// a 2^n / b for significands a and b: integer quotient (modulo 2^64) and remainder.
static Division divide(uint64_t a, uint64_t b, unsigned n)
{
    Division d = {a, 0};

    if (d.rem >= b) {
        d.rem -= b;
        d.quotient = 1;
    }
    while (n > 0) {
        unsigned step = n > 63 ? 63 : n;
        uint64_t q = rw_udiv128((rw_u128)d.rem << step, b, &d.rem);
        d.quotient = (d.quotient << step) + q;
        n -= step;
    }
    return d;
}

// Remainder 0 has the dividend's sign.
static RwNum result(RwFpEnv *e, bool sign, int exp, uint64_t rem)
{
    if (!rem)
        return rw_num_zero(sign);
    return rw_soft_round(e, sign, exp, (rw_u128)rem << 64);
}

static unsigned quotient_bits(uint64_t q)
{
    return (q & 4 ? RW_X87_C0 : 0) | (q & 2 ? RW_X87_C3 : 0) | (q & 1 ? RW_X87_C1 : 0);
}

static RwNum whole(RwFpEnv *e, const RwNum *a, const RwNum *b, bool nearest, unsigned *ret_cc)
{
    int diff = a->exp - b->exp;
    bool sign = a->sign;

    if (diff < -1 || (diff < 0 && !nearest))
        return rw_soft_round(e, sign, a->exp, (rw_u128)a->sig << 64);
    // diff -1: in units of half the divisor's last bit, so that |a| may be more than half of b.
    Division d = diff < 0 ? (Division){a->sig, 0} : divide(a->sig, b->sig, (unsigned)diff);
    rw_u128 rem = d.rem, div = b->sig;
    int exp = b->exp;
    if (diff < 0) {
        div <<= 1;
        exp--;
    }
    if (nearest && (2 * rem > div || (2 * rem == div && d.quotient & 1))) {
        rem = div - rem;
        d.quotient++;
        sign = !sign;
    }
    *ret_cc = quotient_bits(d.quotient);
    if (!rem)
        return rw_num_zero(a->sign);
    return result(e, sign, exp, (uint64_t)rem);
}

static RwNum partial(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    int diff = a->exp - b->exp, n = 32 + diff % 32;
    Division d = divide(a->sig, b->sig, (unsigned)n);

    return result(e, a->sign, b->exp + diff - n, d.rem);
}

static RwNum remainder_of(RwFpEnv *e, const RwNum *a, const RwNum *b, bool nearest, unsigned *ret_cc)
{
    RwNum nan;

    if (rw_soft_nan(e, a, b, &nan))
        return nan;
    if (a->cls == RW_NUM_INF || b->cls == RW_NUM_ZERO) {
        e->flags |= RW_FP_IE;
        return rw_num_default_nan();
    }
    if (a->denormal || b->denormal)
        e->flags |= RW_FP_DE;
    *ret_cc = 0;
    if (a->cls == RW_NUM_ZERO)
        return *a;
    if (b->cls == RW_NUM_INF)
        return rw_soft_round(e, a->sign, a->exp, (rw_u128)a->sig << 64);
    if (a->exp - b->exp < 64)
        return whole(e, a, b, nearest, ret_cc);
    *ret_cc = RW_X87_C2;
    return partial(e, a, b);
}

void rw_x87_do_remainder(RwCpu *cpu, const RwOp *op, bool nearest)
{
    RwFpEnv e = rw_x87_env(cpu);
    RwNum r = rw_num_default_nan();
    unsigned cc = NO_QUOTIENT;

    rw_x87_set_cc(cpu, RW_X87_C2, 0);
    if (rw_x87_is_empty(cpu, 0) || rw_x87_is_empty(cpu, 1)) {
        if (!rw_x87_underflow(cpu, op))
            rw_x87_put(cpu, 0, &r);
        return;
    }
    RwNum a = rw_x87_get(cpu, 0), b = rw_x87_get(cpu, 1);
    e.fmt = &rw_format_f80;
    r = remainder_of(&e, &a, &b, nearest, &cc);
    e.up = false;
    if (!rw_x87_finish(cpu, op, &e))
        return;
    rw_x87_put(cpu, 0, &r);
    if (cc != NO_QUOTIENT)
        rw_x87_set_cc(cpu, RW_X87_CC, cc);
}
