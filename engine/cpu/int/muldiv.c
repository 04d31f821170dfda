// SPDX-License-Identifier: MIT
// MUL, IMUL, DIV, IDIV.
//
// After a multiplication SF, ZF, AF and PF are undefined; here SF, ZF and PF are the low half's, AF = 0.
// A division leaves all flags as they were.
#include "integer-private.h"

typedef unsigned __int128 u128;
typedef __int128 i128;

// ---- AX, DX:AX, EDX:EAX, RDX:RAX = accumulator * operand ----

#define WIDE_RESULT8(p) RW_SET16(RW_R_RAX, p)
#define WIDE_RESULT16(p) (RW_SET16(RW_R_RAX, p), RW_SET16(RW_R_RDX, (p) >> 16))
#define WIDE_RESULT32(p) (RW_SET32(RW_R_RAX, p), RW_SET32(RW_R_RDX, (p) >> 32))
#define WIDE_RESULT64(p) (RW_SET64(RW_R_RAX, (uint64_t)(p)), RW_SET64(RW_R_RDX, (uint64_t)((p) >> 64)))

#define MUL_BODY(bits, value)                                                                              \
    do {                                                                                                   \
        u128 p = (u128)RW_GET##bits(RW_ACC) * (value);                                                     \
        bool over = p >> bits != 0;                                                                        \
        WIDE_RESULT##bits(p);                                                                              \
        rw_flags_res(cpu, bits, (uint64_t)p, over, over);                                                  \
    } while (0)
