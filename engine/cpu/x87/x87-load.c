// SPDX-License-Identifier: MIT
// FLD, FILD, FBLD, and the constants.
#include "x87-private.h"

// Pushes n, with e's exceptions.
static void load(RwCpu *cpu, const RwOp *op, const RwNum *n, const RwFpEnv *e)
{
    RwNum nan = rw_num_default_nan();

    if (!rw_x87_is_empty(cpu, 7)) {
        if (!rw_x87_overflow(cpu, op))
            rw_x87_push(cpu, &nan);
        return;
    }
    // A denormal is loaded even when that is an unmasked exception.
    if (rw_x87_finish(cpu, op, e) || !(e->flags & RW_FP_IE))
        rw_x87_push(cpu, n);
}

static __attribute__((noinline)) void load_converted(RwCpu *cpu, const RwOp *op)
{
    RwFpEnv e = rw_x87_env(cpu);
    RwNum n = rw_x87_source(cpu, op);

    e.fmt = &rw_format_f80;
    n = rw_soft_convert(&e, &n);
    load(cpu, op, &n, &e);
}

static RW_OP(op_load)
{
    load_converted(cpu, op);
    RW_NEXT;
}

// m80: as it is, whatever it encodes.
static __attribute__((noinline)) void load_raw(RwCpu *cpu, const RwOp *op)
{
    RwFpEnv e = rw_x87_env(cpu);
    RwNum zero = rw_num_zero(false);
    bool room = rw_x87_is_empty(cpu, 7);

    load(cpu, op, &zero, &e);
    if (!room)
        return;
    rw_x87_st(cpu, 0)->significand = cpu->xmm_src.u64[0];
    rw_x87_st(cpu, 0)->sign_exponent = cpu->xmm_src.u16[4];
}

static RW_OP(op_load_80)
{
    load_raw(cpu, op);
    RW_NEXT;
}

// An overflow is looked for before an empty source.
static __attribute__((noinline)) void load_st(RwCpu *cpu, const RwOp *op)
{
    unsigned i = RW_X87_INDEX(op);
    RwNum nan = rw_num_default_nan();

    if (rw_x87_is_empty(cpu, i)) {
        if (!rw_x87_underflow(cpu, op))
            rw_x87_push(cpu, &nan);
        return;
    }
    const RwFpReg *src = rw_x87_st(cpu, i);
    cpu->xmm_src.u64[0] = src->significand;
    cpu->xmm_src.u64[1] = src->sign_exponent;
    load_raw(cpu, op);
}

static RW_OP(op_load_st)
{
    RW_X87_BEGIN;
    load_st(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_load(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = rw_emit_x87(e, op_load, 0);

    (void)m;
    if (RW_X87_SOURCE(op) == RW_X87_F80)
        op->fn = op_load_80;
    else if (RW_X87_SOURCE(op) == RW_X87_ST)
        op->fn = op_load_st;
    return true;
}

// ---- Constants: truncated to 64 bits, and what follows ----

static const struct {
    int exp;
    uint64_t sig;
    bool rest, rest_over_half;
} constants[] = {
    [RW_X87_1] = {0, 0x8000000000000000, false, false},
    [RW_X87_L2T] = {1, 0xd49a784bcd1b8afe, true, false},
    [RW_X87_L2E] = {0, 0xb8aa3b295c17f0bb, true, true},
    [RW_X87_PI] = {1, 0xc90fdaa22168c234, true, true},
    [RW_X87_LG2] = {-2, 0x9a209a84fbcff798, true, true},
    [RW_X87_LN2] = {-1, 0xb17217f7d1cf79ab, true, true},
};

static __attribute__((noinline)) void load_constant(RwCpu *cpu, const RwOp *op)
{
    unsigned c = RW_X87_KIND(op);
    RwFpEnv e = rw_x87_env(cpu);
    RwNum n = rw_num_zero(false);

    if (c != RW_X87_Z) {
        n.cls = RW_NUM_NORMAL;
        n.exp = constants[c].exp;
        n.sig = constants[c].sig;
        n.sig +=
            e.rc == RW_RC_NEAREST ? constants[c].rest_over_half : e.rc == RW_RC_UP && constants[c].rest;
    }
    load(cpu, op, &n, &e);
}

static RW_OP(op_constant)
{
    RW_X87_BEGIN;
    load_constant(cpu, op);
    RW_NEXT;
}

bool rw_emit_x87_constant(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_x87(e, op_constant, m->arg);
    return true;
}
