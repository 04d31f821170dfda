// SPDX-License-Identifier: MIT
// FADD, FMUL, FSUB, FDIV in all their forms, comparisons, FXCH, FCMOV.
#include "x87-private.h"

// ---- Arithmetic ----

static RwNum compute(unsigned kind, RwFpEnv *e, const RwNum *dst, const RwNum *src)
{
    switch (kind) {
    case RW_X87_ADD:
        return rw_soft_add(e, dst, src);
    case RW_X87_MUL:
        return rw_soft_mul(e, dst, src);
    case RW_X87_SUB:
        return rw_soft_sub(e, dst, src);
    case RW_X87_SUBR:
        return rw_soft_sub(e, src, dst);
    case RW_X87_DIV:
        return rw_soft_div(e, dst, src);
    default:
        return rw_soft_div(e, src, dst);
    }
}

// ST(0) or the register source is empty.
static bool operands_missing(const RwCpu *cpu, const RwOp *op)
{
    return rw_x87_is_empty(cpu, 0) ||
           (RW_X87_SOURCE(op) == RW_X87_ST && rw_x87_is_empty(cpu, RW_X87_INDEX(op)));
}

static __attribute__((noinline)) void arith(RwCpu *cpu, const RwOp *op)
{
    unsigned target = RW_X87_TO_ST(op) ? RW_X87_INDEX(op) : 0;
    RwFpEnv e = rw_x87_env(cpu);
    RwNum r;

    if (operands_missing(cpu, op)) {
        if (rw_x87_underflow(cpu, op))
            return;
        r = rw_num_default_nan();
    } else {
        RwNum st0 = rw_x87_get(cpu, 0), src = rw_x87_source(cpu, op);
        r = RW_X87_TO_ST(op) ? compute(RW_X87_KIND(op), &e, &src, &st0)
                             : compute(RW_X87_KIND(op), &e, &st0, &src);
        if (!rw_x87_finish(cpu, op, &e))
            return;
    }
    rw_x87_put(cpu, target, &r);
    if (RW_X87_POPS(op))
        rw_x87_pop(cpu);
}

