// SPDX-License-Identifier: MIT
// Keeps what was made of the page tables coherent with them.
//
// Translations are remembered in the TLB, in the fetches and the jump cache. On hardware they may outlive a
// change of the tables until the guest drops them, and a walk sets accessed bits that a remembered
// translation does not set. Here nothing outlives a change: a page that a walk read as a table is marked,
// has no fast write path, and a store that changes an entry of it drops what was made of that entry. So a
// machine whose translations are all forgotten at any instant is the same machine, and a snapshot needs
// none of them.
//
// The walk's own writes only add accessed and dirty bits, which makes nothing wrong that is remembered.
#include "code-private.h"

#define ENTRY_P 1u
#define ENTRY_A (1u << 5)

static unsigned slot_shift(unsigned level)
{
    return 12 + 9 * (level - 1);
}

static void set_bit(uint64_t *bits, unsigned i)
{
    bits[i / 64] |= 1ull << i % 64;
}

static bool take_bit(uint64_t *bits, unsigned i)
{
    bool was = bits[i / 64] >> i % 64 & 1;
    bits[i / 64] &= ~(1ull << i % 64);
    return was;
}

static RwTable **home_of(RwMmu *mmu, uint64_t gpa)
{
    RwRange *range = rw_phys_range(mmu, gpa);
    return range && range->writable ? &range->table[(gpa - range->gpa) >> 12] : NULL;
}

// Something that is remembered may come from t.
static bool is_live(const RwMmu *mmu, const RwTable *t)
{
    uint64_t any = 0;
    if (t->local_epoch != mmu->local_epoch && t->global_epoch != mmu->global_epoch)
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(t->used); i++)
        any |= t->used[i];
    return any;
}

// ---- Records ----

static void give_back(RwMmu *mmu, RwTable *t)
{
    RwTable **home = home_of(mmu, t->gpa);
    if (home)
        *home = NULL;
    *t = (RwTable){.next_free = mmu->free_table};
    mmu->free_table = t;
    mmu->n_tables--;
}

static RwTable *take(RwMmu *mmu)
{
    RwTable *t = mmu->free_table ? mmu->free_table : &mmu->table[mmu->n_touched_tables++];
    mmu->free_table = t->next_free;
    mmu->n_tables++;
    return t;
}

static void give_back_dead(RwMmu *mmu)
{
    for (unsigned i = 0; i < mmu->n_touched_tables; i++)
        if (mmu->table[i].level && !is_live(mmu, &mmu->table[i]))
            give_back(mmu, &mmu->table[i]);
}

// Forgets all, the code that is running too: its pages are to be fetched again.
static void drop_all(RwCpu *cpu)
{
    rw_mmu_flush_all(cpu);
    rw_code_leave_page(cpu);
}

void rw_tables_reserve(RwCpu *cpu)
{
    RwMmu *mmu = cpu->mmu;
    if (RW_LIKELY(mmu->n_tables + 4 <= RW_N_TABLES))
        return;
    give_back_dead(mmu);
    if (mmu->n_tables > RW_N_TABLES / 4 * 3) {
        drop_all(cpu);
        give_back_dead(mmu);
    }
}

// ---- Marking ----

static RwTable *mark(RwCpu *cpu, RwTable **home, uint64_t gpa)
{
    RwTable *t = take(cpu->mmu);
    *t = (RwTable){.gpa = gpa & RW_PAGE_MASK};
    *home = t;
    rw_phys_protect(cpu->mmu, gpa);
    return t;
}

// The entry at guest-physical `slot` was used to translate va.
static RwTable *use(RwCpu *cpu, uint64_t slot, unsigned level, uint64_t va)
{
    RwTable **home = home_of(cpu->mmu, slot);
    if (!home)
        return NULL; // what can't be written doesn't change
    RwTable *t = *home ? *home : mark(cpu, home, slot);
    uint64_t base = level == 4 ? 0 : va & ~((512ull << slot_shift(level)) - 1);
    if (!is_live(cpu->mmu, t))
        *t = (RwTable){.gpa = t->gpa, .level = (uint8_t)level, .base = base};
    else if (t->level != level || t->base != base)
        t->is_several = true;
    set_bit(t->used, slot / 8 & 511);
    return t;
}

