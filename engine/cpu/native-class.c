// SPDX-License-Identifier: MIT
/* Which instructions native.c knows, and their operands. */
#include "native-private.h"

typedef const ZydisDecodedOperand Operand;

static bool is_reg(Operand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER;
}

static bool is_mem(Operand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

static bool is_imm(Operand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static bool is_general(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    return class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64;
}

/* Byte offset into r[] of a register operand. */
static int16_t slot_of(Operand *o)
{
    uint8_t slot = rw_reg(o->reg.value);
    return (int16_t)(o->size == 8 ? slot : slot * 8);
}

/* All register operands are general; immediates of 64-bit operations fit 32 bits, signed. */
static bool is_plain(Operand *opnd, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (is_reg(&opnd[i]) && !is_general(opnd[i].reg.value))
            return false;
        if (is_imm(&opnd[i]) && opnd[0].size > 32 && opnd[i].imm.value.s != (int32_t)opnd[i].imm.value.s)
            return false;
    }
    return true;
}

typedef bool (*Classify)(RwNativeOp *n, Operand *o, unsigned arg);

static bool of_mov(RwNativeOp *n, Operand *o, unsigned arg)
{
    if (is_reg(&o[0]) && is_imm(&o[1]))
        n->kind = N_MOV_RI;
    else if (is_reg(&o[0]) && is_reg(&o[1]))
        n->kind = N_MOV_RR;
    else if (is_reg(&o[0]))
        n->kind = N_LOAD;
    else
        n->kind = is_reg(&o[1]) ? N_STORE : N_STORE_IMM;
    n->bits2 = n->bits;
    return n->bits != 16 || n->kind == N_STORE || n->kind == N_STORE_IMM;
}

/* arg: sign-extending. Sources of 16 bits are fine here. */
static bool of_extend(RwNativeOp *n, Operand *o, unsigned arg)
{
    if (n->bits < 32 || !is_reg(&o[0]))
        return false;
    n->bits2 = n->bits;
    n->bits = (uint8_t)o[1].size;
    n->sign = arg;
    n->kind = is_mem(&o[1]) ? N_LOAD : N_EXTEND;
    if (is_reg(&o[1]))
        n->src = slot_of(&o[1]);
    return true;
}

static bool of_lea(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_LEA;
    return n->bits >= 32;
}

static bool of_alu(RwNativeOp *n, Operand *o, unsigned arg)
{
    static const uint8_t forms[2][3] = {{N_RR, N_RI, N_RM}, {N_MR, N_MI, N_NONE}};
    n->kind = N_ALU;
    n->alu = (uint8_t)arg;
    n->form = forms[is_mem(&o[0])][is_reg(&o[1]) ? 0 : is_imm(&o[1]) ? 1 : 2];
    /* Narrow registers only where nothing is written. */
    return arg >= 7 || n->bits >= 32 || (n->bits == 8 && is_mem(&o[0]));
}

static bool of_shift(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_SHIFT;
    n->alu = (uint8_t)arg;
    n->imm &= n->bits - 1;
    return n->bits >= 32 && is_reg(&o[0]) && is_imm(&o[1]) && n->imm;
}

/* arg: the kind, and 16 more for DEC. */
static bool of_unary(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = arg & 15;
    n->alu = arg >> 4 & 1;
    n->form = is_mem(&o[0]) ? N_MI : N_RI;
    return n->bits >= 32 && (is_reg(&o[0]) || n->kind == N_INC);
}

static bool of_setcc(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_SETCC;
    n->cc = (uint8_t)arg;
    return is_reg(&o[0]);
}

static bool of_cmov(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_CMOV;
    n->cc = (uint8_t)arg;
    return n->bits >= 32 && is_reg(&o[1]);
}

static bool of_push(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = is_imm(&o[0]) ? N_PUSH_IMM : N_PUSH;
    n->src = n->dst;
    return (is_imm(&o[0]) && n->bits != 16) || (is_reg(&o[0]) && n->bits == 64);
}

static bool of_pop(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_POP;
    return is_reg(&o[0]) && n->bits == 64;
}

static bool of_jcc(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_JCC;
    n->cc = (uint8_t)arg;
    return true;
}

static bool of_jmp(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = is_imm(&o[0]) ? N_GOTO : is_reg(&o[0]) ? N_JMP_REG : N_JMP_MEM;
    return is_imm(&o[0]) || n->bits == 64;
}

static bool of_call(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = is_imm(&o[0]) ? N_CALL : N_CALL_REG;
    return !is_mem(&o[0]);
}

static bool of_ret(RwNativeOp *n, Operand *o, unsigned arg)
{
    n->kind = N_RET;
    return true;
}

static bool of_nop(RwNativeOp *n, Operand *o, unsigned arg)
{
    return true;
}

typedef struct {
    ZydisMnemonic mnemonic;
    Classify classify;
    uint8_t arg;
} Row;

#define ROW(name, classify, arg)                                                                           \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, classify, arg                                                               \
    }
