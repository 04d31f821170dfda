// SPDX-License-Identifier: MIT
// The integer group's mnemonics, and the emitters that its files share.
#include "integer-private.h"

RwOp *rw_emit_mem2(RwEmit *e, RwOpFn indexed, RwOpFn plain, const RwOpnd *mem)
{
    RwEa ea = rw_emit_ea(e, mem);

    return rw_emit_mem(e, ea.index == RW_R_ZERO ? plain : indexed, &ea);
}

static bool emit_to_register(RwEmit *e, const RwOpFn *fns)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    uint8_t reg = dst->reg;
    RwOp *op;

    if (src->type == RW_OPND_MEM) {
        if (!fns[RW_RM])
            return false;
        op = rw_emit_mem2(e, fns[RW_RM], fns[RW_RMB], src);
    } else if (src->type == RW_OPND_IMM) {
        if (!fns[RW_RI])
            return false;
        op = rw_emit(e, fns[RW_RI]);
        op->imm = rw_zext(dst->size, src->uimm);
    } else {
        if (!fns[RW_RR] || !rw_opnd_is_any_gpr(src))
            return false;
        op = rw_emit(e, fns[RW_RR]);
        op->rm = src->reg;
    }
    op->reg = reg;
    return true;
}

bool rw_emit_form(RwEmit *e, const RwFormTable fns)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    const RwOpFn *row = fns[rw_size_index(dst->size)];
    RwOp *op;

    if (dst->type != RW_OPND_MEM)
        return rw_opnd_is_any_gpr(dst) && emit_to_register(e, row);
    if (src->type == RW_OPND_IMM) {
        if (!row[RW_MI])
            return false;
        op = rw_emit_mem2(e, row[RW_MI], row[RW_MIB], dst);
        op->imm = rw_zext(dst->size, src->uimm);
        return true;
    }
    if (!row[RW_MR] || !rw_opnd_is_any_gpr(src))
        return false;
    op = rw_emit_mem2(e, row[RW_MR], row[RW_MRB], dst);
    op->reg = src->reg;
    return true;
}

bool rw_emit_unary(RwEmit *e, const RwUnaryTable fns)
{
    const RwOpnd *o = &e->insn.opnd[0];
    const RwOpFn *row = fns[rw_size_index(o->size)];

    if (o->type == RW_OPND_MEM) {
        if (!row[1])
            return false;
        rw_emit_mem2(e, row[1], row[2], o);
        return true;
    }
    if (!row[0] || !rw_opnd_is_any_gpr(o))
        return false;
    rw_emit(e, row[0])->reg = o->reg;
    return true;
}

uint64_t rw_address_mask(const RwEmit *e)
{
    return e->insn.address_width == 32 ? UINT32_MAX : UINT64_MAX;
}

static RW_OP(op_nop)
{
    RW_NEXT;
}

// Hints: no operation here, and their memory operands aren't accessed. What later CPUs put into the space
// that the architecture keeps for hints (ENDBR64, RDSSP, CLDEMOTE, MPX) is one too on this model.
static bool emit_nop(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    rw_emit(e, op_nop);
    return true;
}