static RW_OP(op_arith)
{
    arith(cpu, op);
    RW_NEXT;
}
static RW_OP(op_arith_st)
{
    RW_X87_BEGIN;
    arith(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_arith(RwEmit *e, const RwMnemonic *m)
{
    bool reg = rw_decoded_has_register(&e->insn);
    RwOp *op = rw_emit_x87(e, reg ? op_arith_st : op_arith, m->arg & 0xff);

    op->imm |= (uint64_t)(m->arg >> 8) << 16;
    // DC and DE have ST(i) as destination.
    if (reg && e->insn.opcode & 4)
        op->imm |= 1 << 18;
    return true;
}

// ---- Comparisons ----

static void set_order(RwCpu *cpu, const RwOp *op, RwOrder o)
{
    static const uint16_t cc[] = {[RW_LESS + 1] = RW_X87_C0,
                                  [RW_EQUAL + 1] = RW_X87_C3,
                                  [RW_GREATER + 1] = 0,
                                  [RW_UNORDERED + 1] = RW_X87_C0 | RW_X87_C2 | RW_X87_C3};
    static const uint8_t rflags[] = {[RW_LESS + 1] = RW_FLAG_CF,
                                     [RW_EQUAL + 1] = RW_FLAG_ZF,
                                     [RW_GREATER + 1] = 0,
                                     [RW_UNORDERED + 1] = RW_FLAG_CF | RW_FLAG_PF | RW_FLAG_ZF};

    if (RW_X87_KIND(op) & RW_X87_TO_RFLAGS)
        rw_set_arith(cpu, rflags[o + 1]);
    else
        rw_x87_set_cc(cpu, RW_X87_C0 | RW_X87_C2 | RW_X87_C3, cc[o + 1]);
}

// Those that set RFLAGS leave C1 alone.
static bool finish_compare(RwCpu *cpu, const RwOp *op, const RwFpEnv *e)
{
    unsigned c1 = cpu->fsw & RW_X87_C1;
    bool go_on = rw_x87_finish(cpu, op, e);

    if (RW_X87_KIND(op) & RW_X87_TO_RFLAGS)
        rw_x87_set_cc(cpu, RW_X87_C1, c1);
    return go_on;
}

static __attribute__((noinline)) void compare(RwCpu *cpu, const RwOp *op)
{
    bool with_zero = RW_X87_KIND(op) & RW_X87_WITH_ZERO;
    RwFpEnv e = rw_x87_env(cpu);
    RwOrder o = RW_UNORDERED;
    bool go_on;

    if (with_zero ? rw_x87_is_empty(cpu, 0) : operands_missing(cpu, op)) {
        go_on = !rw_x87_underflow(cpu, op);
    } else {
        RwNum a = rw_x87_get(cpu, 0), b = with_zero ? rw_num_zero(false) : rw_x87_source(cpu, op);
        o = rw_soft_compare(&e, &a, &b, !(RW_X87_KIND(op) & RW_X87_QUIET));
        go_on = finish_compare(cpu, op, &e);
    }
    // An unmasked exception doesn't keep the result back, only the pops.
    set_order(cpu, op, o);
    if (!go_on)
        return;
    for (unsigned n = RW_X87_POPS(op); n > 0; n--)
        rw_x87_pop(cpu);
}

static RW_OP(op_compare)
{
    compare(cpu, op);
    RW_NEXT;
}
static RW_OP(op_compare_st)
{
    RW_X87_BEGIN;
    compare(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_compare(RwEmit *e, const RwMnemonic *m)
{
    bool reg = rw_decoded_has_register(&e->insn);

    rw_emit_x87(e, reg ? op_compare_st : op_compare, m->arg & 0xff)->imm |= (uint64_t)(m->arg >> 8) << 16;
    return true;
}

// ---- FXCH, FCMOV ----

// An empty register counts as the default NaN when the fault is masked.
static __attribute__((noinline)) void exchange(RwCpu *cpu, const RwOp *op)
{
    unsigned i = RW_X87_INDEX(op);
    RwNum nan = rw_num_default_nan();

    if (operands_missing(cpu, op)) {
        if (rw_x87_underflow(cpu, op))
            return;
        if (rw_x87_is_empty(cpu, 0))
            rw_x87_put(cpu, 0, &nan);
        if (rw_x87_is_empty(cpu, i))
            rw_x87_put(cpu, i, &nan);
    }
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    RwFpReg t = *rw_x87_st(cpu, 0);
    *rw_x87_st(cpu, 0) = *rw_x87_st(cpu, i);
    *rw_x87_st(cpu, i) = t;
}

static RW_OP(op_xch)
{
    RW_X87_BEGIN;
    exchange(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_xch(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_x87(e, op_xch, m->arg);
    return true;
}

// Kinds: B, E, BE, U and, + 4, their negations.
static bool condition(const RwCpu *cpu, unsigned kind)
{
    bool cf = rw_cf(cpu), zf = rw_zf(cpu), pf = rw_pf(cpu);
    bool yes = (kind & 3) == 0 ? cf : (kind & 3) == 1 ? zf : (kind & 3) == 2 ? cf || zf : pf;
    return yes != (kind >> 2);
}

static __attribute__((noinline)) void conditional_move(RwCpu *cpu, const RwOp *op)
{
    RwNum nan = rw_num_default_nan();

    if (operands_missing(cpu, op)) {
        if (!rw_x87_underflow(cpu, op))
            rw_x87_put(cpu, 0, &nan);
        return;
    }
    if (condition(cpu, RW_X87_KIND(op)))
        *rw_x87_st(cpu, 0) = *rw_x87_st(cpu, RW_X87_INDEX(op));
}

static RW_OP(op_cmov)
{
    RW_X87_BEGIN;
    conditional_move(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_cmov(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_x87(e, op_cmov, m->arg);
    return true;
}
