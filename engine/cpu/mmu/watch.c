// SPDX-License-Identifier: MIT
// See watch-private.h.
#include "watch-private.h"

static gpointer key_of(uint64_t gpa)
{
    return GSIZE_TO_POINTER(gpa >> 12);
}

// Both pages in one number: 36 and 28 bits.
static gpointer key_of_both(uint64_t va, uint64_t gpa)
{
    G_STATIC_ASSERT(RW_PHYSICAL_BITS - 12 == 28);
    return GSIZE_TO_POINTER(va >> 12 << 28 | gpa >> 12);
}

bool rw_watch_has_page(const RwWatcher *w, uint64_t gpa)
{
    return g_hash_table_contains(w->watched, key_of(gpa));
}

// ---- Telling ----

// Whoever is told may do floating point arithmetic, and a hash table that grows does: not in the guest's
// MXCSR.

static void tell_page(RwCpu *cpu, uint64_t va, uint64_t gpa, bool write)
{
    RwWatcher *w = cpu->watch;
    unsigned flag = write ? RW_WATCH_WRITE : RW_WATCH_READ;
    gpointer key = key_of_both(va, gpa);
    unsigned told = GPOINTER_TO_UINT(g_hash_table_lookup(w->told, key));
    if (told & flag)
        return;
    rw_fp_pause(cpu);
    g_hash_table_insert(w->told, key, GUINT_TO_POINTER(told | flag));
    w->to.page(w->to.data, va, gpa, write);
    rw_fp_resume(cpu);
}

void rw_watch_tell(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, unsigned flags)
{
    RwTlbEntry spare;
    bool write = flags & RW_WATCH_WRITE;
    RwTlbEntry *e = rw_tlb_get(cpu, true, va, write, &spare);
    uint64_t gpa = (e->meta & RW_PAGE_MASK) | (va & 0xfff);
    if (!(e->meta & (write ? RW_TLB_WRITE_TOLD : RW_TLB_READ_TOLD))) {
        tell_page(cpu, va, gpa, write);
        if (e != &spare)
            rw_tlb_set_told(cpu, e, write);
    }
    if (!(e->meta & RW_TLB_WATCHED) && !(e == &spare && rw_watch_has_page(cpu->watch, gpa)))
        return;
    uint64_t icount = rw_op_icount(cpu, op);
    RwWatchAccess access = {
        .va = va,
        .gpa = gpa,
        .rip = rw_op_rip(cpu, op),
        .icount = icount,
        .user_icount = icount - cpu->user_base,
        .size = (uint8_t)size,
        .flags = (uint8_t)flags,
    };
    rw_fp_pause(cpu);
    cpu->watch->to.access(cpu->watch->to.data, &access);
    rw_fp_resume(cpu);
}

void rw_watch_begin_rmw(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    RwWatcher *w = cpu->watch;
    uint64_t icount = rw_op_icount(cpu, op);
    if (w->rmw_icount != icount || w->rmw_to != va) // CMPXCHG16B reads two halves, then writes them
        w->rmw_from = va;
    w->rmw_to = va + size;
    w->rmw_icount = icount;
}

bool rw_watch_ends_rmw(const RwCpu *cpu, const RwOp *op, uint64_t va)
{
    const RwWatcher *w = cpu->watch;
    return va - w->rmw_from < w->rmw_to - w->rmw_from && w->rmw_icount == rw_op_icount(cpu, op);
}

void rw_watch_forget_rmw(RwWatcher *w)
{
    w->rmw_from = w->rmw_to = 0;
}

// ---- What is told ----

void rw_cpu_watch_page(RwCpu *cpu, uint64_t gpa)
{
    g_return_if_fail(cpu->watch != NULL);
    if (g_hash_table_add(cpu->watch->watched, key_of(gpa)))
        rw_tlb_set_watched(&cpu->mmu->tlb[1], gpa);
}

void rw_cpu_forget_user(RwCpu *cpu)
{
    g_return_if_fail(cpu->watch != NULL);
    g_hash_table_remove_all(cpu->watch->told);
    rw_tlb_hide(&cpu->mmu->tlb[1]);
}

void rw_cpu_set_watch(RwCpu *cpu, const RwVcpuWatch *watch)
{
    rw_watch_free(cpu->watch);
    cpu->watch = NULL;
    if (watch) {
        cpu->watch = g_new0(RwWatcher, 1);
        cpu->watch->to = *watch;
        cpu->watch->watched = g_hash_table_new(NULL, NULL);
        cpu->watch->told = g_hash_table_new(NULL, NULL);
    }
    rw_tlb_flush(&cpu->mmu->tlb[1], true); // what was made for whoever watched before
}

void rw_watch_free(RwWatcher *w)
{
    if (!w)
        return;
    g_hash_table_unref(w->watched);
    g_hash_table_unref(w->told);
    g_free(w);
}
