// SPDX-License-Identifier: MIT
// Far CALL and JMP, call gates. Intel SDM volume 2, each instruction, and
// volume 3, 5.8. Only 64-bit code segments and 64-bit call gates; there are no tasks in long mode.
//
// A far pointer's or a frame's parts travel by value, so that the handlers can still end in tail calls.
#include "system-private.h"

// Checks the target of a transfer that keeps the privilege.
static bool check_same_ring(RwCpu *cpu, uint16_t selector, uint64_t d)
{
    uint16_t attr = (uint16_t)(d >> 40);
    unsigned dpl = rw_attr_dpl(attr);
    bool denied =
        attr & RW_ATTR_CONFORMING ? dpl > cpu->cpl : (selector & 3u) > cpu->cpl || dpl != cpu->cpl;
    if ((attr & RW_ATTR_S) && (attr & RW_ATTR_CODE) && denied)
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    return rw_check_code64(cpu, selector, d, 0);
}

// ---- Call gates ----

typedef struct {
    uint64_t rip, code; // target and its segment's descriptor
    uint16_t selector;
} CallGate;

static bool read_call_gate(RwCpu *cpu, uint16_t selector, uint64_t d, CallGate *ret_gate)
{
    uint64_t high;
    uint16_t attr = (uint16_t)(d >> 40);
    unsigned dpl = rw_attr_dpl(attr);
    if ((attr & 0x1f) != RW_TYPE_CALL_GATE || dpl < cpu->cpl || dpl < (selector & 3u))
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!rw_read_descriptor_high(cpu, selector, RW_GP, 0, &high))
        return false;
    if (high >> 40 & 0x1f)
        return rw_sys_raise(cpu, RW_GP, selector & ~3u);
    if (!(attr & RW_ATTR_P))
        return rw_sys_raise(cpu, RW_NP, selector & ~3u);
    ret_gate->selector = (uint16_t)(d >> 16);
    ret_gate->rip = (d & 0xffff) | (d >> 48) << 16 | high << 32;
    if (!(ret_gate->selector & ~3u))
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_read_descriptor(cpu, ret_gate->selector, RW_GP, 0, &ret_gate->code))
        return false;
    attr = (uint16_t)(ret_gate->code >> 40);
    if ((attr & RW_ATTR_S) && (attr & RW_ATTR_CODE) && rw_attr_dpl(attr) > cpu->cpl)
        return rw_sys_raise(cpu, RW_GP, ret_gate->selector & ~3u);
    if (!rw_check_code64(cpu, ret_gate->selector, ret_gate->code, 0))
        return false;
    return rw_is_canonical(ret_gate->rip) || rw_sys_raise(cpu, RW_GP, 0);
}

static bool jump_through_gate(RwCpu *cpu, uint16_t selector, uint64_t d)
{
    CallGate gate;
    uint16_t attr;
    if (!read_call_gate(cpu, selector, d, &gate))
        return false;
    attr = (uint16_t)(gate.code >> 40);
    if (!(attr & RW_ATTR_CONFORMING) && rw_attr_dpl(attr) != cpu->cpl)
        return rw_sys_raise(cpu, RW_GP, gate.selector & ~3u);
    if (!rw_load_cs(cpu, gate.selector, gate.code, cpu->cpl))
        return false;
    cpu->rip = gate.rip;
    return true;
}

static bool call_through_gate(RwCpu *cpu, uint16_t selector, uint64_t d, uint64_t next_rip)
{
    CallGate gate;
    uint16_t attr;
    unsigned ring;
    uint64_t rsp = cpu->r[RW_R_RSP];
    if (!read_call_gate(cpu, selector, d, &gate))
        return false;
    attr = (uint16_t)(gate.code >> 40);
    ring = attr & RW_ATTR_CONFORMING ? cpu->cpl : rw_attr_dpl(attr);
    uint64_t frame[4] = {next_rip, cpu->seg[RW_CS].selector, rsp, cpu->seg[RW_SS].selector};
    unsigned size = ring < cpu->cpl ? 32 : 16;
    if (ring < cpu->cpl && !rw_read_tss_stack(cpu, ring, 0, 0, &rsp))
        return false;
    if (!rw_sys_write(cpu, rsp - size, frame, size) || !rw_load_cs(cpu, gate.selector, gate.code, ring))
        return false;
    cpu->r[RW_R_RSP] = rsp - size;
    cpu->rip = gate.rip;
    if (ring < cpu->cpl) {
        cpu->seg[RW_SS] = rw_null_segment((uint16_t)ring);
        rw_set_cpl(cpu, ring);
    }
    return true;
}

