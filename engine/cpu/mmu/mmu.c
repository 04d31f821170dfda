// SPDX-License-Identifier: MIT
// Loads and stores that the handlers' fast path didn't do itself: TLB misses, page-crossing accesses,
// pages with code, watched pages, alignment checks, exceptions.
#include "code-private.h"
#include "watch-private.h"

typedef struct {
    bool user;
    bool write;
} RwRights;

static RwRights rights_now(const RwCpu *cpu, bool write)
{
    return (RwRights){.user = cpu->cpl == 3, .write = write};
}

// ---- A page at a time ----

// Host address of va, after all checks for an access of this kind. NULL: cpu->fault_….
static uint8_t *host_of(RwCpu *cpu, uint64_t va, RwRights rights)
{
    RwTlbEntry spare;
    const RwTlbEntry *e = rw_tlb_get(cpu, rights.user, va, rights.write, &spare);
    return e ? (uint8_t *)(va + e->addend) : NULL;
}

// The same for a write: guest-physical address.
static bool find_target(RwCpu *cpu, uint64_t va, bool user, uint64_t *ret_gpa)
{
    RwTlbEntry spare;
    const RwTlbEntry *e = rw_tlb_get(cpu, user, va, true, &spare);
    if (e)
        *ret_gpa = (e->meta & RW_PAGE_MASK) | (va & 0xfff);
    return e != NULL;
}

// Writes to one page whose right to be written was checked.
static void write_page(RwCpu *cpu, bool user, uint64_t va, uint64_t gpa, const uint8_t *src, unsigned n)
{
    RwRange *range = rw_phys_range(cpu->mmu, gpa);
    if (!range || !range->writable)
        return;
    rw_phys_touch(cpu, range, gpa, n);
    uint8_t *to = range->host + (gpa - range->gpa);
    RwTable *table = range->table[(gpa - range->gpa) >> 12];
    if (RW_UNLIKELY(table != NULL))
        rw_table_stored(cpu, table, to - (gpa & 0xfff), gpa & 0xfff, src, n);
    memcpy(to, src, n);
    rw_tlb_allow_write(cpu, user, va);
}

// Bytes of [va, va + n) in va's page.
static unsigned part(uint64_t va, unsigned n)
{
    return (unsigned)MIN(n, 4096 - (va & 0xfff));
}

static bool check(RwCpu *cpu, uint64_t va, unsigned n, RwRights rights)
{
    unsigned first = part(va, n);
    return host_of(cpu, va, rights) && (first == n || host_of(cpu, va + first, rights));
}

static bool read_bytes(RwCpu *cpu, uint64_t va, uint8_t *dst, unsigned n, RwRights rights)
{
    unsigned first = part(va, n);
    const uint8_t *p = host_of(cpu, va, rights);
    if (!p)
        return false;
    if (first < n) {
        const uint8_t *q = host_of(cpu, va + first, rights);
        if (!q)
            return false;
        memcpy(dst + first, q, n - first);
    }
    memcpy(dst, p, first);
    return true;
}

static bool write_bytes(RwCpu *cpu, uint64_t va, const uint8_t *src, unsigned n, bool user)
{
    unsigned first = part(va, n);
    uint64_t gpa, gpa2 = 0;
    if (!find_target(cpu, va, user, &gpa) || (first < n && !find_target(cpu, va + first, user, &gpa2)))
        return false;
    write_page(cpu, user, va, gpa, src, first);
    if (first < n)
        write_page(cpu, user, va + first, gpa2, src + first, n - first);
    return true;
}

// ---- Faults ----

// A non-canonical address is #SS where the stack segment is meant: RSP or RBP as base without an override,
// or an implicit push or pop.
static bool is_stack_access(const RwCpu *cpu, const RwOp *op, uint64_t va)
{
    if (va - cpu->r[RW_R_RSP] + 16 <= 32 && va != RW_EA)
        return true;
    return (op->base == RW_R_RSP || op->base == RW_R_RBP) && op->index != RW_R_FSBASE &&
           op->index != RW_R_GSBASE;
}

static bool raise_fault(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    // All of an operand is checked for being canonical before any of it is translated.
    if (cpu->fault_vector == RW_PF && !rw_is_canonical(va + size - 1)) {
        cpu->fault_vector = RW_GP;
        cpu->fault_error = 0;
    }
    if (cpu->fault_vector == RW_GP && is_stack_access(cpu, op, va))
        cpu->fault_vector = RW_SS_FAULT;
    rw_fault(cpu, op, cpu->fault_vector, cpu->fault_error);
    return false;
}

// #AC: only while cpu->tlb is the table that never hits. An address that isn't canonical comes first, a
// page fault later. 16-byte accesses have rules of their own.
static bool is_misaligned(const RwCpu *cpu, uint64_t va, unsigned size, unsigned alignment)
{
    return cpu->tlb == cpu->mmu->never && va & (alignment - 1) && rw_is_canonical(va) &&
           rw_is_canonical(va + size - 1);
}

