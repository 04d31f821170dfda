// SPDX-License-Identifier: MIT
// The x87: register stack, status word, exceptions, and the emitters of its files.
//
// cpu->ftw keeps 3 for an empty register and 0 for any other; the kinds of content (zero, special) are
// worked out when the tag word is stored, as hardware does. FIP is kept for every non-control instruction;
// FDP and FOP only for those that meet an unmasked exception (CPUID.7.0:EBX bit 6); FCS and FDS are 0.
#pragma once

#include "fp-private.h"
#include "softfp-private.h"

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

// Control word as FLDCW keeps it; status word with ES and B made to agree with the exceptions that cw
// leaves unmasked; tag of a register that isn't empty.
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

// Sets exception flags (with SF for stack faults) and ES, B where one is unmasked, for which it also
// notes FOP and FDP. Returns those of `flags` that are unmasked.
unsigned rw_x87_raise(RwCpu *cpu, const RwOp *op, unsigned flags);

// x87-control.c
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
    RW_X87_NO_LONGER, // what meant something to the 8087 and the 80287 only
};
enum {
    RW_X87_FLDCW,
    RW_X87_FNSTCW,
    RW_X87_FNSTENV,
    RW_X87_FLDENV,
    RW_X87_FNSAVE,
    RW_X87_FRSTOR,
};

// ---- Operations on values ----

// What the control word says; the format of results is that of the precision control.
RwFpEnv rw_x87_env(const RwCpu *cpu);
RwNum rw_x87_get(RwCpu *cpu, unsigned i);
// Writes a rounded result and marks the register full.
void rw_x87_put(RwCpu *cpu, unsigned i, const RwNum *n);
// Pushes; the caller has made sure of room.
void rw_x87_push(RwCpu *cpu, const RwNum *n);

// Stack faults. Each returns true when the instruction is over: an unmasked fault, all is as before. When
// it is masked the caller stores the default NaN.
bool rw_x87_underflow(RwCpu *cpu, const RwOp *op);
bool rw_x87_overflow(RwCpu *cpu, const RwOp *op);

// Ends an operation: raises e's flags and sets C1 from its rounding. False: an exception found before the
// operation is unmasked, and no result may be stored.
bool rw_x87_finish(RwCpu *cpu, const RwOp *op, const RwFpEnv *e);

// ---- Emission: the op's imm ----

enum { RW_X87_ST, RW_X87_F32, RW_X87_F64, RW_X87_F80, RW_X87_I16, RW_X87_I32, RW_X87_I64, RW_X87_BCD };
#define RW_X87_INDEX(op) ((unsigned)(op)->imm & 7) // i of ST(i)
#define RW_X87_SOURCE(op)                                                                                  \
    ((unsigned)(op)->imm >> 4 & 15) /* where the operand is: RW_X87_ST, or the                             \
                                       format of what was fetched into xmm_src */
#define RW_X87_KIND(op) ((unsigned)(op)->imm >> 8 & 0xff)
#define RW_X87_POPS(op) ((unsigned)(op)->imm >> 16 & 3)
#define RW_X87_TO_ST(op) ((op)->imm >> 18 & 1) // the destination is ST(i), not ST(0)

// Emits `fn` for the instruction: with a memory source, ops that check for a pending exception and fetch
// it; FOP into reg and rm; index, source and kind into imm.
RwOp *rw_emit_x87(RwEmit *e, RwOpFn fn, unsigned kind);
// The same for a store to memory: the address is the op's own.
RwOp *rw_emit_x87_to_mem(RwEmit *e, RwOpFn fn, unsigned kind);
// The memory operand's format.
unsigned rw_x87_format(const RwEmit *e);
// The operand named by SOURCE: ST(i), or what was fetched.
RwNum rw_x87_source(RwCpu *cpu, const RwOp *op);

// At the start of every non-control instruction without a memory source.
#define RW_X87_BEGIN                                                                                       \
    RW_CHECK_MF;                                                                                           \
    cpu->fip = rw_op_rip(cpu, op)

bool rw_emit_x87_load(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_constant(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_store(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_arith(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_compare(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_unary(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_xch(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_cmov(RwEmit *e, const RwMnemonic *m);
bool rw_emit_x87_transcendental(RwEmit *e, const RwMnemonic *m);

enum { RW_X87_ADD, RW_X87_MUL, RW_X87_SUB, RW_X87_SUBR, RW_X87_DIV, RW_X87_DIVR };
// Bits of the arg of rw_emit_x87_compare.
enum { RW_X87_QUIET = 1, RW_X87_TO_RFLAGS = 2, RW_X87_WITH_ZERO = 4 };
#define RW_X87_POP(n) ((n) << 8) // in args: how many to pop
enum {
    RW_X87_STORE,
    RW_X87_STORE_TRUNCATED,
    RW_X87_STORE_UNCHECKED, // to a register: an empty source is only popped
};
enum {
    RW_X87_CHS,
    RW_X87_ABS,
    RW_X87_XAM,
    RW_X87_SQRT,
    RW_X87_RNDINT,
    RW_X87_SCALE,
    RW_X87_XTRACT,
    RW_X87_PREM,
    RW_X87_PREM1,
};
enum {
    RW_X87_F2XM1,
    RW_X87_YL2X,
    RW_X87_YL2XP1,
    RW_X87_PTAN,
    RW_X87_PATAN,
    RW_X87_SIN,
    RW_X87_COS,
    RW_X87_SINCOS,
};
enum { RW_X87_1, RW_X87_L2T, RW_X87_L2E, RW_X87_PI, RW_X87_LG2, RW_X87_LN2, RW_X87_Z };

// x87-remainder.c, x87-unary.c, x87-transcendental.c: bodies of ops, in cpu's registers.
void rw_x87_do_remainder(RwCpu *cpu, const RwOp *op, bool nearest);
