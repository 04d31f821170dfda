// SPDX-License-Identifier: MIT
// Instructions that move or ask about segment selectors. Intel SDM volume 2, each instruction.
#include "system-private.h"

// ---- Loads. op->imm: number of the segment register ----

// After the load: SS holds off interrupts and debug traps for one instruction.
static int finish_load(RwCpu *cpu, const RwOp *op, uint16_t selector)
{
    if (!rw_load_segment(cpu, (unsigned)op->imm, selector))
        return rw_sys_fault(cpu, op);
    if (op->imm == RW_SS) {
        cpu->shadow = 1;
        cpu->single_step = 1;
        cpu->event = 1;
    }
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static RW_OP(op_mov_to_segment_r)
{
    return finish_load(cpu, op, (uint16_t)cpu->r[op->rm]);
}

static RW_OP(op_mov_to_segment_m)
{
    uint16_t selector;
    RW_LOAD(16, selector, RW_EA);
    return finish_load(cpu, op, selector);
}

// ---- Stores. op->imm: number of the segment register ----

static RW_OP(op_mov_from_segment_r64)
{
    cpu->r[op->rm] = cpu->seg[op->imm].selector;
    RW_NEXT;
}

static RW_OP(op_mov_from_segment_r16)
{
    *(rw_u16u *)&cpu->r[op->rm] = cpu->seg[op->imm].selector;
    RW_NEXT;
}

static RW_OP(op_mov_from_segment_m)
{
    RW_STORE(16, RW_EA, cpu->seg[op->imm].selector);
    RW_NEXT;
}

bool rw_emit_mov_segment(RwEmit *e, unsigned n, const RwOpnd *other, bool load)
{
    RwOp *op;
    if (load && n == RW_CS)
        return false;
    if (other->type == RW_OPND_REG) {
        op = rw_emit(e, load                ? op_mov_to_segment_r
                        : other->size == 16 ? op_mov_from_segment_r16
                                            : op_mov_from_segment_r64);
        op->rm = other->reg;
    } else {
        RwEa ea = rw_emit_ea(e, other);
        op = rw_emit_mem(e, load ? op_mov_to_segment_m : op_mov_from_segment_m, &ea);
    }
    op->imm = n;
    e->end = e->end || load;
    return true;
}

// ---- PUSH and POP FS, GS ----

static RW_OP(op_push_segment64)
{
    uint64_t sp = cpu->r[RW_R_RSP] - 8;
    RW_STORE(64, sp, cpu->seg[op->imm].selector);
    cpu->r[RW_R_RSP] = sp;
    RW_NEXT;
}

static RW_OP(op_push_segment16)
{
    uint64_t sp = cpu->r[RW_R_RSP] - 2;
    RW_STORE(16, sp, cpu->seg[op->imm].selector);
    cpu->r[RW_R_RSP] = sp;
    RW_NEXT;
}

// rm: bytes popped
static RW_OP(op_pop_segment)
{
    uint16_t selector;
    if (op->rm == 8) {
        uint64_t value;
        RW_LOAD(64, value, cpu->r[RW_R_RSP]);
        selector = (uint16_t)value;
    } else {
        RW_LOAD(16, selector, cpu->r[RW_R_RSP]);
    }
    if (!rw_load_segment(cpu, (unsigned)op->imm, selector))
        return rw_sys_fault(cpu, op);
    cpu->r[RW_R_RSP] += op->rm;
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static bool is_segment(const RwOpnd *operand)
{
    return operand->type == RW_OPND_REG && operand->class == RW_CLASS_SEGMENT;
}

bool rw_emit_push_segment(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    if (!is_segment(&e->insn.opnd[0]))
        return false;
    rw_emit(e, e->insn.operand_width == 16 ? op_push_segment16 : op_push_segment64)->imm =
        e->insn.opnd[0].reg;
    return true;
}

bool rw_emit_pop_segment(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op;
    (void)m;
    if (!is_segment(&e->insn.opnd[0]))
        return false;
    op = rw_emit(e, op_pop_segment);
    op->imm = e->insn.opnd[0].reg;
    op->rm = e->insn.operand_width == 16 ? 2 : 8;
    e->end = true;
    return true;
}

// ---- LFS, LGS, LSS: an offset, then a selector. reg: offset's register; rm: its bytes ----

static RW_OP(op_load_far_pointer)
{
    uint64_t offset, va = RW_EA;
    uint16_t selector;
    if (op->rm == 2)
        RW_LOAD(16, offset, va);
    else if (op->rm == 4)
        RW_LOAD(32, offset, va);
    else
        RW_LOAD(64, offset, va);
    RW_LOAD(16, selector, va + op->rm);
    if (!rw_load_segment(cpu, (unsigned)op->imm, selector))
        return rw_sys_fault(cpu, op);
    if (op->rm == 2)
        *(rw_u16u *)&cpu->r[op->reg] = (uint16_t)offset;
    else
        cpu->r[op->reg] = offset;
    // Unlike MOV SS, LSS needs no shadow: it loads the stack pointer itself.
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

bool rw_emit_load_far_pointer(RwEmit *e, const RwMnemonic *m)
{
    RwEa ea = rw_emit_ea(e, &e->insn.opnd[1]);
    RwOp *op = rw_emit_mem(e, op_load_far_pointer, &ea);
    op->reg = e->insn.opnd[0].reg;
    op->rm = (uint8_t)(e->insn.operand_width / 8);
    op->imm = m->mnemonic == ZYDIS_MNEMONIC_LFS ? RW_FS : m->mnemonic == ZYDIS_MNEMONIC_LGS ? RW_GS : RW_SS;
    e->end = true;
    return true;
}
