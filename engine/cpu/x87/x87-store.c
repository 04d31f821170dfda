// SPDX-License-Identifier: MIT
// FST, FSTP, FIST, FISTP, FISTTP, FBSTP.
//
// In two steps, as the store may fault: prepare() puts the value into cpu->xmm_src and returns what is to
// happen; commit() does it once the store has succeeded.
#include "x87-private.h"

enum {
    OUT_FLAGS = 0x7f, // exceptions, and SF
    OUT_UP = 1 << 8, // C1
    OUT_NOTHING = 1 << 9, // an unmasked exception: no store, no pop
};

static unsigned outcome(const RwFpEnv *e)
{
    // Overflow and underflow too leave memory as it is when they are unmasked.
    unsigned stops = RW_FP_PRE | RW_FP_OE | RW_FP_UE;
    bool nothing = e->flags & stops & ~e->masked;

    if (nothing)
        return (e->flags & stops) | OUT_NOTHING;
    return e->flags | (e->up ? OUT_UP : 0);
}

static unsigned prepare_float(RwCpu *cpu, RwFpEnv *e, const RwNum *n, bool wide)
{
    e->fmt = wide ? &rw_format_f64 : &rw_format_f32;
    RwNum r = *n;
    r.denormal = false; // no DE for a store
    if (r.cls == RW_NUM_INVALID) {
        e->flags |= RW_FP_IE;
        r = rw_num_default_nan();
    }
    r = rw_soft_convert(e, &r);
    cpu->xmm_src.u64[0] = wide ? rw_num_to_f64(&r) : rw_num_to_f32(&r);
    return outcome(e);
}

// ±18 digits, else the indefinite.
static unsigned prepare_bcd(RwCpu *cpu, RwFpEnv *e, const RwNum *n)
{
    const uint64_t limit = UINT64_C(1000000000000000000);
    int64_t v = rw_soft_to_int(e, n, 64, e->rc);
    uint64_t m = v < 0 ? -(uint64_t)v : (uint64_t)v;
    RwXmm r = {.u64 = {0}};

    if (m >= limit || e->flags & RW_FP_IE) {
        e->flags = RW_FP_IE;
        e->up = false;
        r.u64[0] = 0xc000000000000000;
        r.u64[1] = 0xffff;
    } else {
        r.u8[9] = n->sign ? 0x80 : 0;
        for (unsigned i = 0; i < 9; i++, m /= 100)
            r.u8[i] = (uint8_t)(m / 10 % 10 << 4 | m % 10);
    }
    cpu->xmm_src = r;
    return outcome(e);
}

static unsigned prepare_int(RwCpu *cpu, RwFpEnv *e, const RwNum *n, unsigned bits, bool truncate)
{
    cpu->xmm_src.u64[0] = (uint64_t)rw_soft_to_int(e, n, bits, truncate ? RW_RC_ZERO : e->rc);
    return outcome(e);
}

static __attribute__((noinline)) unsigned prepare(RwCpu *cpu, const RwOp *op)
{
    RwFpEnv e = rw_x87_env(cpu);
    bool empty = rw_x87_is_empty(cpu, 0), truncate = RW_X87_KIND(op) == RW_X87_STORE_TRUNCATED;
    RwNum n = empty ? rw_num_default_nan() : rw_x87_get(cpu, 0);
    unsigned r;

    switch (RW_X87_SOURCE(op)) {
    case RW_X87_F32:
    case RW_X87_F64:
        r = prepare_float(cpu, &e, &n, RW_X87_SOURCE(op) == RW_X87_F64);
        break;
    case RW_X87_BCD:
        r = prepare_bcd(cpu, &e, &n);
        break;
    case RW_X87_F80:
        cpu->xmm_src.u64[0] = empty ? n.sig : rw_x87_st(cpu, 0)->significand;
        cpu->xmm_src.u64[1] = empty ? 0xffff : rw_x87_st(cpu, 0)->sign_exponent;
        r = 0;
        break;
    default:
        r = prepare_int(cpu, &e, &n,
                        RW_X87_SOURCE(op) == RW_X87_I16   ? 16
                        : RW_X87_SOURCE(op) == RW_X87_I32 ? 32
                                                          : 64,
                        truncate);
        break;
    }
    if (!empty)
        return r;
    return RW_X87_IE | RW_X87_SF | (e.masked & RW_FP_IE ? 0 : OUT_NOTHING);
}

