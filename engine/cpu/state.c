// SPDX-License-Identifier: MIT
/*
 * The architectural state as one flat structure: out, in, and its hash.
 */
#include "system.h"

#include <stddef.h>

/* Without padding, so that equal states are equal bytes. */
G_STATIC_ASSERT(sizeof(RwSegment) == 16);
G_STATIC_ASSERT(sizeof(RwFpReg) == 16);
G_STATIC_ASSERT(offsetof(RwCpuState, cr0) == 18 * 8 + RW_N_SEGMENTS * 16 + 2 * 8 + 8);
G_STATIC_ASSERT(sizeof(RwCpuState) == offsetof(RwCpuState, cr0) + 5 * 8 + 8 * 8 + 10 * 8 + 32 * 8 + 8 * 16 +
                                          8 + 2 * 8 + 8 + 16 * 16 + 2 * 8 + 8);

static void get_segments(const RwCpu *cpu, RwCpuState *s)
{
    memcpy(s->seg, cpu->seg, sizeof s->seg);
    s->seg[RW_FS].base = cpu->r[RW_R_FSBASE];
    s->seg[RW_GS].base = cpu->r[RW_R_GSBASE];
    s->gdt_base = cpu->gdt_base;
    s->gdt_limit = cpu->gdt_limit;
    s->idt_base = cpu->idt_base;
    s->idt_limit = cpu->idt_limit;
}

static void get_control(const RwCpu *cpu, RwCpuState *s)
{
    s->cr0 = cpu->cr0;
    s->cr2 = cpu->cr2;
    s->cr3 = cpu->cr3;
    s->cr4 = cpu->cr4;
    s->cr8 = cpu->cr8;
    memcpy(s->dr, cpu->dr, sizeof s->dr);
    s->efer = cpu->efer;
    s->star = cpu->star;
    s->lstar = cpu->lstar;
    s->cstar = cpu->cstar;
    s->fmask = cpu->fmask;
    s->kernel_gs_base = cpu->kernel_gs_base;
    s->tsc_aux = cpu->tsc_aux;
    s->pat = cpu->pat;
    s->misc_enable = cpu->misc_enable;
    s->apic_base = cpu->apic_base;
    memcpy(s->mtrr, cpu->mtrr, sizeof s->mtrr);
}

static void get_fpu(const RwCpu *cpu, RwCpuState *s)
{
    for (unsigned i = 0; i < 8; i++) {
        s->fpr[i].significand = cpu->fpr[i].significand;
        s->fpr[i].sign_exponent = cpu->fpr[i].sign_exponent;
    }
    s->fcw = cpu->fcw;
    s->fsw = cpu->fsw;
    s->ftw = cpu->ftw;
    s->fop = cpu->fop;
    s->fip = cpu->fip;
    s->fdp = cpu->fdp;
    s->mxcsr = cpu->mxcsr;
    memcpy(s->xmm, cpu->xmm, sizeof s->xmm);
}

void rw_cpu_get_state(RwCpu *cpu, RwCpuState *s)
{
    memset(s, 0, sizeof *s);
    memcpy(s->gpr, cpu->r, sizeof s->gpr);
    s->rip = cpu->rip;
    s->rflags = rw_get_rflags(cpu);
    s->shadow = cpu->shadow;
    s->irq_pending = cpu->irq_pending;
    s->irq_vector = cpu->irq_pending ? cpu->irq_vector : 0;
    s->icount = rw_cpu_icount(cpu);
    s->tsc_base = cpu->tsc_base;
    s->tsc_runs = cpu->tsc_runs;
    get_segments(cpu, s);
    get_control(cpu, s);
    get_fpu(cpu, s);
}

static void set_segments(RwCpu *cpu, const RwCpuState *s)
{
    for (unsigned i = 0; i < RW_N_SEGMENTS; i++)
        rw_put_segment(cpu, i, &s->seg[i]);
    cpu->gdt_base = s->gdt_base;
    cpu->gdt_limit = s->gdt_limit;
    cpu->idt_base = s->idt_base;
    cpu->idt_limit = s->idt_limit;
}

