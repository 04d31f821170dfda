// SPDX-License-Identifier: MIT
// A CPU's life.
#include "code-private.h"
#include "stops-private.h"
#include "watch-private.h"

RwCpu *rw_cpu_new(RwCpuModel model)
{
    RwMmu *mmu = rw_mmu_new();
    RwCodeCache *code = rw_code_new();
    if (!mmu || !code) {
        rw_code_free(code);
        rw_mmu_free(mmu);
        return NULL;
    }
    // More than malloc's alignment: xmm registers, and entries that share no cache line.
    RwCpu *cpu = g_aligned_alloc0(1, sizeof *cpu, 64);
    cpu->model = model;
    cpu->mmu = mmu;
    cpu->code = code;
    cpu->blk = cpu->code->scratch->ops;
    cpu->stops = rw_stops_new();
    rw_cpu_reset(cpu);
    rw_set_cpl(cpu, cpu->cpl);
    return cpu;
}

void rw_cpu_free(RwCpu *cpu)
{
    if (!cpu)
        return;
    rw_watch_free(cpu->watch);
    rw_stops_free(cpu->stops);
    rw_code_free(cpu->code);
    rw_mmu_free(cpu->mmu);
    g_aligned_free(cpu);
}

uint64_t rw_cpu_icount(RwCpu *cpu)
{
    return cpu->icount_end - (uint64_t)cpu->budget;
}

uint64_t rw_cpu_user_icount(RwCpu *cpu)
{
    return cpu->cpl == 3 ? rw_cpu_icount(cpu) - cpu->user_base : cpu->user_icount;
}

uint64_t rw_cpu_rip(RwCpu *cpu)
{
    return cpu->rip;
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