static __attribute__((noinline)) void commit(RwCpu *cpu, const RwOp *op, unsigned what)
{
    cpu->fip = rw_op_rip(cpu, op);
    rw_x87_set_cc(cpu, RW_X87_C1, what & OUT_UP ? RW_X87_C1 : 0);
    rw_x87_raise(cpu, op, what & OUT_FLAGS);
    if (RW_X87_POPS(op) && !(what & OUT_NOTHING))
        rw_x87_pop(cpu);
}

#define STORE(bits)                                                                                        \
    static RW_OP(op_store_##bits)                                                                          \
    {                                                                                                      \
        RW_CHECK_MF;                                                                                       \
        unsigned what = prepare(cpu, op);                                                                  \
        if (!(what & OUT_NOTHING))                                                                         \
            RW_STORE(bits, RW_EA, (uint##bits##_t)cpu->xmm_src.u64[0]);                                    \
        commit(cpu, op, what);                                                                             \
        RW_NEXT;                                                                                           \
    }
STORE(16)
STORE(32)
STORE(64)

static RW_OP(op_store_80)
{
    RW_CHECK_MF;
    unsigned what = prepare(cpu, op);
    if (!(what & OUT_NOTHING)) {
        cpu->tmp = cpu->xmm_src;
        if (!rw_check_aligned(cpu, op, RW_EA, 10, 8) || !rw_store_slow(cpu, op, RW_EA, 10))
            return RW_GO_ON;
    }
    commit(cpu, op, what);
    RW_NEXT;
}

static __attribute__((noinline)) void store_st(RwCpu *cpu, const RwOp *op)
{
    RwNum nan = rw_num_default_nan();
    unsigned i = RW_X87_INDEX(op);

    if (rw_x87_is_empty(cpu, 0) && RW_X87_KIND(op) == RW_X87_STORE_UNCHECKED) {
        rw_x87_set_cc(cpu, RW_X87_C1, 0);
    } else if (rw_x87_is_empty(cpu, 0)) {
        if (rw_x87_underflow(cpu, op))
            return;
        rw_x87_put(cpu, i, &nan);
    } else {
        rw_x87_set_cc(cpu, RW_X87_C1, 0);
        *rw_x87_st(cpu, i) = *rw_x87_st(cpu, 0);
        rw_x87_set_full(cpu, i);
    }
    if (RW_X87_POPS(op))
        rw_x87_pop(cpu);
}

static RW_OP(op_store_st)
{
    RW_X87_BEGIN;
    store_st(cpu, op);
    RW_NEXT;
}

// arg: RW_X87_STORE or _TRUNCATED, and RW_X87_POP.
bool rw_emit_x87_store(RwEmit *e, const RwMnemonic *m)
{
    static const RwOpFn to_mem[] = {
        [RW_X87_F32] = op_store_32, [RW_X87_F64] = op_store_64, [RW_X87_F80] = op_store_80,
        [RW_X87_I16] = op_store_16, [RW_X87_I32] = op_store_32, [RW_X87_I64] = op_store_64,
        [RW_X87_BCD] = op_store_80,
    };
    uint64_t pops = (uint64_t)(m->arg >> 8) << 16;

    if (rw_decoded_has_register(&e->insn)) {
        rw_emit_x87(e, op_store_st, m->arg & 0xff)->imm |= pops;
        return true;
    }
    rw_emit_x87_to_mem(e, to_mem[rw_x87_format(e)], m->arg & 0xff)->imm |= pops;
    return true;
}
