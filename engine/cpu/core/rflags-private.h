// SPDX-License-Identifier: MIT
// RFLAGS, made from the lazy flags.
#pragma once

#include "state-private.h"

enum {
    RW_FLAG_CF = 1 << 0,
    RW_FLAG_PF = 1 << 2,
    RW_FLAG_AF = 1 << 4,
    RW_FLAG_ZF = 1 << 6,
    RW_FLAG_SF = 1 << 7,
    RW_FLAG_TF = 1 << 8,
    RW_FLAG_IF = 1 << 9,
    RW_FLAG_DF = 1 << 10,
    RW_FLAG_OF = 1 << 11,
    RW_FLAG_IOPL = 3 << 12,
    RW_FLAG_NT = 1 << 14,
    RW_FLAG_RF = 1 << 16,
    RW_FLAG_VM = 1 << 17,
    RW_FLAG_AC = 1 << 18,
    RW_FLAG_VIF = 1 << 19,
    RW_FLAG_VIP = 1 << 20,
    RW_FLAG_ID = 1 << 21,
    RW_FLAGS_ARITH = RW_FLAG_CF | RW_FLAG_PF | RW_FLAG_AF | RW_FLAG_ZF | RW_FLAG_SF | RW_FLAG_OF,
};
static inline bool rw_cf(const RwCpu *cpu)
{
    return cpu->fl_misc & 1;
}
static inline bool rw_zf(const RwCpu *cpu)
{
    return cpu->fl_res == 0;
}
static inline bool rw_sf(const RwCpu *cpu)
{
    return (cpu->fl_res >> 63) ^ (cpu->fl_misc >> 16 & 1);
}
static inline bool rw_of(const RwCpu *cpu)
{
    return (cpu->fl_misc & 1) ^ (cpu->fl_vec >> 63);
}
static inline bool rw_af(const RwCpu *cpu)
{
    return cpu->fl_vec >> 4 & 1;
}
static inline bool rw_pf(const RwCpu *cpu)
{
    return !__builtin_parity((unsigned)((cpu->fl_res ^ cpu->fl_misc >> 8) & 0xff));
}
static inline uint64_t rw_get_rflags(const RwCpu *cpu)
{
    return cpu->rflags | (uint64_t)rw_cf(cpu) | rw_pf(cpu) << 2 | rw_af(cpu) << 4 | rw_zf(cpu) << 6 |
           rw_sf(cpu) << 7 | rw_of(cpu) << 11;
}
// Sets the six arithmetic flags from an RFLAGS image.
static inline void rw_set_arith(RwCpu *cpu, uint64_t f)
{
    bool cf = f & RW_FLAG_CF, pf = f & RW_FLAG_PF, zf = f & RW_FLAG_ZF, sf = f & RW_FLAG_SF,
         of = f & RW_FLAG_OF;
    cpu->fl_res = zf ? 0 : 1; // parity of 0 is even, of 1 odd; sign 0
    cpu->fl_vec = (uint64_t)(f & RW_FLAG_AF ? 1 << 4 : 0) | (uint64_t)(of ^ cf) << 63;
    cpu->fl_misc = (uint32_t)cf | (uint32_t)(pf != zf) << 8 | (uint32_t)sf << 16;
}
// Sets all of RFLAGS.
static inline void rw_set_rflags(RwCpu *cpu, uint64_t f)
{
    rw_set_arith(cpu, f);
    cpu->rflags = (uint32_t)(f & ~(uint64_t)RW_FLAGS_ARITH) | 2;
}
// After AND, OR, XOR, TEST: res sign-extended; CF = OF = AF = 0.
static inline void rw_flags_logic(RwCpu *cpu, int64_t res)
{
    cpu->fl_res = (uint64_t)res;
    cpu->fl_vec = 0;
    cpu->fl_misc = 0;
}
