// SPDX-License-Identifier: MIT
// Ports. Reads give all ones: nothing answers. A write leaves the run loop once it retired.
#include "system-private.h"

// SDM volume 1, 19.5: IOPL, else the bitmap of the TSS, whose offset is at 102.
static bool __attribute__((noinline)) is_io_allowed(RwCpu *cpu, unsigned port, unsigned size)
{
    const RwSegment *tr = &cpu->seg[RW_TR];
    uint16_t offset, bits;
    if (cpu->cpl <= rw_iopl(cpu))
        return true;
    if ((tr->attr & RW_ATTR_UNUSABLE) || tr->limit < 103)
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_sys_read(cpu, tr->base + 102, &offset, 2))
        return false;
    if (offset + port / 8 + 1 > tr->limit)
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_sys_read(cpu, tr->base + offset + port / 8, &bits, 2))
        return false;
    if (bits >> (port & 7) & ((1u << size) - 1))
        return rw_sys_raise(cpu, RW_GP, 0);
    return true;
}

static inline unsigned get_port(const RwCpu *cpu, const RwOp *op)
{
    return op->reg == RW_R_ZERO ? op->rm : (uint16_t)cpu->r[RW_R_RDX];
}

// Port in rm when reg is RW_R_ZERO, else DX. imm: bytes.
static void set_port(RwOp *op, const RwOpnd *port)
{
    bool immediate = port->type == RW_OPND_IMM;
    op->reg = immediate ? RW_R_ZERO : RW_R_RDX;
    op->rm = immediate ? (uint8_t)port->uimm : 0;
}

static RW_OP(op_in)
{
    if (!is_io_allowed(cpu, get_port(cpu, op), (unsigned)op->imm))
        return rw_sys_fault(cpu, op);
    if (op->imm == 4)
        cpu->r[RW_R_RAX] = 0xffffffffu;
    else
        cpu->r[RW_R_RAX] |= op->imm == 2 ? 0xffff : 0xff;
    RW_NEXT;
}

bool rw_emit_in(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = rw_emit(e, op_in);
    (void)m;
    op->imm = e->insn.opnd[0].size / 8;
    set_port(op, &e->insn.opnd[1]);
    return true;
}

static int leave_with(RwCpu *cpu, unsigned port, unsigned size, uint64_t value)
{
    cpu->exit.kind = RW_EXIT_OUT;
    cpu->exit.port = (uint16_t)port;
    cpu->exit.size = (uint8_t)size;
    cpu->exit.value = size == 4 ? (uint32_t)value : (uint32_t)value & ((1u << 8 * size) - 1);
    return RW_LEAVE;
}

static RW_OP(op_out)
{
    unsigned port = get_port(cpu, op);
    if (!is_io_allowed(cpu, port, (unsigned)op->imm))
        return rw_sys_fault(cpu, op);
    cpu->rip = rw_op_next_rip(cpu, op);
    return leave_with(cpu, port, (unsigned)op->imm, cpu->r[RW_R_RAX]);
}

bool rw_emit_out(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = rw_emit(e, op_out);
    (void)m;
    op->imm = e->insn.opnd[1].size / 8;
    set_port(op, &e->insn.opnd[0]);
    e->end = true;
    return true;
}

// ---- INS and OUTS. imm: bytes; rm: STRING_ bits; base: slot of the segment's base for OUTS ----

enum { STRING_REP = 1, STRING_ADDR32 = 2 };

static inline uint64_t address_mask(const RwOp *op)
{
    return op->rm & STRING_ADDR32 ? 0xffffffffu : ~(uint64_t)0;
}

static inline void advance(RwCpu *cpu, const RwOp *op, unsigned slot)
{
    uint64_t step = cpu->rflags & RW_FLAG_DF ? -op->imm : op->imm;
    cpu->r[slot] = (cpu->r[slot] + step) & address_mask(op);
}

// Takes one iteration off RCX; whether there are more.
static inline bool count_down(RwCpu *cpu, const RwOp *op)
{
    if (!(op->rm & STRING_REP))
        return false;
    cpu->r[RW_R_RCX] = (cpu->r[RW_R_RCX] - 1) & address_mask(op);
    return cpu->r[RW_R_RCX] != 0;
}

static inline bool has_no_iteration(const RwCpu *cpu, const RwOp *op)
{
    return (op->rm & STRING_REP) && !(cpu->r[RW_R_RCX] & address_mask(op));
}

static RW_OP(op_ins)
{
    if (!is_io_allowed(cpu, (uint16_t)cpu->r[RW_R_RDX], (unsigned)op->imm))
        return rw_sys_fault(cpu, op);
    if (has_no_iteration(cpu, op))
        RW_NEXT;
    for (;;) {
        uint64_t va = cpu->r[RW_R_RDI] & address_mask(op);
        if (op->imm == 1)
            RW_STORE(8, va, 0xff);
        else if (op->imm == 2)
            RW_STORE(16, va, 0xffff);
        else
            RW_STORE(32, va, 0xffffffffu);
        advance(cpu, op, RW_R_RDI);
        if (!count_down(cpu, op))
            break;
        if (!rw_rep_next(cpu, op))
            return RW_GO_ON;
    }
    RW_NEXT;
}

// Each iteration retires as an instruction of its own and leaves.
static RW_OP(op_outs)
{
    unsigned port = (uint16_t)cpu->r[RW_R_RDX];
    uint64_t value, va = cpu->r[op->base] + (cpu->r[RW_R_RSI] & address_mask(op));
    if (!is_io_allowed(cpu, port, (unsigned)op->imm))
        return rw_sys_fault(cpu, op);
    if (has_no_iteration(cpu, op))
        return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
    if (op->imm == 1)
        RW_LOAD(8, value, va);
    else if (op->imm == 2)
        RW_LOAD(16, value, va);
    else
        RW_LOAD(32, value, va);
    advance(cpu, op, RW_R_RSI);
    cpu->rip = count_down(cpu, op) ? rw_op_rip(cpu, op) : rw_op_next_rip(cpu, op);
    return leave_with(cpu, port, (unsigned)op->imm, value);
}

bool rw_emit_ins_outs(RwEmit *e, const RwMnemonic *m)
{
    bool ins = m->mnemonic == ZYDIS_MNEMONIC_INSB || m->mnemonic == ZYDIS_MNEMONIC_INSW ||
               m->mnemonic == ZYDIS_MNEMONIC_INSD;
    bool bytes = m->mnemonic == ZYDIS_MNEMONIC_INSB || m->mnemonic == ZYDIS_MNEMONIC_OUTSB;
    bool words = m->mnemonic == ZYDIS_MNEMONIC_INSW || m->mnemonic == ZYDIS_MNEMONIC_OUTSW;
    RwOp *op = rw_emit(e, ins ? op_ins : op_outs);
    op->imm = bytes ? 1 : words ? 2 : 4;
    op->base = ins ? RW_R_ZERO : e->insn.segment;
    if (e->insn.rep)
        op->rm |= STRING_REP;
    if (e->insn.address_width == 32)
        op->rm |= STRING_ADDR32;
    if (!ins)
        e->end = true;
    return true;
}
