// SPDX-License-Identifier: MIT
// The arithmetic flags, for the integer and the flow handlers: how operations set them, how conditions
// read them. The representation is cpu-private.h's fl_res, fl_vec, fl_misc.
//
// Operands narrower than 64 bits come zero-extended; `bits` is a compile-time constant.
#pragma once

#include "cpu-private.h"

#define RW_INLINE static inline __attribute__((always_inline))

RW_INLINE uint64_t rw_sext(unsigned bits, uint64_t x)
{
    return (uint64_t)((int64_t)(x << (64 - bits)) >> (64 - bits));
}
RW_INLINE uint64_t rw_zext(unsigned bits, uint64_t x)
{
    return x << (64 - bits) >> (64 - bits);
}

// carries: bit i is the carry (or borrow) into bit i, as a ^ b ^ res gives it.
RW_INLINE void rw_flags_carries(RwCpu *cpu, unsigned bits, uint64_t res, uint64_t carries, bool cf)
{
    cpu->fl_res = rw_sext(bits, res);
    cpu->fl_vec = rw_sext(bits, carries);
    cpu->fl_misc = cf;
}
// ZF SF PF from res, AF = 0, CF and OF as given.
RW_INLINE void rw_flags_res(RwCpu *cpu, unsigned bits, uint64_t res, bool cf, bool of)
{
    cpu->fl_res = rw_sext(bits, res);
    cpu->fl_vec = (uint64_t)(cf ^ of) << 63;
    cpu->fl_misc = cf;
}
// Only CF and OF change.
RW_INLINE void rw_flags_cf_of(RwCpu *cpu, bool cf, bool of)
{
    cpu->fl_misc = (cpu->fl_misc & ~1U) | cf;
    cpu->fl_vec = (cpu->fl_vec & ~(1ULL << 63)) | (uint64_t)(cf ^ of) << 63;
}
// Only CF changes.
RW_INLINE void rw_flags_cf(RwCpu *cpu, bool cf)
{
    uint32_t change = (cpu->fl_misc ^ cf) & 1;

    cpu->fl_misc ^= change;
    cpu->fl_vec ^= (uint64_t)change << 63; // OF is CF ^ bit 63: keep it
}

RW_INLINE uint64_t rw_do_add(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    uint64_t res = a + b;

    rw_flags_carries(cpu, bits, res, a ^ b ^ res, bits == 64 ? res < a : res >> (bits & 63) & 1);
    return res;
}
RW_INLINE uint64_t rw_do_sub(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    uint64_t res = a - b;

    rw_flags_carries(cpu, bits, res, a ^ b ^ res, a < b);
    return res;
}
RW_INLINE uint64_t rw_do_adc(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    uint64_t c = rw_cf(cpu), res = a + b + c;

    rw_flags_carries(cpu, bits, res, a ^ b ^ res,
                     bits == 64 ? res < a || (c && res == a) : res >> (bits & 63) & 1);
    return res;
}
RW_INLINE uint64_t rw_do_sbb(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    uint64_t c = rw_cf(cpu), res = a - b - c;

    rw_flags_carries(cpu, bits, res, a ^ b ^ res, a < b || (c && a == b));
    return res;
}

// Condition cc (0 to 15) as in the low four bits of Jcc, SETcc and CMOVcc opcodes (SDM volume 1,
// appendix B). A constant cc compiles to two or three instructions.
RW_INLINE bool rw_cond(const RwCpu *cpu, unsigned cc)
{
    bool v;

    switch (cc >> 1) {
    case 0:
        v = rw_of(cpu);
        break;
    case 1:
        v = rw_cf(cpu);
        break;
    case 2:
        v = rw_zf(cpu);
        break;
    case 3:
        v = rw_cf(cpu) | rw_zf(cpu);
        break;
    case 4:
        v = rw_sf(cpu);
        break;
    case 5:
        v = rw_pf(cpu);
        break;
    case 6:
        v = rw_sf(cpu) ^ rw_of(cpu);
        break;
    default:
        v = (rw_sf(cpu) ^ rw_of(cpu)) | rw_zf(cpu);
        break;
    }
    return v ^ (cc & 1);
}
