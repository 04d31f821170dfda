// SPDX-License-Identifier: MIT
// Random values with a taste for edges.
#include "random.h"

#include <string.h>

uint64_t rng_integer(Rng *r)
{
    uint64_t x = rng64(r);

    switch (rng_below(r, 8)) {
    case 0:
        return x & 0xff;
    case 1:
        return -(x & 0xff);
    case 2:
        return 1ULL << (x & 63);
    case 3:
        return (1ULL << (x & 63)) - 1;
    case 4:
        return 0x7f7f8080ffff0000 >> (x & 63) | (x >> 8 & 3);
    case 5:
        return (uint32_t)x;
    default:
        return x;
    }
}

static uint32_t random_f32(Rng *r)
{
    static const uint32_t special[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
        0xffc00001, 0x7f800001, 0xffa00000, 1,          0x807fffff, 0x00800000, 0x7f7fffff,
        0x3f000000, 0x4f000000, 0xcf000000, 0x5f000000, 0x3fc00000, 0x40200000, 0x00400000};
    uint32_t x = (uint32_t)rng64(r);

    switch (rng_below(r, 4)) {
    case 0:
        return special[rng_below(r, G_N_ELEMENTS(special))];
    case 1:
        return (x & 0x807fffff) | (0x3f800000 + (rng_below(r, 64) - 32) * 0x800000);
    case 2:
        return (x & 0x80ffffff & ~0x7ff) | (0x3f000000 + (rng_below(r, 8)) * 0x800000);
    default:
        return x;
    }
}

static uint64_t random_f64(Rng *r)
{
    static const uint64_t special[] = {0,
                                       0x8000000000000000,
                                       0x3ff0000000000000,
                                       0xbff0000000000000,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0xfff8000000000001,
                                       0x7ff0000000000001,
                                       0xfff4000000000000,
                                       1,
                                       0x800fffffffffffff,
                                       0x0010000000000000,
                                       0x7fefffffffffffff,
                                       0x3fe0000000000000,
                                       0x41dfffffffe00000,
                                       0x41e0000000000000,
                                       0xc1e0000000200000,
                                       0x43e0000000000000,
                                       0xc3e0000000000000,
                                       0x3ff8000000000000,
                                       0x36a0000000000000,
                                       0x47efffffe0000000,
                                       0x380fffffffffffff};
    uint64_t x = rng64(r);

    switch (rng_below(r, 4)) {
    case 0:
        return special[rng_below(r, G_N_ELEMENTS(special))];
    case 1:
        return (x & 0x800fffffffffffff) | ((uint64_t)(1023 + rng_below(r, 128) - 64) << 52);
    case 2:
        return (x & 0x800fffffe0000000) | ((uint64_t)(1023 + rng_below(r, 20)) << 52);
    default:
        return x;
    }
}

static void random_text(Rng *r, uint8_t out[16])
{
    for (unsigned i = 0; i < 16; i++)
        out[i] = rng_percent(r, 6) ? 0 : (uint8_t)('a' + rng_below(r, 5));
}

void rng_xmm(Rng *r, uint8_t out[16])
{
    uint64_t a, b;
    uint32_t f[4];

    switch (rng_below(r, 5)) {
    case 0:
    case 1:
        for (unsigned i = 0; i < 4; i++)
            f[i] = random_f32(r);
        memcpy(out, f, 16);
        return;
    case 2:
    case 3:
        a = random_f64(r);
        b = random_f64(r);
        break;
    default:
        if (rng_percent(r, 30)) {
            random_text(r, out);
            return;
        }
        a = rng_integer(r);
        b = rng_integer(r);
    }
    memcpy(out, &a, 8);
    memcpy(out + 8, &b, 8);
}

void rng_f80(Rng *r, uint8_t out[10])
{
    static const uint64_t significands[] = {0x8000000000000000, 0xc000000000000000, 0xffffffffffffffff,
                                            0x8000000000000001, 0xa000000000000000, 0xfffffffffffff800};
    uint64_t sig = rng64(r) | 1ULL << 63;
    unsigned exponent = 16383 + rng_below(r, 80) - 40;

    if (rng_percent(r, 40))
        sig = significands[rng_below(r, G_N_ELEMENTS(significands))];
    switch (rng_below(r, 16)) {
    case 0: // zero or denormal
        exponent = 0;
        sig = rng_percent(r, 50) ? 0 : rng64(r) >> (1 + rng_below(r, 60));
        break;
    case 1: // infinity or NaN
        exponent = 0x7fff;
        break;
    case 2:
        exponent = rng_below(r, 0x8000);
        break;
    case 3: // encodings that no longer exist, rarely
        if (rng_percent(r, 20))
            sig &= ~(1ULL << 63);
        break;
    case 4: // an integer
        exponent = 16383 + rng_below(r, 64);
        sig &= UINT64_MAX << (63 - (exponent - 16383));
        break;
    default:
        break;
    }
    memcpy(out, &sig, 8);
    out[8] = (uint8_t)exponent;
    out[9] = (uint8_t)(exponent >> 8 | (rng_percent(r, 50) ? 0x80 : 0));
}

uint64_t rng_address(Rng *r)
{
    unsigned p = rng_below(r, 100);
    uint64_t align = rng_percent(r, 75) ? ~15ULL : rng_percent(r, 50) ? ~3ULL : ~0ULL;

    if (p < 84)
        return (DATA_VA + 64 + rng_below(r, DATA_RW_SIZE - 128)) & align;
    if (p < 93) // page borders: mostly between writable pages
        return DATA_VA + (rng_percent(r, 70) ? 1 + rng_below(r, 3) : rng_below(r, 6)) * 0x1000 +
               rng_below(r, 33) - 16;
    if (p < 97)
        return (DATA_VA + DATA_RW_SIZE + rng_below(r, 4000)) & align;
    return rng_percent(r, 50) ? DATA_VA - 1 - rng_below(r, 4000) : DATA_VA + DATA_SIZE + rng_below(r, 4000);
}

void rng_fx(Rng *r, Fx *fx)
{
    memset(fx, 0, sizeof *fx);
    fx->fcw = (uint16_t)(0x7f | rng_below(r, 4) << 10 |
                         (rng_percent(r, 70)     ? 3
                          : rng_below(r, 4) == 1 ? 2
                                                 : 0)
                             << 8);
    if (rng_percent(r, 10))
        fx->fcw = (uint16_t)((fx->fcw & ~0x3f) | 0x40 | rng_below(r, 64));
    fx->fsw = (uint16_t)(rng_below(r, 8) << 11 | (rng_percent(r, 20) ? rng64(r) & 0x477f : 0));
    if (fx->fsw & ~fx->fcw & 0x3f)
        fx->fsw = rng_percent(r, 20) ? fx->fsw | 0x8080 : fx->fsw & ~0x3f;
    fx->ftw = rng_percent(r, 70) ? (uint8_t)rng64(r) | (uint8_t)rng64(r) : 0xff;
    for (unsigned i = 0; i < 8; i++)
        rng_f80(r, fx->st[i]);
    fx->mxcsr = 0x1f80 | rng_below(r, 4) << 13;
    if (rng_percent(r, 15))
        fx->mxcsr |= rng64(r) & 0x8040;
    if (rng_percent(r, 20))
        fx->mxcsr |= rng64(r) & 0x3f;
    if (rng_percent(r, 8))
        fx->mxcsr &= ~(rng64(r) & 0x1f80);
    for (unsigned i = 0; i < 16; i++)
        rng_xmm(r, fx->xmm[i]);
}
