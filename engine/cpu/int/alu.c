// SPDX-License-Identifier: MIT
// ADD OR ADC SBB AND SUB XOR CMP TEST, INC DEC NOT NEG: a handler for each operation, size and form.
#include "integer-private.h"

// ---- Operations on two values: they return the result and set the flags ----

#define do_add rw_do_add
#define do_adc rw_do_adc
#define do_sub rw_do_sub
#define do_sbb rw_do_sbb
#define do_cmp rw_do_sub
RW_INLINE uint64_t do_or(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    rw_flags_logic(cpu, (int64_t)rw_sext(bits, a | b));
    return a | b;
}
RW_INLINE uint64_t do_and(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    rw_flags_logic(cpu, (int64_t)rw_sext(bits, a & b));
    return a & b;
}
RW_INLINE uint64_t do_xor(RwCpu *cpu, unsigned bits, uint64_t a, uint64_t b)
{
    rw_flags_logic(cpu, (int64_t)rw_sext(bits, a ^ b));
    return a ^ b;
}
#define do_test do_and

#define ALU_RESULT(o, bits)                                                                                \
    static RW_OP(o##bits##_rr)                                                                             \
    {                                                                                                      \
        RW_SET##bits(op->reg, do_##o(cpu, bits, RW_GET##bits(op->reg), RW_GET##bits(op->rm)));             \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(o##bits##_ri)                                                                             \
    {                                                                                                      \
        RW_SET##bits(op->reg, do_##o(cpu, bits, RW_GET##bits(op->reg), op->imm));                          \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(o##bits##_rm, bits, RW_EA,                                                                  \
               RW_SET##bits(op->reg, do_##o(cpu, bits, RW_GET##bits(op->reg), m)))                         \
    RW_OP_LOAD(o##bits##_rmb, bits, RW_EAB,                                                                \
               RW_SET##bits(op->reg, do_##o(cpu, bits, RW_GET##bits(op->reg), m)))                         \
    RW_OP_RMW(o##bits##_mr, bits, RW_EA, m = (uint##bits##_t)do_##o(cpu, bits, m, RW_GET##bits(op->reg)))  \
    RW_OP_RMW(o##bits##_mrb, bits, RW_EAB,                                                                 \
              m = (uint##bits##_t)do_##o(cpu, bits, m, RW_GET##bits(op->reg)))                             \
    RW_OP_RMW(o##bits##_mi, bits, RW_EA, m = (uint##bits##_t)do_##o(cpu, bits, m, op->imm))                \
    RW_OP_RMW(o##bits##_mib, bits, RW_EAB, m = (uint##bits##_t)do_##o(cpu, bits, m, op->imm))

// Only the flags.
#define ALU_COMPARE(o, bits)                                                                               \
    static RW_OP(o##bits##_rr)                                                                             \
    {                                                                                                      \
        do_##o(cpu, bits, RW_GET##bits(op->reg), RW_GET##bits(op->rm));                                    \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(o##bits##_ri)                                                                             \
    {                                                                                                      \
        do_##o(cpu, bits, RW_GET##bits(op->reg), op->imm);                                                 \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(o##bits##_rm, bits, RW_EA, do_##o(cpu, bits, RW_GET##bits(op->reg), m))                     \
    RW_OP_LOAD(o##bits##_rmb, bits, RW_EAB, do_##o(cpu, bits, RW_GET##bits(op->reg), m))                   \
    RW_OP_LOAD(o##bits##_mr, bits, RW_EA, do_##o(cpu, bits, m, RW_GET##bits(op->reg)))                     \
    RW_OP_LOAD(o##bits##_mrb, bits, RW_EAB, do_##o(cpu, bits, m, RW_GET##bits(op->reg)))                   \
    RW_OP_LOAD(o##bits##_mi, bits, RW_EA, do_##o(cpu, bits, m, op->imm))                                   \
    RW_OP_LOAD(o##bits##_mib, bits, RW_EAB, do_##o(cpu, bits, m, op->imm))

#define ALU_SIZES(kind, o) kind(o, 8) kind(o, 16) kind(o, 32) kind(o, 64)

ALU_SIZES(ALU_RESULT, add)
ALU_SIZES(ALU_RESULT, or)
ALU_SIZES(ALU_RESULT, adc)
ALU_SIZES(ALU_RESULT, sbb)
ALU_SIZES(ALU_RESULT, and)
ALU_SIZES(ALU_RESULT, sub)
ALU_SIZES(ALU_RESULT, xor)
ALU_SIZES(ALU_COMPARE, cmp)
ALU_SIZES(ALU_COMPARE, test)

#define FORMS(o, bits)                                                                                     \
    {                                                                                                      \
        [RW_RR] = o##bits##_rr, [RW_RI] = o##bits##_ri, [RW_RM] = o##bits##_rm, [RW_RMB] = o##bits##_rmb,  \
        [RW_MR] = o##bits##_mr, [RW_MRB] = o##bits##_mrb, [RW_MI] = o##bits##_mi, [RW_MIB] = o##bits##_mib \
    }
#define TABLE(o)                                                                                           \
    {                                                                                                      \
        FORMS(o, 8), FORMS(o, 16), FORMS(o, 32), FORMS(o, 64)                                              \
    }

static const RwFormTable alu_fns[] = {
    TABLE(add), TABLE(or),  TABLE(adc), TABLE(sbb),  TABLE(and),
    TABLE(sub), TABLE(xor), TABLE(cmp), TABLE(test),
};
enum { ALU_SUB = 5, ALU_XOR = 6, ALU_TEST = 8 };

// XOR r,r and SUB r,r.
static RW_OP(op_zero)
{
    cpu->r[op->reg] = 0;
    rw_flags_logic(cpu, 0);
    RW_NEXT;
}
// TEST r,r: the flags of a value.
static RW_OP(op_test32_self)
{
    rw_flags_logic(cpu, (int32_t)RW_GET32(op->reg));
    RW_NEXT;
}
static RW_OP(op_test64_self)
{
    rw_flags_logic(cpu, (int64_t)RW_GET64(op->reg));
    RW_NEXT;
}

static bool emit_idiom(RwEmit *e, uint32_t operation)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    RwOpFn fn;

    if (dst->type != RW_OPND_REG || src->type != RW_OPND_REG || dst->reg != src->reg || dst->size < 32)
        return false;
    if (operation == ALU_SUB || operation == ALU_XOR)
        fn = op_zero;
    else if (operation == ALU_TEST)
        fn = dst->size == 64 ? op_test64_self : op_test32_self;
    else
        return false;
    rw_emit(e, fn)->reg = dst->reg;
    return true;
}

bool rw_emit_alu(RwEmit *e, const RwMnemonic *m)
{
    return emit_idiom(e, m->arg) || rw_emit_form(e, alu_fns[m->arg]);
}

// ---- Operations on one value ----

// CF stays, so bit 63 of fl_vec, which is OF ^ CF, takes it in.
RW_INLINE uint64_t do_inc(RwCpu *cpu, unsigned bits, uint64_t a)
{
    uint64_t res = rw_zext(bits, a + 1);
    bool cf = rw_cf(cpu), of = res == 1ULL << (bits - 1);

    cpu->fl_res = rw_sext(bits, res);
    cpu->fl_vec = ((a ^ res) & 0x10) | (uint64_t)(cf ^ of) << 63;
    cpu->fl_misc = cf;
    return res;
}
RW_INLINE uint64_t do_dec(RwCpu *cpu, unsigned bits, uint64_t a)
{
    uint64_t res = rw_zext(bits, a - 1);
    bool cf = rw_cf(cpu), of = a == 1ULL << (bits - 1);

    cpu->fl_res = rw_sext(bits, res);
    cpu->fl_vec = ((a ^ res) & 0x10) | (uint64_t)(cf ^ of) << 63;
    cpu->fl_misc = cf;
    return res;
}
RW_INLINE uint64_t do_not(RwCpu *cpu, unsigned bits, uint64_t a)
{
    (void)cpu;
    (void)bits;
    return ~a;
}
RW_INLINE uint64_t do_neg(RwCpu *cpu, unsigned bits, uint64_t a)
{
    return rw_do_sub(cpu, bits, 0, a);
}

#define ALU_UNARY(o, bits)                                                                                 \
    static RW_OP(o##bits##_r)                                                                              \
    {                                                                                                      \
        RW_SET##bits(op->reg, do_##o(cpu, bits, RW_GET##bits(op->reg)));                                   \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_RMW(o##bits##_m, bits, RW_EA, m = (uint##bits##_t)do_##o(cpu, bits, m))                          \
    RW_OP_RMW(o##bits##_mb, bits, RW_EAB, m = (uint##bits##_t)do_##o(cpu, bits, m))

ALU_SIZES(ALU_UNARY, inc)
ALU_SIZES(ALU_UNARY, dec)
ALU_SIZES(ALU_UNARY, not )
ALU_SIZES(ALU_UNARY, neg)

#define FORMS1(o, bits)                                                                                    \
    {                                                                                                      \
        o##bits##_r, o##bits##_m, o##bits##_mb                                                             \
    }
#define TABLE1(o)                                                                                          \
    {                                                                                                      \
        FORMS1(o, 8), FORMS1(o, 16), FORMS1(o, 32), FORMS1(o, 64)                                          \
    }

static const RwUnaryTable alu1_fns[] = {TABLE1(inc), TABLE1(dec), TABLE1(not ), TABLE1(neg)};

bool rw_emit_alu1(RwEmit *e, const RwMnemonic *m)
{
    return rw_emit_unary(e, alu1_fns[m->arg]);
}
