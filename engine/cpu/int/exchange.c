// SPDX-License-Identifier: MIT
// XCHG, XADD, CMPXCHG, CMPXCHG8B, CMPXCHG16B. With one CPU a LOCK prefix adds nothing to the plain
// read-modify-write, which here is one host-side step of the only thread that runs the guest.
#include "integer-private.h"

#define XCHG(bits)                                                                                         \
    static RW_OP(xchg##bits##_rr)                                                                          \
    {                                                                                                      \
        uint##bits##_t a = RW_GET##bits(op->reg), b = RW_GET##bits(op->rm);                                \
        RW_SET##bits(op->reg, b);                                                                          \
        RW_SET##bits(op->rm, a);                                                                           \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_RMW(xchg##bits##_m, bits, RW_EA, uint##bits##_t old = m; m = RW_GET##bits(op->reg);              \
              RW_SET##bits(op->reg, old))

// The sum is written last: XADD r,r with one register leaves the sum in it.
#define XADD(bits)                                                                                         \
    static RW_OP(xadd##bits##_rr)                                                                          \
    {                                                                                                      \
        uint##bits##_t a = RW_GET##bits(op->reg), b = RW_GET##bits(op->rm);                                \
        uint64_t sum = rw_do_add(cpu, bits, a, b);                                                         \
        RW_SET##bits(op->rm, a);                                                                           \
        RW_SET##bits(op->reg, sum);                                                                        \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_RMW(xadd##bits##_m, bits, RW_EA, uint##bits##_t old = m;                                         \
              m = (uint##bits##_t)rw_do_add(cpu, bits, m, RW_GET##bits(op->reg));                          \
              RW_SET##bits(op->reg, old))

// A memory destination is written in any case: on failure with what it held.
#define CMPXCHG(bits)                                                                                      \
    static RW_OP(cmpxchg##bits##_rr)                                                                       \
    {                                                                                                      \
        uint##bits##_t dst = RW_GET##bits(op->reg), src = RW_GET##bits(op->rm);                            \
        if (rw_do_sub(cpu, bits, RW_GET##bits(RW_ACC), dst) == 0)                                          \
            RW_SET##bits(op->reg, src);                                                                    \
        else                                                                                               \
            RW_SET##bits(RW_ACC, dst);                                                                     \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    RW_OP_RMW(cmpxchg##bits##_m, bits, RW_EA,                                                              \
              if (rw_do_sub(cpu, bits, RW_GET##bits(RW_ACC), m) == 0) m = RW_GET##bits(op->reg);           \
              else RW_SET##bits(RW_ACC, m))

#define SIZES(F) F(8) F(16) F(32) F(64)
SIZES(XCHG)
SIZES(XADD)
SIZES(CMPXCHG)

#define PAIR(o)                                                                                            \
    {                                                                                                      \
        {o##8_rr, o##8_m}, {o##16_rr, o##16_m}, {o##32_rr, o##32_m},                                       \
        {                                                                                                  \
            o##64_rr, o##64_m                                                                              \
        }                                                                                                  \
    }
enum { OP_XCHG, OP_XADD, OP_CMPXCHG };
static const RwOpFn fns[][4][2] = {PAIR(xchg), PAIR(xadd), PAIR(cmpxchg)};

static bool emit_pair(RwEmit *e, unsigned operation)
{
    const RwOpnd *dst = &e->insn.opnd[0], *src = &e->insn.opnd[1];
    const RwOpFn *row = fns[operation][rw_size_index(dst->size)];
    RwOp *op;

    if (dst->type == RW_OPND_MEM) {
        op = rw_emit_mem2(e, row[1], row[1], dst);
        op->reg = src->reg;
    } else if (src->type == RW_OPND_MEM) { // XCHG r,m is decoded in either order
        op = rw_emit_mem2(e, row[1], row[1], src);
        op->reg = dst->reg;
    } else {
        op = rw_emit(e, row[0]);
        op->reg = dst->reg;
        op->rm = src->reg;
    }
    return true;
}

bool rw_emit_xchg(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    return emit_pair(e, OP_XCHG);
}
bool rw_emit_xadd(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    return emit_pair(e, OP_XADD);
}
bool rw_emit_cmpxchg(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    return emit_pair(e, OP_CMPXCHG);
}

// ---- CMPXCHG8B, CMPXCHG16B: only ZF changes ----

static inline void set_zf(RwCpu *cpu, bool zf)
{
    rw_set_arith(cpu, (rw_get_rflags(cpu) & ~(uint64_t)RW_FLAG_ZF) | (zf ? RW_FLAG_ZF : 0));
}

static RW_OP(cmpxchg8b)
{
    uint64_t va = RW_EA, m, expected = (uint64_t)RW_GET32(RW_R_RDX) << 32 | RW_GET32(RW_R_RAX);
    uint64_t replacement = (uint64_t)RW_GET32(RW_R_RCX) << 32 | RW_GET32(RW_R_RBX);

    RW_LOAD_RMW(64, m, va);
    RW_STORE(64, va, m == expected ? replacement : m);
    set_zf(cpu, m == expected);
    if (m != expected) {
        RW_SET32(RW_R_RAX, m);
        RW_SET32(RW_R_RDX, m >> 32);
    }
    RW_NEXT;
}

static RW_OP(cmpxchg16b)
{
    uint64_t va = RW_EA, lo, hi;
    bool equal;

    if (va & 15)
        return rw_fault(cpu, op, RW_GP, 0);
    RW_LOAD_RMW(64, lo, va);
    RW_LOAD_RMW(64, hi, va + 8);
    equal = lo == cpu->r[RW_R_RAX] && hi == cpu->r[RW_R_RDX];
    RW_STORE(64, va, equal ? cpu->r[RW_R_RBX] : lo);
    RW_STORE(64, va + 8, equal ? cpu->r[RW_R_RCX] : hi);
    set_zf(cpu, equal);
    if (!equal) {
        cpu->r[RW_R_RAX] = lo;
        cpu->r[RW_R_RDX] = hi;
    }
    RW_NEXT;
}

bool rw_emit_cmpxchg_wide(RwEmit *e, const RwMnemonic *m)
{
    RwOpFn fn = m->arg == 16 ? cmpxchg16b : cmpxchg8b;

    if (e->insn.opnd[0].type != RW_OPND_MEM)
        return false;
    rw_emit_mem2(e, fn, fn, &e->insn.opnd[0]);
    return true;
}