void rw_tables_use(RwCpu *cpu, const RwWalk *w, uint64_t va, RwTableUse how)
{
    RwMmu *mmu = cpu->mmu;
    for (unsigned i = 0; i < w->n; i++) {
        RwTable *t = use(cpu, w->slot[i], 4 - i, va);
        if (!t)
            continue;
        if (how != RW_USE_DATA)
            set_bit(t->code[how == RW_USE_USER_CODE], w->slot[i] / 8 & 511);
        if (w->global)
            t->global_epoch = mmu->global_epoch;
        else
            t->local_epoch = mmu->local_epoch;
    }
    if (w->global)
        set_bit(mmu->global_slots, w->slot[0] / 8 & 511);
}

// ---- Stores ----

static void drop_range(RwCpu *cpu, uint64_t va, uint64_t size)
{
    for (unsigned user = 0; user < 2; user++)
        if (size == 4096)
            rw_tlb_flush_page(&cpu->mmu->tlb[user], va);
        else
            rw_tlb_flush_range(&cpu->mmu->tlb[user], va, size);
    if (cpu->r[RW_R_PAGE] - va < size)
        rw_code_leave_page(cpu);
}

// Entry i of t is about to change.
static void drop_entry(RwCpu *cpu, RwTable *t, unsigned i)
{
    if (!take_bit(t->used, i))
        return;
    if (t->is_several) {
        drop_all(cpu);
        return;
    }
    for (unsigned user = 0; user < 2; user++)
        if (take_bit(t->code[user], i))
            rw_code_drop(cpu, user);
    unsigned shift = slot_shift(t->level);
    uint64_t va = t->base + ((uint64_t)i << shift);
    drop_range(cpu, (uint64_t)((int64_t)(va << 16) >> 16), 1ull << shift);
}

void rw_table_stored(RwCpu *cpu, RwTable *t, const uint8_t *page, unsigned off, const uint8_t *bytes,
                     unsigned n)
{
    for (unsigned i = off / 8; i <= (off + n - 1) / 8 && is_live(cpu->mmu, t); i++) {
        uint64_t old, new;
        unsigned first = MAX(i * 8, off), end = MIN(i * 8 + 8, off + n);
        memcpy(&old, page + i * 8, 8);
        new = old;
        memcpy((uint8_t *)&new + (first - i * 8), bytes + (first - off), end - first);
        if (old & ENTRY_P && new != old)
            drop_entry(cpu, t, i);
    }
    if (!is_live(cpu->mmu, t))
        give_back(cpu->mmu, t);
}

void rw_table_replaced(RwCpu *cpu, RwTable *t)
{
    if (is_live(cpu->mmu, t))
        drop_all(cpu);
    give_back(cpu->mmu, t);
}

// ---- Another root ----

// The entries that global translations came by are the same in the new root, accessed bits included.
static bool has_same_globals(RwMmu *mmu, uint64_t old_root, uint64_t new_root)
{
    for (unsigned i = 0; i < 512; i++) {
        if (!(mmu->global_slots[i / 64] >> i % 64 & 1))
            continue;
        uint64_t old = rw_phys_read64(mmu, old_root + i * 8), new = rw_phys_read64(mmu, new_root + i * 8);
        if (old != new || !(new &ENTRY_A))
            return false;
    }
    return true;
}

// Global translations come by the new root from now on, not by the old one.
static void move_globals(RwCpu *cpu, uint64_t old_root, uint64_t new_root)
{
    RwMmu *mmu = cpu->mmu;
    RwTable **home = home_of(mmu, old_root);
    if (home && *home && !(*home)->is_several)
        (*home)->global_epoch = 0;
    rw_tables_reserve(cpu);
    for (unsigned i = 0; i < 512; i++) {
        if (!(mmu->global_slots[i / 64] >> i % 64 & 1))
            continue;
        RwTable *t = use(cpu, new_root + i * 8, 4, 0);
        if (!t)
            continue;
        set_bit(t->code[0], i);
        set_bit(t->code[1], i);
        t->global_epoch = mmu->global_epoch;
    }
}

void rw_mmu_set_root(RwCpu *cpu, uint64_t cr3)
{
    uint64_t old_root = cpu->cr3 & RW_TABLE_ADDRESS, new_root = cr3 & RW_TABLE_ADDRESS;
    cpu->cr3 = cr3;
    if (old_root == new_root)
        return; // nothing that is remembered can be wrong
    if (!has_same_globals(cpu->mmu, old_root, new_root)) {
        rw_mmu_flush_all(cpu);
        return;
    }
    rw_mmu_flush_nonglobal(cpu);
    move_globals(cpu, old_root, new_root);
}
