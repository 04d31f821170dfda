// SPDX-License-Identifier: MIT
// MOV between general registers, memory and immediates, MOVNTI; BSWAP, XLAT; and the instructions with
// fixed operands: sign extension of the accumulator, single flags, LAHF and SAHF.
#include "integer-private.h"

#define MOV(bits)                                                                                          \
    static RW_OP(mov##bits##_rr)                                                                           \
    {                                                                                                      \
        RW_SET##bits(op->reg, RW_GET##bits(op->rm));                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(mov##bits##_ri)                                                                           \
    {                                                                                                      \
        RW_SET##bits(op->reg, op->imm);                                                                    \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(mov##bits##_rm, bits, RW_EA, RW_SET##bits(op->reg, m))                                      \
    RW_OP_LOAD(mov##bits##_rmb, bits, RW_EAB, RW_SET##bits(op->reg, m))                                    \
    RW_OP_STORE(mov##bits##_mr, bits, RW_EA, RW_GET##bits(op->reg), )                                      \
    RW_OP_STORE(mov##bits##_mrb, bits, RW_EAB, RW_GET##bits(op->reg), )                                    \
    RW_OP_STORE(mov##bits##_mi, bits, RW_EA, op->imm, )                                                    \
    RW_OP_STORE(mov##bits##_mib, bits, RW_EAB, op->imm, )
MOV(8)
MOV(16)
MOV(32)
MOV(64)

#define FORMS(bits)                                                                                        \
    {                                                                                                      \
        [RW_RR] = mov##bits##_rr, [RW_RI] = mov##bits##_ri, [RW_RM] = mov##bits##_rm,                      \
        [RW_RMB] = mov##bits##_rmb, [RW_MR] = mov##bits##_mr, [RW_MRB] = mov##bits##_mrb,                  \
        [RW_MI] = mov##bits##_mi, [RW_MIB] = mov##bits##_mib                                               \
    }
static const RwFormTable mov_fns = {FORMS(8), FORMS(16), FORMS(32), FORMS(64)};

bool rw_emit_mov(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    return rw_emit_form(e, mov_fns);
}

// ---- BSWAP; of a 16-bit register it is undefined, Intel's CPUs give 0 ----

static RW_OP(bswap16)
{
    RW_SET16(op->reg, 0);
    RW_NEXT;
}
static RW_OP(bswap32)
{
    RW_SET32(op->reg, __builtin_bswap32(RW_GET32(op->reg)));
    RW_NEXT;
}
static RW_OP(bswap64)
{
    RW_SET64(op->reg, __builtin_bswap64(RW_GET64(op->reg)));
    RW_NEXT;
}

bool rw_emit_bswap(RwEmit *e, const RwMnemonic *m)
{
    static const RwOpFn fns[4] = {NULL, bswap16, bswap32, bswap64};

    (void)m;
    rw_emit(e, fns[rw_size_index(e->insn.opnd[0].size)])->reg = e->insn.opnd[0].reg;
    return true;
}

// ---- XLAT: AL = [RBX + AL]; op->imm is the mask of the address size, op->base the segment's base ----

RW_OP_LOAD(xlat, 8, cpu->r[op->base] + ((cpu->r[RW_R_RBX] + RW_GET8(RW_ACC)) & op->imm), RW_SET8(RW_ACC, m))

bool rw_emit_xlat(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = rw_emit(e, xlat);

    (void)m;
    op->base = e->insn.segment;
    op->imm = rw_address_mask(e);
    return true;
}

// ---- Fixed operands ----

#define FIXED(name, ...)                                                                                   \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }
FIXED(op_cbw, RW_SET16(RW_R_RAX, (int8_t)cpu->r[RW_R_RAX]))
FIXED(op_cwde, RW_SET32(RW_R_RAX, (int16_t)cpu->r[RW_R_RAX]))
FIXED(op_cdqe, RW_SET64(RW_R_RAX, (uint64_t)(int32_t)cpu->r[RW_R_RAX]))
FIXED(op_cwd, RW_SET16(RW_R_RDX, (int16_t)cpu->r[RW_R_RAX] >> 15))
FIXED(op_cdq, RW_SET32(RW_R_RDX, (int32_t)cpu->r[RW_R_RAX] >> 31))
FIXED(op_cqo, RW_SET64(RW_R_RDX, (uint64_t)((int64_t)cpu->r[RW_R_RAX] >> 63)))
FIXED(op_clc, rw_flags_cf(cpu, false))
FIXED(op_stc, rw_flags_cf(cpu, true))
FIXED(op_cmc, rw_flags_cf(cpu, !rw_cf(cpu)))
FIXED(op_cld, cpu->rflags &= ~(uint32_t)RW_FLAG_DF)
FIXED(op_std, cpu->rflags |= RW_FLAG_DF)
FIXED(op_lahf, RW_SET8(RW_AH, rw_get_rflags(cpu)))
FIXED(op_sahf, rw_set_arith(cpu, RW_GET8(RW_AH) | (rw_of(cpu) ? RW_FLAG_OF : 0)))

bool rw_emit_fixed(RwEmit *e, const RwMnemonic *m)
{
    static const RwOpFn fns[] = {op_cbw, op_cwde, op_cdqe, op_cwd, op_cdq,  op_cqo, op_clc,
                                 op_stc, op_cmc,  op_cld,  op_std, op_lahf, op_sahf};

    rw_emit(e, fns[m->arg]);
    return true;
}
