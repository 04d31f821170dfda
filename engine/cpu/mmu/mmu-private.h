// SPDX-License-Identifier: MIT
// Memory as the CPU sees it: guest-physical ranges, the page walk, the software TLB.
#pragma once

#include "cpu-private.h"

#define RW_MAX_RANGES 8
#define RW_N_VICTIMS 16
#define RW_TLB_WORDS (RW_TLB_SIZE / 64)

#define RW_N_TABLES 2048
#define RW_TABLE_ADDRESS 0x000ffffffffff000ull // of an entry, and of CR3

typedef struct _RwCodePage RwCodePage;
typedef struct _RwTable RwTable;

typedef struct {
    uint64_t gpa, size;
    uint8_t *host; // the caller's
    uint8_t *dirty; // a byte a page, the caller's, or NULL
    bool writable;
    RwCodePage **code; // by page: NULL where no code is cached
    RwTable **table; // by page: NULL where no walk has read
    uint64_t *writer; // by page: the one virtual page with a fast write path to it, and RW_WRITER_ bits
} RwRange;
enum {
    RW_WRITER_ONE = 1 << 0, // there may be such a path
    RW_WRITER_SEVERAL = 1 << 1, // by other virtual pages too
};

// A page that walks read as a page table since what was made of it was dropped (tables.c).
struct _RwTable {
    uint64_t gpa;
    uint64_t base; // the first virtual address that it maps
    uint8_t level; // 1 to 4; 0: this record is free
    bool is_several; // a table at several addresses or levels
    uint64_t local_epoch, global_epoch; // of its last use for a translation that isn't global, that is
    uint64_t used[8]; // bit n: entry n was used for what is remembered,
    uint64_t code[2][8]; // for fetches by the supervisor, by the user
    RwTable *next_free;
};

// An executable page.
typedef struct {
    uint64_t gpa; // of its first byte
    const uint8_t *host;
    RwRange *range; // NULL: nothing is mapped there
} RwFetch;

// RwTlbEntry.meta: the page's guest-physical address and
enum {
    RW_TLB_GLOBAL = 1 << 0,
    RW_TLB_WRITE = 1 << 1, // writes are allowed and the dirty bit is set in the tables
    // Only of user mode, while accesses are told (watch.c):
    RW_TLB_WATCHED = 1 << 2, // every access is told, and so none is fast
    RW_TLB_READ_TOLD = 1 << 3, // a first one was told,
    RW_TLB_WRITE_TOLD = 1 << 4, // so that more of the kind may be fast
};
// A tag that no access matches: RW_TLB_HIT compares with the lowest 12 bits clear, aligned SSE accesses
// with bits 0-3 of the address and 4-11 clear.
#define RW_TLB_NONE 0xff1
// In rtag: the entry is there, but no read is fast.
#define RW_TLB_HIDDEN 0x10

// One privilege's translations.
typedef struct {
    RwTlbEntry entry[RW_TLB_SIZE];
    RwTlbEntry victim[RW_N_VICTIMS];
    unsigned next_victim;
    uint64_t used[RW_TLB_WORDS]; // bit n: entry n is filled
    uint64_t local[RW_TLB_WORDS]; // … with a translation that isn't global
} RwTlb;

struct _RwMmu {
    RwTlb tlb[2]; // [0] supervisor, [1] user
    RwTlbEntry never[RW_TLB_SIZE]; // stays empty: cpu->tlb while alignment is checked
    RwRange range[RW_MAX_RANGES];
    unsigned n_ranges;
    RwTable table[RW_N_TABLES];
    RwTable *free_table; // one that was given back,
    unsigned n_tables, n_touched_tables; // in use; ever used
    uint64_t local_epoch; // counts the drops of translations that aren't global,
    uint64_t global_epoch; // and of all
    uint64_t global_slots[8]; // bit n: global translations came by entry n of the root
    uint8_t ones[4096]; // what reads of unmapped memory give
};

typedef enum {
    RW_ACCESS_READ = 0,
    RW_ACCESS_WRITE = 1 << 0,
    RW_ACCESS_USER = 1 << 1,
    RW_ACCESS_FETCH = 1 << 2,
} RwAccess;

