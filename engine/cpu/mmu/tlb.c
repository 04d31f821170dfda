// SPDX-License-Identifier: MIT
// The software TLB: direct-mapped tables that the handlers look into themselves, and behind each a few
// victims (a direct-mapped table alone thrashes where stack, heap and libraries collide).
#include "code-private.h"
#include "watch-private.h"

static const RwTlbEntry empty = {.rtag = RW_TLB_NONE, .wtag = RW_TLB_NONE};

static unsigned index_of(uint64_t va)
{
    return va >> 12 & (RW_TLB_SIZE - 1);
}

static void set_bit(uint64_t *bits, unsigned i, bool value)
{
    bits[i / 64] = (bits[i / 64] & ~(1ull << i % 64)) | (uint64_t)value << i % 64;
}

void rw_tlb_init(RwTlb *tlb)
{
    for (unsigned i = 0; i < RW_TLB_SIZE; i++)
        tlb->entry[i] = empty;
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        tlb->victim[i] = empty;
}

// Puts `with` into its place; what was there becomes a victim (in `at`, or the oldest's place).
static RwTlbEntry *place(RwTlb *tlb, unsigned i, RwTlbEntry with, RwTlbEntry *at)
{
    RwTlbEntry *e = &tlb->entry[i];
    if (!at && e->rtag != RW_TLB_NONE)
        at = &tlb->victim[tlb->next_victim++ % RW_N_VICTIMS];
    if (at)
        *at = *e;
    *e = with;
    set_bit(tlb->used, i, true);
    set_bit(tlb->local, i, !(with.meta & RW_TLB_GLOBAL));
    return e;
}

static bool is_for(const RwTlbEntry *e, uint64_t page)
{
    return (e->rtag & ~(uint64_t)RW_TLB_HIDDEN) == page;
}

static RwTlbEntry *find(RwTlb *tlb, uint64_t page)
{
    RwTlbEntry *e = &tlb->entry[index_of(page)];
    if (is_for(e, page))
        return e;
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        if (is_for(&tlb->victim[i], page))
            return place(tlb, index_of(page), tlb->victim[i], &tlb->victim[i]);
    return NULL;
}

void rw_tlb_allow_write(RwCpu *cpu, bool user, uint64_t va)
{
    RwTlbEntry *e = &cpu->mmu->tlb[user].entry[index_of(va)];
    if (!(e->meta & RW_TLB_WRITE) || !is_for(e, va & RW_PAGE_MASK))
        return;
    if (RW_UNLIKELY(cpu->watch != NULL) && user &&
        (e->meta & (RW_TLB_WATCHED | RW_TLB_WRITE_TOLD)) != RW_TLB_WRITE_TOLD)
        return;
    uint64_t gpa = e->meta & RW_PAGE_MASK;
    const RwRange *range = rw_phys_range(cpu->mmu, gpa);
    if (!range || !range->writable)
        return;
    uint64_t n = (gpa - range->gpa) >> 12;
    if (range->code[n] || range->table[n] || (range->dirty && !range->dirty[n]))
        return;
    e->wtag = va & RW_PAGE_MASK;
    uint64_t *writer = &range->writer[n];
    if (*writer && (*writer & RW_PAGE_MASK) != e->wtag)
        *writer |= RW_WRITER_SEVERAL;
    else
        *writer = e->wtag | RW_WRITER_ONE | (*writer & RW_WRITER_SEVERAL);
}

static RwTlbEntry make_entry(RwCpu *cpu, uint64_t page, const RwWalk *w)
{
    const RwRange *range = rw_phys_range(cpu->mmu, w->gpa);
    const uint8_t *host = range ? range->host + (w->gpa - range->gpa) : cpu->mmu->ones;
    return (RwTlbEntry){
        .rtag = page,
        .wtag = RW_TLB_NONE,
        .addend = (uint64_t)host - page,
        .meta = w->gpa | (w->global ? RW_TLB_GLOBAL : 0) | (w->may_write ? RW_TLB_WRITE : 0),
    };
}

RwTlbEntry *rw_tlb_get(RwCpu *cpu, bool user, uint64_t va, bool write, RwTlbEntry *spare)
{
    RwTlb *tlb = &cpu->mmu->tlb[user];
    uint64_t page = va & RW_PAGE_MASK;
    RwTlbEntry *e = find(tlb, page);
    if (e && (!write || e->meta & RW_TLB_WRITE))
        return e;
    RwWalk w;
    rw_tables_reserve(cpu);
    unsigned access = (write ? RW_ACCESS_WRITE : 0) | (user ? RW_ACCESS_USER : 0);
    if (!rw_translate(cpu, va, access, &w))
        return NULL;
    RwTlbEntry made = make_entry(cpu, page, &w);
    if (RW_UNLIKELY(cpu->watch != NULL) && user) {
        made.rtag |= RW_TLB_HIDDEN;
        made.meta |= rw_watch_has_page(cpu->watch, w.gpa) ? RW_TLB_WATCHED : 0;
    }
    if (RW_UNLIKELY(rw_mmu_is_watched(cpu, va))) {
        *spare = made;
        return spare;
    }
    rw_tables_use(cpu, &w, va, RW_USE_DATA);
    if (e)
        *e = empty; // its right to write is new
    e = place(tlb, index_of(page), made, NULL);
    rw_tlb_allow_write(cpu, user, page);
    return e;
}