#define CC_ROWS(F, PREFIX)                                                                                 \
    F(PREFIX##O, 0), F(PREFIX##NO, 1), F(PREFIX##B, 2), F(PREFIX##NB, 3), F(PREFIX##Z, 4),                 \
        F(PREFIX##NZ, 5), F(PREFIX##BE, 6), F(PREFIX##NBE, 7), F(PREFIX##S, 8), F(PREFIX##NS, 9),          \
        F(PREFIX##P, 10), F(PREFIX##NP, 11), F(PREFIX##L, 12), F(PREFIX##NL, 13), F(PREFIX##LE, 14),       \
        F(PREFIX##NLE, 15)
#define CMOV_ROW(name, cc)                                                                                 \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, rw_emit_cmov, cc                                                            \
    }
#define SET_ROW(name, cc)                                                                                  \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, rw_emit_setcc, cc                                                           \
    }
#define ROW(name, emitter, arg)                                                                            \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, emitter, arg                                                                \
    }

const RwMnemonic rw_group_integer[] = {
    // alu.c: the arg is the operation's number, as in the opcode's bits 3-5, then its own
    ROW(ADD, rw_emit_alu, 0),
    ROW(OR, rw_emit_alu, 1),
    ROW(ADC, rw_emit_alu, 2),
    ROW(SBB, rw_emit_alu, 3),
    ROW(AND, rw_emit_alu, 4),
    ROW(SUB, rw_emit_alu, 5),
    ROW(XOR, rw_emit_alu, 6),
    ROW(CMP, rw_emit_alu, 7),
    ROW(TEST, rw_emit_alu, 8),
    ROW(INC, rw_emit_alu1, 0),
    ROW(DEC, rw_emit_alu1, 1),
    ROW(NOT, rw_emit_alu1, 2),
    ROW(NEG, rw_emit_alu1, 3),
    // exchange.c
    ROW(XADD, rw_emit_xadd, 0),
    ROW(CMPXCHG, rw_emit_cmpxchg, 0),
    ROW(CMPXCHG8B, rw_emit_cmpxchg_wide, 8),
    ROW(CMPXCHG16B, rw_emit_cmpxchg_wide, 16),
    ROW(XCHG, rw_emit_xchg, 0),
    // shift.c: the arg is the ModRM.reg number
    ROW(ROL, rw_emit_shift, 0),
    ROW(ROR, rw_emit_shift, 1),
    ROW(RCL, rw_emit_shift, 2),
    ROW(RCR, rw_emit_shift, 3),
    ROW(SHL, rw_emit_shift, 4),
    ROW(SHR, rw_emit_shift, 5),
    ROW(SAR, rw_emit_shift, 7),
    ROW(SHLD, rw_emit_double_shift, 0),
    ROW(SHRD, rw_emit_double_shift, 1),
    // muldiv.c
    ROW(MUL, rw_emit_mul, 0),
    ROW(IMUL, rw_emit_imul, 0),
    ROW(DIV, rw_emit_div, 0),
    ROW(IDIV, rw_emit_div, 1),
    // bit.c; without BMI1 and ABM the F3 prefix means nothing and TZCNT is BSF, LZCNT is BSR
    ROW(BT, rw_emit_bt, 0),
    ROW(BTS, rw_emit_bt, 1),
    ROW(BTR, rw_emit_bt, 2),
    ROW(BTC, rw_emit_bt, 3),
    ROW(BSF, rw_emit_bitscan, 0),
    ROW(TZCNT, rw_emit_bitscan, 0),
    ROW(BSR, rw_emit_bitscan, 1),
    ROW(LZCNT, rw_emit_bitscan, 1),
    ROW(POPCNT, rw_emit_bitscan, 2),
    ROW(CRC32, rw_emit_crc32, 0),
    // mov.c, extend.c
    ROW(MOV, rw_emit_mov, 0),
    ROW(MOVNTI, rw_emit_mov, 0),
    ROW(MOVZX, rw_emit_extend, 0),
    ROW(MOVSX, rw_emit_extend, 1),
    ROW(MOVSXD, rw_emit_extend, 1),
    ROW(LEA, rw_emit_lea, 0),
    ROW(BSWAP, rw_emit_bswap, 0),
    ROW(XLAT, rw_emit_xlat, 0),
    ROW(CBW, rw_emit_fixed, 0),
    ROW(CWDE, rw_emit_fixed, 1),
    ROW(CDQE, rw_emit_fixed, 2),
    ROW(CWD, rw_emit_fixed, 3),
    ROW(CDQ, rw_emit_fixed, 4),
    ROW(CQO, rw_emit_fixed, 5),
    ROW(CLC, rw_emit_fixed, 6),
    ROW(STC, rw_emit_fixed, 7),
    ROW(CMC, rw_emit_fixed, 8),
    ROW(CLD, rw_emit_fixed, 9),
    ROW(STD, rw_emit_fixed, 10),
    ROW(LAHF, rw_emit_fixed, 11),
    ROW(SAHF, rw_emit_fixed, 12),
    // cond.c
    CC_ROWS(CMOV_ROW, CMOV),
    CC_ROWS(SET_ROW, SET),
    // stack.c
    ROW(PUSH, rw_emit_push, 0),
    ROW(POP, rw_emit_pop, 0),
    ROW(ENTER, rw_emit_enter, 0),
    ROW(LEAVE, rw_emit_leave, 0),
    // string.c: the arg is the operation * 4 + log2 of the size
    ROW(MOVSB, rw_emit_string, 0),
    ROW(MOVSW, rw_emit_string, 1),
    ROW(MOVSD, rw_emit_string, 2),
    ROW(MOVSQ, rw_emit_string, 3),
    ROW(STOSB, rw_emit_string, 4),
    ROW(STOSW, rw_emit_string, 5),
    ROW(STOSD, rw_emit_string, 6),
    ROW(STOSQ, rw_emit_string, 7),
    ROW(LODSB, rw_emit_string, 8),
    ROW(LODSW, rw_emit_string, 9),
    ROW(LODSD, rw_emit_string, 10),
    ROW(LODSQ, rw_emit_string, 11),
    ROW(SCASB, rw_emit_string, 12),
    ROW(SCASW, rw_emit_string, 13),
    ROW(SCASD, rw_emit_string, 14),
    ROW(SCASQ, rw_emit_string, 15),
    ROW(CMPSB, rw_emit_string, 16),
    ROW(CMPSW, rw_emit_string, 17),
    ROW(CMPSD, rw_emit_string, 18),
    ROW(CMPSQ, rw_emit_string, 19),
    // hints
    ROW(NOP, emit_nop, 0),
    ROW(PAUSE, emit_nop, 0),
    ROW(ENDBR32, emit_nop, 0),
    ROW(ENDBR64, emit_nop, 0),
    ROW(RDSSPD, emit_nop, 0),
    ROW(RDSSPQ, emit_nop, 0),
    ROW(CLDEMOTE, emit_nop, 0),
    ROW(PREFETCH, emit_nop, 0),
    ROW(PREFETCHNTA, emit_nop, 0),
    ROW(PREFETCHT0, emit_nop, 0),
    ROW(PREFETCHT1, emit_nop, 0),
    ROW(PREFETCHT2, emit_nop, 0),
    ROW(PREFETCHW, emit_nop, 0),
    ROW(PREFETCHWT1, emit_nop, 0),
    ROW(BNDCL, emit_nop, 0),
    ROW(BNDCN, emit_nop, 0),
    ROW(BNDCU, emit_nop, 0),
    ROW(BNDLDX, emit_nop, 0),
    ROW(BNDMK, emit_nop, 0),
    ROW(BNDMOV, emit_nop, 0),
    ROW(BNDSTX, emit_nop, 0),
    {ZYDIS_MNEMONIC_INVALID, NULL, 0},
};
