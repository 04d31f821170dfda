// SPDX-License-Identifier: MIT
// The page walk: four levels, pages of 4 KiB, 2 MiB and 1 GiB, as in the AMD64
// manual, volume 2, "Page Translation and Protection", and the Intel manual, volume 3, "Paging".
#include "mmu-private.h"

enum {
    PTE_P = 1 << 0,
    PTE_W = 1 << 1,
    PTE_U = 1 << 2,
    PTE_A = 1 << 5,
    PTE_D = 1 << 6,
    PTE_PS = 1 << 7,
    PTE_G = 1 << 8,
};
#define PTE_NX (1ull << 63)
#define PTE_ADDRESS RW_TABLE_ADDRESS
#define PTE_LARGE_PAT 0x1000ull

enum {
    ERROR_P = 1 << 0,
    ERROR_W = 1 << 1,
    ERROR_U = 1 << 2,
    ERROR_RSVD = 1 << 3,
    ERROR_ID = 1 << 4,
};

#define CR0_WP (1ull << 16)
#define CR4_PGE (1ull << 7)
#define CR4_SMEP (1ull << 20)
#define EFER_NXE (1ull << 11)

static bool is_large(unsigned level, uint64_t entry)
{
    return (level == 2 || level == 3) && entry & PTE_PS;
}

static uint64_t page_size(unsigned level)
{
    return 1ull << (12 + 9 * (level - 1));
}

// Bits that must be 0 in an entry of this level (4 to 1).
static uint64_t reserved_bits(const RwCpu *cpu, unsigned level, uint64_t entry)
{
    uint64_t bits = PTE_ADDRESS & ~((1ull << RW_PHYSICAL_BITS) - 1);
    if (!(cpu->efer & EFER_NXE))
        bits |= PTE_NX;
    if (level == 4)
        bits |= PTE_PS;
    else if (is_large(level, entry))
        bits |= (page_size(level) - 1) & PTE_ADDRESS & ~PTE_LARGE_PAT;
    return bits;
}

bool rw_walk(RwCpu *cpu, uint64_t va, RwWalk *w, uint32_t *ret_error)
{
    uint64_t table = cpu->cr3 & PTE_ADDRESS, all = ~0ull, any = 0;
    w->n = 0;
    for (unsigned level = 4;; level--) {
        uint64_t slot = table + (va >> (12 + 9 * (level - 1)) & 511) * 8;
        uint64_t entry = rw_phys_read64(cpu->mmu, slot);
        if (!(entry & PTE_P)) {
            *ret_error = 0;
            return false;
        }
        if (entry & reserved_bits(cpu, level, entry)) {
            *ret_error = ERROR_P | ERROR_RSVD;
            return false;
        }
        w->slot[w->n] = slot;
        w->entry[w->n++] = entry;
        all &= entry;
        any |= entry;
        if (level > 1 && !is_large(level, entry)) {
            table = entry & PTE_ADDRESS;
            continue;
        }
        uint64_t within = page_size(level) - 1;
        w->gpa = (entry & PTE_ADDRESS & ~within) | (va & within & PTE_ADDRESS);
        w->user = all & PTE_U;
        w->write = all & PTE_W;
        w->execute = !(any & PTE_NX);
        w->global = entry & PTE_G && cpu->cr4 & CR4_PGE;
        w->dirty = entry & PTE_D;
        return true;
    }
}

static bool is_allowed(const RwCpu *cpu, const RwWalk *w, unsigned access)
{
    bool user = access & RW_ACCESS_USER;
    if (user && !w->user)
        return false;
    if (access & RW_ACCESS_WRITE && !w->write && (user || cpu->cr0 & CR0_WP))
        return false;
    if (access & RW_ACCESS_FETCH)
        return w->execute && (user || !w->user || !(cpu->cr4 & CR4_SMEP));
    return true;
}

static void set_accessed(RwCpu *cpu, RwWalk *w, bool write)
{
    for (unsigned i = 0; i < w->n; i++) {
        uint64_t entry = w->entry[i] | PTE_A;
        if (write && i == w->n - 1)
            entry |= PTE_D;
        if (entry != w->entry[i])
            rw_phys_write64(cpu, w->slot[i], entry);
        w->entry[i] = entry;
    }
    w->dirty |= write;
}

static bool page_fault(RwCpu *cpu, uint64_t va, unsigned access, uint32_t error)
{
    if (access & RW_ACCESS_WRITE)
        error |= ERROR_W;
    if (access & RW_ACCESS_USER)
        error |= ERROR_U;
    if (access & RW_ACCESS_FETCH && (cpu->efer & EFER_NXE || cpu->cr4 & CR4_SMEP))
        error |= ERROR_ID;
    cpu->fault_vector = RW_PF;
    cpu->fault_error = error;
    cpu->fault_cr2 = va;
    return false;
}

bool rw_translate(RwCpu *cpu, uint64_t va, unsigned access, RwWalk *w)
{
    if (RW_UNLIKELY(!rw_is_canonical(va))) {
        cpu->fault_vector = RW_GP;
        cpu->fault_error = 0;
        return false;
    }
    uint32_t error;
    if (!rw_walk(cpu, va, w, &error))
        return page_fault(cpu, va, access, error);
    if (!is_allowed(cpu, w, access))
        return page_fault(cpu, va, access, ERROR_P);
    set_accessed(cpu, w, access & RW_ACCESS_WRITE);
    w->may_write = w->dirty && is_allowed(cpu, w, access | RW_ACCESS_WRITE);
    return true;
}

bool rw_cpu_translate(RwCpu *cpu, uint64_t va, uint64_t *ret_gpa)
{
    RwWalk w;
    uint32_t error;
    if (!rw_is_canonical(va) || !rw_walk(cpu, va, &w, &error))
        return false;
    *ret_gpa = w.gpa | (va & 0xfff);
    return true;
}
