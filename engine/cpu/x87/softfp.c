// SPDX-License-Identifier: MIT
// Unpacking, rounding and encoding of floating-point numbers.
#include "softfp-private.h"

#include <string.h>

const RwFormat rw_format_f32 = {24, -126, 127, 0};
const RwFormat rw_format_f64 = {53, -1022, 1023, 0};
const RwFormat rw_format_f80 = {64, -16382, 16383, 24576};
const RwFormat rw_format_f80_pc24 = {24, -16382, 16383, 24576};
const RwFormat rw_format_f80_pc53 = {53, -16382, 16383, 24576};

#define TOP_BIT (UINT64_C(1) << 63)
#define QUIET_BIT (UINT64_C(1) << 62)

// ---- Numbers ----

RwNum rw_num_zero(bool sign)
{
    return (RwNum){.cls = RW_NUM_ZERO, .sign = sign};
}

RwNum rw_num_inf(bool sign)
{
    return (RwNum){.cls = RW_NUM_INF, .sign = sign, .sig = TOP_BIT};
}

RwNum rw_num_default_nan(void)
{
    return (RwNum){.cls = RW_NUM_QNAN, .sign = true, .sig = TOP_BIT | QUIET_BIT};
}

RwNum rw_num_quieted(RwNum a)
{
    a.cls = RW_NUM_QNAN;
    a.sig |= TOP_BIT | QUIET_BIT;
    return a;
}

// frac: the fraction aligned so that its first bit is bit 62.
static RwNum unpack(bool sign, int biased, int max, uint64_t frac, int emin, bool daz)
{
    RwNum n = {.sign = sign};

    if (biased == max) {
        n.sig = frac | TOP_BIT;
        n.cls = !frac ? RW_NUM_INF : frac & QUIET_BIT ? RW_NUM_QNAN : RW_NUM_SNAN;
    } else if (biased) {
        n.cls = RW_NUM_NORMAL;
        n.sig = frac | TOP_BIT;
        n.exp = biased - 1 + emin;
    } else if (frac && !daz) {
        int shift = __builtin_clzll(frac);
        n.cls = RW_NUM_NORMAL;
        n.sig = frac << shift;
        n.exp = emin - shift;
        n.denormal = true;
    }
    return n;
}

RwNum rw_num_f32(const RwFpEnv *e, uint32_t v)
{
    return unpack(v >> 31, v >> 23 & 0xff, 0xff, (uint64_t)(v & 0x7fffff) << 40, -126, e->daz);
}

RwNum rw_num_f64(const RwFpEnv *e, uint64_t v)
{
    return unpack(v >> 63, v >> 52 & 0x7ff, 0x7ff, (v & 0xfffffffffffff) << 11, -1022, e->daz);
}

RwNum rw_num_f80(uint64_t sig, uint16_t se)
{
    int biased = se & 0x7fff;
    RwNum n = {.sign = se >> 15, .sig = sig};

    if (biased == 0) {
        if (!sig)
            return n;
        // Also the pseudo-denormals, whose integer bit is set.
        int shift = __builtin_clzll(sig);
        n.cls = RW_NUM_NORMAL;
        n.sig = sig << shift;
        n.exp = -16382 - shift;
        n.denormal = true;
    } else if (!(sig & TOP_BIT)) {
        n.cls = RW_NUM_INVALID;
    } else if (biased == 0x7fff) {
        n.cls = sig == TOP_BIT ? RW_NUM_INF : sig & QUIET_BIT ? RW_NUM_QNAN : RW_NUM_SNAN;
    } else {
        n.cls = RW_NUM_NORMAL;
        n.exp = biased - 16383;
    }
    return n;
}

static unsigned biased_of(const RwNum *a, int bias, unsigned max)
{
    if (a->cls == RW_NUM_ZERO)
        return 0;
    if (a->cls != RW_NUM_NORMAL)
        return max;
    return a->sig & TOP_BIT ? (unsigned)(a->exp + bias) : 0;
}

uint32_t rw_num_to_f32(const RwNum *a)
{
    uint32_t frac = (uint32_t)(a->cls == RW_NUM_ZERO ? 0 : a->sig >> 40) & 0x7fffff;

    return (uint32_t)a->sign << 31 | biased_of(a, 127, 0xff) << 23 | frac;
}

uint64_t rw_num_to_f64(const RwNum *a)
{
    uint64_t frac = (a->cls == RW_NUM_ZERO ? 0 : a->sig >> 11) & 0xfffffffffffff;

    return (uint64_t)a->sign << 63 | (uint64_t)biased_of(a, 1023, 0x7ff) << 52 | frac;
}

