// SPDX-License-Identifier: MIT
/* A CPU's life. */
#include "code-private.h"

RwCpu *rw_cpu_new(RwCpuModel model)
{
    /* More than malloc's alignment: xmm registers, and entries that share no cache line. */
    RwCpu *cpu = g_aligned_alloc0(1, sizeof *cpu, 64);
    cpu->model = model;
    cpu->mmu = rw_mmu_new();
    cpu->code = rw_code_new();
    rw_cpu_reset(cpu);
    rw_set_cpl(cpu, cpu->cpl);
    return cpu;
}

void rw_cpu_free(RwCpu *cpu)
{
    if (!cpu)
        return;
    rw_code_free(cpu->code);
    rw_mmu_free(cpu->mmu);
    g_aligned_free(cpu);
}

uint64_t rw_cpu_icount(RwCpu *cpu)
{
    return cpu->icount_end - (uint64_t)cpu->budget;
}

uint64_t rw_cpu_rip(RwCpu *cpu)
{
    return cpu->rip;
}

uint64_t rw_cpu_cr3(RwCpu *cpu)
{
    return cpu->cr3;
}

unsigned rw_cpu_cpl(RwCpu *cpu)
{
    return cpu->cpl;
}

void rw_cpu_set_irq(RwCpu *cpu, int vector)
{
    cpu->irq_pending = vector >= 0;
    cpu->irq_vector = vector >= 0 ? (uint8_t)vector : 0;
}

void rw_cpu_kick(RwCpu *cpu)
{
    __atomic_store_n(&cpu->kicked, 1, __ATOMIC_RELEASE);
}

uint64_t rw_cpu_tsc(RwCpu *cpu)
{
    return cpu->tsc_base + (cpu->tsc_runs ? rw_cpu_icount(cpu) : 0);
}

void rw_cpu_set_tsc(RwCpu *cpu, uint64_t base, bool runs)
{
    cpu->tsc_base = base;
    cpu->tsc_runs = runs;
}
