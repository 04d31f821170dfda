// SPDX-License-Identifier: MIT
// Shifts and rotates.
//
// Flags that the manual leaves undefined are fixed here to what Intel's CPUs give where that is simple:
// OF by the same rule as for a count of one, AF = 0 after shifts.
#include "integer-private.h"

// The operations: a zero-extended, c from 1 to 31 (63 for 64 bits); they return the result (of which
// only `bits` bits count) and set the flags.

RW_INLINE bool msb(unsigned bits, uint64_t x)
{
    return x >> (bits - 1) & 1;
}

RW_INLINE uint64_t do_shl(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    uint64_t res = a << c;
    bool cf = bits == 64 ? a >> (64 - c) & 1 : res >> (bits & 63) & 1;

    rw_flags_res(cpu, bits, res, cf, msb(bits, res) ^ cf);
    return res;
}
RW_INLINE uint64_t do_shr(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    uint64_t res = a >> c;

    rw_flags_res(cpu, bits, res, a >> (c - 1) & 1, msb(bits, res ^ res << 1));
    return res;
}
RW_INLINE uint64_t do_sar(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    int64_t s = (int64_t)rw_sext(bits, a);

    rw_flags_res(cpu, bits, (uint64_t)(s >> c), s >> (c - 1) & 1, false);
    return (uint64_t)(s >> c);
}
RW_INLINE uint64_t do_rol(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    unsigned k = c & (bits - 1);
    uint64_t res = k ? a << k | a >> (bits - k) : a;

    rw_flags_cf_of(cpu, res & 1, msb(bits, res) ^ (res & 1));
    return res;
}
RW_INLINE uint64_t do_ror(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    unsigned k = c & (bits - 1);
    uint64_t res = k ? a >> k | a << (bits - k) : a;

    rw_flags_cf_of(cpu, msb(bits, res), msb(bits, res ^ res << 1));
    return res;
}
// Rotates left a value of bits + 1 bits whose top bit is CF, by k (0 < k <= bits, bits < 64).
RW_INLINE uint64_t rotate_with_carry(RwCpu *cpu, unsigned bits, uint64_t a, unsigned k, bool right)
{
    uint64_t x = a | (uint64_t)rw_cf(cpu) << bits;
    unsigned l = right ? bits + 1 - k : k;
    uint64_t res = x << l | x >> (bits + 1 - l);
    bool cf = res >> bits & 1;

    rw_flags_cf_of(cpu, cf, right ? msb(bits, res ^ res << 1) : msb(bits, res) ^ cf);
    return res;
}
RW_INLINE uint64_t do_rcl(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    if (bits == 64) {
        uint64_t res = a << c | (uint64_t)rw_cf(cpu) << (c - 1) | a >> 1 >> (64 - c);
        bool cf = a >> (64 - c) & 1;

        rw_flags_cf_of(cpu, cf, msb(bits, res) ^ cf);
        return res;
    }
    c %= bits + 1;
    return c ? rotate_with_carry(cpu, bits & 63, a, c, false) : a;
}
RW_INLINE uint64_t do_rcr(RwCpu *cpu, unsigned bits, uint64_t a, unsigned c)
{
    if (bits == 64) {
        uint64_t res = a >> c | (uint64_t)rw_cf(cpu) << (64 - c) | a << 1 << (64 - c);

        rw_flags_cf_of(cpu, a >> (c - 1) & 1, msb(bits, res ^ res << 1));
        return res;
    }
    c %= bits + 1;
    return c ? rotate_with_carry(cpu, bits & 63, a, c, true) : a;
}

