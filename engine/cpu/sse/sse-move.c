// SPDX-License-Identifier: MIT
// Moves of whole and half XMM registers, MOVD, MOVQ, and stores past the cache (which are plain stores
// here: a single CPU sees its own stores in order).
#include "fp-private.h"
#include "sse-private.h"

static RW_OP(op_move_xx)
{
    RW_XREG.i = RW_XRM.i;
    RW_NEXT;
}
RW_OP_LOAD128A(op_load128a, v, RW_XREG.i = v)
RW_OP_LOAD128(op_load128, v, RW_XREG.i = v)
RW_OP_STORE128A(op_store128a, RW_XREG.i)
RW_OP_STORE128(op_store128, RW_XREG.i)

typedef struct {
    RwOpFn indexed, plain;
} StoreForms;

static bool emit_store(RwEmit *e, const StoreForms *f)
{
    rw_emit_check_sse(e);
    RwOp *op = rw_emit_mem_op(e, f->indexed, f->plain, &e->insn.opnd[0]);
    op->reg = e->insn.opnd[1].reg;
    return true;
}

bool rw_emit_sse_move128(RwEmit *e, const RwMnemonic *m)
{
    static const RwForms load[] = {
        [RW_MOVE_ALIGNED] = {.xx = op_move_xx, .xm = op_load128a, .xm_plain = op_load128a_plain},
        [RW_MOVE_UNALIGNED] = {.xx = op_move_xx, .xm = op_load128, .xm_plain = op_load128_plain},
    };
    static const StoreForms store[] = {[RW_MOVE_ALIGNED] = {op_store128a, op_store128a_plain},
                                       [RW_MOVE_UNALIGNED] = {op_store128, op_store128_plain}};

    if (!rw_opnd_is_mem(&e->insn.opnd[0]))
        return rw_emit_forms(e, &load[m->arg]);
    if (!rw_opnd_is_xmm(&e->insn.opnd[1]))
        return false;
    return emit_store(e, &store[m->arg]);
}

// ---- MOVSS, MOVSD ----

static RW_OP(op_movss_xx)
{
    RW_XREG.u32[0] = RW_XRM.u32[0];
    RW_NEXT;
}
static RW_OP(op_movsd_xx)
{
    RW_XREG.u64[0] = RW_XRM.u64[0];
    RW_NEXT;
}
RW_OP_LOAD(op_load32, 32, v, RW_XREG.i = _mm_cvtsi32_si128((int)v))
RW_OP_LOAD(op_load64, 64, v, RW_XREG.i = _mm_cvtsi64_si128((long long)v))
RW_OP_STORE(op_store32, 32, RW_XREG.u32[0])
RW_OP_STORE(op_store64, 64, RW_XREG.u64[0])

bool rw_is_string_form(const RwEmit *e)
{
    return e->insn.map == RW_MAP_ONE;
}

bool rw_emit_sse_move_scalar(RwEmit *e, const RwMnemonic *m)
{
    static const RwForms load[] = {
        [RW_MOVE_SS] = {.xx = op_movss_xx, .xm = op_load32, .xm_plain = op_load32_plain},
        [RW_MOVE_SD] = {.xx = op_movsd_xx, .xm = op_load64, .xm_plain = op_load64_plain},
    };
    static const StoreForms store[] = {
        [RW_MOVE_SS] = {op_store32, op_store32_plain}, [RW_MOVE_SD] = {op_store64, op_store64_plain}};

    if (rw_is_string_form(e))
        return false;
    if (!rw_opnd_is_mem(&e->insn.opnd[0]))
        return rw_emit_forms(e, &load[m->arg]);
    return emit_store(e, &store[m->arg]);
}

// ---- Halves ----

static RW_OP(op_movhlps)
{
    RW_XREG.u64[0] = RW_XRM.u64[1];
    RW_NEXT;
}
static RW_OP(op_movlhps)
{
    RW_XREG.u64[1] = RW_XRM.u64[0];
    RW_NEXT;
}
RW_OP_LOAD(op_load_low, 64, v, RW_XREG.u64[0] = v)
RW_OP_LOAD(op_load_high, 64, v, RW_XREG.u64[1] = v)
RW_OP_STORE(op_store_high, 64, RW_XREG.u64[1])

