// SPDX-License-Identifier: MIT
#include "widefp-private.h"

#define WIDE(hi, lo) ((rw_u128)UINT64_C(hi) << 64 | UINT64_C(lo))

const RwWide rw_wide_pi = {WIDE(0xc90fdaa22168c234, 0xc4c6628b80dc1cd1), 1, false};
const RwWide rw_wide_ln2 = {WIDE(0xb17217f7d1cf79ab, 0xc9e3b39803f2f6af), -1, false};
const RwWide rw_wide_log2e = {WIDE(0xb8aa3b295c17f0bb, 0xbe87fed0691d3e89), 0, false};

static int clz128(rw_u128 v)
{
    uint64_t hi = (uint64_t)(v >> 64);

    return hi ? __builtin_clzll(hi) : 64 + __builtin_clzll((uint64_t)v);
}

RwWide rw_wide(bool sign, int exp, rw_u128 m)
{
    if (!m)
        return (RwWide){0, 0, sign};
    int shift = clz128(m);
    return (RwWide){m << shift, exp - shift, sign};
}

RwWide rw_wide_int(int v)
{
    return rw_wide(v < 0, 127, (rw_u128)(v < 0 ? -(int64_t)v : v));
}

RwWide rw_wide_num(const RwNum *n)
{
    return rw_wide(n->sign, n->exp, n->cls == RW_NUM_ZERO ? 0 : (rw_u128)n->sig << 64);
}

RwWide rw_wide_neg(RwWide a)
{
    a.sign = !a.sign;
    return a;
}

static bool less(RwWide a, RwWide b)
{
    return !a.m || (b.m && (a.exp < b.exp || (a.exp == b.exp && a.m < b.m)));
}

RwWide rw_wide_add(RwWide a, RwWide b)
{
    if (less(a, b)) {
        RwWide t = a;
        a = b;
        b = t;
    }
    if (!b.m)
        return a;
    unsigned shift = (unsigned)(a.exp - b.exp);
    rw_u128 y = shift < 128 ? b.m >> shift : 0;
    if (a.sign != b.sign)
        return rw_wide(a.sign, a.exp, a.m - y);
    rw_u128 sum = a.m + y;
    if (sum < y)
        return (RwWide){sum >> 1 | (rw_u128)1 << 127, a.exp + 1, a.sign};
    return (RwWide){sum, a.exp, a.sign};
}

RwWide rw_wide_sub(RwWide a, RwWide b)
{
    return rw_wide_add(a, rw_wide_neg(b));
}

RwWide rw_wide_mul(RwWide a, RwWide b)
{
    uint64_t ah = (uint64_t)(a.m >> 64), al = (uint64_t)a.m, bh = (uint64_t)(b.m >> 64), bl = (uint64_t)b.m;
    rw_u128 hl = (rw_u128)ah * bl, lh = (rw_u128)al * bh, ll = (rw_u128)al * bl;
    rw_u128 mid = (ll >> 64) + (uint64_t)hl + (uint64_t)lh;
    rw_u128 high = (rw_u128)ah * bh + (hl >> 64) + (lh >> 64) + (mid >> 64);

    return rw_wide(a.sign != b.sign, a.exp + b.exp + 1, high);
}

RwWide rw_wide_div(RwWide a, RwWide b)
{
    rw_u128 rem = a.m, q = 0;
    bool carry = false;

    if (!a.m)
        return a;
    for (int i = 0; i < 128; i++) {
        bool one = carry || rem >= b.m;
        if (one)
            rem -= b.m;
        q = q << 1 | one;
        carry = rem >> 127;
        rem <<= 1;
    }
    return rw_wide(a.sign != b.sign, a.exp - b.exp, q);
}

RwWide rw_wide_div_small(RwWide a, uint32_t d)
{
    uint64_t hi = (uint64_t)(a.m >> 64), rem = hi % d;
    uint64_t lo = rw_udiv128((rw_u128)rem << 64 | (uint64_t)a.m, d, &rem);
    uint64_t more = rw_udiv128((rw_u128)rem << 64, d, &rem);
    rw_u128 q = (rw_u128)(hi / d) << 64 | lo;
    int shift = q ? clz128(q) : 0;

    if (!q || shift == 0 || shift >= 64)
        return rw_wide(a.sign, a.exp, q);
    return (RwWide){q << shift | more >> (64 - shift), a.exp - shift, a.sign};
}

// ---- Series, from the last term that counts to the first (Horner) ----

enum { TRIG_TERMS = 14, EXP_TERMS = 32, LOG_TERMS = 26, ATAN_TERMS = 44 };

RwWide rw_wide_sin(RwWide r)
{
    RwWide one = rw_wide_int(1), square = rw_wide_mul(r, r), s = one;

    for (uint32_t k = TRIG_TERMS; k > 0; k--)
        s = rw_wide_sub(one, rw_wide_div_small(rw_wide_mul(square, s), 2 * k * (2 * k + 1)));
    return rw_wide_mul(r, s);
}

RwWide rw_wide_cos(RwWide r)
{
    RwWide one = rw_wide_int(1), square = rw_wide_mul(r, r), c = one;

    for (uint32_t k = TRIG_TERMS; k > 0; k--)
        c = rw_wide_sub(one, rw_wide_div_small(rw_wide_mul(square, c), (2 * k - 1) * 2 * k));
    return c;
}

RwWide rw_wide_expm1(RwWide y)
{
    RwWide one = rw_wide_int(1), s = one;

    for (uint32_t k = EXP_TERMS; k > 1; k--)
        s = rw_wide_add(one, rw_wide_div_small(rw_wide_mul(y, s), k));
    return rw_wide_mul(y, s);
}

// sum of (factor)^k / (2 k + 1)
static RwWide odd_series(RwWide factor, uint32_t terms)
{
    RwWide one = rw_wide_int(1), s = rw_wide_int(0);

    for (uint32_t k = terms; k-- > 0;)
        s = rw_wide_add(rw_wide_div_small(one, 2 * k + 1), rw_wide_mul(factor, s));
    return s;
}

RwWide rw_wide_log2_ratio(RwWide s)
{
    RwWide ln_half = rw_wide_mul(s, odd_series(rw_wide_mul(s, s), LOG_TERMS));

    ln_half.exp++;
    return rw_wide_mul(ln_half, rw_wide_log2e);
}

// atan z = pi/4 + atan ((z - 1) / (z + 1)) brings the argument below sqrt (2) - 1.
RwWide rw_wide_atan(RwWide z)
{
    RwWide one = rw_wide_int(1), base = rw_wide_int(0);
    bool large = z.m && (z.exp >= -1 || (z.exp == -2 && z.m > WIDE(0xd413cccfe7799211, 0)));

    if (large) {
        base = rw_wide_pi;
        base.exp -= 2;
        z = rw_wide_div(rw_wide_sub(z, one), rw_wide_add(z, one));
    }
    RwWide minus_square = rw_wide_neg(rw_wide_mul(z, z));
    return rw_wide_add(base, rw_wide_mul(z, odd_series(minus_square, ATAN_TERMS)));
}