// What the page tables say about a page.
typedef struct {
    uint64_t gpa; // of the 4 KiB page
    bool user, write, execute; // all levels taken together
    bool global, dirty;
    bool may_write; // rw_translate(): a write needs no further walk (allowed, dirty bit set)
    unsigned n; // entries passed,
    uint64_t entry[4], slot[4]; // their values and guest-physical addresses
} RwWalk;

// What a translation is remembered for.
typedef enum { RW_USE_DATA, RW_USE_CODE, RW_USE_USER_CODE } RwTableUse;

// tables.c
// Before a walk whose result will be remembered: makes room for its tables. May drop all translations.
void rw_tables_reserve(RwCpu *cpu);
// What w says of va is going to be remembered.
void rw_tables_use(RwCpu *cpu, const RwWalk *w, uint64_t va, RwTableUse how);
// n bytes are about to be stored at `off` of this table's page: drops what was made of the entries that
// change. t may be gone after it.
void rw_table_stored(RwCpu *cpu, RwTable *t, const uint8_t *page, unsigned off, const uint8_t *bytes,
                     unsigned n);
// The page has other contents, nobody knows where. t is gone after it.
void rw_table_replaced(RwCpu *cpu, RwTable *t);

// phys.c
RwRange *rw_phys_range(RwMmu *mmu, uint64_t gpa); // NULL: nothing there
// Before a write of `size` bytes within a page: dead code, dirty bytes. `page` must lie in range.
void rw_phys_touch(RwCpu *cpu, RwRange *range, uint64_t gpa, unsigned size);
void rw_phys_clear(RwMmu *mmu); // no range any more
// No fast write to this page any more.
void rw_phys_protect(RwMmu *mmu, uint64_t gpa);
uint64_t rw_phys_read64(RwMmu *mmu, uint64_t gpa);
void rw_phys_write64(RwCpu *cpu, uint64_t gpa, uint64_t value);

// walk.c. False: not present or a reserved bit; *ret_error has those bits of the error code.
bool rw_walk(RwCpu *cpu, uint64_t va, RwWalk *ret_walk, uint32_t *ret_error);
// A walk, the rights, accessed and dirty bits. False: cpu->fault_… tell what.
bool rw_translate(RwCpu *cpu, uint64_t va, unsigned access, RwWalk *ret_walk);

// tlb.c
void rw_tlb_init(RwTlb *tlb);
// The entry of va's page in the table of `user`, in its place, allowing the access. NULL: fault_…. The
// entry may be *spare, where it must not be kept.
RwTlbEntry *rw_tlb_get(RwCpu *cpu, bool user, uint64_t va, bool write, RwTlbEntry *spare);
void rw_tlb_flush(RwTlb *tlb, bool global_too);
void rw_tlb_flush_page(RwTlb *tlb, uint64_t va);
void rw_tlb_flush_range(RwTlb *tlb, uint64_t va, uint64_t size);
// No fast write to this page (NULL: to any page) any more; the same, by this virtual page only.
void rw_tlb_protect(RwTlb *tlb, const uint8_t *host_page);
void rw_tlb_protect_at(RwTlb *tlb, uint64_t va);
// Allows fast writes to va's page, if it has an entry in its place and nothing speaks against it.
void rw_tlb_allow_write(RwCpu *cpu, bool user, uint64_t va);

// For watch.c: no access is fast before a first one is told.
void rw_tlb_hide(RwTlb *tlb);
// No access to this guest-physical page is fast any more: it is watched.
void rw_tlb_set_watched(RwTlb *tlb, uint64_t gpa);
// A first access of user mode by this entry, which is in its place, was told.
void rw_tlb_set_told(RwCpu *cpu, RwTlbEntry *e, bool write);

// mmu.c: where to fetch instructions of va's page. False: fault_….
bool rw_mmu_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch, bool *ret_global);
// A data breakpoint of DR7 lies in va's page.
bool rw_mmu_is_watched(const RwCpu *cpu, uint64_t va);
RwMmu *rw_mmu_new(void); // NULL: no memory
void rw_mmu_free(RwMmu *mmu);
