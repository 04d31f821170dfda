// SPDX-License-Identifier: MIT
// PUSH and POP of general registers, memory and immediates, ENTER, LEAVE. RSP moves last.
#include "integer-private.h"

#define RSP cpu->r[RW_R_RSP]

// A push of RSP pushes its old value.
#define PUSH(bits)                                                                                         \
    RW_OP_STORE(push##bits##_r, bits, RSP - bits / 8, RW_GET##bits(op->reg), RSP -= bits / 8)              \
    RW_OP_STORE(push##bits##_i, bits, RSP - bits / 8, op->imm, RSP -= bits / 8)                            \
    static RW_OP(push##bits##_m)                                                                           \
    {                                                                                                      \
        uint##bits##_t m;                                                                                  \
        RW_LOAD(bits, m, RW_EA);                                                                           \
        RW_STORE(bits, RSP - bits / 8, m);                                                                 \
        RSP -= bits / 8;                                                                                   \
        RW_NEXT;                                                                                           \
    }
PUSH(16)
PUSH(64)

// POP RSP: the value read wins over the increment. The address of a memory destination that uses RSP is
// made after the increment; the emitter adds that to the displacement.
#define POP(bits)                                                                                          \
    RW_OP_LOAD(pop##bits##_r, bits, RSP, RSP += bits / 8; RW_SET##bits(op->reg, m))                        \
    static RW_OP(pop##bits##_m)                                                                            \
    {                                                                                                      \
        uint##bits##_t m;                                                                                  \
        RW_LOAD(bits, m, RSP);                                                                             \
        RW_STORE(bits, RW_EA, m);                                                                          \
        RSP += bits / 8;                                                                                   \
        RW_NEXT;                                                                                           \
    }
POP(16)
POP(64)

bool rw_emit_push(RwEmit *e, const RwMnemonic *m)
{
    static const RwOpFn fns[2][3] = {{push64_r, push64_i, push64_m}, {push16_r, push16_i, push16_m}};
    const RwOpnd *src = &e->insn.opnd[0];
    bool narrow = e->insn.operand_width == 16;
    const RwOpFn *row = fns[narrow];

    (void)m;
    if (src->type == RW_OPND_MEM) {
        rw_emit_mem2(e, row[2], row[2], src);
    } else if (src->type == RW_OPND_IMM) {
        rw_emit(e, row[1])->imm = rw_zext(narrow ? 16 : 64, src->uimm);
    } else {
        if (!rw_opnd_is_any_gpr(src))
            return false;
        rw_emit(e, row[0])->reg = src->reg;
    }
    return true;
}

bool rw_emit_pop(RwEmit *e, const RwMnemonic *m)
{
    RwOpnd dst = e->insn.opnd[0];
    bool narrow = e->insn.operand_width == 16;

    (void)m;
    if (dst.type == RW_OPND_MEM) {
        RwOpFn fn = narrow ? pop16_m : pop64_m;

        if (dst.base == RW_R_RSP)
            dst.disp += narrow ? 2 : 8;
        rw_emit_mem2(e, fn, fn, &dst);
        return true;
    }
    if (!rw_opnd_is_any_gpr(&dst))
        return false;
    rw_emit(e, narrow ? pop16_r : pop64_r)->reg = dst.reg;
    return true;
}

// ---- ENTER (op->imm: bytes of locals; op->disp: nesting level 0 to 31), LEAVE ----

// Pushes RBP, then for level > 0 level - 1 outer frame pointers and the new one, then checks that the new
// frame's bottom can be written (SDM, ENTER). Memory below RSP has changed when a later access faults, as
// on hardware; the registers have not.
#define ENTER(bits)                                                                                        \
    static RW_OP(enter##bits)                                                                              \
    {                                                                                                      \
        unsigned level = (unsigned)op->disp, n = bits / 8;                                                 \
        uint64_t top = RSP - n, frame = cpu->r[RW_R_RBP];                                                  \
        uint64_t bottom = top - (uint64_t)level * n - op->imm;                                             \
        RW_STORE(bits, top, (uint##bits##_t)frame);                                                        \
        for (unsigned i = 1; i < level; i++) {                                                             \
            uint##bits##_t outer;                                                                          \
            RW_LOAD(bits, outer, frame - (uint64_t)i * n);                                                 \
            RW_STORE(bits, top - (uint64_t)i * n, outer);                                                  \
        }                                                                                                  \
        if (level > 0)                                                                                     \
            RW_STORE(bits, top - (uint64_t)level * n, (uint##bits##_t)top);                                \
        if (!rw_probe(cpu, op, bottom, 1, true))                                                           \
            return RW_GO_ON;                                                                               \
        RSP = bottom;                                                                                      \
        RW_SET##bits(RW_R_RBP, top);                                                                       \
        RW_NEXT;                                                                                           \
    }
ENTER(16)
ENTER(64)

bool rw_emit_enter(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = rw_emit(e, e->insn.operand_width == 16 ? enter16 : enter64);

    (void)m;
    op->imm = e->insn.opnd[0].uimm & 0xffff;
    op->disp = e->insn.opnd[1].uimm & 31;
    op->base = RW_R_RBP; // for the MMU: the stack segment
    return true;
}

#define LEAVE(bits)                                                                                        \
    RW_OP_LOAD(leave##bits, bits, cpu->r[RW_R_RBP], RSP = cpu->r[RW_R_RBP] + bits / 8;                     \
               RW_SET##bits(RW_R_RBP, m))
LEAVE(16)
LEAVE(64)

bool rw_emit_leave(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    rw_emit(e, e->insn.operand_width == 16 ? leave16 : leave64)->base = RW_R_RBP;
    return true;
}
