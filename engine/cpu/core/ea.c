// SPDX-License-Identifier: MIT
// Memory operands: most are base + index << scale + displacement; what is more gets a helper op that
// leaves its sum in r[RW_R_TMP].
#include "cpu-private.h"

// reg: r[] slot of the segment's base.
static RW_OP(op_ea)
{
    cpu->r[RW_R_TMP] = RW_EA + cpu->r[op->reg];
    RW_NEXT;
}

// The same with a 32-bit address (prefix 67), to which the segment's base is added in full.
static RW_OP(op_ea_32)
{
    cpu->r[RW_R_TMP] = (uint32_t)RW_EA + cpu->r[op->reg];
    RW_NEXT;
}

static uint8_t segment_slot(ZydisRegister segment)
{
    switch (segment) {
    case ZYDIS_REGISTER_FS:
        return RW_R_FSBASE;
    case ZYDIS_REGISTER_GS:
        return RW_R_GSBASE;
    default:
        return RW_R_ZERO; // the others' bases are 0 in 64-bit mode
    }
}

static uint8_t shift_of(uint8_t scale)
{
    return scale > 1 ? (uint8_t)__builtin_ctz(scale) : 0;
}

// Address without its segment.
static RwEa plain_ea(const RwEmit *e, const ZydisDecodedOperand *mem)
{
    RwEa ea = {
        .disp = mem->mem.disp.has_displacement ? mem->mem.disp.value : 0,
        .base = rw_reg(mem->mem.base),
        .index = rw_reg(mem->mem.index),
        .scale = shift_of(mem->mem.scale),
    };
    if (mem->mem.base == ZYDIS_REGISTER_RIP || mem->mem.base == ZYDIS_REGISTER_EIP) {
        ea.base = RW_R_PAGE;
        ea.disp += e->off + e->insn.length;
    }
    return ea;
}

RwEa rw_emit_ea(RwEmit *e, const ZydisDecodedOperand *mem)
{
    RwEa ea = plain_ea(e, mem);
    uint8_t segment = segment_slot(mem->mem.segment);
    bool narrow = e->insn.address_width == 32;
    if (!narrow && segment == RW_R_ZERO)
        return ea;
    if (!narrow && ea.index == RW_R_ZERO) {
        ea.index = segment;
        ea.scale = 0;
        return ea;
    }
    RwOp *op = rw_emit_mem(e, narrow ? op_ea_32 : op_ea, &ea);
    op->reg = segment;
    return (RwEa){.base = RW_R_TMP, .index = RW_R_ZERO};
}
