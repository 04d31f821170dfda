// SPDX-License-Identifier: MIT
// The transcendental functions' parts against libquadmath (113 bits), and the twins in C of AES and
// PCLMULQDQ against the host's instructions.
#include "aes-private.h"
#include "values.h"
#include "widefp-private.h"

#include <quadmath.h>
#include <wmmintrin.h>

static unsigned failures;

static void check(bool ok, const char *what, double detail)
{
    if (ok)
        return;
    g_print("FAIL %s (%g)\n", what, detail);
    failures++;
}

static RwWide from_quad(__float128 v)
{
    int exp;
    __float128 m = frexpq(fabsq(v), &exp);
    rw_u128 bits = (rw_u128)scalbnq(m, 113);

    return rw_wide(v < 0, exp - 1 + 127 - 112, bits);
}

static __float128 to_quad(RwWide v)
{
    // Rounded to 113 bits: half an ulp of the reference's own precision.
    __float128 r = scalbnq((__float128)v.m, v.exp - 127);

    return v.sign ? -r : r;
}

// Relative error below 2^-108: the reference's own functions are good to about that.
static void near(const char *what, RwWide ours, __float128 reference)
{
    __float128 error = fabsq((to_quad(ours) - reference) / reference);

    check(error < 0x1p-108Q, what, (double)(error * 0x1p64Q));
}

static __float128 between(FpRandom *r, double lo, double hi)
{
    __float128 u = (__float128)fp_random(r) * 0x1p-64Q + (__float128)fp_random(r) * 0x1p-128Q;

    return lo + u * (hi - lo);
}

static void functions(FpRandom *r)
{
    for (unsigned i = 0; i < 2000; i++) {
        __float128 t = scalbnq(between(r, 0.5, 0.785), -(int)(fp_random(r) % 20));
        near("sin", rw_wide_sin(from_quad(t)), sinq(t));
        near("cos", rw_wide_cos(from_quad(t)), cosq(t));
        near("expm1", rw_wide_expm1(from_quad(t)), expm1q(t));
        near("expm1 below 0", rw_wide_expm1(from_quad(-t)), expm1q(-t));
        __float128 z = between(r, 0x1p-20, 1);
        near("atan", rw_wide_atan(from_quad(z)), atanq(z));
        __float128 s = between(r, 0.001, 0.19);
        near("log2", rw_wide_log2_ratio(from_quad(s)), (log1pq(s) - log1pq(-s)) / M_LN2q);
        near("div", rw_wide_div(from_quad(z), from_quad(s)), z / s);
        near("div_small", rw_wide_div_small(from_quad(z), 35), z / 35);
    }
}

__attribute__((target("aes,pclmul"))) static void twins(FpRandom *r)
{
    for (unsigned i = 0; i < 2000; i++) {
        RwXmm a = {.u64 = {fp_random(r), fp_random(r)}}, b = {.u64 = {fp_random(r), fp_random(r)}};
        RwXmm host[] = {{.i = _mm_aesenc_si128(a.i, b.i)},
                        {.i = _mm_aesenclast_si128(a.i, b.i)},
                        {.i = _mm_aesdec_si128(a.i, b.i)},
                        {.i = _mm_aesdeclast_si128(a.i, b.i)},
                        {.i = _mm_aesimc_si128(b.i)}};
        for (unsigned k = RW_AES_ENC; k <= RW_AES_IMC; k++) {
            RwXmm ours = rw_aes_in_c(&a, &b, k);
            check(!memcmp(&ours, &host[k], 16), "AES", k);
        }
        RwXmm product = {.i = _mm_clmulepi64_si128(a.i, b.i, 0)}, ours = rw_clmul_in_c(a.u64[0], b.u64[0]);
        check(!memcmp(&ours, &product, 16), "PCLMULQDQ", 0);
    }
}

int main(void)
{
    FpRandom r = {1};

    functions(&r);
    if (__builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul"))
        twins(&r);
    return failures > 0;
}
