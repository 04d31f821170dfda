// SPDX-License-Identifier: MIT
// x87 operands, results, exceptions, and the emission that all arithmetic shares.
#include "x87-private.h"

RwFpEnv rw_x87_env(const RwCpu *cpu)
{
    static const RwFormat *const by_pc[] = {&rw_format_f80_pc24, &rw_format_f80, &rw_format_f80_pc53,
                                            &rw_format_f80};
    return (RwFpEnv){
        .fmt = by_pc[cpu->fcw >> 8 & 3],
        .rc = cpu->fcw >> 10 & 3,
        .masked = cpu->fcw & RW_X87_EXCEPTIONS,
        .x87 = true,
    };
}

RwNum rw_x87_get(RwCpu *cpu, unsigned i)
{
    const RwFpReg *r = rw_x87_st(cpu, i);

    return rw_num_f80(r->significand, r->sign_exponent);
}

void rw_x87_put(RwCpu *cpu, unsigned i, const RwNum *n)
{
    RwFpReg *r = rw_x87_st(cpu, i);

    r->significand = n->cls == RW_NUM_ZERO ? 0 : n->sig;
    r->sign_exponent = rw_num_f80_exponent(n);
    rw_x87_set_full(cpu, i);
}

void rw_x87_push(RwCpu *cpu, const RwNum *n)
{
    rw_x87_add_top(cpu, -1);
    rw_x87_put(cpu, 0, n);
}

bool rw_x87_underflow(RwCpu *cpu, const RwOp *op)
{
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    return rw_x87_raise(cpu, op, RW_X87_IE | RW_X87_SF);
}

bool rw_x87_overflow(RwCpu *cpu, const RwOp *op)
{
    rw_x87_set_cc(cpu, RW_X87_C1, RW_X87_C1);
    return rw_x87_raise(cpu, op, RW_X87_IE | RW_X87_SF);
}

bool rw_x87_finish(RwCpu *cpu, const RwOp *op, const RwFpEnv *e)
{
    unsigned pre = e->flags & RW_FP_PRE & ~e->masked;

    rw_x87_set_cc(cpu, RW_X87_C1, e->up && !pre ? RW_X87_C1 : 0);
    rw_x87_raise(cpu, op, pre ? e->flags & RW_FP_PRE : e->flags);
    return !pre;
}

// ---- Operands from memory ----

#define FETCH(bits, expr)                                                                                  \
    static RW_OP(op_fetch_##bits)                                                                          \
    {                                                                                                      \
        uint64_t v;                                                                                        \
                                                                                                           \
        RW_CHECK_MF;                                                                                       \
        RW_LOAD(bits, v, RW_EA);                                                                           \
        cpu->xmm_src.u64[0] = (uint64_t)(expr);                                                            \
        cpu->fip = rw_op_rip(cpu, op);                                                                     \
        RW_NEXT;                                                                                           \
    }
FETCH(16, (int16_t)v)
FETCH(32, (int32_t)v)
FETCH(64, v)

static RW_OP(op_fetch_80)
{
    RW_CHECK_MF;
    if (!rw_check_aligned(cpu, op, RW_EA, 10, 8) || !rw_load_slow(cpu, op, RW_EA, 10))
        return RW_GO_ON;
    cpu->xmm_src.u64[0] = cpu->tmp.u64[0];
    cpu->xmm_src.u64[1] = cpu->tmp.u16[4];
    cpu->fip = rw_op_rip(cpu, op);
    RW_NEXT;
}

unsigned rw_x87_format(const RwEmit *e)
{
    const RwOpnd *o = e->insn.opnd;
    while (!rw_opnd_is_mem(o))
        o++;
    bool integer = o->element == RW_ELEMENT_INT;

    switch (o->size) {
    case 16:
        return RW_X87_I16;
    case 32:
        return integer ? RW_X87_I32 : RW_X87_F32;
    case 64:
        return integer ? RW_X87_I64 : RW_X87_F64;
    default:
        return o->element == RW_ELEMENT_BCD ? RW_X87_BCD : RW_X87_F80;
    }
}

static const RwOpnd *memory_operand(const RwEmit *e)
{
    for (unsigned i = 0; i < e->insn.n_opnds; i++) {
        if (rw_opnd_is_mem(&e->insn.opnd[i]))
            return &e->insn.opnd[i];
    }
    return NULL;
}

static void set_fop(const RwEmit *e, RwOp *op)
{
    op->reg = e->insn.modrm;
    op->rm = e->insn.opcode & 7;
}

RwOp *rw_emit_x87(RwEmit *e, RwOpFn fn, unsigned kind)
{
    static const RwOpFn fetch[] = {
        [RW_X87_F32] = op_fetch_32, [RW_X87_F64] = op_fetch_64, [RW_X87_F80] = op_fetch_80,
        [RW_X87_I16] = op_fetch_16, [RW_X87_I32] = op_fetch_32, [RW_X87_I64] = op_fetch_64,
        [RW_X87_BCD] = op_fetch_80,
    };
    const RwOpnd *mem = memory_operand(e);
    unsigned source = mem ? rw_x87_format(e) : RW_X87_ST;
    RwOp *op;

    rw_emit_check_x87(e);
    if (mem) {
        RwEa ea = rw_emit_ea(e, mem);
        rw_emit_mem(e, fetch[source], &ea);
        op = rw_emit_mem(e, fn, &ea);
    } else {
        op = rw_emit(e, fn);
    }
    set_fop(e, op);
    op->imm = (mem ? 0u : rw_decoded_rm(&e->insn)) | source << 4 | kind << 8;
    return op;
}

RwOp *rw_emit_x87_to_mem(RwEmit *e, RwOpFn fn, unsigned kind)
{
    rw_emit_check_x87(e);
    RwEa ea = rw_emit_ea(e, memory_operand(e));
    RwOp *op = rw_emit_mem(e, fn, &ea);
    set_fop(e, op);
    op->imm = rw_x87_format(e) << 4 | kind << 8;
    return op;
}

static RwNum from_int(int64_t v)
{
    RwFpEnv exact = {.fmt = &rw_format_f80, .masked = RW_X87_EXCEPTIONS};

    return rw_soft_from_int(&exact, v);
}

// 18 decimal digits, the lowest first, and a byte with the sign.
static RwNum from_bcd(const RwXmm *v)
{
    int64_t n = 0;

    for (int i = 8; i >= 0; i--)
        n = n * 100 + (v->u8[i] >> 4) * 10 + (v->u8[i] & 15);
    RwNum r = from_int(n);
    r.sign = v->u8[9] >> 7;
    return r;
}

RwNum rw_x87_source(RwCpu *cpu, const RwOp *op)
{
    static const RwFpEnv plain = {.fmt = &rw_format_f80};
    const RwXmm *v = &cpu->xmm_src;

    switch (RW_X87_SOURCE(op)) {
    case RW_X87_ST:
        return rw_x87_get(cpu, RW_X87_INDEX(op));
    case RW_X87_F32:
        return rw_num_f32(&plain, v->u32[0]);
    case RW_X87_F64:
        return rw_num_f64(&plain, v->u64[0]);
    case RW_X87_F80:
        return rw_num_f80(v->u64[0], v->u16[4]);
    case RW_X87_BCD:
        return from_bcd(v);
    default:
        return from_int((int64_t)v->u64[0]);
    }
}