// The same for an operand of one number.
static bool is_odd(const RwCpu *cpu, uint64_t va, unsigned size)
{
    return size <= 8 && !(size & (size - 1)) && is_misaligned(cpu, va, size, size);
}

static bool raise_misaligned(RwCpu *cpu, const RwOp *op)
{
    rw_fault(cpu, op, RW_AC, 0);
    return false;
}

// ---- Data breakpoints ----

// Length of breakpoint i in bytes, 0 if it is not an enabled data breakpoint. R/W is 1 for writes, 3 for
// both.
static unsigned watch_length(const RwCpu *cpu, unsigned i)
{
    static const uint8_t lengths[] = {1, 2, 8, 4};
    uint64_t dr7 = cpu->dr[7];
    return dr7 >> (2 * i) & 3 && dr7 >> (16 + 4 * i) & 1 ? lengths[dr7 >> (18 + 4 * i) & 3] : 0;
}

bool rw_mmu_is_watched(const RwCpu *cpu, uint64_t va)
{
    if (RW_LIKELY(!(cpu->dr[7] & 0xff)))
        return false;
    for (unsigned i = 0; i < 4; i++)
        if (watch_length(cpu, i) && !((cpu->dr[i] ^ va) & RW_PAGE_MASK))
            return true;
    return false;
}

static void note_watched(RwCpu *cpu, uint64_t va, unsigned size, bool write)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned length = watch_length(cpu, i);
        uint64_t at = cpu->dr[i] & ~(uint64_t)(length - 1);
        bool reads_too = cpu->dr[7] >> (16 + 4 * i) & 2;
        if (length && (write || reads_too) && va < at + length && at < va + size)
            cpu->watch_hits |= (uint8_t)(1u << i);
    }
}

// ---- Whoever watches user mode ----

// Before an access: it is made sure that it succeeds, and told. False: the fault was raised.
static bool __attribute__((noinline))
tell(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, unsigned flags)
{
    unsigned first = part(va, size);
    if (!check(cpu, va, size, rights_now(cpu, flags & RW_WATCH_WRITE)))
        return raise_fault(cpu, op, va, size);
    if (flags == RW_WATCH_WRITE && rw_watch_ends_rmw(cpu, op, va))
        return true;
    rw_watch_tell(cpu, op, va, first, flags);
    if (first < size)
        rw_watch_tell(cpu, op, va + first, size - first, flags);
    if (flags == (RW_WATCH_READ | RW_WATCH_WRITE))
        rw_watch_begin_rmw(cpu, op, va, size);
    return true;
}

static bool is_told(const RwCpu *cpu)
{
    return RW_UNLIKELY(cpu->watch != NULL) && (cpu->cpl == 3 || cpu->watch->to.kernel);
}

// The same of one whose translation is known: the kernel's, mostly, are not.
static bool is_hidden(const RwCpu *cpu, const RwTlbEntry *e, bool write)
{
    return RW_UNLIKELY(cpu->watch != NULL) && rw_watch_hides(cpu->watch, cpu->cpl == 3, e, write);
}

// ---- What the handlers call ----

static bool __attribute__((noinline)) load_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    if (RW_UNLIKELY(is_odd(cpu, va, size)))
        return raise_misaligned(cpu, op);
    if (is_told(cpu) && !tell(cpu, op, va, size, RW_WATCH_READ))
        return false;
    if (!read_bytes(cpu, va, cpu->tmp.u8, size, rights_now(cpu, false)))
        return raise_fault(cpu, op, va, size);
    if (RW_UNLIKELY(cpu->dr[7] & 0xff))
        note_watched(cpu, va, size, false);
    return true;
}

static bool __attribute__((noinline)) load_rmw_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    if (RW_UNLIKELY(is_odd(cpu, va, size)))
        return raise_misaligned(cpu, op);
    if (is_told(cpu) && !tell(cpu, op, va, size, RW_WATCH_READ | RW_WATCH_WRITE))
        return false;
    if (!check(cpu, va, size, rights_now(cpu, true)) ||
        !read_bytes(cpu, va, cpu->tmp.u8, size, rights_now(cpu, false)))
        return raise_fault(cpu, op, va, size);
    return true;
}

static bool __attribute__((noinline)) store_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    if (RW_UNLIKELY(is_odd(cpu, va, size)))
        return raise_misaligned(cpu, op);
    if (is_told(cpu) && !tell(cpu, op, va, size, RW_WATCH_WRITE))
        return false;
    if (!write_bytes(cpu, va, cpu->tmp.u8, size, cpu->cpl == 3))
        return raise_fault(cpu, op, va, size);
    if (RW_UNLIKELY(cpu->dr[7] & 0xff))
        note_watched(cpu, va, size, true);
    return true;
}

// The names that handlers call are marked cold for their sake; the work itself isn't.
bool rw_load_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    return load_slow(cpu, op, va, size);
}

bool rw_load_rmw_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    return load_rmw_slow(cpu, op, va, size);
}

bool rw_store_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size)
{
    return store_slow(cpu, op, va, size);
}