bool rw_emit_sse_move_half(RwEmit *e, const RwMnemonic *m)
{
    static const RwForms load[] = {
        [RW_MOVE_LOW] = {.xm = op_load_low, .xm_plain = op_load_low_plain},
        [RW_MOVE_HIGH] = {.xm = op_load_high, .xm_plain = op_load_high_plain},
        [RW_MOVE_HL] = {.xx = op_movhlps},
        [RW_MOVE_LH] = {.xx = op_movlhps},
    };
    if (!rw_opnd_is_mem(&e->insn.opnd[0]))
        return rw_emit_forms(e, &load[m->arg]);
    rw_emit_check_sse(e);
    RwOp *op = rw_emit_rm(e, NULL, m->arg == RW_MOVE_HIGH ? op_store_high : op_store64, &e->insn.opnd[0]);
    op->reg = e->insn.opnd[1].reg;
    return true;
}

// ---- MOVD, MOVQ, XMM and MMX ----

static RW_OP(op_movd_from_gpr)
{
    RW_XREG.i = _mm_cvtsi32_si128((int)cpu->r[op->rm]);
    RW_NEXT;
}
static RW_OP(op_movq_from_gpr)
{
    RW_XREG.i = _mm_cvtsi64_si128((long long)cpu->r[op->rm]);
    RW_NEXT;
}
static RW_OP(op_movd_to_gpr)
{
    cpu->r[op->rm] = RW_XREG.u32[0];
    RW_NEXT;
}
static RW_OP(op_movq_to_gpr)
{
    cpu->r[op->rm] = RW_XREG.u64[0];
    RW_NEXT;
}
static RW_OP(op_movq_xx)
{
    RW_XREG.i = _mm_move_epi64(RW_XRM.i);
    RW_NEXT;
}

