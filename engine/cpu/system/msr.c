// SPDX-License-Identifier: MIT
// Model-specific registers: those of the CPU that cpuid.c describes. Others fault, as on hardware.
// Intel SDM volume 4.
#include "system-private.h"

#include <stddef.h>

enum {
    MSR_TSC = 0x10,
    MSR_PLATFORM_ID = 0x17,
    MSR_APIC_BASE = 0x1b,
    MSR_BIOS_SIGN_ID = 0x8b, // microcode revision, in the upper half
    MSR_ARCH_CAPABILITIES = 0x10a,
    MSR_MISC_ENABLE = 0x1a0,
    MSR_PAT = 0x277,
};
#define MSR_EFER 0xc0000080u
#define MSR_STAR 0xc0000081u
#define MSR_LSTAR 0xc0000082u
#define MSR_CSTAR 0xc0000083u
#define MSR_FMASK 0xc0000084u
#define MSR_FS_BASE 0xc0000100u
#define MSR_GS_BASE 0xc0000101u
#define MSR_KERNEL_GS_BASE 0xc0000102u
#define MSR_TSC_AUX 0xc0000103u

#define MICROCODE_REVISION 0x1fu
// Fast strings on; branch trace and PEBS unavailable.
#define MISC_ENABLE_RESET (1u << 0 | 1u << 11 | 1u << 12)
#define PAT_RESET 0x0007040600070406ull
// RDCL_NO, SKIP_L1DFL_VMENTRY, SSB_NO, MDS_NO, PSCHANGE_MC_NO, TAA_NO, SBDR_SSDP_NO, FBSDP_NO, PSDP_NO,
// BHI_NO, PBRSB_NO, GDS_NO, RFDS_NO.
#define ARCH_CAPABILITIES                                                                                  \
    (1u << 0 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 8 | 1u << 13 | 1u << 14 | 1u << 15 |          \
     1u << 20 | 1u << 24 | 1u << 26 | 1u << 27)

typedef enum { PLAIN, CANONICAL, WORD32, PAT_TYPES } Check;

// Registers that only hold a value.
static const struct {
    uint32_t index;
    uint16_t offset; // in RwCpu
    uint8_t check;
} plain[] = {
    {MSR_APIC_BASE, offsetof(RwCpu, apic_base), PLAIN},
    {MSR_MISC_ENABLE, offsetof(RwCpu, misc_enable), PLAIN},
    {MSR_PAT, offsetof(RwCpu, pat), PAT_TYPES},
    {MSR_STAR, offsetof(RwCpu, star), PLAIN},
    {MSR_LSTAR, offsetof(RwCpu, lstar), CANONICAL},
    {MSR_CSTAR, offsetof(RwCpu, cstar), CANONICAL},
    {MSR_FMASK, offsetof(RwCpu, fmask), WORD32},
    {MSR_FS_BASE, offsetof(RwCpu, r) + 8 * RW_R_FSBASE, CANONICAL},
    {MSR_GS_BASE, offsetof(RwCpu, r) + 8 * RW_R_GSBASE, CANONICAL},
    {MSR_KERNEL_GS_BASE, offsetof(RwCpu, kernel_gs_base), CANONICAL},
    {MSR_TSC_AUX, offsetof(RwCpu, tsc_aux), WORD32},
};

// Memory types 0 UC, 1 WC, 4 WT, 5 WP, 6 WB, 7 UC-.
static bool are_pat_types(uint64_t value)
{
    for (unsigned i = 0; i < 8; i++, value >>= 8)
        if ((value & 0xff) > 7 || (value & 0xff) == 2 || (value & 0xff) == 3)
            return false;
    return true;
}

static bool is_allowed(Check check, uint64_t value)
{
    switch (check) {
    case CANONICAL:
        return rw_is_canonical(value);
    case WORD32:
        return value >> 32 == 0;
    case PAT_TYPES:
        return are_pat_types(value);
    case PLAIN:
        break;
    }
    return true;
}

static bool write_efer(RwCpu *cpu, uint64_t value)
{
    const uint64_t known = RW_EFER_SCE | RW_EFER_LME | RW_EFER_LMA | RW_EFER_NXE;
    // Paging is always on here, and LME can't change under it; writes of LMA are ignored.
    if ((value & ~known) || ((value ^ cpu->efer) & RW_EFER_LME))
        return false;
    value = (value & ~(uint64_t)RW_EFER_LMA) | (cpu->efer & RW_EFER_LMA);
    if ((value ^ cpu->efer) & RW_EFER_NXE) {
        cpu->efer = value;
        rw_mmu_flush_all(cpu);
    }
    cpu->efer = value;
    return true;
}

