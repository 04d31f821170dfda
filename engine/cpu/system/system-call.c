// SPDX-License-Identifier: MIT
// SYSCALL, SYSRET, SWAPGS. Intel SDM volume 2.
#include "stops-private.h"
#include "system-private.h"

enum {
    CODE64_ATTR = 11 | RW_ATTR_S | RW_ATTR_P | RW_ATTR_L | RW_ATTR_G,
    DATA_ATTR = 3 | RW_ATTR_S | RW_ATTR_P | RW_ATTR_D | RW_ATTR_G,
    SYSRET_FLAGS = 0x3c7fd7, // all but RF and VM
};

// Flat segments of a ring, whatever the descriptors say.
static void set_flat_segments(RwCpu *cpu, uint16_t cs, uint16_t ss, unsigned ring)
{
    uint16_t dpl = (uint16_t)(ring << 5);
    cpu->seg[RW_CS] = (RwSegment){.limit = 0xffffffffu, .selector = cs, .attr = CODE64_ATTR | dpl};
    cpu->seg[RW_SS] = (RwSegment){.limit = 0xffffffffu, .selector = ss, .attr = DATA_ATTR | dpl};
}

RW_OP(rw_op_syscall)
{
    uint16_t selector = (uint16_t)(cpu->star >> 32) & 0xfffc;
    uint64_t flags;
    if (!(cpu->efer & RW_EFER_SCE))
        return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
    if (RW_UNLIKELY(cpu->stops_calls) && rw_stops_call(cpu, op))
        return RW_LEAVE;
    flags = rw_get_rflags(cpu) & ~(uint64_t)RW_FLAG_RF;
    cpu->r[RW_R_RCX] = rw_op_next_rip(cpu, op);
    cpu->r[11] = flags;
    set_flat_segments(cpu, selector, (uint16_t)(selector + 8), 0);
    rw_set_rflags(cpu, flags & ~cpu->fmask);
    // The trap of a single-stepped SYSCALL depends on TF as it is now.
    if (!(cpu->rflags & RW_FLAG_TF))
        cpu->event = 1;
    rw_set_cpl(cpu, 0);
    rw_update_single_step(cpu);
    return rw_sys_continue(cpu, cpu->lstar);
}

static RW_OP(op_sysret64)
{
    uint16_t selector = (uint16_t)(cpu->star >> 48);
    if (!(cpu->efer & RW_EFER_SCE))
        return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
    if (cpu->cpl || !rw_is_canonical(cpu->r[RW_R_RCX]))
        return rw_fault(cpu, op, RW_GP, 0);
    set_flat_segments(cpu, (uint16_t)(selector + 16) | 3, (uint16_t)(selector + 8) | 3, 3);
    rw_set_rflags(cpu, cpu->r[11] & SYSRET_FLAGS);
    rw_set_cpl(cpu, 3);
    rw_update_single_step(cpu);
    cpu->rip = cpu->r[RW_R_RCX];
    // TF set by SYSRET traps at once, as if the SYSCALL had just completed.
    if (RW_UNLIKELY(cpu->rflags & RW_FLAG_TF)) {
        cpu->event = 1;
        return rw_single_step_trap(cpu);
    }
    return rw_sys_continue(cpu, cpu->rip);
}

static RW_OP(op_sysret32)
{
    if (!(cpu->efer & RW_EFER_SCE))
        return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    rw_sys_unsupported(cpu, "SYSRET to 32-bit code");
    return rw_sys_fault(cpu, op);
}

bool rw_emit_sysret(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    rw_emit(e, e->insn.operand_width == 64 ? op_sysret64 : op_sysret32);
    e->end = true;
    return true;
}

RW_OP(rw_op_swapgs)
{
    uint64_t base = cpu->r[RW_R_GSBASE];
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->r[RW_R_GSBASE] = cpu->kernel_gs_base;
    cpu->kernel_gs_base = base;
    RW_NEXT;
}
