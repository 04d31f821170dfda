// SPDX-License-Identifier: MIT
// RCPPS, RSQRTPS and their scalar forms. The manual gives only a bound for the relative error, 1.5 * 2^-12,
// and CPUs differ within it, so these are defined here, in integers:
//
//   rcp (m 2^e)    = floor (2^14 / m + 1/2) 2^(-e - 14), for m in [1, 2)
//   rsqrt (m 2^e)  = floor (sqrt (floor (2^28 / m))) 2^(-e/2 - 14), for m in [1, 4) and e even
//
// with relative errors below 2^-14 and 2^-13. As on hardware: denormals count as zeros whatever DAZ says,
// results below the normal range are zeros, no exception is raised, MXCSR has no influence.
#include "fp-private.h"
#include "softfp-private.h"
#include "sse-fp-private.h"

#define F32_INF 0x7f800000u
#define F32_NAN 0xffc00000u

// q * 2^(exp - 14) for q in [2^13, 2^14].
static uint32_t pack(uint32_t sign, uint32_t q, int exp)
{
    int shift = q >> 14 ? 0 : 1;
    uint32_t frac = (q << shift << 9) & 0x7fffff;
    int biased = exp - shift + 127;

    return biased <= 0 ? sign : sign | (uint32_t)biased << 23 | frac;
}

uint32_t rw_sse_rcp(uint32_t v)
{
    uint32_t sign = v & 0x80000000, mant = (v & 0x7fffff) | 0x800000;
    int biased = v >> 23 & 0xff;

    if (biased == 0)
        return sign | F32_INF;
    if (biased == 0xff)
        return v & 0x7fffff ? v | 0x400000 : sign;
    uint32_t q = (uint32_t)(((UINT64_C(1) << 37) + mant / 2) / mant);
    return pack(sign, q, 127 - biased);
}

uint32_t rw_sse_rsqrt(uint32_t v)
{
    uint32_t sign = v & 0x80000000;
    uint64_t mant = (v & 0x7fffff) | 0x800000;
    int biased = v >> 23 & 0xff;

    if (biased == 0)
        return sign | F32_INF;
    if (biased == 0xff && (v & 0x7fffff))
        return v | 0x400000;
    if (sign)
        return F32_NAN;
    if (biased == 0xff)
        return 0;
    bool odd = (biased - 127) & 1;
    uint32_t q = (uint32_t)rw_isqrt((UINT64_C(1) << 51) / (mant << odd));
    return pack(0, q, -((biased - 127 - odd) / 2));
}