// ---- Far JMP and CALL. imm: FAR_CALL; rm: bytes of the offset ----

enum { FAR_CALL = 1 };

static bool __attribute__((noinline)) jump_far(RwCpu *cpu, uint16_t selector, uint64_t rip)
{
    uint64_t d;
    if (!(selector & ~3u))
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, &d))
        return false;
    if (!(d >> 40 & RW_ATTR_S))
        return jump_through_gate(cpu, selector, d);
    if (!check_same_ring(cpu, selector, d))
        return false;
    if (!rw_is_canonical(rip))
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_load_cs(cpu, selector, d, cpu->cpl))
        return false;
    cpu->rip = rip;
    return true;
}

// Return address of a far CALL, below RSP.
static bool push_far(RwCpu *cpu, unsigned bytes, uint64_t next_rip)
{
    uint64_t cs = cpu->seg[RW_CS].selector;
    union {
        uint16_t u16[2];
        uint32_t u32[2];
        uint64_t u64[2];
    } frame;
    if (bytes == 2) {
        frame.u16[0] = (uint16_t)next_rip;
        frame.u16[1] = (uint16_t)cs;
    } else if (bytes == 4) {
        frame.u32[0] = (uint32_t)next_rip;
        frame.u32[1] = (uint32_t)cs;
    } else {
        frame.u64[0] = next_rip;
        frame.u64[1] = cs;
    }
    return rw_sys_write(cpu, cpu->r[RW_R_RSP] - 2 * bytes, &frame, 2 * bytes);
}

// rw_sys_write() goes by supervisor rights, so the handler has probed the stack by the CPL's.
static bool __attribute__((noinline)) call_far(RwCpu *cpu, const RwOp *op, uint16_t selector, uint64_t rip)
{
    uint64_t d, next_rip = rw_op_next_rip(cpu, op);
    if (!(selector & ~3u))
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!rw_read_descriptor(cpu, selector, RW_GP, 0, &d))
        return false;
    if (!(d >> 40 & RW_ATTR_S))
        return call_through_gate(cpu, selector, d, next_rip);
    if (!check_same_ring(cpu, selector, d))
        return false;
    if (!rw_is_canonical(rip))
        return rw_sys_raise(cpu, RW_GP, 0);
    if (!push_far(cpu, op->rm, next_rip) || !rw_load_cs(cpu, selector, d, cpu->cpl))
        return false;
    cpu->r[RW_R_RSP] -= 2u * op->rm;
    cpu->rip = rip;
    return true;
}

static RW_OP(op_far)
{
    uint64_t rip, va = RW_EA;
    uint16_t selector;
    if (op->rm == 2)
        RW_LOAD(16, rip, va);
    else if (op->rm == 4)
        RW_LOAD(32, rip, va);
    else
        RW_LOAD(64, rip, va);
    RW_LOAD(16, selector, va + op->rm);
    if (op->imm == FAR_CALL) {
        unsigned size = 2u * op->rm;
        if (!rw_probe(cpu, op, cpu->r[RW_R_RSP] - size, size, true))
            return RW_GO_ON;
        if (!call_far(cpu, op, selector, rip))
            return rw_sys_fault(cpu, op);
    } else if (!jump_far(cpu, selector, rip)) {
        return rw_sys_fault(cpu, op);
    }
    return rw_sys_continue(cpu, cpu->rip);
}

bool rw_emit_far_transfer(RwEmit *e, const RwMnemonic *m)
{
    RwEa ea;
    RwOp *op;
    if (!e->insn.far)
        return false;
    if (m->mnemonic == ZYDIS_MNEMONIC_RET)
        return rw_emit_retf(e);
    if (e->insn.opnd[0].type != RW_OPND_MEM)
        return false;
    ea = rw_emit_ea(e, &e->insn.opnd[0]);
    op = rw_emit_mem(e, op_far, &ea);
    op->rm = (uint8_t)(e->insn.operand_width / 8);
    op->imm = m->mnemonic == ZYDIS_MNEMONIC_CALL ? FAR_CALL : 0;
    e->end = true;
    return true;
}
