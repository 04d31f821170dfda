// SPDX-License-Identifier: MIT
// LLDT, LTR and their stores, and the questions about selectors: VERR, VERW, LAR, LSL. Intel SDM
// volume 2, each instruction.
#include "system-private.h"

// ---- LLDT, LTR. op->imm: RW_LDTR or RW_TR ----

static bool load_system_segment(RwCpu *cpu, unsigned s, uint16_t selector)
{
    uint64_t d, high;
    unsigned type;
    RwSegment segment;
    if (!(selector & ~3u)) {
        segment = rw_null_segment(selector);
        return s == RW_LDTR ? (rw_put_segment(cpu, s, &segment), true) : rw_sys_raise(cpu, RW_GP, 0);
    }
    if (selector & 4)
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, &d) ||
        !rw_read_descriptor_high(cpu, selector, RW_GP, 0, &high))
        return false;
    type = d >> 40 & 0x1f;
    if (type != (s == RW_LDTR ? RW_TYPE_LDT : RW_TYPE_TSS) || (high >> 40 & 0x1f))
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!(d >> 40 & RW_ATTR_P))
        return rw_sys_raise(cpu, RW_NP, selector & ~3u);
    if (s == RW_TR) {
        uint8_t access = (uint8_t)(d >> 40) | 2; // busy
        if (!rw_sys_write(cpu, cpu->gdt_base + (selector & ~7u) + 5, &access, 1))
            return false;
        d |= (uint64_t)2 << 40;
    }
    segment = rw_unpack_segment(selector, d);
    segment.base |= high << 32;
    rw_put_segment(cpu, s, &segment);
    return true;
}

static int finish_selector_load(RwCpu *cpu, const RwOp *op, uint16_t selector)
{
    if (!load_system_segment(cpu, (unsigned)op->imm, selector))
        return rw_sys_fault(cpu, op);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static RW_OP(op_selector_load_r)
{
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    return finish_selector_load(cpu, op, (uint16_t)cpu->r[op->rm]);
}

static RW_OP(op_selector_load_m)
{
    uint16_t selector;
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    RW_LOAD(16, selector, RW_EA);
    return finish_selector_load(cpu, op, selector);
}

// An r/m16 operand: register number in rm, or an address.
static RwOp *emit_rm16(RwEmit *e, const RwOpnd *operand, RwOpFn reg_fn, RwOpFn mem_fn)
{
    if (operand->type == RW_OPND_REG) {
        RwOp *op = rw_emit(e, reg_fn);
        op->rm = operand->reg;
        return op;
    }
    RwEa ea = rw_emit_ea(e, operand);
    return rw_emit_mem(e, mem_fn, &ea);
}

bool rw_emit_selector_load(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = emit_rm16(e, &e->insn.opnd[0], op_selector_load_r, op_selector_load_m);
    op->imm = m->mnemonic == ZYDIS_MNEMONIC_LLDT ? RW_LDTR : RW_TR;
    e->end = true;
    return true;
}

// ---- SLDT, STR, SMSW. op->imm: RW_LDTR, RW_TR, or MSW ----

#define MSW RW_N_SEGMENTS

static inline uint64_t get_word(const RwCpu *cpu, const RwOp *op)
{
    return op->imm == MSW ? cpu->cr0 : cpu->seg[op->imm].selector;
}

static RW_OP(op_selector_store_r64)
{
    cpu->r[op->rm] = get_word(cpu, op);
    RW_NEXT;
}

static RW_OP(op_selector_store_r16)
{
    *(rw_u16u *)&cpu->r[op->rm] = (uint16_t)get_word(cpu, op);
    RW_NEXT;
}

static RW_OP(op_selector_store_m)
{
    RW_STORE(16, RW_EA, (uint16_t)get_word(cpu, op));
    RW_NEXT;
}

bool rw_emit_selector_store(RwEmit *e, const RwMnemonic *m)
{
    bool word = e->insn.opnd[0].size == 16;
    RwOp *op = emit_rm16(e, &e->insn.opnd[0], word ? op_selector_store_r16 : op_selector_store_r64,
                         op_selector_store_m);
    op->imm = m->mnemonic == ZYDIS_MNEMONIC_SLDT  ? RW_LDTR
              : m->mnemonic == ZYDIS_MNEMONIC_STR ? RW_TR
                                                  : MSW;
    return true;
}

// ---- VERR, VERW, LAR, LSL. imm: QUERY_; reg: destination; rm: selector's register ----

typedef enum { QUERY_VERR, QUERY_VERW, QUERY_LAR, QUERY_LSL } Query;

// System descriptors that LAR and LSL accept in long mode.
enum {
    LAR_TYPES = 1 << RW_TYPE_LDT | 1 << RW_TYPE_TSS | 1 << RW_TYPE_TSS_BUSY | 1 << RW_TYPE_CALL_GATE,
    LSL_TYPES = 1 << RW_TYPE_LDT | 1 << RW_TYPE_TSS | 1 << RW_TYPE_TSS_BUSY,
};

static bool is_query_true(Query query, uint16_t attr)
{
    bool code = attr & RW_ATTR_CODE;
    unsigned type = attr & RW_ATTR_TYPE;
    if (!(attr & RW_ATTR_S))
        return (query == QUERY_LAR && (LAR_TYPES >> type & 1)) ||
               (query == QUERY_LSL && (LSL_TYPES >> type & 1));
    if (query == QUERY_VERR)
        return !code || (attr & RW_ATTR_READABLE);
    return query != QUERY_VERW || (!code && (attr & RW_ATTR_WRITABLE));
}

enum { QUERY_NO, QUERY_YES, QUERY_FAULT };

// Reads outside the tables say no; a page fault on them is a fault.
static int look_up(RwCpu *cpu, Query query, uint16_t selector, uint64_t *ret_descriptor)
{
    uint16_t attr;
    bool conforming;
    unsigned dpl;
    if (!(selector & ~3u))
        return QUERY_NO;
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, ret_descriptor))
        return cpu->fault_vector == RW_PF ? QUERY_FAULT : QUERY_NO;
    attr = (uint16_t)(*ret_descriptor >> 40);
    dpl = rw_attr_dpl(attr);
    conforming = (attr & RW_ATTR_S) && (attr & RW_ATTR_CODE) && (attr & RW_ATTR_CONFORMING);
    if (!conforming && (cpu->cpl > dpl || (selector & 3u) > dpl))
        return QUERY_NO;
    return is_query_true(query, attr) ? QUERY_YES : QUERY_NO;
}