static void set_control(RwCpu *cpu, const RwCpuState *s)
{
    cpu->cr0 = s->cr0;
    cpu->cr2 = s->cr2;
    cpu->cr3 = s->cr3;
    cpu->cr4 = s->cr4;
    cpu->cr8 = s->cr8;
    memcpy(cpu->dr, s->dr, sizeof cpu->dr);
    cpu->efer = s->efer;
    cpu->star = s->star;
    cpu->lstar = s->lstar;
    cpu->cstar = s->cstar;
    cpu->fmask = s->fmask;
    cpu->kernel_gs_base = s->kernel_gs_base;
    cpu->tsc_aux = s->tsc_aux;
    cpu->pat = s->pat;
    cpu->misc_enable = s->misc_enable;
    cpu->apic_base = s->apic_base;
    memcpy(cpu->mtrr, s->mtrr, sizeof cpu->mtrr);
}

static void set_fpu(RwCpu *cpu, const RwCpuState *s)
{
    memcpy(cpu->fpr, s->fpr, sizeof cpu->fpr);
    cpu->fcw = s->fcw;
    cpu->fsw = s->fsw;
    cpu->ftw = s->ftw;
    cpu->fop = s->fop;
    cpu->fip = s->fip;
    cpu->fdp = s->fdp;
    cpu->mxcsr = s->mxcsr & 0xffff; /* others would fault on the host */
    memcpy(cpu->xmm, s->xmm, sizeof s->xmm);
}

void rw_cpu_set_state(RwCpu *cpu, const RwCpuState *s)
{
    memcpy(cpu->r, s->gpr, sizeof s->gpr);
    cpu->r[RW_R_ZERO] = 0;
    cpu->rip = s->rip;
    rw_set_rflags(cpu, s->rflags);
    cpu->shadow = s->shadow != 0;
    cpu->irq_pending = s->irq_pending != 0;
    cpu->irq_vector = s->irq_vector;
    cpu->icount_end = s->icount;
    cpu->budget = 0;
    cpu->tsc_base = s->tsc_base;
    cpu->tsc_runs = s->tsc_runs != 0;
    set_segments(cpu, s);
    set_control(cpu, s);
    set_fpu(cpu, s);
    rw_set_cpl(cpu, s->seg[RW_CS].selector & 3);
    rw_mmu_flush_all(cpu);
    rw_update_single_step(cpu);
}

void rw_cpu_reset(RwCpu *cpu)
{
    memset(cpu->r, 0, sizeof cpu->r);
    memset(cpu->dr, 0, sizeof cpu->dr);
    memset(cpu->xmm, 0, sizeof cpu->xmm);
    memset(cpu->fpr, 0, sizeof cpu->fpr);
    for (unsigned i = 0; i < RW_N_SEGMENTS; i++)
        cpu->seg[i] = rw_null_segment(0);
    cpu->dr[6] = RW_DR6_FIXED;
    cpu->dr[7] = RW_DR7_FIXED;
    cpu->cr0 = RW_CR0_CD | RW_CR0_NW | RW_CR0_ET;
    cpu->fcw = 0x40;
    cpu->ftw = 0x5555;
    cpu->mxcsr = 0x1f80;
    rw_set_rflags(cpu, 2);
    rw_reset_msrs(cpu);
    rw_set_cpl(cpu, 0);
    rw_mmu_flush_all(cpu);
    rw_update_single_step(cpu);
}

/* Multiplying folds of 128 bits, four lanes, so that a state takes a few hundred cycles. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 p = (unsigned __int128)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

uint64_t rw_cpu_hash(RwCpu *cpu)
{
    static const uint64_t key[4] = {0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full, 0x165667b19e3779f9ull,
                                    0xd6e8feb86659fd93ull};
    RwCpuState state;
    uint64_t words[(sizeof state + 31) / 32 * 4] = {0};
    uint64_t lane[4] = {1, 2, 3, 4};
    rw_cpu_get_state(cpu, &state);
    memcpy(words, &state, sizeof state);
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i += 4)
        for (unsigned k = 0; k < 4; k++)
            lane[k] = fold(lane[k] ^ words[i + k] ^ key[k], key[(k + 1) & 3] + i) + words[i + k];
    return fold(lane[0] ^ key[2], lane[1] ^ key[3]) ^ fold(lane[2] ^ key[0], lane[3] ^ key[1]);
}