static RW_OP(op_mmx_movd_from_gpr)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, (uint32_t)cpu->r[op->rm]);
    RW_NEXT;
}
static RW_OP(op_mmx_movq_from_gpr)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, cpu->r[op->rm]);
    RW_NEXT;
}
static RW_OP(op_mmx_movd_to_gpr)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    cpu->r[op->rm] = (uint32_t)rw_mmx_get(cpu, op->reg);
    RW_NEXT;
}
static RW_OP(op_mmx_movq_to_gpr)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    cpu->r[op->rm] = rw_mmx_get(cpu, op->reg);
    RW_NEXT;
}
static RW_OP(op_mmx_movq_mm)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, rw_mmx_get(cpu, op->rm));
    RW_NEXT;
}
#define MMX_LOAD_STORE(bits)                                                                               \
    static RW_OP(op_mmx_load##bits)                                                                        \
    {                                                                                                      \
        uint##bits##_t v;                                                                                  \
                                                                                                           \
        RW_CHECK_MF;                                                                                       \
        RW_LOAD(bits, v, RW_EA);                                                                           \
        rw_mmx_enter(cpu);                                                                                 \
        rw_mmx_set(cpu, op->reg, v);                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_mmx_store##bits)                                                                       \
    {                                                                                                      \
        RW_CHECK_MF;                                                                                       \
        RW_STORE(bits, RW_EA, (uint##bits##_t)rw_mmx_get(cpu, op->reg));                                   \
        rw_mmx_enter(cpu);                                                                                 \
        RW_NEXT;                                                                                           \
    }
MMX_LOAD_STORE(32)
MMX_LOAD_STORE(64)

// One direction of a move between a vector register and "the other": another one, a general register or
// memory.
typedef struct {
    RwOpFn gpr, mem, vec, mem_plain;
} MoveForms;

static bool emit_move(RwEmit *e, const RwOpnd *vec, const RwOpnd *other, const MoveForms *xmm,
                      const MoveForms *mmx)
{
    bool is_mmx = rw_opnd_is_mmx(vec);

    if (!is_mmx && !rw_opnd_is_xmm(vec))
        return false;
    const MoveForms *f = is_mmx ? mmx : xmm;
    RwOpFn reg = rw_opnd_is_gpr(other) ? f->gpr : f->vec;
    if (!rw_opnd_is_mem(other) && !reg)
        return false;
    (is_mmx ? rw_emit_check_mmx : rw_emit_check_sse)(e);
    RwOp *op = rw_opnd_is_mem(other) ? rw_emit_mem_op(e, f->mem, f->mem_plain, other)
                                     : rw_emit_rm(e, reg, NULL, other);
    op->reg = vec->reg;
    return true;
}

bool rw_emit_sse_movd(RwEmit *e, const RwMnemonic *m)
{
    static const MoveForms to[] = {{op_movd_from_gpr, op_load32, NULL, op_load32_plain},
                                   {op_mmx_movd_from_gpr, op_mmx_load32, NULL, NULL}};
    static const MoveForms from[] = {{op_movd_to_gpr, op_store32, NULL, op_store32_plain},
                                     {op_mmx_movd_to_gpr, op_mmx_store32, NULL, NULL}};
    const RwOpnd *o = e->insn.opnd;

    (void)m;
    if (rw_opnd_is_xmm(&o[0]) || rw_opnd_is_mmx(&o[0]))
        return emit_move(e, &o[0], &o[1], &to[0], &to[1]);
    return emit_move(e, &o[1], &o[0], &from[0], &from[1]);
}

// MOVQ, and MOVNTQ as its store.
bool rw_emit_sse_movq(RwEmit *e, const RwMnemonic *m)
{
    static const MoveForms to[] = {{op_movq_from_gpr, op_load64, op_movq_xx, op_load64_plain},
                                   {op_mmx_movq_from_gpr, op_mmx_load64, op_mmx_movq_mm, NULL}};
    static const MoveForms from[] = {{op_movq_to_gpr, op_store64, NULL, op_store64_plain},
                                     {op_mmx_movq_to_gpr, op_mmx_store64, NULL, NULL}};
    const RwOpnd *o = e->insn.opnd;

    (void)m;
    if (rw_opnd_is_xmm(&o[0]) || rw_opnd_is_mmx(&o[0]))
        return emit_move(e, &o[0], &o[1], &to[0], &to[1]);
    return emit_move(e, &o[1], &o[0], &from[0], &from[1]);
}

// ---- Between MMX and XMM ----

static RW_OP(op_movq2dq)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    RW_XREG.i = _mm_cvtsi64_si128((long long)rw_mmx_get(cpu, op->rm));
    RW_NEXT;
}
static RW_OP(op_movdq2q)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    rw_mmx_set(cpu, op->reg, RW_XRM.u64[0]);
    RW_NEXT;
}

bool rw_emit_sse_mov_mmx(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_check_sse(e);
    rw_emit_check_mmx(e);
    RwOp *op = rw_emit(e, m->arg == RW_MOVE_Q2DQ ? op_movq2dq : op_movdq2q);
    op->reg = e->insn.opnd[0].reg;
    op->rm = e->insn.opnd[1].reg;
    return true;
}

// ---- Stores past the cache ----

// MASKMOVDQU, MASKMOVQ: bytes of reg whose mask byte in rm has its top bit set go to [rDI]. The whole
// range is checked for writing only when a byte is written. A read-modify-write of the range would do on
// one CPU, but would need bytes around it to be readable: so byte by byte.
static inline __attribute__((always_inline)) int maskmov(RwCpu *cpu, const RwOp *op, const uint8_t *data,
                                                         const uint8_t *mask, unsigned size)
{
    uint64_t va = RW_EA;

    for (unsigned i = 0; i < size; i++) {
        if (mask[i] >> 7 && !rw_probe(cpu, op, va + i, 1, true))
            return RW_GO_ON;
    }
    for (unsigned i = 0; i < size; i++) {
        if (mask[i] >> 7)
            RW_STORE(8, va + i, data[i]);
    }
    if (size == 8)
        rw_mmx_enter(cpu);
    RW_NEXT;
}

static RW_OP(op_maskmovdqu)
{
    return maskmov(cpu, op, RW_XREG.u8, RW_XRM.u8, 16);
}

static RW_OP(op_maskmovq)
{
    RW_CHECK_MF;
    return maskmov(cpu, op, (const uint8_t *)&cpu->fpr[op->reg].significand,
                   (const uint8_t *)&cpu->fpr[op->rm].significand, 8);
}

bool rw_emit_sse_maskmov(RwEmit *e, const RwMnemonic *m)
{
    const RwOpnd *o = e->insn.opnd;
    RwOpnd to = {.type = RW_OPND_MEM, .base = RW_R_RDI, .index = RW_R_ZERO, .segment = e->insn.segment};
    bool mmx = rw_opnd_is_mmx(&o[0]);

    (void)m;
    (mmx ? rw_emit_check_mmx : rw_emit_check_sse)(e);
    RwEa ea = rw_emit_ea(e, &to);
    RwOp *op = rw_emit_mem(e, mmx ? op_maskmovq : op_maskmovdqu, &ea);
    op->reg = o[0].reg;
    op->rm = o[1].reg;
    return true;
}