bool rw_probe(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, bool write)
{
    return check(cpu, va, size, rights_now(cpu, write)) || raise_fault(cpu, op, va, size);
}

bool rw_check_aligned(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, unsigned alignment)
{
    return !is_misaligned(cpu, va, size, alignment) || raise_misaligned(cpu, op);
}

int rw_fault_misaligned(RwCpu *cpu, const RwOp *op, uint64_t va)
{
    bool stack = !rw_is_canonical(va) && is_stack_access(cpu, op, va);
    return rw_fault(cpu, op, stack ? RW_SS_FAULT : RW_GP, 0);
}

bool rw_host_pair(RwCpu *cpu, uint64_t first, uint64_t second, bool write)
{
    RwTlbEntry spare;
    if (cpu->tlb == cpu->mmu->never || cpu->dr[7] & 0xff)
        return false;
    const RwTlbEntry *e = rw_tlb_get(cpu, cpu->cpl == 3, first, false, &spare);
    if (!e || is_hidden(cpu, e, false))
        return false;
    uint64_t p = first + e->addend;
    e = rw_tlb_get(cpu, cpu->cpl == 3, second, write, &spare);
    if (!e || is_hidden(cpu, e, write) || (write && e->wtag != (second & RW_PAGE_MASK)))
        return false;
    cpu->tmp.u64[0] = p;
    cpu->tmp.u64[1] = second + e->addend;
    return true;
}

bool rw_sys_read(RwCpu *cpu, uint64_t va, void *dst, unsigned n)
{
    return read_bytes(cpu, va, dst, n, (RwRights){.user = false, .write = false});
}

bool rw_sys_write(RwCpu *cpu, uint64_t va, const void *src, unsigned n)
{
    return write_bytes(cpu, va, src, n, false);
}

bool rw_mmu_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch, bool *ret_global)
{
    RwWalk w;
    bool user = cpu->cpl == 3;
    rw_tables_reserve(cpu);
    if (!rw_translate(cpu, va, RW_ACCESS_FETCH | (user ? RW_ACCESS_USER : 0), &w))
        return false;
    rw_tables_use(cpu, &w, va, user ? RW_USE_USER_CODE : RW_USE_CODE);
    RwRange *range = rw_phys_range(cpu->mmu, w.gpa);
    *ret_fetch = (RwFetch){
        .gpa = w.gpa,
        .host = range ? range->host + (w.gpa - range->gpa) : cpu->mmu->ones,
        .range = range,
    };
    *ret_global = w.global;
    return true;
}

// ---- Which translations hold ----

#define CR0_AM (1ull << 18)

// Between instructions, so that the count is exact.
static void cross(RwCpu *cpu, bool user)
{
    if (user)
        cpu->user_base = rw_cpu_icount(cpu) - cpu->user_icount;
    else
        cpu->user_icount = rw_cpu_icount(cpu) - cpu->user_base;
    cpu->user_entered = user && cpu->stops_returns;
}

void rw_set_cpl(RwCpu *cpu, unsigned cpl)
{
    bool user = cpl == 3;
    if (user != (cpu->cpl == 3))
        cross(cpu, user);
    cpu->cpl = (uint8_t)cpl;
    bool aligned = user && cpu->cr0 & CR0_AM && cpu->rflags & RW_FLAG_AC;
    cpu->tlb = aligned ? cpu->mmu->never : cpu->mmu->tlb[user].entry;
    rw_code_select_jumps(cpu);
}

void rw_mmu_flush_all(RwCpu *cpu)
{
    cpu->mmu->local_epoch++;
    cpu->mmu->global_epoch++;
    memset(cpu->mmu->global_slots, 0, sizeof cpu->mmu->global_slots);
    rw_tlb_flush(&cpu->mmu->tlb[0], true);
    rw_tlb_flush(&cpu->mmu->tlb[1], true);
    rw_code_drop(cpu, 0);
    rw_code_drop(cpu, 1);
}

void rw_mmu_flush_nonglobal(RwCpu *cpu)
{
    cpu->mmu->local_epoch++;
    rw_tlb_flush(&cpu->mmu->tlb[0], false);
    rw_tlb_flush(&cpu->mmu->tlb[1], false);
    rw_code_drop_nonglobal(cpu);
}

RwMmu *rw_mmu_new(void)
{
    RwMmu *mmu = rw_large_new(sizeof *mmu);
    if (!mmu)
        return NULL;
    rw_tlb_init(&mmu->tlb[0]);
    rw_tlb_init(&mmu->tlb[1]);
    for (unsigned i = 0; i < RW_TLB_SIZE; i++)
        mmu->never[i].rtag = mmu->never[i].wtag = RW_TLB_NONE;
    memset(mmu->ones, 0xff, sizeof mmu->ones);
    mmu->local_epoch = mmu->global_epoch = 1; // 0 is never now
    return mmu;
}

void rw_mmu_free(RwMmu *mmu)
{
    if (!mmu)
        return;
    rw_phys_clear(mmu);
    rw_large_free(mmu);
}
