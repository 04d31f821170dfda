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

// Address without its segment.
static RwEa plain_ea(const RwEmit *e, const RwOpnd *mem)
{
    RwEa ea = {.disp = mem->disp, .base = mem->base, .index = mem->index, .scale = mem->scale};
    if (mem->base == RW_R_PAGE)
        ea.disp += e->off + e->insn.length;
    return ea;
}

RwEa rw_emit_ea(RwEmit *e, const RwOpnd *mem)
{
    RwEa ea = plain_ea(e, mem);
    uint8_t segment = mem->segment;
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
