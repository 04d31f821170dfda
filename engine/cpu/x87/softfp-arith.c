// SPDX-License-Identifier: MIT
// Arithmetic on unpacked numbers.
#include "softfp-private.h"

// ---- Integers ----

uint64_t rw_udiv128(rw_u128 n, uint64_t d, uint64_t *ret_rem)
{
    uint64_t q, r;

    __asm__("divq %4" : "=a"(q), "=d"(r) : "a"((uint64_t)n), "d"((uint64_t)(n >> 64)), "r"(d) : "cc");
    *ret_rem = r;
    return q;
}

uint64_t rw_isqrt(rw_u128 v)
{
    rw_u128 root = 0, rest = 0;

    for (int i = 0; i < 64; i++) {
        rest = rest << 2 | v >> 126;
        v <<= 2;
        root <<= 1;
        if (rest > root << 1) {
            rest -= (root << 1) + 1;
            root++;
        }
    }
    return (uint64_t)root;
}

// ---- NaNs ----

// Manual vol. 1, table 4-7.
static RwNum choose_x87(const RwNum *a, const RwNum *b)
{
    if (!rw_num_is_nan(b) || (b->cls == RW_NUM_SNAN && a->cls == RW_NUM_QNAN))
        return *a;
    if (!rw_num_is_nan(a) || (a->cls == RW_NUM_SNAN && b->cls == RW_NUM_QNAN))
        return *b;
    if (a->sig != b->sig)
        return a->sig > b->sig ? *a : *b;
    return a->sign ? *b : *a;
}

bool rw_soft_nan(RwFpEnv *e, const RwNum *a, const RwNum *b, RwNum *ret_nan)
{
    if (a->cls < RW_NUM_QNAN && b->cls < RW_NUM_QNAN)
        return false;
    if (a->cls == RW_NUM_INVALID || b->cls == RW_NUM_INVALID) {
        e->flags |= RW_FP_IE;
        *ret_nan = rw_num_default_nan();
        return true;
    }
    if (a->cls == RW_NUM_SNAN || b->cls == RW_NUM_SNAN)
        e->flags |= RW_FP_IE;
    RwNum n = e->x87 ? choose_x87(a, b) : rw_num_is_nan(a) ? *a : *b;
    *ret_nan = rw_num_quieted(n);
    return true;
}

static RwNum invalid(RwFpEnv *e)
{
    e->flags |= RW_FP_IE;
    return rw_num_default_nan();
}

static void note_denormals(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    if (a->denormal || b->denormal)
        e->flags |= RW_FP_DE;
}

// ---- Add, subtract ----

static RwNum sum_of_zeros(RwFpEnv *e, bool sa, bool sb)
{
    return rw_num_zero(sa == sb ? sa : e->rc == RW_RC_DOWN);
}

static RwNum add_numbers(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    if (b->exp > a->exp || (b->exp == a->exp && b->sig > a->sig)) {
        const RwNum *t = a;
        a = b;
        b = t;
    }
    rw_u128 x = (rw_u128)a->sig << 63;
    rw_u128 y = rw_shift_sticky((rw_u128)b->sig << 63, (unsigned)(a->exp - b->exp));
    if (a->sign == b->sign)
        return rw_soft_round(e, a->sign, a->exp + 1, x + y);
    if (x == y)
        return rw_num_zero(e->rc == RW_RC_DOWN);
    return rw_soft_round(e, a->sign, a->exp + 1, x - y);
}

RwNum rw_soft_add(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    RwNum nan;

    e->up = false;
    if (rw_soft_nan(e, a, b, &nan))
        return nan;
    if (a->cls == RW_NUM_INF && b->cls == RW_NUM_INF && a->sign != b->sign)
        return invalid(e);
    note_denormals(e, a, b);
    if (a->cls == RW_NUM_INF || b->cls == RW_NUM_INF)
        return a->cls == RW_NUM_INF ? *a : *b;
    if (a->cls == RW_NUM_ZERO && b->cls == RW_NUM_ZERO)
        return sum_of_zeros(e, a->sign, b->sign);
    if (a->cls == RW_NUM_ZERO)
        return rw_soft_round(e, b->sign, b->exp, (rw_u128)b->sig << 64);
    if (b->cls == RW_NUM_ZERO)
        return rw_soft_round(e, a->sign, a->exp, (rw_u128)a->sig << 64);
    return add_numbers(e, a, b);
}

