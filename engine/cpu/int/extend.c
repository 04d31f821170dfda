// SPDX-License-Identifier: MIT
// MOVZX, MOVSX, MOVSXD, and LEA.
#include "integer-private.h"

// To `bits` from `from` bits; zero extension to 64 bits is the same as to 32, for 32-bit results too.
#define EXTEND(name, bits, from, cast)                                                                     \
    static RW_OP(name##_r)                                                                                 \
    {                                                                                                      \
        RW_SET##bits(op->reg, (uint##bits##_t)(cast)RW_GET##from(op->rm));                                 \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(name##_m, from, RW_EA, RW_SET##bits(op->reg, (uint##bits##_t)(cast)m))                      \
    RW_OP_LOAD(name##_mb, from, RW_EAB, RW_SET##bits(op->reg, (uint##bits##_t)(cast)m))

EXTEND(zx16_8, 16, 8, uint8_t)
EXTEND(zx16_16, 16, 16, uint16_t)
EXTEND(zx64_8, 64, 8, uint8_t)
EXTEND(zx64_16, 64, 16, uint16_t)
EXTEND(sx16_8, 16, 8, int8_t)
EXTEND(sx16_16, 16, 16, int16_t)
EXTEND(sx32_8, 32, 8, int8_t)
EXTEND(sx32_16, 32, 16, int16_t)
EXTEND(sx32_32, 32, 32, int32_t)
EXTEND(sx64_8, 64, 8, int8_t)
EXTEND(sx64_16, 64, 16, int16_t)
EXTEND(sx64_32, 64, 32, int32_t)

// By signedness, log2 of the destination's size, log2 of the source's size. MOVSXD also has forms that
// extend nothing (without REX.W).
#define FORMS(name)                                                                                        \
    {                                                                                                      \
        name##_r, name##_m, name##_mb                                                                      \
    }
#define NONE                                                                                               \
    {                                                                                                      \
        NULL, NULL, NULL                                                                                   \
    }
static const RwOpFn extend_fns[2][4][3][3] = {
    {
        {NONE, NONE, NONE},
        {FORMS(zx16_8), FORMS(zx16_16), NONE},
        {FORMS(zx64_8), FORMS(zx64_16), NONE},
        {FORMS(zx64_8), FORMS(zx64_16), NONE},
    },
    {
        {NONE, NONE, NONE},
        {FORMS(sx16_8), FORMS(sx16_16), NONE},
        {FORMS(sx32_8), FORMS(sx32_16), FORMS(sx32_32)},
        {FORMS(sx64_8), FORMS(sx64_16), FORMS(sx64_32)},
    },
};

bool rw_emit_extend(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    unsigned from = rw_size_index(src->size);
    const RwOpFn *row;
    RwOp *op;

    // MOVSXD with a 16-bit operand size reads 16 bits of a register; of memory, too.
    if (from > rw_size_index(dst->size))
        from = rw_size_index(dst->size);
    row = extend_fns[m->arg][rw_size_index(dst->size)][from];
    if (!row[0])
        return false;
    if (src->type == RW_OPND_MEM) {
        op = rw_emit_mem2(e, row[1], row[2], src);
    } else {
        op = rw_emit(e, row[0]);
        op->rm = src->reg;
    }
    op->reg = dst->reg;
    return true;
}

// ---- LEA: the address without its segment ----

#define LEA(bits)                                                                                          \
    static RW_OP(lea##bits)                                                                                \
    {                                                                                                      \
        RW_SET##bits(op->reg, RW_EA);                                                                      \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(lea##bits##_b)                                                                            \
    {                                                                                                      \
        RW_SET##bits(op->reg, RW_EAB);                                                                     \
        RW_NEXT;                                                                                           \
    }
LEA(16)
LEA(32)
LEA(64)

bool rw_emit_lea(RwEmit *e, const RwMnemonic *m)
{
    static const RwOpFn fns[4][2] = {{NULL, NULL}, {lea16, lea16_b}, {lea32, lea32_b}, {lea64, lea64_b}};
    const RwOpFn *row = fns[rw_size_index(e->insn.opnd[0].size)];
    RwOpnd address = e->insn.opnd[1];

    (void)m;
    if (address.type != RW_OPND_MEM)
        return false;
    address.segment = RW_R_ZERO;
    rw_emit_mem2(e, row[0], row[1], &address)->reg = e->insn.opnd[0].reg;
    return true;
}
