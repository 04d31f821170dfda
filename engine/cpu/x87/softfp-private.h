// SPDX-License-Identifier: MIT
// Floating point in integers: the x87's arithmetic, and the exact twin of the host's SSE instructions.
//
// Values are unpacked into RwNum, worked on with 128-bit significands, and rounded once into the format
// of RwFpEnv. Rules: manual vol. 1, chapter 4 (formats, NaNs, exceptions) and 8.5 (x87), 11.5 (SSE).
// Underflow is found after rounding, as x86 does.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 rw_u128;

// Flags and masks as in MXCSR 0-5 and in the x87 words.
enum {
    RW_FP_IE = 1 << 0,
    RW_FP_DE = 1 << 1,
    RW_FP_ZE = 1 << 2,
    RW_FP_OE = 1 << 3,
    RW_FP_UE = 1 << 4,
    RW_FP_PE = 1 << 5,
    RW_FP_PRE = RW_FP_IE | RW_FP_DE | RW_FP_ZE, // found before the operation
};

enum { RW_RC_NEAREST, RW_RC_DOWN, RW_RC_UP, RW_RC_ZERO };

typedef struct {
    uint8_t bits; // of the significand, the integer bit included
    int16_t emin, emax; // exponents of normal numbers, unbiased
    int16_t wrap; // exponent correction of results whose overflow or underflow is unmasked; 0: none
} RwFormat;
extern const RwFormat rw_format_f32, rw_format_f64, rw_format_f80;
extern const RwFormat rw_format_f80_pc24, rw_format_f80_pc53; // the x87's precision control

typedef struct {
    const RwFormat *fmt; // of results
    uint8_t rc;
    uint8_t masked; // exceptions that are masked
    bool daz, ftz;
    bool x87; // NaN selection by significand; else the first operand's
    bool up; // out: the last rounding went away from zero
    uint8_t flags; // out: raised, added to
} RwFpEnv;

typedef enum {
    RW_NUM_ZERO,
    RW_NUM_NORMAL, // normalised, also where the format's number was a denormal
    RW_NUM_INF,
    RW_NUM_QNAN,
    RW_NUM_SNAN,
    RW_NUM_INVALID, // an encoding of the 80-bit format that stands for nothing
} RwNumClass;

typedef struct {
    uint64_t sig; // NORMAL: sig / 2^63 * 2^exp, bit 63 set (clear in results below the normal range, whose
                  // exp is the format's emin); NaNs: payload below the quiet bit 62
    int32_t exp;
    uint8_t cls;
    bool sign;
    bool denormal; // it was one in its format
} RwNum;

RwNum rw_num_f32(const RwFpEnv *e, uint32_t v);
RwNum rw_num_f64(const RwFpEnv *e, uint64_t v);
RwNum rw_num_f80(uint64_t significand, uint16_t sign_exponent);
RwNum rw_num_zero(bool sign);
RwNum rw_num_inf(bool sign);
RwNum rw_num_default_nan(void);
static inline bool rw_num_is_nan(const RwNum *a)
{
    return a->cls == RW_NUM_QNAN || a->cls == RW_NUM_SNAN;
}

// Encoding of a result that was rounded to the format.
uint32_t rw_num_to_f32(const RwNum *a);
uint64_t rw_num_to_f64(const RwNum *a);
uint16_t rw_num_f80_exponent(const RwNum *a); // with the sign; its significand is a->sig

// (-1)^sign * r / 2^127 * 2^exp, any r, into the format; r = 0 gives a zero. Bit 0 of r is sticky.
RwNum rw_soft_round(RwFpEnv *e, bool sign, int exp, rw_u128 r);

// a op b in the format.
RwNum rw_soft_add(RwFpEnv *e, const RwNum *a, const RwNum *b);
RwNum rw_soft_sub(RwFpEnv *e, const RwNum *a, const RwNum *b);
RwNum rw_soft_mul(RwFpEnv *e, const RwNum *a, const RwNum *b);
RwNum rw_soft_div(RwFpEnv *e, const RwNum *a, const RwNum *b);
RwNum rw_soft_sqrt(RwFpEnv *e, const RwNum *a);
// Into the format (which may be narrower), raising DE for denormals and IE for signalling NaNs.
RwNum rw_soft_convert(RwFpEnv *e, const RwNum *a);
// To an integral value.
RwNum rw_soft_round_int(RwFpEnv *e, const RwNum *a);
// To a signed integer of `bits` (16, 32, 64); NaN and out of range: IE and the most negative one.
int64_t rw_soft_to_int(RwFpEnv *e, const RwNum *a, unsigned bits, uint8_t rc);
RwNum rw_soft_from_int(RwFpEnv *e, int64_t v);

// The NaN that an operation with these operands (one of them a NaN or an invalid encoding) gives; raises
// IE where it must. False: neither is one.
bool rw_soft_nan(RwFpEnv *e, const RwNum *a, const RwNum *b, RwNum *ret_nan);
RwNum rw_num_quieted(RwNum a);

typedef enum { RW_LESS = -1, RW_EQUAL = 0, RW_GREATER = 1, RW_UNORDERED = 2 } RwOrder;
// Raises IE for signalling NaNs and, if `signal`, for quiet ones, else DE for denormals.
RwOrder rw_soft_compare(RwFpEnv *e, const RwNum *a, const RwNum *b, bool signal);

// floor(sqrt(v))
uint64_t rw_isqrt(rw_u128 v);
// Quotient of n / d, where n >> 64 < d; *ret_rem is the remainder.
uint64_t rw_udiv128(rw_u128 n, uint64_t d, uint64_t *ret_rem);
// Shift right, ORing what falls out into bit 0.
rw_u128 rw_shift_sticky(rw_u128 v, unsigned n);
