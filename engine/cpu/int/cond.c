// SPDX-License-Identifier: MIT
// CMOVcc and SETcc: a handler for each condition, size and form.
#include "integer-private.h"

// The source is read in any case; a 32-bit destination's upper half is cleared in any case.
#define CMOV(cc, bits)                                                                                     \
    static RW_OP(cmov##cc##_##bits##_r)                                                                    \
    {                                                                                                      \
        uint##bits##_t v = RW_GET##bits(op->rm), old = RW_GET##bits(op->reg);                              \
        RW_SET##bits(op->reg, rw_cond(cpu, cc) ? v : old);                                                 \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(cmov##cc##_##bits##_m, bits, RW_EA,                                                         \
               RW_SET##bits(op->reg, rw_cond(cpu, cc) ? m : RW_GET##bits(op->reg)))
#define SET(cc)                                                                                            \
    static RW_OP(set##cc##_r)                                                                              \
    {                                                                                                      \
        RW_SET8(op->reg, rw_cond(cpu, cc));                                                                \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_STORE(set##cc##_m, 8, RW_EA, rw_cond(cpu, cc), )
#define CONDITION(cc) CMOV(cc, 16) CMOV(cc, 32) CMOV(cc, 64) SET(cc)

CONDITION(0)
CONDITION(1)
CONDITION(2)
CONDITION(3)
CONDITION(4)
CONDITION(5)
CONDITION(6)
CONDITION(7)
CONDITION(8)
CONDITION(9)
CONDITION(10)
CONDITION(11)
CONDITION(12)
CONDITION(13)
CONDITION(14)
CONDITION(15)

#define ALL(F)                                                                                             \
    F(0), F(1), F(2), F(3), F(4), F(5), F(6), F(7), F(8), F(9), F(10), F(11), F(12), F(13), F(14), F(15)
#define CMOV_FORMS(cc, bits)                                                                               \
    {                                                                                                      \
        [RW_RR] = cmov##cc##_##bits##_r, [RW_RM] = cmov##cc##_##bits##_m, [RW_RMB] = cmov##cc##_##bits##_m \
    }
#define CMOV_TABLE(cc)                                                                                     \
    {                                                                                                      \
        {NULL}, CMOV_FORMS(cc, 16), CMOV_FORMS(cc, 32), CMOV_FORMS(cc, 64)                                 \
    }
#define SET_PAIR(cc)                                                                                       \
    {                                                                                                      \
        set##cc##_r, set##cc##_m                                                                           \
    }

static const RwFormTable cmov_fns[16] = {ALL(CMOV_TABLE)};
static const RwOpFn set_fns[16][2] = {ALL(SET_PAIR)};

bool rw_emit_cmov(RwEmit *e, const RwMnemonic *m)
{
    return rw_emit_form(e, cmov_fns[m->arg]);
}

bool rw_emit_setcc(RwEmit *e, const RwMnemonic *m)
{
    const RwOpFn *row = set_fns[m->arg];

    if (e->insn.opnd[0].type == RW_OPND_MEM)
        rw_emit_mem2(e, row[1], row[1], &e->insn.opnd[0]);
    else
        rw_emit(e, row[0])->reg = e->insn.opnd[0].reg;
    return true;
}
