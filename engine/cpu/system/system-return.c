// SPDX-License-Identifier: MIT
// Far RET and IRET. Intel SDM volume 2, each instruction. A frame's parts travel by value, so that the
// handlers can still end in tail calls.
#include "system-private.h"

// ---- To an outer ring: shared by RET and IRET ----

// Segment registers that the new ring may not use become null.
static void drop_inner_segments(RwCpu *cpu)
{
    static const uint8_t data[] = {RW_ES, RW_DS, RW_FS, RW_GS};
    for (unsigned i = 0; i < sizeof data; i++) {
        RwSegment *s = &cpu->seg[data[i]];
        bool conforming = (s->attr & RW_ATTR_CODE) && (s->attr & RW_ATTR_CONFORMING);
        if (!(s->attr & RW_ATTR_UNUSABLE) && !conforming && rw_attr_dpl(s->attr) < cpu->cpl) {
            s->selector = 0;
            s->attr = RW_ATTR_UNUSABLE;
            s->limit = 0;
        }
    }
}

// The code segment that a frame names: RPL is the new ring.
static bool check_return_code(RwCpu *cpu, uint16_t selector, uint64_t rip, uint64_t *ret_descriptor)
{
    uint16_t attr;
    unsigned dpl, ring = selector & 3;
    bool wrong;
    if (!(selector & ~3u))
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, ret_descriptor))
        return false;
    attr = (uint16_t)(*ret_descriptor >> 40);
    dpl = rw_attr_dpl(attr);
    wrong = attr & RW_ATTR_CONFORMING ? dpl > ring : dpl != ring;
    if (ring < cpu->cpl || ((attr & RW_ATTR_S) && (attr & RW_ATTR_CODE) && wrong))
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!rw_check_code64(cpu, selector, *ret_descriptor, 0))
        return false;
    return rw_is_canonical(rip) || rw_sys_raise(cpu, RW_GP, 0);
}

static void enter_ring(RwCpu *cpu, const RwSegment *ss, unsigned ring, uint64_t rip, uint64_t rsp)
{
    bool outer = ring > cpu->cpl;
    if (ss)
        cpu->seg[RW_SS] = *ss;
    cpu->r[RW_R_RSP] = rsp;
    cpu->rip = rip;
    rw_set_cpl(cpu, ring);
    if (outer)
        drop_inner_segments(cpu);
}

// ---- Far RET. rm: bytes of each slot; imm: bytes released after it ----

static bool __attribute__((noinline))
return_far(RwCpu *cpu, const RwOp *op, uint64_t rip, uint16_t cs, uint64_t outer_rsp, uint16_t outer_ss)
{
    uint64_t d;
    RwSegment ss;
    unsigned ring = cs & 3;
    bool outer = ring > cpu->cpl;
    if (!check_return_code(cpu, cs, rip, &d))
        return false;
    if (outer && !rw_load_ss(cpu, outer_ss, ring, &ss))
        return false;
    if (!rw_load_cs(cpu, cs, d, ring))
        return false;
    if (outer)
        enter_ring(cpu, &ss, ring, rip, outer_rsp + op->imm);
    else
        enter_ring(cpu, NULL, ring, rip, cpu->r[RW_R_RSP] + 2u * op->rm + op->imm);
    return true;
}

#define RETF(bits)                                                                                         \
    static RW_OP(op_retf##bits)                                                                            \
    {                                                                                                      \
        uint64_t sp = cpu->r[RW_R_RSP], rip, cs, rsp = 0, ss = 0;                                          \
        RW_LOAD(bits, rip, sp);                                                                            \
        RW_LOAD(bits, cs, sp + bits / 8);                                                                  \
        if ((cs & 3) > cpu->cpl) {                                                                         \
            RW_LOAD(bits, rsp, sp + 2 * bits / 8 + op->imm);                                               \
            RW_LOAD(bits, ss, sp + 3 * bits / 8 + op->imm);                                                \
        }                                                                                                  \
        if (!return_far(cpu, op, rip, (uint16_t)cs, rsp, (uint16_t)ss))                                    \
            return rw_sys_fault(cpu, op);                                                                  \
        return rw_sys_continue(cpu, cpu->rip);                                                             \
    }
RETF(16)
RETF(32)
RETF(64)

bool rw_emit_retf(RwEmit *e)
{
    unsigned bits = e->insn.operand_width;
    RwOp *op = rw_emit(e, bits == 16 ? op_retf16 : bits == 32 ? op_retf32 : op_retf64);
    op->rm = (uint8_t)(bits / 8);
    if (e->insn.opnd[0].type == RW_OPND_IMM && e->insn.n_opnds)
        op->imm = (uint16_t)e->insn.opnd[0].uimm;
    e->end = true;
    return true;
}

// ---- IRET: 64-bit mode always pops SS:RSP ----

static bool __attribute__((noinline))
return_from_interrupt(RwCpu *cpu, uint64_t rip, uint16_t cs, uint64_t flags, uint64_t rsp, uint16_t ss)
{
    uint64_t d, mask = rw_writable_rflags(cpu) | RW_FLAG_RF;
    RwSegment stack;
    unsigned ring = cs & 3;
    if (cpu->rflags & RW_FLAG_NT)
        return rw_sys_raise(cpu, RW_GP, 0);
    if (cpu->cpl == 0)
        mask |= RW_FLAG_VIF | RW_FLAG_VIP;
    if (!check_return_code(cpu, cs, rip, &d) || !rw_load_ss(cpu, ss, ring, &stack) ||
        !rw_load_cs(cpu, cs, d, ring))
        return false;
    // RF only matters with breakpoints; without any it would be gone after one instruction anyway.
    if (!(cpu->dr[7] & 0xff))
        flags &= ~(uint64_t)RW_FLAG_RF;
    rw_write_rflags(cpu, flags, mask);
    enter_ring(cpu, &stack, ring, rip, rsp);
    return true;
}

#define IRET(bits)                                                                                         \
    static RW_OP(op_iret##bits)                                                                            \
    {                                                                                                      \
        uint64_t sp = cpu->r[RW_R_RSP], rip, cs, flags, rsp, ss;                                           \
        RW_LOAD(bits, rip, sp);                                                                            \
        RW_LOAD(bits, cs, sp + bits / 8);                                                                  \
        RW_LOAD(bits, flags, sp + 2 * bits / 8);                                                           \
        RW_LOAD(bits, rsp, sp + 3 * bits / 8);                                                             \
        RW_LOAD(bits, ss, sp + 4 * bits / 8);                                                              \
        if (bits == 16)                                                                                    \
            flags = (rw_get_rflags(cpu) & ~(uint64_t)0xffff) | (flags & 0xffff);                           \
        if (!return_from_interrupt(cpu, rip, (uint16_t)cs, flags, rsp, (uint16_t)ss))                      \
            return rw_sys_fault(cpu, op);                                                                  \
        return rw_sys_continue(cpu, cpu->rip);                                                             \
    }
IRET(16)
IRET(32)
IRET(64)

bool rw_emit_iret(RwEmit *e, const RwMnemonic *m)
{
    unsigned bits = e->insn.operand_width;
    (void)m;
    rw_emit(e, bits == 16 ? op_iret16 : bits == 32 ? op_iret32 : op_iret64);
    e->end = true;
    return true;
}
