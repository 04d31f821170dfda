// SPDX-License-Identifier: MIT
/*
 * The x87: register stack, status word, exceptions, and the emitters of its files.
 *
 * cpu->ftw keeps 3 for an empty register and 0 for any other; the kinds of content (zero, special) are
 * worked out when the tag word is stored, as hardware does. FIP is kept for every non-control instruction;
 * FDP and FOP only for those that meet an unmasked exception (CPUID.7.0:EBX bit 6); FCS and FDS are 0.
 */
#pragma once

#include "fp.h"

enum {
    RW_X87_IE = 1 << 0,
    RW_X87_DE = 1 << 1,
    RW_X87_ZE = 1 << 2,
    RW_X87_OE = 1 << 3,
    RW_X87_UE = 1 << 4,
    RW_X87_PE = 1 << 5,
    RW_X87_SF = 1 << 6,
    RW_X87_ES = 1 << 7,
    RW_X87_C0 = 1 << 8,
    RW_X87_C1 = 1 << 9,
    RW_X87_C2 = 1 << 10,
    RW_X87_TOP = 7 << 11,
    RW_X87_C3 = 1 << 14,
    RW_X87_B = 1 << 15,
    RW_X87_CC = RW_X87_C0 | RW_X87_C1 | RW_X87_C2 | RW_X87_C3,
    RW_X87_EXCEPTIONS = 0x3f,
};

static inline unsigned rw_x87_physical(const RwCpu *cpu, unsigned i)
{
    return ((cpu->fsw >> 11) + i) & 7;
}
static inline RwFpReg *rw_x87_st(RwCpu *cpu, unsigned i)
{
    return &cpu->fpr[rw_x87_physical(cpu, i)];
}
static inline bool rw_x87_is_empty(const RwCpu *cpu, unsigned i)
{
    return (cpu->ftw >> (2 * rw_x87_physical(cpu, i)) & 3) == 3;
}
static inline void rw_x87_set_empty(RwCpu *cpu, unsigned i)
{
    cpu->ftw |= (uint16_t)(3 << (2 * rw_x87_physical(cpu, i)));
}
static inline void rw_x87_set_full(RwCpu *cpu, unsigned i)
{
    cpu->ftw &= (uint16_t) ~(3 << (2 * rw_x87_physical(cpu, i)));
}
static inline void rw_x87_add_top(RwCpu *cpu, int n)
{
    cpu->fsw = (uint16_t)((cpu->fsw & ~RW_X87_TOP) | ((cpu->fsw + n * 0x800) & RW_X87_TOP));
}
static inline void rw_x87_pop(RwCpu *cpu)
{
    rw_x87_set_empty(cpu, 0);
    rw_x87_add_top(cpu, 1);
}
static inline void rw_x87_set_cc(RwCpu *cpu, unsigned mask, unsigned bits)
{
    cpu->fsw = (uint16_t)((cpu->fsw & ~mask) | bits);
}

/* Control word as FLDCW keeps it; status word with ES and B made to agree with the exceptions that cw
   leaves unmasked; tag of a register that isn't empty. */
static inline uint16_t rw_x87_clean_cw(uint16_t cw)
{
    return (cw & 0x1f3f) | 0x40;
}
static inline uint16_t rw_x87_clean_sw(uint16_t cw, uint16_t sw)
{
    bool es = sw & ~cw & RW_X87_EXCEPTIONS;

    return (uint16_t)((sw & ~(RW_X87_ES | RW_X87_B)) | (es ? RW_X87_ES | RW_X87_B : 0));
}
unsigned rw_x87_tag_of(const RwFpReg *r);

/* Sets exception flags (with SF for stack faults) and ES, B where one is unmasked, for which it also
   notes FOP and FDP. Returns those of `flags` that are unmasked. */
unsigned rw_x87_raise(RwCpu *cpu, const RwOp *op, unsigned flags);

/* x87-control.c */
bool rw_emit_x87_plain(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_mem(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_fnstsw(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_ffree(RwEmit *e, const RwMnemonic *m);
enum {
    RW_X87_FNINIT,
    RW_X87_FNCLEX,
    RW_X87_FWAIT,
    RW_X87_FNOP,
    RW_X87_FINCSTP,
    RW_X87_FDECSTP,
    RW_X87_EMMS,
};
enum {
    RW_X87_FLDCW,
    RW_X87_FNSTCW,
    RW_X87_FNSTENV,
    RW_X87_FLDENV,
    RW_X87_FNSAVE,
    RW_X87_FRSTOR,
};
