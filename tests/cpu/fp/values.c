// SPDX-License-Identifier: MIT
#include "values.h"

#include <string.h>

// splitmix64
uint64_t fp_random(FpRandom *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static unsigned below(FpRandom *r, unsigned n)
{
    return (unsigned)(fp_random(r) >> 33) % n;
}

// A fraction of `bits` bits: random, few bits set, or near 0 or all ones.
static uint64_t fraction(FpRandom *r, unsigned bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;

    switch (below(r, 6)) {
    case 0:
        return 0;
    case 1:
        return fp_random(r) & fp_random(r) & fp_random(r) & fp_random(r) & mask;
    case 2:
        return (mask - below(r, 3)) & mask;
    case 3:
        return below(r, 4);
    case 4:
        return UINT64_C(1) << below(r, bits);
    default:
        return fp_random(r) & mask;
    }
}

// Biased exponents: anything, extremes, near 1, the widths of integers.
static uint64_t exponent(FpRandom *r, unsigned bits)
{
    uint64_t max = (UINT64_C(1) << bits) - 1, bias = max >> 1;

    switch (below(r, 8)) {
    case 0:
        return 0;
    case 1:
        return max;
    case 2:
        return below(r, 3) + 1;
    case 3:
        return max - 1 - below(r, 3);
    case 4:
        return fp_random(r) & max;
    case 5:
        return bias + 30 + below(r, 4) + below(r, 2) * 32;
    default:
        return bias + below(r, 9) - 4;
    }
}

static uint32_t random_f32(FpRandom *r)
{
    return (uint32_t)(fp_random(r) >> 63 << 31 | exponent(r, 8) << 23 | fraction(r, 23));
}

static uint64_t random_f64(FpRandom *r)
{
    return fp_random(r) >> 63 << 63 | exponent(r, 11) << 52 | fraction(r, 52);
}

static void random_f80(FpRandom *r, uint8_t out[10])
{
    uint64_t exp = exponent(r, 15), sig = fraction(r, 63);
    uint16_t se = (uint16_t)(exp | (fp_random(r) >> 63) << 15);

    // Mostly the integer bit that the exponent wants.
    if (below(r, 12) ? exp != 0 : below(r, 2))
        sig |= UINT64_C(1) << 63;
    memcpy(out, &sig, 8);
    memcpy(out + 8, &se, 2);
}

static void random_16(FpRandom *r, uint8_t out[16])
{
    uint64_t a = fp_random(r), b = fp_random(r);

    switch (below(r, 6)) {
    case 0:
    case 1:
        for (unsigned i = 0; i < 4; i++)
            memcpy(out + 4 * i, &(uint32_t){random_f32(r)}, 4);
        return;
    case 2:
    case 3:
        a = random_f64(r);
        b = random_f64(r);
        break;
    case 4:
        for (unsigned i = 0; i < 16; i++)
            out[i] = below(r, 5) ? (uint8_t)(0x60 + below(r, 6)) : (uint8_t)(below(r, 4) * 0x55);
        return;
    default:
        break;
    }
    memcpy(out, &a, 8);
    memcpy(out + 8, &b, 8);
}

static void random_data(FpRandom *r, uint8_t *data, uint64_t flags)
{
    for (unsigned i = 0; i < 1024; i += 16) {
        if ((flags & FP_USES_X87) && below(r, 2)) {
            random_f80(r, data + i);
            memset(data + i + 10, 0, 6);
        } else {
            random_16(r, data + i);
        }
    }
}

static void random_stack(FpRandom *r, FpFx *fx)
{
    static const uint8_t pc[] = {3, 3, 3, 0, 2, 1};

    fx->fcw = (uint16_t)(0x7f | pc[below(r, 6)] << 8 | below(r, 4) << 10);
    if (!below(r, 3))
        fx->fcw &= (uint16_t)(0xffc0 | fp_random(r));
    fx->fcw |= 0x40;
    fx->fsw = (uint16_t)(fp_random(r) & 0x7f00);
    if (!below(r, 3))
        fx->fsw |= (uint16_t)(fp_random(r) & 0x7f);
    // A pending exception stops everything: not often.
    if (fx->fsw & ~fx->fcw & 0x3f) {
        if (below(r, 8))
            fx->fsw &= (uint16_t)~0x3f;
        else
            fx->fsw |= 0x8080;
    }
    fx->ftw = below(r, 3) ? 0xff : (uint8_t)(fp_random(r) | fp_random(r));
    // Room for a push, mostly.
    if (below(r, 3))
        fx->ftw &= (uint8_t) ~(1 << (((fx->fsw >> 11) + 7) & 7));
    for (unsigned i = 0; i < 8; i++)
        random_f80(r, fx->st[i]);
}

static uint32_t random_mxcsr(FpRandom *r)
{
    uint32_t v = 0x1f80 | below(r, 4) << 13;

    if (!below(r, 3))
        v |= (uint32_t)fp_random(r) & 0x803f;
    if (!below(r, 3))
        v |= (uint32_t)fp_random(r) & 0x40;
    if (!below(r, 3))
        v &= ~((uint32_t)fp_random(r) & 0x1f80);
    return v;
}

static uint64_t random_gpr(FpRandom *r)
{
    uint64_t v = fp_random(r) >> below(r, 64);

    return below(r, 2) ? v : -v;
}

void fp_random_state(FpRandom *r, const FpTemplate *t, FpState *s)
{
    memset(s, 0, sizeof *s);
    random_data(r, s->data, t->flags);
    random_stack(r, &s->fx);
    s->fx.mxcsr = random_mxcsr(r);
    for (unsigned i = 0; i < 16; i++)
        random_16(r, s->fx.xmm[i]);
    s->rax = random_gpr(r);
    s->rcx = random_gpr(r);
    s->rdx = random_gpr(r);
    s->rdi = FP_OPERAND;
    s->rflags = fp_random(r) & 0x8d5;
    uint8_t *operand = s->data + (FP_OPERAND - FP_DATA);
    // Which addresses the host keeps whole depends on its page tables' depth.
    if (strstr(t->text, "fxrstor64"))
        operand[15] = operand[14] = operand[23] = operand[22] = 0;
    if (strstr(t->text, "fxrstor") && below(r, 4)) {
        FpFx fx = s->fx;
        random_stack(r, &fx);
        fx.mxcsr = random_mxcsr(r);
        fx.fip = fp_random(r) >> 17;
        fx.fdp = fp_random(r) >> 17;
        memcpy(operand, &fx, 416);
    }
    if (strstr(t->text, "ldmxcsr") && below(r, 4))
        memcpy(operand, &(uint32_t){random_mxcsr(r)}, 4);
    if (strstr(t->text, "fbld")) {
        for (unsigned i = 0; i < 9; i++)
            operand[i] = (uint8_t)(below(r, 10) << 4 | below(r, 10));
    }
}
