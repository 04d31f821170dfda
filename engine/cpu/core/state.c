// SPDX-License-Identifier: MIT
// The architectural state as one flat structure: out, in, and its hash.
#include "stops-private.h"
#include "system-private.h"
#include "watch-private.h"

// Without padding, so that equal states are equal bytes.
G_STATIC_ASSERT(sizeof(RwSegment) == 16);
G_STATIC_ASSERT(sizeof(RwFpReg) == 16);

// The fields that are the same in both, and those that get_rest() and set_rest() turn into each other.
#define SAME_FIELDS(F)                                                                                     \
    F(rip)                                                                                                 \
    F(seg)                                                                                                 \
    F(gdt_base)                                                                                            \
    F(idt_base)                                                                                            \
    F(gdt_limit)                                                                                           \
    F(idt_limit)                                                                                           \
    F(cr0)                                                                                                 \
    F(cr2)                                                                                                 \
    F(cr3)                                                                                                 \
    F(cr4)                                                                                                 \
    F(cr8)                                                                                                 \
    F(dr)                                                                                                  \
    F(efer)                                                                                                \
    F(star)                                                                                                \
    F(lstar)                                                                                               \
    F(cstar)                                                                                               \
    F(fmask)                                                                                               \
    F(kernel_gs_base)                                                                                      \
    F(tsc_aux)                                                                                             \
    F(pat)                                                                                                 \
    F(misc_enable)                                                                                         \
    F(apic_base)                                                                                           \
    F(mtrr)                                                                                                \
    F(fcw)                                                                                                 \
    F(fsw)                                                                                                 \
    F(ftw)                                                                                                 \
    F(fop)                                                                                                 \
    F(fip)                                                                                                 \
    F(fdp)                                                                                                 \
    F(mxcsr)                                                                                               \
    F(xmm)                                                                                                 \
    F(tsc_base)
#define OTHER_FIELDS(F)                                                                                    \
    F(gpr)                                                                                                 \
    F(rflags)                                                                                              \
    F(shadow)                                                                                              \
    F(irq_pending)                                                                                         \
    F(irq_vector)                                                                                          \
    F(fpr)                                                                                                 \
    F(icount)                                                                                              \
    F(tsc_runs)                                                                                            \
    F(reserved0)                                                                                           \
    F(reserved1)                                                                                           \
    F(reserved2)

#define IS_SAME_SIZE(field)                                                                                \
    G_STATIC_ASSERT(sizeof(((RwCpu *)NULL)->field) == sizeof(((RwCpuState *)NULL)->field));
#define PLUS_SIZE(field) +sizeof(((RwCpuState *)NULL)->field)
SAME_FIELDS(IS_SAME_SIZE)
G_STATIC_ASSERT(sizeof(RwCpuState) == 0 SAME_FIELDS(PLUS_SIZE) OTHER_FIELDS(PLUS_SIZE));

#define GET_FIELD(field) memcpy(&s->field, &cpu->field, sizeof s->field);
#define SET_FIELD(field) memcpy(&cpu->field, &s->field, sizeof s->field);

static void get_rest(RwCpu *cpu, RwCpuState *s)
{
    memcpy(s->gpr, cpu->r, sizeof s->gpr);
    s->rflags = rw_get_rflags(cpu);
    s->seg[RW_FS].base = cpu->r[RW_R_FSBASE];
    s->seg[RW_GS].base = cpu->r[RW_R_GSBASE];
    s->shadow = cpu->shadow;
    s->irq_pending = cpu->irq_pending;
    s->irq_vector = cpu->irq_pending ? cpu->irq_vector : 0;
    for (unsigned i = 0; i < 8; i++) {
        s->fpr[i].significand = cpu->fpr[i].significand;
        s->fpr[i].sign_exponent = cpu->fpr[i].sign_exponent;
    }
    s->icount = rw_cpu_icount(cpu);
    s->tsc_runs = cpu->tsc_runs;
}

static void set_rest(RwCpu *cpu, const RwCpuState *s)
{
    memcpy(cpu->r, s->gpr, sizeof s->gpr);
    cpu->r[RW_R_ZERO] = 0;
    rw_set_rflags(cpu, s->rflags);
    cpu->r[RW_R_FSBASE] = s->seg[RW_FS].base;
    cpu->r[RW_R_GSBASE] = s->seg[RW_GS].base;
    cpu->shadow = s->shadow != 0;
    cpu->irq_pending = s->irq_pending != 0;
    cpu->irq_vector = s->irq_vector;
    memcpy(cpu->fpr, s->fpr, sizeof cpu->fpr);
    cpu->mxcsr &= 0xffff; // others would fault on the host
    cpu->icount_end = s->icount;
    cpu->budget = 0;
    cpu->tsc_runs = s->tsc_runs != 0;
}

void rw_cpu_get_state(RwCpu *cpu, RwCpuState *s)
{
    memset(s, 0, sizeof *s);
    SAME_FIELDS(GET_FIELD)
    get_rest(cpu, s);
}

void rw_cpu_set_state(RwCpu *cpu, const RwCpuState *s)
{
    uint64_t user_icount = rw_cpu_user_icount(cpu);
    SAME_FIELDS(SET_FIELD)
    set_rest(cpu, s);
    rw_set_cpl(cpu, s->seg[RW_CS].selector & 3);
    cpu->user_icount = user_icount;
    cpu->user_base = s->icount - user_icount;
    rw_stops_forget(cpu);
    if (cpu->watch)
        rw_watch_forget_rmw(cpu->watch);
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

// Multiplying folds of 128 bits, four lanes, so that a state takes a few hundred cycles.
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