#define CONDITIONS(prefix, classify)                                                                       \
    ROW(prefix##O, classify, 0), ROW(prefix##NO, classify, 1), ROW(prefix##B, classify, 2),                \
        ROW(prefix##NB, classify, 3), ROW(prefix##Z, classify, 4), ROW(prefix##NZ, classify, 5),           \
        ROW(prefix##BE, classify, 6), ROW(prefix##NBE, classify, 7), ROW(prefix##S, classify, 8),          \
        ROW(prefix##NS, classify, 9), ROW(prefix##P, classify, 10), ROW(prefix##NP, classify, 11),         \
        ROW(prefix##L, classify, 12), ROW(prefix##NL, classify, 13), ROW(prefix##LE, classify, 14),        \
        ROW(prefix##NLE, classify, 15)

/* The most frequent first: it is searched in order. */
static const Row rows[] = {
    ROW(MOV, of_mov, 0),       ROW(CMP, of_alu, 7),
    ROW(TEST, of_alu, 8),      ROW(LEA, of_lea, 0),
    ROW(ADD, of_alu, 0),       ROW(SUB, of_alu, 5),
    ROW(AND, of_alu, 4),       ROW(XOR, of_alu, 6),
    ROW(OR, of_alu, 1),        ROW(JMP, of_jmp, 0),
    ROW(PUSH, of_push, 0),     ROW(POP, of_pop, 0),
    ROW(CALL, of_call, 0),     ROW(RET, of_ret, 0),
    ROW(MOVZX, of_extend, 0),  ROW(MOVSX, of_extend, 1),
    ROW(MOVSXD, of_extend, 1), ROW(SHL, of_shift, 4),
    ROW(SHR, of_shift, 5),     ROW(SAR, of_shift, 7),
    ROW(INC, of_unary, N_INC), ROW(DEC, of_unary, N_INC | 16),
    ROW(NOT, of_unary, N_NOT), ROW(NEG, of_unary, N_NEG),
    ROW(NOP, of_nop, 0),       CONDITIONS(J, of_jcc),
    CONDITIONS(SET, of_setcc), CONDITIONS(CMOV, of_cmov),
};
G_STATIC_ASSERT((unsigned)N_INC < 16 && (unsigned)N_NOT < 16 && (unsigned)N_NEG < 16);

static const Row *find_row(ZydisMnemonic mnemonic)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].mnemonic == mnemonic)
            return &rows[i];
    return NULL;
}

/* Address parts that host code can do: a 32-bit displacement. */
static bool is_near_operand(const RwOp *op)
{
    return op->disp == (int32_t)op->disp;
}

void rw_native_classify(RwNativeOp *n, const ZydisDecodedInstruction *insn, Operand *opnd, const RwOp *op)
{
    *n = (RwNativeOp){.kind = N_NONE, .live = true};
    const Row *row = find_row(insn->mnemonic);
    unsigned visible = insn->operand_count_visible;
    bool extends = row && row->classify == of_extend;
    if (!row || insn->attributes & ZYDIS_ATTRIB_HAS_LOCK || insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return;
    if (row->classify == of_nop) {
        n->kind = N_NOP;
        return;
    }
    /* A wide immediate of MOV is the only one that isn't sign-extended from 32 bits. */
    bool wide = insn->mnemonic == ZYDIS_MNEMONIC_MOV && is_imm(&opnd[1]) && is_reg(&opnd[0]) &&
                is_general(opnd[0].reg.value) && opnd[0].size >= 32;
    if (!wide && !is_plain(opnd, extends ? 1 : visible))
        return;
    if (visible > 0) {
        n->bits = (uint8_t)opnd[0].size;
        if (is_reg(&opnd[0]))
            n->dst = slot_of(&opnd[0]);
        if (is_imm(&opnd[0])) { /* of PUSH, JMP, CALL: the operand size is not the immediate's */
            n->bits = insn->operand_width;
            n->imm = opnd[0].imm.value.s;
        }
    }
    if (visible > 1) {
        if (is_reg(&opnd[1]) && !extends)
            n->src = slot_of(&opnd[1]);
        if (is_imm(&opnd[1]))
            n->imm = opnd[1].imm.value.s;
    }
    bool narrow_push = row->classify == of_push && insn->operand_width != 64;
    if (narrow_push || !row->classify(n, opnd, row->arg) || !is_near_operand(op))
        n->kind = N_NONE;
}
