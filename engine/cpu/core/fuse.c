// SPDX-License-Identifier: MIT
// CMP or TEST with the Jcc after it, as one op: the condition is computed from the operands, and the
// flags are left for whoever looks at them later.
//
// The op stands at the first instruction's place and counts for both. Only its load can fault, and
// that is the first instruction's.
#include "code-private.h"
#include "flags-private.h"

#define TAKE_IF(condition)                                                                                 \
    do {                                                                                                   \
        if (condition) {                                                                                   \
            cpu->budget += op[1].icnt;                                                                     \
            RW_CHAIN(op + 1);                                                                              \
        }                                                                                                  \
        return rw_go(cpu, op + 2);                                                                         \
    } while (0)

// Operands, zero-extended: register (rm), register or memory first, then register (reg) or immediate.
#define REG_8(slot) (*rw_r8(cpu, slot))
#define REG_32(slot) ((uint32_t)cpu->r[slot])
#define REG_64(slot) (cpu->r[slot])

#define GET_rr(bits)                                                                                       \
    a = REG_##bits(op->rm);                                                                                \
    b = REG_##bits(op->reg)
#define GET_ri(bits)                                                                                       \
    a = REG_##bits(op->rm);                                                                                \
    b = (uint##bits##_t)op->imm
#define GET_mr(bits)                                                                                       \
    RW_LOAD(bits, a, RW_EA);                                                                               \
    b = REG_##bits(op->reg)
#define GET_mi(bits)                                                                                       \
    RW_LOAD(bits, a, RW_EA);                                                                               \
    b = (uint##bits##_t)op->imm
#define GET_rm(bits)                                                                                       \
    RW_LOAD(bits, b, RW_EA);                                                                               \
    a = REG_##bits(op->reg)

RW_INLINE bool cmp_cond(unsigned cc, int64_t a, int64_t b, uint64_t ua, uint64_t ub, int64_t diff)
{
    switch (cc) {
    case 2:
        return ua < ub;
    case 3:
        return ua >= ub;
    case 4:
        return ua == ub;
    case 5:
        return ua != ub;
    case 6:
        return ua <= ub;
    case 7:
        return ua > ub;
    case 8:
        return diff < 0;
    case 9:
        return diff >= 0;
    case 12:
        return a < b;
    case 13:
        return a >= b;
    case 14:
        return a <= b;
    default:
        return a > b;
    }
}

#define CMP(bits, form, cc)                                                                                \
    static RW_OP(op_cmp_##bits##_##form##_##cc)                                                            \
    {                                                                                                      \
        uint##bits##_t a, b;                                                                               \
        GET_##form(bits);                                                                                  \
        rw_do_sub(cpu, bits, a, b);                                                                        \
        TAKE_IF(cmp_cond(cc, (int##bits##_t)a, (int##bits##_t)b, a, b, (int##bits##_t)(a - b)));           \
    }

RW_INLINE bool test_cond(unsigned cc, int64_t res)
{
    switch (cc) {
    case 4:
    case 6: // CF is 0
        return res == 0;
    case 5:
    case 7:
        return res != 0;
    case 8:
    case 12: // OF is 0
        return res < 0;
    case 9:
    case 13:
        return res >= 0;
    case 14:
        return res <= 0;
    default:
        return res > 0;
    }
}

#define TEST(bits, form, cc)                                                                               \
    static RW_OP(op_test_##bits##_##form##_##cc)                                                           \
    {                                                                                                      \
        uint##bits##_t a, b;                                                                               \
        GET_##form(bits);                                                                                  \
        int64_t res = (int##bits##_t)(a & b);                                                              \
        rw_flags_logic(cpu, res);                                                                          \
        TAKE_IF(test_cond(cc, res));                                                                       \
    }

#define CONDITIONS(X, bits, form)                                                                          \
    X(bits, form, 2)                                                                                       \
    X(bits, form, 3)                                                                                       \
    X(bits, form, 4)                                                                                       \
    X(bits, form, 5)                                                                                       \
    X(bits, form, 6)                                                                                       \
    X(bits, form, 7)                                                                                       \
    X(bits, form, 8)                                                                                       \
    X(bits, form, 9)                                                                                       \
    X(bits, form, 12)                                                                                      \
    X(bits, form, 13)                                                                                      \
    X(bits, form, 14)                                                                                      \
    X(bits, form, 15)
#define TEST_CONDITIONS(X, bits, form)                                                                     \
    X(bits, form, 4)                                                                                       \
    X(bits, form, 5)                                                                                       \
    X(bits, form, 6)                                                                                       \
    X(bits, form, 7)                                                                                       \
    X(bits, form, 8)                                                                                       \
    X(bits, form, 9)                                                                                       \
    X(bits, form, 12)                                                                                      \
    X(bits, form, 13)                                                                                      \
    X(bits, form, 14)                                                                                      \
    X(bits, form, 15)
#define SIZES(CONDS, X, form)                                                                              \
    CONDS(X, 8, form)                                                                                      \
    CONDS(X, 32, form)                                                                                     \
    CONDS(X, 64, form)

SIZES(CONDITIONS, CMP, rr)
SIZES(CONDITIONS, CMP, ri)
SIZES(CONDITIONS, CMP, mr)
SIZES(CONDITIONS, CMP, mi)
SIZES(CONDITIONS, CMP, rm)
SIZES(TEST_CONDITIONS, TEST, rr)
SIZES(TEST_CONDITIONS, TEST, ri)
SIZES(TEST_CONDITIONS, TEST, mr)
SIZES(TEST_CONDITIONS, TEST, mi)

// ---- Which one ----

enum { FORM_RR, FORM_RI, FORM_MR, FORM_MI, FORM_RM, N_FORMS };
enum { SIZE_8, SIZE_32, SIZE_64, N_SIZES };

#define CMP_ENTRY(bits, form, cc) [cc] = op_cmp_##bits##_##form##_##cc,
#define TEST_ENTRY(bits, form, cc) [cc] = op_test_##bits##_##form##_##cc,
#define ROWS(CONDS, X, form)                                                                               \
    {                                                                                                      \
        {CONDS(X, 8, form)}, {CONDS(X, 32, form)}, {CONDS(X, 64, form)},                                   \
    }

static const RwOpFn cmp_fns[N_FORMS][N_SIZES][16] = {
    ROWS(CONDITIONS, CMP_ENTRY, rr), ROWS(CONDITIONS, CMP_ENTRY, ri), ROWS(CONDITIONS, CMP_ENTRY, mr),
    ROWS(CONDITIONS, CMP_ENTRY, mi), ROWS(CONDITIONS, CMP_ENTRY, rm),
};
static const RwOpFn test_fns[N_FORMS][N_SIZES][16] = {
    ROWS(TEST_CONDITIONS, TEST_ENTRY, rr),
    ROWS(TEST_CONDITIONS, TEST_ENTRY, ri),
    ROWS(TEST_CONDITIONS, TEST_ENTRY, mr),
    ROWS(TEST_CONDITIONS, TEST_ENTRY, mi),
};

static int form_of(const RwOpnd *first, const RwOpnd *second)
{
    static const int8_t forms[2][3] = {{FORM_RR, FORM_RI, FORM_RM}, {FORM_MR, FORM_MI, -1}};
    bool memory = first->type == RW_OPND_MEM;
    switch (second->type) {
    case RW_OPND_REG:
        return forms[memory][0];
    case RW_OPND_IMM:
        return forms[memory][1];
    default:
        return forms[memory][2];
    }
}

static int size_of(const RwOpnd *first)
{
    switch (first->size) {
    case 8:
        return SIZE_8;
    case 32:
        return SIZE_32;
    case 64:
        return SIZE_64;
    default:
        return -1;
    }
}

static RwOpFn pick(const RwDecode *d, int form, unsigned condition)
{
    int size = size_of(&d->prev.opnd[0]);
    if (form < 0 || size < 0)
        return NULL;
    if (d->prev.mnemonic == ZYDIS_MNEMONIC_CMP)
        return cmp_fns[form][size][condition];
    return d->prev.mnemonic == ZYDIS_MNEMONIC_TEST ? test_fns[form][size][condition] : NULL;
}

static void set_operands(RwOp *op, const RwOpnd *opnd, int form)
{
    if (form == FORM_RR || form == FORM_RI)
        op->rm = opnd[0].reg;
    if (form == FORM_RR || form == FORM_MR)
        op->reg = opnd[1].reg;
    if (form == FORM_RM)
        op->reg = opnd[0].reg;
    if (form == FORM_RI || form == FORM_MI)
        op->imm = (uint64_t)opnd[1].imm;
}

bool rw_emit_fused(RwEmit *e, unsigned condition, int64_t target)
{
    RwDecode *d = (RwDecode *)e;
    if (!d->prev_op)
        return false;
    int form = form_of(&d->prev.opnd[0], &d->prev.opnd[1]);
    RwOpFn fn = pick(d, form, condition);
    if (!fn)
        return false;
    // Position and count stay the first instruction's, and a memory operand where rw_emit_mem() put it.
    RwOp *op = &e->ops[d->prev_op];
    op->fn = fn;
    op->imm = 0;
    set_operands(op, d->prev.opnd, form);
    rw_emit_slot(e, target, e->icnt + 1u);
    return true;
}