static uint64_t *find_plain(RwCpu *cpu, uint32_t index, Check *ret_check)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(plain); i++)
        if (plain[i].index == index) {
            *ret_check = (Check)plain[i].check;
            return (uint64_t *)(void *)((char *)cpu + plain[i].offset);
        }
    return NULL;
}

bool rw_read_msr(RwCpu *cpu, uint32_t index, uint64_t icount, uint64_t *ret_value)
{
    Check check;
    const uint64_t *value = find_plain(cpu, index, &check);
    if (value) {
        *ret_value = *value;
        return true;
    }
    switch (index) {
    case MSR_TSC:
        *ret_value = cpu->tsc_base + (cpu->tsc_runs ? icount : 0);
        return true;
    case MSR_EFER:
        *ret_value = cpu->efer;
        return true;
    case MSR_PLATFORM_ID:
        *ret_value = 0;
        return true;
    case MSR_BIOS_SIGN_ID:
        *ret_value = (uint64_t)MICROCODE_REVISION << 32;
        return true;
    case MSR_ARCH_CAPABILITIES:
        *ret_value = ARCH_CAPABILITIES;
        return true;
    default:
        return false;
    }
}

bool rw_write_msr(RwCpu *cpu, uint32_t index, uint64_t icount, uint64_t value)
{
    Check check;
    uint64_t *slot = find_plain(cpu, index, &check);
    if (slot) {
        if (!is_allowed(check, value))
            return false;
        *slot = value;
        return true;
    }
    switch (index) {
    case MSR_TSC:
        cpu->tsc_base = value - (cpu->tsc_runs ? icount : 0);
        return true;
    case MSR_EFER:
        return write_efer(cpu, value);
    case MSR_BIOS_SIGN_ID: // cleared before the revision is asked for with CPUID
        return true;
    default:
        return false;
    }
}

void rw_reset_msrs(RwCpu *cpu)
{
    cpu->efer = 0;
    cpu->pat = PAT_RESET;
    cpu->misc_enable = MISC_ENABLE_RESET;
    cpu->apic_base = 0;
}

// The value in cpu->tmp.
static bool __attribute__((noinline)) read_msr(RwCpu *cpu, uint64_t icount)
{
    return rw_read_msr(cpu, (uint32_t)cpu->r[RW_R_RCX], icount, &cpu->tmp.u64[0]);
}

RW_OP(rw_op_rdmsr)
{
    if (cpu->cpl || !read_msr(cpu, rw_op_icount(cpu, op)))
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->r[RW_R_RAX] = cpu->tmp.u32[0];
    cpu->r[RW_R_RDX] = cpu->tmp.u32[1];
    RW_NEXT;
}

RW_OP(rw_op_wrmsr)
{
    uint64_t value = (uint32_t)cpu->r[RW_R_RAX] | cpu->r[RW_R_RDX] << 32;
    if (cpu->cpl || !rw_write_msr(cpu, (uint32_t)cpu->r[RW_R_RCX], rw_op_icount(cpu, op), value))
        return rw_fault(cpu, op, RW_GP, 0);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static uint64_t get_tsc(const RwCpu *cpu, const RwOp *op)
{
    return cpu->tsc_base + (cpu->tsc_runs ? rw_op_icount(cpu, op) : 0);
}

RW_OP(rw_op_rdtsc)
{
    uint64_t tsc = get_tsc(cpu, op);
    if (cpu->cpl && (cpu->cr4 & RW_CR4_TSD))
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->r[RW_R_RAX] = (uint32_t)tsc;
    cpu->r[RW_R_RDX] = tsc >> 32;
    RW_NEXT;
}

RW_OP(rw_op_rdtscp)
{
    uint64_t tsc = get_tsc(cpu, op);
    if (cpu->cpl && (cpu->cr4 & RW_CR4_TSD))
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->r[RW_R_RAX] = (uint32_t)tsc;
    cpu->r[RW_R_RDX] = tsc >> 32;
    cpu->r[RW_R_RCX] = (uint32_t)cpu->tsc_aux;
    RW_NEXT;
}