RwNum rw_soft_sub(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    RwNum negated = *b;

    // The sign of a NaN is kept.
    if (b->cls < RW_NUM_QNAN)
        negated.sign = !negated.sign;
    return rw_soft_add(e, a, &negated);
}

// ---- Multiply, divide, root ----

RwNum rw_soft_mul(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    bool sign = a->sign != b->sign;
    RwNum nan;

    e->up = false;
    if (rw_soft_nan(e, a, b, &nan))
        return nan;
    if ((a->cls == RW_NUM_INF && b->cls == RW_NUM_ZERO) || (a->cls == RW_NUM_ZERO && b->cls == RW_NUM_INF))
        return invalid(e);
    note_denormals(e, a, b);
    if (a->cls == RW_NUM_INF || b->cls == RW_NUM_INF)
        return rw_num_inf(sign);
    if (a->cls == RW_NUM_ZERO || b->cls == RW_NUM_ZERO)
        return rw_num_zero(sign);
    return rw_soft_round(e, sign, a->exp + b->exp + 1, (rw_u128)a->sig * b->sig);
}

static RwNum divide_numbers(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    bool ge = a->sig >= b->sig;
    uint64_t rem, rem2;
    uint64_t hi = rw_udiv128((rw_u128)a->sig << (ge ? 63 : 64), b->sig, &rem);
    uint64_t lo = rw_udiv128((rw_u128)rem << 64, b->sig, &rem2);

    return rw_soft_round(e, a->sign != b->sign, a->exp - b->exp - !ge,
                         (rw_u128)hi << 64 | lo | (rem2 != 0));
}

RwNum rw_soft_div(RwFpEnv *e, const RwNum *a, const RwNum *b)
{
    bool sign = a->sign != b->sign;
    RwNum nan;

    e->up = false;
    if (rw_soft_nan(e, a, b, &nan))
        return nan;
    if (a->cls == b->cls && a->cls != RW_NUM_NORMAL)
        return invalid(e);
    if (b->cls == RW_NUM_ZERO && a->cls == RW_NUM_NORMAL) {
        e->flags |= RW_FP_ZE;
        return rw_num_inf(sign);
    }
    note_denormals(e, a, b);
    if (a->cls == RW_NUM_INF || b->cls == RW_NUM_ZERO)
        return rw_num_inf(sign);
    if (a->cls == RW_NUM_ZERO || b->cls == RW_NUM_INF)
        return rw_num_zero(sign);
    return divide_numbers(e, a, b);
}

RwNum rw_soft_sqrt(RwFpEnv *e, const RwNum *a)
{
    RwNum nan;

    e->up = false;
    if (rw_soft_nan(e, a, a, &nan))
        return nan;
    if (a->cls == RW_NUM_ZERO)
        return *a;
    if (a->sign)
        return invalid(e);
    note_denormals(e, a, a);
    if (a->cls == RW_NUM_INF)
        return *a;
    // m in [1, 4) and an even exponent: root = floor (sqrt (m) 2^63).
    bool odd = a->exp & 1;
    rw_u128 n = (rw_u128)a->sig << (odd ? 64 : 63);
    uint64_t root = rw_isqrt(n);
    rw_u128 rest = n - (rw_u128)root * root;
    // A root is never just between two numbers: below or above the middle is enough.
    uint64_t lo = !rest ? 0 : rest > root ? UINT64_C(3) << 62 : UINT64_C(1) << 62;
    return rw_soft_round(e, false, (a->exp - odd) / 2, (rw_u128)root << 64 | lo);
}

// ---- Conversions ----

RwNum rw_soft_convert(RwFpEnv *e, const RwNum *a)
{
    RwNum nan;

    e->up = false;
    if (rw_soft_nan(e, a, a, &nan)) {
        nan.sig &= ~UINT64_C(0) << (64 - e->fmt->bits);
        return nan;
    }
    note_denormals(e, a, a);
    if (a->cls != RW_NUM_NORMAL)
        return *a;
    return rw_soft_round(e, a->sign, a->exp, (rw_u128)a->sig << 64);
}