// op->scale: bits of the destination
static void put_answer(RwCpu *cpu, const RwOp *op, uint64_t d)
{
    uint32_t value = op->imm == QUERY_LSL ? rw_unpack_segment(0, d).limit : (uint32_t)(d >> 32) & 0xf0ff00;
    if (op->scale == 16)
        *(rw_u16u *)&cpu->r[op->reg] = (uint16_t)value;
    else
        cpu->r[op->reg] = value;
}

static bool __attribute__((noinline)) answer(RwCpu *cpu, const RwOp *op, uint16_t selector)
{
    uint64_t d, flags = rw_get_rflags(cpu);
    int result = look_up(cpu, (Query)op->imm, selector, &d);
    if (result == QUERY_FAULT)
        return false;
    if (result == QUERY_YES && (op->imm == QUERY_LAR || op->imm == QUERY_LSL))
        put_answer(cpu, op, d);
    rw_set_arith(cpu, result == QUERY_YES ? flags | RW_FLAG_ZF : flags & ~(uint64_t)RW_FLAG_ZF);
    return true;
}

static RW_OP(op_query_r)
{
    if (!answer(cpu, op, (uint16_t)cpu->r[op->rm]))
        return rw_sys_fault(cpu, op);
    RW_NEXT;
}

// A helper op brought the selector into tmp: scale is taken by the destination's size.
static RW_OP(op_query_tmp)
{
    if (!answer(cpu, op, cpu->tmp.u16[0]))
        return rw_sys_fault(cpu, op);
    RW_NEXT;
}

static RW_OP(op_load_selector)
{
    uint16_t selector;
    RW_LOAD(16, selector, RW_EA);
    cpu->tmp.u64[0] = selector;
    RW_NEXT;
}

bool rw_emit_selector_query(RwEmit *e, const RwMnemonic *m)
{
    bool verify = m->mnemonic == ZYDIS_MNEMONIC_VERR || m->mnemonic == ZYDIS_MNEMONIC_VERW;
    const RwOpnd *source = &e->insn.opnd[verify ? 0 : 1];
    RwOp *op;
    if (source->type == RW_OPND_REG) {
        op = rw_emit(e, op_query_r);
        op->rm = source->reg;
    } else {
        RwEa ea = rw_emit_ea(e, source);
        rw_emit_mem(e, op_load_selector, &ea);
        op = rw_emit(e, op_query_tmp);
    }
    op->imm = m->mnemonic == ZYDIS_MNEMONIC_VERR   ? QUERY_VERR
              : m->mnemonic == ZYDIS_MNEMONIC_VERW ? QUERY_VERW
              : m->mnemonic == ZYDIS_MNEMONIC_LAR  ? QUERY_LAR
                                                   : QUERY_LSL;
    if (!verify) {
        op->reg = e->insn.opnd[0].reg;
        op->scale = (uint8_t)e->insn.opnd[0].size;
    }
    return true;
}