#define IMUL_BODY(bits, value)                                                                             \
    do {                                                                                                   \
        i128 p = (i128)(int##bits##_t)RW_GET##bits(RW_ACC) * (int##bits##_t)(value);                       \
        bool over = p != (int##bits##_t)p;                                                                 \
        WIDE_RESULT##bits(p);                                                                              \
        rw_flags_res(cpu, bits, (uint64_t)p, over, over);                                                  \
    } while (0)

#define WIDE(bits)                                                                                         \
    static RW_OP(mul##bits##_r)                                                                            \
    {                                                                                                      \
        MUL_BODY(bits, RW_GET##bits(op->reg));                                                             \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(mul##bits##_m, bits, RW_EA, MUL_BODY(bits, m))                                              \
    static RW_OP(imul##bits##_r)                                                                           \
    {                                                                                                      \
        IMUL_BODY(bits, RW_GET##bits(op->reg));                                                            \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(imul##bits##_m, bits, RW_EA, IMUL_BODY(bits, m))

#define SIZES(F) F(8) F(16) F(32) F(64)
SIZES(WIDE)

#define TABLE1(o)                                                                                          \
    {                                                                                                      \
        {o##8_r, o##8_m, o##8_m}, {o##16_r, o##16_m, o##16_m}, {o##32_r, o##32_m, o##32_m},                \
        {                                                                                                  \
            o##64_r, o##64_m, o##64_m                                                                      \
        }                                                                                                  \
    }
static const RwUnaryTable mul_fns = TABLE1(mul), imul_wide_fns = TABLE1(imul);

bool rw_emit_mul(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    return rw_emit_unary(e, mul_fns);
}

// ---- IMUL r, r/m and IMUL r, r/m, imm ----

#define TRUNCATED(bits, a, b)                                                                              \
    do {                                                                                                   \
        i128 p = (i128)(int##bits##_t)(a) * (int##bits##_t)(b);                                            \
        bool over = p != (int##bits##_t)p;                                                                 \
        RW_SET##bits(op->reg, (uint64_t)p);                                                                \
        rw_flags_res(cpu, bits, (uint64_t)p, over, over);                                                  \
    } while (0)

#define IMUL23(bits)                                                                                       \
    static RW_OP(imul2_##bits##_r)                                                                         \
    {                                                                                                      \
        TRUNCATED(bits, RW_GET##bits(op->reg), RW_GET##bits(op->rm));                                      \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(imul2_##bits##_m, bits, RW_EA, TRUNCATED(bits, RW_GET##bits(op->reg), m))                   \
    static RW_OP(imul3_##bits##_r)                                                                         \
    {                                                                                                      \
        TRUNCATED(bits, RW_GET##bits(op->rm), op->imm);                                                    \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(imul3_##bits##_m, bits, RW_EA, TRUNCATED(bits, m, op->imm))

IMUL23(16)
IMUL23(32)
IMUL23(64)

// By log2 of the size, then: two operands r, m; three operands r, m.
#define ROW23(bits)                                                                                        \
    {                                                                                                      \
        imul2_##bits##_r, imul2_##bits##_m, imul3_##bits##_r, imul3_##bits##_m                             \
    }
static const RwOpFn imul23_fns[4][4] = {{NULL}, ROW23(16), ROW23(32), ROW23(64)};

bool rw_emit_imul(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    bool three = e->insn.n_opnds == 3;
    const RwOpFn *row;
    RwOp *op;

    (void)m;
    if (e->insn.n_opnds == 1)
        return rw_emit_unary(e, imul_wide_fns);
    row = imul23_fns[rw_size_index(dst->size)] + (three ? 2 : 0);
    if (src->type == RW_OPND_MEM) {
        op = rw_emit_mem2(e, row[1], row[1], src);
    } else {
        op = rw_emit(e, row[0]);
        op->rm = src->reg;
    }
    op->reg = dst->reg;
    if (three)
        op->imm = rw_zext(dst->size, e->insn.opnd[2].uimm);
    return true;
}

// ---- DIV, IDIV: #DE for a divisor of 0 and for a quotient that does not fit ----

// Dividend of a size, twice as wide.
#define DIVIDEND8 RW_GET16(RW_R_RAX)
#define DIVIDEND16 ((uint32_t)RW_GET16(RW_R_RDX) << 16 | RW_GET16(RW_R_RAX))
#define DIVIDEND32 ((uint64_t)RW_GET32(RW_R_RDX) << 32 | RW_GET32(RW_R_RAX))
#define QUOTIENT8(q, r) (RW_SET8(RW_ACC, q), RW_SET8(RW_AH, r))
#define QUOTIENT16(q, r) (RW_SET16(RW_R_RAX, q), RW_SET16(RW_R_RDX, r))
#define QUOTIENT32(q, r) (RW_SET32(RW_R_RAX, q), RW_SET32(RW_R_RDX, r))

#define DIV_BODY(bits, wide, value)                                                                        \
    do {                                                                                                   \
        uint##wide##_t n = DIVIDEND##bits;                                                                 \
        uint##bits##_t d = (value);                                                                        \
        if (n >> bits >= d)                                                                                \
            return rw_fault(cpu, op, RW_DE, RW_NO_ERROR);                                                  \
        QUOTIENT##bits(n / d, n % d);                                                                      \
    } while (0)
// The one quotient that C cannot compute, INT64_MIN / -1, is taken out first.
#define IDIV_BODY(bits, wide, value)                                                                       \
    do {                                                                                                   \
        int64_t n = (int##wide##_t)DIVIDEND##bits, d = (int##bits##_t)(value), q;                          \
        if (d == 0 || (d == -1 && n == INT64_MIN))                                                         \
            return rw_fault(cpu, op, RW_DE, RW_NO_ERROR);                                                  \
        q = n / d;                                                                                         \
        if (q != (int##bits##_t)q)                                                                         \
            return rw_fault(cpu, op, RW_DE, RW_NO_ERROR);                                                  \
        n %= d;                                                                                            \
        QUOTIENT##bits((uint64_t)q, (uint64_t)n);                                                          \
    } while (0)

// hi:lo / d with hi < d, for which the host's DIV cannot fault.
RW_INLINE uint64_t div128(uint64_t hi, uint64_t lo, uint64_t d, uint64_t *ret_rem)
{
    uint64_t q;

    __asm__("divq %4" : "=a"(q), "=d"(*ret_rem) : "a"(lo), "d"(hi), "r"(d) : "cc");
    return q;
}

#define DIV_BODY64(value)                                                                                  \
    do {                                                                                                   \
        uint64_t d = (value), q, r;                                                                        \
        if (cpu->r[RW_R_RDX] >= d)                                                                         \
            return rw_fault(cpu, op, RW_DE, RW_NO_ERROR);                                                  \
        q = div128(cpu->r[RW_R_RDX], cpu->r[RW_R_RAX], d, &r);                                             \
        cpu->r[RW_R_RAX] = q;                                                                              \
        cpu->r[RW_R_RDX] = r;                                                                              \
    } while (0)
// By magnitudes; the remainder has the dividend's sign.
#define IDIV_BODY64(value)                                                                                 \
    do {                                                                                                   \
        u128 n = (u128)cpu->r[RW_R_RDX] << 64 | cpu->r[RW_R_RAX];                                          \
        uint64_t d = (value), q, r;                                                                        \
        bool n_neg = cpu->r[RW_R_RDX] >> 63, d_neg = d >> 63;                                              \
        n = n_neg ? -n : n;                                                                                \
        d = d_neg ? -d : d;                                                                                \
        if ((uint64_t)(n >> 64) >= d)                                                                      \
            return rw_fault(cpu, op, RW_DE, RW_NO_ERROR);                                                  \
        q = div128((uint64_t)(n >> 64), (uint64_t)n, d, &r);                                               \
        if (q > (uint64_t)INT64_MAX + (n_neg != d_neg))                                                    \
            return rw_fault(cpu, op, RW_DE, RW_NO_ERROR);                                                  \
        cpu->r[RW_R_RAX] = n_neg != d_neg ? -q : q;                                                        \
        cpu->r[RW_R_RDX] = n_neg ? -r : r;                                                                 \
    } while (0)

#define DIV_BODY8(value) DIV_BODY(8, 16, value)
#define DIV_BODY16(value) DIV_BODY(16, 32, value)
#define DIV_BODY32(value) DIV_BODY(32, 64, value)
#define IDIV_BODY8(value) IDIV_BODY(8, 16, value)
#define IDIV_BODY16(value) IDIV_BODY(16, 32, value)
#define IDIV_BODY32(value) IDIV_BODY(32, 64, value)

#define DIVIDE(bits)                                                                                       \
    static RW_OP(div##bits##_r)                                                                            \
    {                                                                                                      \
        DIV_BODY##bits(RW_GET##bits(op->reg));                                                             \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(div##bits##_m, bits, RW_EA, DIV_BODY##bits(m))                                              \
    static RW_OP(idiv##bits##_r)                                                                           \
    {                                                                                                      \
        IDIV_BODY##bits(RW_GET##bits(op->reg));                                                            \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_LOAD(idiv##bits##_m, bits, RW_EA, IDIV_BODY##bits(m))

SIZES(DIVIDE)

static const RwUnaryTable div_fns[2] = {TABLE1(div), TABLE1(idiv)};

bool rw_emit_div(RwEmit *e, const RwMnemonic *m)
{
    return rw_emit_unary(e, div_fns[m->arg]);
}
