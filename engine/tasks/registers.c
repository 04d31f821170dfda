// SPDX-License-Identifier: MIT
//
// Registers of user mode: the CPU has those of the task that runs there, the kernel's stack of any other
// task begins with them (struct pt_regs), and the floating-point ones are in its task_struct.
#include "kernel-private.h"
#include "rw-caller.h"

#define ENTRY_AREA 0xfffffe0000000000ull // where the CPU's own stacks are, half a TiB
#define ENTRY_AREA_SIZE (1ull << 39)

static bool is_current(RwKernel *kernel, const RwKernelTask *task)
{
    return rw_kernel_u64(kernel, FACT(kernel, CURRENT_TASK)) == task->address;
}

static bool in_user(const RwCpuState *cpu)
{
    return (cpu->seg[RW_CS].selector & 3) == 3;
}

// While the running task enters the kernel its registers are not all on its stack yet, and while it leaves
// they are not all there any more.
static bool is_saved(const RwCpuState *cpu, uint64_t stack, uint64_t regs, uint64_t size)
{
    uint64_t sp = cpu->gpr[4];
    if (sp - stack < size)
        return sp <= regs;
    return sp >= RW_KERNEL_HALF && sp - ENTRY_AREA >= ENTRY_AREA_SIZE; // an interrupt's
}

static void from_cpu(const RwCpuState *cpu, RwKernelRegisters *ret)
{
    *ret = (RwKernelRegisters){.ip = cpu->rip, .flags = cpu->rflags, .call = UINT64_MAX};
    memcpy(ret->gpr, cpu->gpr, sizeof ret->gpr);
    ret->cs = cpu->seg[RW_CS].selector;
    ret->ss = cpu->seg[RW_SS].selector;
    ret->fs_base = cpu->seg[RW_FS].base;
    ret->gs_base = cpu->seg[RW_GS].base;
}

static bool from_stack(RwKernel *kernel, const RwKernelTask *task, bool current, RwKernelRegisters *ret)
{
    uint64_t regs[RW_N_REGS], size = FACT(kernel, STACK_SIZE);
    uint64_t stack = U64(kernel, task->address, TASK_STACK);
    uint64_t at = stack + size - FACT(kernel, STACK_PADDING) - sizeof regs;
    if ((current && !is_saved(&kernel->source.cpu, stack, at, size)) ||
        !rw_kernel_peek(kernel, at, regs, sizeof regs) || regs[RW_REGS_CS] != RW_REGS_USER_CS ||
        regs[RW_REGS_SS] != RW_REGS_USER_SS)
        return false;
    *ret = (RwKernelRegisters){
        .ip = regs[RW_REGS_IP], .flags = regs[RW_REGS_FLAGS], .call = regs[RW_REGS_CALL]};
    for (int i = 0; i < 16; i++)
        ret->gpr[i] = regs[rw_regs_places[i]];
    ret->cs = RW_REGS_USER_CS;
    ret->ss = RW_REGS_USER_SS;
    // In the kernel GS has the kernel's.
    ret->fs_base = current ? kernel->source.cpu.seg[RW_FS].base : U64(kernel, task->address, TASK_FS_BASE);
    ret->gs_base = current ? kernel->source.cpu.kernel_gs_base : U64(kernel, task->address, TASK_GS_BASE);
    return true;
}

bool rw_kernel_registers(RwKernel *kernel, const RwKernelTask *task, RwKernelRegisters *ret)
{
    bool current = is_current(kernel, task);
    *ret = (RwKernelRegisters){0};
    if (task->kernel)
        return false;
    if (!current || !in_user(&kernel->source.cpu))
        return from_stack(kernel, task, current, ret);
    from_cpu(&kernel->source.cpu, ret);
    return true;
}

// ---- Floating point ----

// The short tag word of FXSAVE: a bit for each register that is not empty.
static uint8_t short_tags(uint16_t tags)
{
    uint8_t out = 0;
    for (int i = 0; i < 8; i++)
        if ((tags >> 2 * i & 3) != 3)
            out |= (uint8_t)(1 << i);
    return out;
}

void rw_kernel_fxsave(const RwCpuState *cpu, uint8_t ret[RW_KERNEL_FXSAVE])
{
    unsigned top = cpu->fsw >> 11 & 7;
    memset(ret, 0, RW_KERNEL_FXSAVE);
    rw_store_u16(ret, cpu->fcw);
    rw_store_u16(ret + 2, cpu->fsw);
    ret[4] = short_tags(cpu->ftw);
    rw_store_u16(ret + 6, cpu->fop);
    rw_store_u64(ret + 8, cpu->fip);
    rw_store_u64(ret + 16, cpu->fdp);
    rw_store_u32(ret + 24, cpu->mxcsr);
    rw_store_u32(ret + 28, 0xffff);
    for (unsigned i = 0; i < 8; i++) {
        const RwFpReg *reg = &cpu->fpr[(top + i) & 7];
        rw_store_u64(ret + 32 + i * 16, reg->significand);
        rw_store_u16(ret + 40 + i * 16, reg->sign_exponent);
    }
    memcpy(ret + 160, cpu->xmm, sizeof cpu->xmm);
}

bool rw_kernel_fpu(RwKernel *kernel, const RwKernelTask *task, uint8_t ret[RW_KERNEL_FXSAVE])
{
    uint64_t flags = U64(kernel, task->address, TASK_THREAD_INFO_FLAGS);
    bool in_memory = flags >> (FACT(kernel, FLAG_FPU_IN_MEMORY) & 63) & 1;
    if (task->kernel)
        return false;
    if (is_current(kernel, task) && !in_memory) {
        rw_kernel_fxsave(&kernel->source.cpu, ret);
        return true;
    }
    uint64_t state = U64(kernel, task->address, TASK_FPSTATE);
    return state && U32(kernel, state, FPSTATE_SIZE) >= RW_KERNEL_FXSAVE &&
           rw_kernel_peek(kernel, state + FACT(kernel, FPSTATE_REGS), ret, RW_KERNEL_FXSAVE);
}