#define COUNT_MASK(bits) ((bits) == 64 ? 63 : 31)
#define CL_COUNT(bits) (cpu->r[RW_R_RCX] & COUNT_MASK(bits))
// A count of zero writes the operand back (a 32-bit register's upper half is cleared) and leaves the
// flags.
#define SHIFT(o, bits)                                                                                     \
    static RW_OP(o##bits##_ri)                                                                             \
    {                                                                                                      \
        RW_SET##bits(op->reg, do_##o(cpu, bits, RW_GET##bits(op->reg), (unsigned)op->imm));                \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(o##bits##_rc)                                                                             \
    {                                                                                                      \
        unsigned c = CL_COUNT(bits);                                                                       \
        uint64_t a = RW_GET##bits(op->reg);                                                                \
        RW_SET##bits(op->reg, c ? do_##o(cpu, bits, a, c) : a);                                            \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_RMW(o##bits##_mi, bits, RW_EA,                                                                   \
              if (op->imm) m = (uint##bits##_t)do_##o(cpu, bits, m, (unsigned)op->imm))                    \
    RW_OP_RMW(o##bits##_mc, bits, RW_EA, unsigned c = CL_COUNT(bits);                                      \
              if (c) m = (uint##bits##_t)do_##o(cpu, bits, m, c))

#define SIZES(F, o) F(o, 8) F(o, 16) F(o, 32) F(o, 64)
SIZES(SHIFT, rol)
SIZES(SHIFT, ror)
SIZES(SHIFT, rcl)
SIZES(SHIFT, rcr)
SIZES(SHIFT, shl)
SIZES(SHIFT, shr)
SIZES(SHIFT, sar)

enum { REG_IMM, REG_CL, MEM_IMM, MEM_CL, N_FORMS };
#define FORMS(o, bits)                                                                                     \
    {                                                                                                      \
        o##bits##_ri, o##bits##_rc, o##bits##_mi, o##bits##_mc                                             \
    }
#define TABLE(o)                                                                                           \
    {                                                                                                      \
        FORMS(o, 8), FORMS(o, 16), FORMS(o, 32), FORMS(o, 64)                                              \
    }
static const RwOpFn shift_fns[8][4][N_FORMS] = {
    TABLE(rol), TABLE(ror), TABLE(rcl), TABLE(rcr), TABLE(shl), TABLE(shr), TABLE(shl), TABLE(sar),
};

// Count 0 by an immediate: only what the write does.
static RW_OP(op_keep)
{
    RW_NEXT;
}
static RW_OP(op_keep32)
{
    RW_SET32(op->reg, cpu->r[op->reg]);
    RW_NEXT;
}

// Operand 0 shifted by `count`, which is an immediate or CL.
static RwOp *emit_shift(RwEmit *e, const RwOpFn *fns, const RwOpnd *count)
{
    const RwOpnd *dst = &e->insn.opnd[0];
    bool by_imm = count->type == RW_OPND_IMM;
    uint64_t imm = by_imm ? count->uimm & COUNT_MASK(dst->size) : 0;
    RwOp *op;

    if (dst->type == RW_OPND_MEM) {
        RwOpFn fn = fns[by_imm ? MEM_IMM : MEM_CL];

        op = rw_emit_mem2(e, fn, fn, dst);
    } else {
        RwOpFn fn = fns[by_imm ? REG_IMM : REG_CL];

        if (by_imm && imm == 0)
            fn = dst->size == 32 ? op_keep32 : op_keep;
        op = rw_emit(e, fn);
        op->reg = dst->reg;
    }
    op->imm = imm;
    return op;
}

bool rw_emit_shift(RwEmit *e, const RwMnemonic *m)
{
    emit_shift(e, shift_fns[m->arg][rw_size_index(e->insn.opnd[0].size)], &e->insn.opnd[1]);
    return true;
}

// ---- SHLD, SHRD: the register source is op->rm ----

// With 16 bits a count above 16 is undefined; Intel's CPUs shift destination:source:destination.
RW_INLINE uint64_t do_shld(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b, unsigned c)
{
    uint64_t res;
    bool cf;

    if (bits == 16) {
        uint64_t x = a << 32 | b << 16 | a;

        res = x << c >> 32;
        cf = x >> (48 - c) & 1;
    } else {
        res = a << c | b >> (bits - c);
        cf = a >> (bits - c) & 1;
    }
    rw_flags_res(cpu, bits, res, cf, msb(bits, res ^ a));
    return res;
}
RW_INLINE uint64_t do_shrd(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b, unsigned c)
{
    uint64_t x = bits == 16 ? a << 32 | b << 16 | a : a, res;

    res = bits == 16 ? x >> c : a >> c | b << (bits - c);
    rw_flags_res(cpu, bits, res, x >> (c - 1) & 1, msb(bits, res ^ res << 1));
    return res;
}

#define DOUBLE(o, bits)                                                                                    \
    static RW_OP(o##bits##_ri)                                                                             \
    {                                                                                                      \
        RW_SET##bits(op->reg,                                                                              \
                     do_##o(cpu, bits, RW_GET##bits(op->reg), RW_GET##bits(op->rm), (unsigned)op->imm));   \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(o##bits##_rc)                                                                             \
    {                                                                                                      \
        unsigned c = CL_COUNT(bits);                                                                       \
        uint64_t a = RW_GET##bits(op->reg);                                                                \
        RW_SET##bits(op->reg, c ? do_##o(cpu, bits, a, RW_GET##bits(op->rm), c) : a);                      \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_RMW(o##bits##_mi, bits, RW_EA,                                                                   \
              if (op->imm) m =                                                                             \
                  (uint##bits##_t)do_##o(cpu, bits, m, RW_GET##bits(op->rm), (unsigned)op->imm))           \
    RW_OP_RMW(o##bits##_mc, bits, RW_EA, unsigned c = CL_COUNT(bits);                                      \
              if (c) m = (uint##bits##_t)do_##o(cpu, bits, m, RW_GET##bits(op->rm), c))

#define SIZES2(F, o) F(o, 16) F(o, 32) F(o, 64)
SIZES2(DOUBLE, shld)
SIZES2(DOUBLE, shrd)

#define TABLE2(o)                                                                                          \
    {                                                                                                      \
        {NULL}, FORMS(o, 16), FORMS(o, 32), FORMS(o, 64)                                                   \
    }
static const RwOpFn double_fns[2][4][N_FORMS] = {TABLE2(shld), TABLE2(shrd)};

bool rw_emit_double_shift(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = emit_shift(e, double_fns[m->arg][rw_size_index(e->insn.opnd[0].size)], &e->insn.opnd[2]);

    op->rm = e->insn.opnd[1].reg;
    return true;
}