// |a| rounded to an integer, for |a| < 2^64; notes PE. The result may be 2^64.
static rw_u128 magnitude(RwFpEnv *e, const RwNum *a, uint8_t rc)
{
    rw_u128 v = rw_shift_sticky((rw_u128)a->sig << 64, a->exp < -2 ? 66 : (unsigned)(63 - a->exp));
    // v: 64 bits of integer, 64 of fraction.
    uint64_t frac = (uint64_t)v, half = UINT64_C(1) << 63;
    rw_u128 whole = v >> 64;
    bool up = false;

    if (frac) {
        e->flags |= RW_FP_PE;
        up = rc == RW_RC_NEAREST ? frac > half || (frac == half && (whole & 1))
                                 : rc == (a->sign ? RW_RC_DOWN : RW_RC_UP);
    }
    e->up = up;
    return whole + up;
}

RwNum rw_soft_round_int(RwFpEnv *e, const RwNum *a)
{
    RwNum nan;

    e->up = false;
    if (rw_soft_nan(e, a, a, &nan))
        return nan;
    note_denormals(e, a, a);
    if (a->cls != RW_NUM_NORMAL || a->exp >= 63)
        return *a;
    rw_u128 v = magnitude(e, a, e->rc);
    if (!v)
        return rw_num_zero(a->sign);
    bool up = e->up;
    RwFpEnv exact = {.fmt = &rw_format_f80, .masked = 0x3f};
    RwNum n = rw_soft_round(&exact, a->sign, 127, v);
    e->up = up;
    return n;
}

int64_t rw_soft_to_int(RwFpEnv *e, const RwNum *a, unsigned bits, uint8_t rc)
{
    rw_u128 limit = (rw_u128)1 << (bits - 1), v = 0;
    int64_t indefinite = -(int64_t)(limit - 1) - 1;
    uint8_t flags = e->flags;

    e->up = false;
    if (a->cls == RW_NUM_ZERO)
        return 0;
    bool fits = a->cls == RW_NUM_NORMAL && a->exp < 64;
    if (fits)
        v = magnitude(e, a, rc);
    if (!fits || v > limit || (v == limit && !a->sign)) {
        e->flags = flags | RW_FP_IE;
        e->up = false;
        return indefinite;
    }
    return a->sign ? -(int64_t)(uint64_t)(v - (v == limit)) - (v == limit) : (int64_t)v;
}

RwNum rw_soft_from_int(RwFpEnv *e, int64_t v)
{
    uint64_t m = v < 0 ? -(uint64_t)v : (uint64_t)v;

    e->up = false;
    return rw_soft_round(e, v < 0, 127, m);
}

// ---- Comparison ----

static RwOrder compare_magnitudes(const RwNum *a, const RwNum *b)
{
    if (a->cls != b->cls)
        return a->cls < b->cls ? RW_LESS : RW_GREATER; // zero < normal < infinity
    if (a->cls != RW_NUM_NORMAL)
        return RW_EQUAL;
    if (a->exp != b->exp)
        return a->exp < b->exp ? RW_LESS : RW_GREATER;
    return a->sig == b->sig ? RW_EQUAL : a->sig < b->sig ? RW_LESS : RW_GREATER;
}

RwOrder rw_soft_compare(RwFpEnv *e, const RwNum *a, const RwNum *b, bool signal)
{
    if (a->cls >= RW_NUM_QNAN || b->cls >= RW_NUM_QNAN) {
        if (signal || a->cls > RW_NUM_QNAN || b->cls > RW_NUM_QNAN)
            e->flags |= RW_FP_IE;
        return RW_UNORDERED;
    }
    note_denormals(e, a, b);
    RwOrder order = compare_magnitudes(a, b);
    if (a->cls == RW_NUM_ZERO && b->cls == RW_NUM_ZERO)
        return RW_EQUAL;
    if (a->sign != b->sign)
        return a->sign ? RW_LESS : RW_GREATER;
    return a->sign ? (RwOrder) - (int)order : order;
}
