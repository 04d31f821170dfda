// SPDX-License-Identifier: MIT
// Guest-physical memory.
#include "code-private.h"

RwRange *rw_phys_range(RwMmu *mmu, uint64_t gpa)
{
    for (unsigned i = 0; i < mmu->n_ranges; i++)
        if (gpa - mmu->range[i].gpa < mmu->range[i].size)
            return &mmu->range[i];
    return NULL;
}

void rw_phys_touch(RwCpu *cpu, RwRange *range, uint64_t gpa, unsigned size)
{
    uint64_t n = (gpa - range->gpa) >> 12;
    RwCodePage *page = range->code[n];
    if (RW_UNLIKELY(page != NULL))
        rw_code_written(cpu, page, gpa, size);
    if (range->dirty)
        range->dirty[n] = 1;
}

void rw_phys_protect(RwMmu *mmu, uint64_t gpa)
{
    RwRange *range = rw_phys_range(mmu, gpa);
    uint64_t n = (gpa - range->gpa) >> 12, writer = range->writer[n];
    range->writer[n] = 0;
    if (!writer)
        return;
    for (unsigned user = 0; user < 2; user++)
        if (writer & RW_WRITER_SEVERAL)
            rw_tlb_protect(&mmu->tlb[user], range->host + (n << 12));
        else
            rw_tlb_protect_at(&mmu->tlb[user], writer & RW_PAGE_MASK);
}

uint64_t rw_phys_read64(RwMmu *mmu, uint64_t gpa)
{
    const RwRange *range = rw_phys_range(mmu, gpa);
    return range ? *(const rw_u64u *)(range->host + (gpa - range->gpa)) : UINT64_MAX;
}

void rw_phys_write64(RwCpu *cpu, uint64_t gpa, uint64_t value)
{
    RwRange *range = rw_phys_range(cpu->mmu, gpa);
    if (!range || !range->writable)
        return;
    rw_phys_touch(cpu, range, gpa, 8);
    *(rw_u64u *)(range->host + (gpa - range->gpa)) = value;
}

void rw_cpu_map(RwCpu *cpu, uint64_t gpa, uint64_t size, uint8_t *host, bool writable, uint8_t *dirty)
{
    RwMmu *mmu = cpu->mmu;
    g_return_if_fail(mmu->n_ranges < RW_MAX_RANGES && size > 0 && !((gpa | size) & 0xfff));
    mmu->range[mmu->n_ranges++] = (RwRange){
        .gpa = gpa,
        .size = size,
        .host = host,
        .dirty = dirty,
        .writable = writable,
        .code = g_new0(RwCodePage *, size >> 12),
        .table = g_new0(RwTable *, size >> 12),
        .writer = g_new0(uint64_t, size >> 12),
    };
    rw_mmu_flush_all(cpu); // what gave all ones there is stale
}

void rw_phys_clear(RwMmu *mmu)
{
    for (unsigned i = 0; i < mmu->n_ranges; i++) {
        g_free(mmu->range[i].code);
        g_free(mmu->range[i].table);
        g_free(mmu->range[i].writer);
    }
    mmu->n_ranges = 0;
}

void rw_cpu_clear_dirty(RwCpu *cpu)
{
    for (unsigned i = 0; i < 2; i++)
        rw_tlb_protect(&cpu->mmu->tlb[i], NULL);
}

void rw_cpu_memory_written(RwCpu *cpu, uint64_t gpa, uint64_t size)
{
    for (uint64_t at = gpa, end = gpa + size; at < end;) {
        unsigned n = (unsigned)MIN(end - at, 4096 - (at & 0xfff));
        RwRange *range = rw_phys_range(cpu->mmu, at);
        uint64_t page = range ? (at - range->gpa) >> 12 : 0;
        if (range && range->code[page])
            rw_code_written(cpu, range->code[page], at, n);
        if (range && range->table[page])
            rw_table_replaced(cpu, range->table[page]);
        at += n;
    }
}