void rw_tlb_flush(RwTlb *tlb, bool global_too)
{
    for (unsigned word = 0; word < RW_TLB_WORDS; word++) {
        uint64_t bits = global_too ? tlb->used[word] : tlb->local[word];
        for (uint64_t left = bits; left; left &= left - 1)
            tlb->entry[word * 64 + (unsigned)__builtin_ctzll(left)] = empty;
        tlb->used[word] &= ~bits;
        tlb->local[word] = 0;
    }
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        if (global_too || !(tlb->victim[i].meta & RW_TLB_GLOBAL))
            tlb->victim[i] = empty;
}

void rw_tlb_flush_page(RwTlb *tlb, uint64_t va)
{
    uint64_t page = va & RW_PAGE_MASK;
    RwTlbEntry *e = &tlb->entry[index_of(va)];
    if (is_for(e, page))
        *e = empty;
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        if (is_for(&tlb->victim[i], page))
            tlb->victim[i] = empty;
}

static void drop_in(RwTlbEntry *e, uint64_t va, uint64_t size)
{
    if (e->rtag - va < size)
        *e = empty;
}

void rw_tlb_flush_range(RwTlb *tlb, uint64_t va, uint64_t size)
{
    for (unsigned word = 0; word < RW_TLB_WORDS; word++)
        for (uint64_t left = tlb->used[word]; left; left &= left - 1)
            drop_in(&tlb->entry[word * 64 + (unsigned)__builtin_ctzll(left)], va, size);
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        drop_in(&tlb->victim[i], va, size);
}

// ---- For accesses that are told ----

static void hide(RwTlbEntry *e)
{
    if (e->rtag == RW_TLB_NONE)
        return;
    e->rtag |= RW_TLB_HIDDEN;
    e->wtag = RW_TLB_NONE;
}

static void hide_anew(RwTlbEntry *e)
{
    hide(e);
    e->meta &= ~(uint64_t)(RW_TLB_READ_TOLD | RW_TLB_WRITE_TOLD);
}

void rw_tlb_hide(RwTlb *tlb)
{
    for (unsigned word = 0; word < RW_TLB_WORDS; word++)
        for (uint64_t left = tlb->used[word]; left; left &= left - 1)
            hide_anew(&tlb->entry[word * 64 + (unsigned)__builtin_ctzll(left)]);
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        hide_anew(&tlb->victim[i]);
}

static void watch(RwTlbEntry *e, uint64_t gpa)
{
    if (e->rtag == RW_TLB_NONE || (e->meta ^ gpa) & RW_PAGE_MASK)
        return;
    hide(e);
    e->meta |= RW_TLB_WATCHED;
}

void rw_tlb_set_watched(RwTlb *tlb, uint64_t gpa)
{
    for (unsigned word = 0; word < RW_TLB_WORDS; word++)
        for (uint64_t left = tlb->used[word]; left; left &= left - 1)
            watch(&tlb->entry[word * 64 + (unsigned)__builtin_ctzll(left)], gpa);
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        watch(&tlb->victim[i], gpa);
}

void rw_tlb_set_told(RwCpu *cpu, RwTlbEntry *e, bool write)
{
    e->meta |= write ? RW_TLB_WRITE_TOLD : RW_TLB_READ_TOLD;
    if (e->meta & RW_TLB_WATCHED)
        return;
    if (write)
        rw_tlb_allow_write(cpu, true, e->rtag & RW_PAGE_MASK);
    else
        e->rtag &= ~(uint64_t)RW_TLB_HIDDEN;
}

// ---- No fast writes ----

void rw_tlb_protect_at(RwTlb *tlb, uint64_t va)
{
    RwTlbEntry *e = &tlb->entry[index_of(va)];
    if (e->wtag == va)
        e->wtag = RW_TLB_NONE;
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        if (tlb->victim[i].wtag == va)
            tlb->victim[i].wtag = RW_TLB_NONE;
}

static void protect(RwTlbEntry *e, const uint8_t *host_page)
{
    if (!host_page || (e->rtag & RW_PAGE_MASK) + e->addend == (uint64_t)host_page)
        e->wtag = RW_TLB_NONE;
}

void rw_tlb_protect(RwTlb *tlb, const uint8_t *host_page)
{
    for (unsigned word = 0; word < RW_TLB_WORDS; word++)
        for (uint64_t left = tlb->used[word]; left; left &= left - 1)
            protect(&tlb->entry[word * 64 + (unsigned)__builtin_ctzll(left)], host_page);
    for (unsigned i = 0; i < RW_N_VICTIMS; i++)
        protect(&tlb->victim[i], host_page);
}
