// SPDX-License-Identifier: MIT
// Instructions on RFLAGS as a whole, and on IF. Intel SDM volume 2: POPF, STI, CLI.
#include "system-private.h"

enum {
    FREE_BITS = RW_FLAGS_ARITH | RW_FLAG_TF | RW_FLAG_DF | RW_FLAG_NT | RW_FLAG_AC | RW_FLAG_ID,
    CLEARED_BITS = RW_FLAG_RF | RW_FLAG_VIF | RW_FLAG_VIP, // by a POPF of more than 16 bits
};

uint64_t rw_writable_rflags(const RwCpu *cpu)
{
    uint64_t mask = FREE_BITS;
    if (cpu->cpl == 0)
        mask |= RW_FLAG_IOPL;
    if (cpu->cpl <= rw_iopl(cpu))
        mask |= RW_FLAG_IF;
    return mask;
}

void rw_write_rflags(RwCpu *cpu, uint64_t value, uint64_t mask)
{
    uint32_t old = cpu->rflags;
    rw_set_rflags(cpu, (rw_get_rflags(cpu) & ~mask) | (value & mask));
    if ((old ^ cpu->rflags) & RW_FLAG_AC)
        rw_set_cpl(cpu, cpu->cpl);
    rw_update_single_step(cpu);
}

static inline uint64_t pushed_flags(const RwCpu *cpu)
{
    return rw_get_rflags(cpu) & ~(uint64_t)(RW_FLAG_RF | RW_FLAG_VM);
}

static RW_OP(op_pushf64)
{
    uint64_t sp = cpu->r[RW_R_RSP] - 8;
    RW_STORE(64, sp, pushed_flags(cpu));
    cpu->r[RW_R_RSP] = sp;
    RW_NEXT;
}

static RW_OP(op_pushf16)
{
    uint64_t sp = cpu->r[RW_R_RSP] - 2;
    RW_STORE(16, sp, (uint16_t)pushed_flags(cpu));
    cpu->r[RW_R_RSP] = sp;
    RW_NEXT;
}

static RW_OP(op_popf64)
{
    uint64_t value;
    RW_LOAD(64, value, cpu->r[RW_R_RSP]);
    cpu->r[RW_R_RSP] += 8;
    rw_write_rflags(cpu, value & ~(uint64_t)CLEARED_BITS, rw_writable_rflags(cpu) | CLEARED_BITS);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static RW_OP(op_popf16)
{
    uint16_t value;
    RW_LOAD(16, value, cpu->r[RW_R_RSP]);
    cpu->r[RW_R_RSP] += 2;
    rw_write_rflags(cpu, value, rw_writable_rflags(cpu) & 0xffff);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

bool rw_emit_flags_stack(RwEmit *e, const RwMnemonic *m)
{
    bool word = e->insn.operand_width == 16;
    if (m->mnemonic == ZYDIS_MNEMONIC_PUSHF || m->mnemonic == ZYDIS_MNEMONIC_PUSHFQ) {
        rw_emit(e, word ? op_pushf16 : op_pushf64);
    } else {
        rw_emit(e, word ? op_popf16 : op_popf64);
        e->end = true;
    }
    return true;
}

RW_OP(rw_op_cli)
{
    if (cpu->cpl > rw_iopl(cpu))
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->rflags &= ~(uint32_t)RW_FLAG_IF;
    RW_NEXT;
}

// Interrupts stay off for one more instruction. The shadow only matters if one may be taken at the next
// boundary: one is pending, or the run ends here and the caller may bring one. And breakpoints look at it.
RW_OP(rw_op_sti)
{
    if (cpu->cpl > rw_iopl(cpu))
        return rw_fault(cpu, op, RW_GP, 0);
    if (!(cpu->rflags & RW_FLAG_IF)) {
        cpu->rflags |= RW_FLAG_IF;
        if (cpu->irq_pending || cpu->budget <= 0 || cpu->stops_any || cpu->single_step) {
            cpu->shadow = 1;
            cpu->single_step = 1;
        }
    }
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

RW_OP(rw_op_lahf)
{
    ((uint8_t *)&cpu->r[RW_R_RAX])[1] = (uint8_t)rw_get_rflags(cpu) | 2;
    RW_NEXT;
}

RW_OP(rw_op_sahf)
{
    const uint64_t loaded = RW_FLAG_CF | RW_FLAG_PF | RW_FLAG_AF | RW_FLAG_ZF | RW_FLAG_SF;
    uint64_t ah = cpu->r[RW_R_RAX] >> 8 & loaded;
    rw_set_arith(cpu, (rw_get_rflags(cpu) & ~loaded) | ah);
    RW_NEXT;
}
