// SPDX-License-Identifier: MIT
/*
 * Memory as the CPU sees it: guest-physical ranges, the page walk, the software TLB.
 */
#pragma once

#include "rw-cpu-private.h"

#define RW_MAX_RANGES 8
#define RW_N_VICTIMS 16
#define RW_TLB_WORDS (RW_TLB_SIZE / 64)

typedef struct _RwCodePage RwCodePage;

typedef struct {
    uint64_t gpa, size;
    uint8_t *host; /* the caller's */
    uint8_t *dirty; /* a byte a page, the caller's, or NULL */
    bool writable;
    RwCodePage **code; /* by page: NULL where no code is cached */
} RwRange;

/* An executable page. */
typedef struct {
    uint64_t gpa; /* of its first byte */
    const uint8_t *host;
    RwRange *range; /* NULL: nothing is mapped there */
} RwFetch;

/* RwTlbEntry.meta: the page's guest-physical address and */
enum {
    RW_TLB_GLOBAL = 1 << 0,
    RW_TLB_WRITE = 1 << 1, /* writes are allowed and the dirty bit is set in the tables */
};
/* A tag that no access matches: RW_TLB_HIT compares with the lowest 12 bits clear, aligned SSE accesses
   with bits 0-3 of the address and 4-11 clear. */
#define RW_TLB_NONE 0xff1

/* One privilege's translations. */
typedef struct {
    RwTlbEntry entry[RW_TLB_SIZE];
    RwTlbEntry victim[RW_N_VICTIMS];
    unsigned next_victim;
    uint64_t used[RW_TLB_WORDS]; /* bit n: entry n is filled */
    uint64_t local[RW_TLB_WORDS]; /* … with a translation that isn't global */
} RwTlb;

struct _RwMmu {
    RwTlb tlb[2]; /* [0] supervisor, [1] user */
    RwTlbEntry never[RW_TLB_SIZE]; /* stays empty: cpu->tlb while alignment is checked */
    RwRange range[RW_MAX_RANGES];
    unsigned n_ranges;
    uint8_t ones[4096]; /* what reads of unmapped memory give */
};

typedef enum {
    RW_ACCESS_READ = 0,
    RW_ACCESS_WRITE = 1 << 0,
    RW_ACCESS_USER = 1 << 1,
    RW_ACCESS_FETCH = 1 << 2,
} RwAccess;

/* What the page tables say about a page. */
typedef struct {
    uint64_t gpa; /* of the 4 KiB page */
    bool user, write, execute; /* all levels taken together */
    bool global, dirty;
    bool may_write; /* rw_translate(): a write needs no further walk (allowed, dirty bit set) */
    unsigned n; /* entries passed, */
    uint64_t entry[4], slot[4]; /* their values and guest-physical addresses */
} RwWalk;

/* phys.c */
RwRange *rw_phys_range(RwMmu *mmu, uint64_t gpa); /* NULL: nothing there */
/* Before a write of `size` bytes within a page: dead code, dirty bytes. `page` must lie in range. */
void rw_phys_touch(RwCpu *cpu, RwRange *range, uint64_t gpa, unsigned size);
uint64_t rw_phys_read64(RwMmu *mmu, uint64_t gpa);
void rw_phys_write64(RwCpu *cpu, uint64_t gpa, uint64_t value);

/* walk.c. False: not present or a reserved bit; *ret_error has those bits of the error code. */
bool rw_walk(RwCpu *cpu, uint64_t va, RwWalk *ret_walk, uint32_t *ret_error);
/* A walk, the rights, accessed and dirty bits. False: cpu->fault_… tell what. */
bool rw_translate(RwCpu *cpu, uint64_t va, unsigned access, RwWalk *ret_walk);

/* tlb.c */
void rw_tlb_init(RwTlb *tlb);
/* The entry of va's page in the table of `user`, in its place, allowing the access. NULL: fault_…. The
   entry may be *spare, where it must not be kept. */
RwTlbEntry *rw_tlb_get(RwCpu *cpu, bool user, uint64_t va, bool write, RwTlbEntry *spare);
void rw_tlb_flush(RwTlb *tlb, bool global_too);
void rw_tlb_flush_page(RwTlb *tlb, uint64_t va);
/* No fast write to this page (NULL: to any page) any more. */
void rw_tlb_protect(RwTlb *tlb, const uint8_t *host_page);
/* Allows fast writes to va's page, if it has an entry in its place and nothing speaks against it. */
void rw_tlb_allow_write(RwCpu *cpu, bool user, uint64_t va);

/* mmu.c: where to fetch instructions of va's page. False: fault_…. */
bool rw_mmu_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch, bool *ret_global);
/* A data breakpoint of DR7 lies in va's page. */
bool rw_mmu_is_watched(const RwCpu *cpu, uint64_t va);
RwMmu *rw_mmu_new(void);
void rw_mmu_free(RwMmu *mmu);
