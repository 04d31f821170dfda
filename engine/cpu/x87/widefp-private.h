// SPDX-License-Identifier: MIT
// Floating point with 128-bit significands, for the x87's transcendental functions: each operation is
// good to about 2^-126, and integers only, so the same on every host.
#pragma once

#include "softfp-private.h"

typedef struct {
    rw_u128 m; // (-1)^sign * m / 2^127 * 2^exp, bit 127 set; 0: zero
    int exp;
    bool sign;
} RwWide;

RwWide rw_wide(bool sign, int exp, rw_u128 m); // any m
RwWide rw_wide_int(int v);
RwWide rw_wide_num(const RwNum *n); // zero or normal
RwWide rw_wide_neg(RwWide a);
RwWide rw_wide_add(RwWide a, RwWide b);
RwWide rw_wide_sub(RwWide a, RwWide b);
RwWide rw_wide_mul(RwWide a, RwWide b);
RwWide rw_wide_div(RwWide a, RwWide b);
RwWide rw_wide_div_small(RwWide a, uint32_t d);

// |r| <= pi/4
RwWide rw_wide_sin(RwWide r);
RwWide rw_wide_cos(RwWide r);
RwWide rw_wide_expm1(RwWide y); // |y| < 1
RwWide rw_wide_atan(RwWide z); // 0 <= z <= 1
// log2 ((1 + s) / (1 - s)), |s| < 0.2
RwWide rw_wide_log2_ratio(RwWide s);

extern const RwWide rw_wide_pi, rw_wide_ln2, rw_wide_log2e;