uint16_t rw_num_f80_exponent(const RwNum *a)
{
    return (uint16_t)(a->sign << 15 | (biased_of(a, 16383, 0x7fff) & 0x7fff));
}

// ---- Rounding ----

rw_u128 rw_shift_sticky(rw_u128 v, unsigned n)
{
    if (n == 0)
        return v;
    if (n >= 128)
        return v != 0;
    return v >> n | ((v << (128 - n)) != 0);
}

// Whether r, whose bits below `drop` go, is rounded away from zero.
static bool rounds_up(const RwFpEnv *e, bool sign, rw_u128 r, unsigned drop)
{
    rw_u128 half = (rw_u128)1 << (drop - 1), rest = r & ((half << 1) - 1);

    if (!rest)
        return false;
    switch (e->rc) {
    case RW_RC_NEAREST:
        return rest > half || (rest == half && (r >> drop & 1));
    case RW_RC_DOWN:
        return sign;
    case RW_RC_UP:
        return !sign;
    default:
        return false;
    }
}

// With an unbounded exponent the result would still be below the normal range.
static bool is_tiny(const RwFpEnv *e, bool sign, int exp, rw_u128 r)
{
    unsigned drop = 128u - e->fmt->bits;

    if (exp >= e->fmt->emin)
        return false;
    if (exp < e->fmt->emin - 1)
        return true;
    bool all_ones = (r >> drop) == ((rw_u128)1 << e->fmt->bits) - 1;
    return !(all_ones && rounds_up(e, sign, r, drop));
}

static RwNum overflow(RwFpEnv *e, bool sign)
{
    bool to_inf = e->rc == RW_RC_NEAREST || e->rc == (sign ? RW_RC_DOWN : RW_RC_UP);

    e->flags |= RW_FP_OE | RW_FP_PE;
    e->up = to_inf;
    if (to_inf)
        return rw_num_inf(sign);
    return (RwNum){.cls = RW_NUM_NORMAL,
                   .sign = sign,
                   .exp = e->fmt->emax,
                   .sig = ~UINT64_C(0) << (64 - e->fmt->bits)};
}

static RwNum round_normal(RwFpEnv *e, bool sign, int exp, rw_u128 r, bool tiny)
{
    unsigned drop = 128u - e->fmt->bits;
    bool up = rounds_up(e, sign, r, drop), inexact = (r << e->fmt->bits) != 0;
    rw_u128 kept = r >> drop << drop;

    if (up) {
        kept += (rw_u128)1 << drop;
        if (!kept) {
            kept = (rw_u128)1 << 127;
            exp++;
        }
    }
    if (exp > e->fmt->emax) {
        if (e->masked & RW_FP_OE)
            return overflow(e, sign);
        e->flags |= RW_FP_OE;
        exp -= e->fmt->wrap;
        if (e->fmt->wrap && exp > e->fmt->emax) {
            // Out of range even so, as only FSCALE can be.
            e->flags |= RW_FP_PE;
            e->up = true;
            return rw_num_inf(sign);
        }
    }
    e->up = up;
    if (inexact)
        e->flags |= tiny ? RW_FP_PE | RW_FP_UE : RW_FP_PE;
    if (!kept)
        return rw_num_zero(sign);
    return (RwNum){.cls = RW_NUM_NORMAL, .sign = sign, .exp = exp, .sig = (uint64_t)(kept >> 64)};
}

RwNum rw_soft_round(RwFpEnv *e, bool sign, int exp, rw_u128 r)
{
    if (!r)
        return rw_num_zero(sign);
    int shift =
        (uint64_t)(r >> 64) ? __builtin_clzll((uint64_t)(r >> 64)) : 64 + __builtin_clzll((uint64_t)r);
    r <<= shift;
    exp -= shift;
    if (!is_tiny(e, sign, exp, r)) {
        // Just below the normal range, but rounded up into it.
        if (exp < e->fmt->emin)
            return round_normal(e, sign, e->fmt->emin, rw_shift_sticky(r, 1), false);
        return round_normal(e, sign, exp, r, false);
    }
    if (!(e->masked & RW_FP_UE)) {
        e->flags |= RW_FP_UE;
        exp += e->fmt->wrap;
        if (e->fmt->wrap && exp < e->fmt->emin) {
            e->flags |= RW_FP_PE;
            return rw_num_zero(sign);
        }
        return round_normal(e, sign, exp, r, false);
    }
    if (e->ftz) {
        e->flags |= RW_FP_UE | RW_FP_PE;
        e->up = false;
        return rw_num_zero(sign);
    }
    return round_normal(e, sign, e->fmt->emin, rw_shift_sticky(r, (unsigned)(e->fmt->emin - exp)), true);
}
