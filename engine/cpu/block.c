// SPDX-License-Identifier: MIT
/* The cache of decoded code. */
#include "code-private.h"

#include <errno.h>
#include <sys/mman.h>

/* Generations stay below 15 bits: the complement of one is then never another, which the key of a held
   jump cache relies on. */
#define MAX_GENERATION 0x7fff

/* ---- Position ---- */

void rw_stop_before(RwCpu *cpu, const RwOp *op)
{
    cpu->rip = rw_op_rip(cpu, op);
    cpu->budget += (int64_t)cpu->blk->imm - op->icnt;
}

void rw_stop_after(RwCpu *cpu, const RwOp *op)
{
    cpu->rip = rw_op_next_rip(cpu, op);
    cpu->budget += (int64_t)cpu->blk->imm - op->icnt - 1;
}

bool rw_rep_next(RwCpu *cpu, const RwOp *op)
{
    /* The chunk that was done is one instruction more; a step trap or interrupt comes between chunks. */
    if (RW_LIKELY(cpu->budget > 0 && !cpu->single_step)) {
        cpu->budget--;
        return true;
    }
    rw_stop_before(cpu, op);
    cpu->budget--;
    return false;
}

/* ---- Jump cache ---- */

void rw_code_select_jumps(RwCpu *cpu)
{
    unsigned user = cpu->cpl == 3;
    cpu->jumps = cpu->code->jumps[user];
    cpu->jump_key = cpu->code->generation[user] << 48 ^ (uint64_t)(cpu->hold_jumps != 0) << 47;
}

static void forget_jumps(RwCodeCache *c, unsigned user)
{
    for (unsigned i = 0; i < RW_JUMP_CACHE_SIZE; i++)
        c->jumps[user][i].key = UINT64_MAX;
    for (unsigned i = 0; i < RW_N_FETCH; i++)
        c->fetches[user][i].key = UINT64_MAX;
}

void rw_code_drop(RwCpu *cpu, bool user)
{
    RwCodeCache *c = cpu->code;
    memset(c->executed[user], 0, sizeof c->executed[user]);
    if (++c->generation[user] > MAX_GENERATION) {
        forget_jumps(c, user);
        c->generation[user] = 1;
    }
    rw_code_select_jumps(cpu);
}

void rw_code_drop_nonglobal(RwCpu *cpu)
{
    rw_code_drop(cpu, true);
    if (cpu->code->nonglobal)
        rw_code_drop(cpu, false);
    cpu->code->nonglobal = false;
}

static unsigned page_hash(uint64_t va)
{
    return (va >> 12 ^ va >> 22) & 1023;
}

void rw_code_drop_page(RwCpu *cpu, uint64_t va)
{
    unsigned h = page_hash(va);
    for (unsigned user = 0; user < 2; user++)
        if (cpu->code->executed[user][h / 64] >> h % 64 & 1)
            rw_code_drop(cpu, user);
}

bool rw_code_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch)
{
    RwCodeCache *c = cpu->code;
    unsigned user = cpu->cpl == 3, h = page_hash(va);
    uint64_t key = (va & RW_PAGE_MASK) ^ c->generation[user] << 48;
    RwFetchEntry *e = &c->fetches[user][va >> 12 & (RW_N_FETCH - 1)];
    if (e->key != key) {
        bool global;
        if (!rw_mmu_fetch(cpu, va, &e->fetch, &global)) {
            e->key = UINT64_MAX;
            return false;
        }
        e->key = key;
        c->executed[user][h / 64] |= 1ull << h % 64;
        if (!user && !global)
            c->nonglobal = true;
    }
    *ret_fetch = e->fetch;
    return true;
}

/* ---- Blocks by address ---- */

static RwBlock **bucket(RwCodeCache *c, uint64_t gpa)
{
    return &c->hash[gpa * 0x9e3779b97f4a7c15ull >> (64 - RW_CODE_HASH_BITS)];
}

static void *take(RwCodeCache *c, size_t n)
{
    void *p = c->arena + c->used;
    c->used += (n + 31) & ~(size_t)31;
    return p;
}

static uint64_t granule_mask(unsigned off, unsigned len)
{
    unsigned first = off / 64, last = (off + len - 1) / 64;
    return ~0ull << first & ~0ull >> (63 - last);
}

/* Bytes of b in this page. */
static void extent(const RwBlock *b, const RwCodePage *page, unsigned *ret_off, unsigned *ret_len)
{
    bool second = b->gpa2 == page->gpa;
    *ret_off = second ? 0 : b->gpa & 0xfff;
    *ret_len = second ? b->len2 : b->len;
}

static RwBlock **next_in(RwBlock *b, const RwCodePage *page)
{
    return &b->next_in_page[b->gpa2 == page->gpa];
}

static RwCodePage **page_slot(RwMmu *mmu, uint64_t gpa)
{
    RwRange *range = rw_phys_range(mmu, gpa);
    return range ? &range->code[(gpa - range->gpa) >> 12] : NULL;
}

/* From now on writes to the page go the slow way, and find b. */
static void add_to_page(RwCpu *cpu, RwBlock *b, uint64_t gpa)
{
    RwRange *range = rw_phys_range(cpu->mmu, gpa);
    if (!range)
        return;
    uint64_t n = (gpa - range->gpa) >> 12;
    RwCodePage *page = range->code[n];
    if (!page) {
        page = take(cpu->code, sizeof *page);
        *page = (RwCodePage){.gpa = gpa & RW_PAGE_MASK};
        range->code[n] = page;
        rw_tlb_protect(&cpu->mmu->tlb[0], range->host + (n << 12));
        rw_tlb_protect(&cpu->mmu->tlb[1], range->host + (n << 12));
    }
    unsigned off, len;
    extent(b, page, &off, &len);
    page->granules |= granule_mask(off, len);
    *next_in(b, page) = page->blocks;
    page->blocks = b;
}

static void remove_from_page(RwCpu *cpu, RwBlock *b, uint64_t gpa)
{
    RwCodePage **slot = page_slot(cpu->mmu, gpa);
    RwCodePage *page = slot ? *slot : NULL;
    if (!page)
        return;
    RwBlock **at = &page->blocks;
    uint64_t granules = 0;
    while (*at) {
        if (*at == b) {
            *at = *next_in(b, page);
            continue;
        }
        unsigned off, len;
        extent(*at, page, &off, &len);
        granules |= granule_mask(off, len);
        at = next_in(*at, page);
    }
    page->granules = granules;
    if (!page->blocks)
        *slot = NULL;
}

/* ---- Death of a block ---- */

static RW_OP(op_dead_header)
{
    cpu->rip = rw_op_rip(cpu, op);
    return RW_GO_ON;
}

static RW_OP(op_dead)
{
    rw_stop_before(cpu, op);
    return RW_GO_ON;
}

static void disarm(RwCodeCache *c, RwBlock *b)
{
    b->dead = true;
    b->native = rw_jit_leave(c->jit);
    b->ops[0].fn = op_dead_header;
    /* A goto behind all instructions leads on; one that is a JMP itself may be what was written to. */
    for (unsigned i = 1; i < b->n_ops; i++)
        if (!rw_op_is_slot(&b->ops[i]) && !(rw_op_is_goto(&b->ops[i]) && b->ops[i].icnt == b->ops[0].imm))
            b->ops[i].fn = op_dead;
    for (RwOp *slot = b->incoming; slot;) {
        RwOp *next = (RwOp *)(uintptr_t)slot->disp;
        slot->chain = slot;
        slot->disp = 0;
        slot = next;
    }
    b->incoming = NULL;
}

static void kill_block(RwCpu *cpu, RwBlock *b)
{
    for (RwBlock **at = bucket(cpu->code, b->gpa); *at; at = &(*at)->next_in_hash)
        if (*at == b) {
            *at = b->next_in_hash;
            break;
        }
    remove_from_page(cpu, b, b->gpa);
    if (b->gpa2 != RW_NO_PAGE)
        remove_from_page(cpu, b, b->gpa2);
    disarm(cpu->code, b);
}

void rw_code_kill(RwCpu *cpu, const RwOp *header)
{
    RwBlock *b = rw_block_of(header);
    if (b == cpu->code->scratch)
        disarm(cpu->code, b);
    else if (!b->dead)
        kill_block(cpu, b);
}

static bool overlaps(const RwBlock *b, uint64_t gpa, unsigned size)
{
    bool first = b->gpa < gpa + size && gpa < b->gpa + b->len;
    return first || (b->gpa2 != RW_NO_PAGE && b->gpa2 < gpa + size && gpa < b->gpa2 + b->len2);
}

void rw_code_written(RwCpu *cpu, RwCodePage *page, uint64_t gpa, unsigned size)
{
    if (!(page->granules & granule_mask(gpa & 0xfff, size)))
        return;
    RwBlock *scratch = cpu->code->scratch;
    if (!scratch->dead && overlaps(scratch, gpa, size))
        disarm(cpu->code, scratch);
    for (RwBlock *b = page->blocks, *next; b; b = next) {
        next = *next_in(b, page);
        if (overlaps(b, gpa, size))
            kill_block(cpu, b);
    }
}

void rw_code_flush(RwCpu *cpu)
{
    RwCodeCache *c = cpu->code;
    for (unsigned i = 0; i < 1u << RW_CODE_HASH_BITS; i++) {
        for (RwBlock *b = c->hash[i]; b; b = b->next_in_hash) {
            RwCodePage **slot = page_slot(cpu->mmu, b->gpa);
            if (slot)
                *slot = NULL;
            slot = b->gpa2 == RW_NO_PAGE ? NULL : page_slot(cpu->mmu, b->gpa2);
            if (slot)
                *slot = NULL;
        }
        c->hash[i] = NULL;
    }
    c->used = 0;
    rw_jit_clear(c->jit);
    c->full = false;
    forget_jumps(c, 0);
    forget_jumps(c, 1);
}

/* ---- Finding ---- */

static RwBlock *look_up(RwCpu *cpu, uint64_t rip, uint64_t gpa)
{
    for (RwBlock *b = *bucket(cpu->code, gpa); b; b = b->next_in_hash) {
        if (b->gpa != gpa)
            continue;
        RwFetch next;
        if (b->gpa2 == RW_NO_PAGE)
            return b;
        /* Right only with the second page where it was; if that can't be fetched, its header faults. */
        if (!rw_code_fetch(cpu, (rip & RW_PAGE_MASK) + 4096, &next) || next.gpa == b->gpa2)
            return b;
        kill_block(cpu, b);
        return NULL;
    }
    return NULL;
}

static const RwOp *fault(RwCpu *cpu, uint64_t rip)
{
    cpu->rip = rip;
    rw_fault_at_rip(cpu, cpu->fault_vector, cpu->fault_error);
    return NULL;
}

static RwBlock *decode_new(RwCpu *cpu, uint64_t rip, const RwFetch *at)
{
    RwCodeCache *c = cpu->code;
    RwBlock *b = (RwBlock *)(c->arena + c->used);
    if (!rw_decode_block(cpu, b, rip, at, RW_BLOCK_MAX_INSNS))
        return NULL;
    /* From a page into the same page, mapped twice: such a block can't be in two lists. */
    if (RW_UNLIKELY(b->gpa2 == (b->gpa & RW_PAGE_MASK)))
        return rw_decode_block(cpu, c->scratch, rip, at, 1) ? c->scratch : NULL;
    take(c, sizeof *b + b->n_ops * sizeof(RwOp));
    RwBlock **head = bucket(c, b->gpa);
    b->next_in_hash = *head;
    *head = b;
    add_to_page(cpu, b, b->gpa);
    if (b->gpa2 != RW_NO_PAGE)
        add_to_page(cpu, b, b->gpa2);
    return b;
}

static bool is_space(const RwCodeCache *c)
{
    return c->used + sizeof(RwBlock) + RW_BLOCK_MAX_OPS * sizeof(RwOp) + 4 * sizeof(RwCodePage) <
           RW_CODE_ARENA_SIZE;
}

static const RwOp *scratch_at(RwCpu *cpu, uint64_t rip, const RwFetch *at, unsigned max_insns)
{
    RwBlock *b = cpu->code->scratch;
    return rw_decode_block(cpu, b, rip, at, max_insns) ? b->ops : fault(cpu, rip);
}

const RwOp *rw_code_find(RwCpu *cpu, uint64_t rip)
{
    RwCodeCache *c = cpu->code;
    unsigned user = cpu->cpl == 3;
    uint64_t key = rip ^ c->generation[user] << 48;
    RwJump *jump = &c->jumps[user][rw_jump_index(rip)];
    cpu->r[RW_R_PAGE] = rip & RW_PAGE_MASK;
    if (jump->key == key && !rw_block_of(jump->header)->dead)
        return jump->header;
    RwFetch at;
    if (!rw_code_fetch(cpu, rip, &at))
        return fault(cpu, rip);
    if (RW_UNLIKELY(!at.range))
        return scratch_at(cpu, rip, &at, 1);
    RwBlock *b = look_up(cpu, rip, at.gpa | (rip & 0xfff));
    if (!b && !is_space(c)) {
        c->full = true;
        cpu->rip = rip;
        return NULL;
    }
    if (!b && !(b = decode_new(cpu, rip, &at)))
        return fault(cpu, rip);
    if (RW_UNLIKELY(b == c->scratch))
        return b->ops;
    *jump = (RwJump){.key = key, .header = b->ops};
    return b->ops;
}

const RwOp *rw_code_scratch(RwCpu *cpu, uint64_t rip, unsigned max_insns)
{
    RwFetch at;
    cpu->r[RW_R_PAGE] = rip & RW_PAGE_MASK;
    if (!rw_code_fetch(cpu, rip, &at))
        return fault(cpu, rip);
    return scratch_at(cpu, rip, &at, max_insns);
}

/* ---- Chains ---- */

/* A slot's handler while its target is not known: finds it, and remembers it in the slot. */
RW_OP(rw_slot_near)
{
    RwOp *slot = (RwOp *)op;
    const RwOp *header = rw_code_find(cpu, cpu->r[RW_R_PAGE] + op->off);
    if (!header)
        return RW_GO_ON;
    RwBlock *b = rw_block_of(header);
    if (b != cpu->code->scratch) {
        slot->chain = header;
        slot->disp = (int64_t)(uintptr_t)b->incoming;
        b->incoming = slot;
    }
    return header->fn(cpu, header);
}

#ifdef RW_NO_TAIL_CALLS
int rw_slot_leave(RwCpu *cpu, const RwOp *slot)
{
    cpu->rip = cpu->r[RW_R_PAGE] + (slot->fn == rw_slot_near ? (uint64_t)slot->off : (uint64_t)slot->disp);
    return RW_GO_ON;
}
#endif

/* ---- Life ---- */

/* The arena, and the translator where the host lets memory be executed. */
static void make_arena(RwCodeCache *c)
{
    void *p = mmap(NULL, RW_CODE_ARENA_SIZE, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        g_error("no address space for the code cache: %s", g_strerror(errno));
    c->arena = p;
#ifndef RW_NO_TAIL_CALLS
    c->jit = rw_jit_new();
#endif
}

void rw_code_translate(RwCpu *cpu, RwBlock *b)
{
    b->ops[0].fn = rw_op_enter;
    if (cpu->code->hot)
        rw_jit_translate(cpu, b);
}

void rw_cpu_set_jit(RwCpu *cpu, unsigned hot)
{
    cpu->code->hot = MIN(hot, 255);
    rw_code_flush(cpu);
}

RwCodeCache *rw_code_new(void)
{
    RwCodeCache *c = g_new0(RwCodeCache, 1);
    c->hash = g_new0(RwBlock *, 1u << RW_CODE_HASH_BITS);
    make_arena(c);
    c->hot = RW_HOT;
    c->scratch = g_malloc0(sizeof(RwBlock) + RW_BLOCK_MAX_OPS * sizeof(RwOp));
    c->scratch->dead = true;
    c->generation[0] = c->generation[1] = 1;
    forget_jumps(c, 0);
    forget_jumps(c, 1);
    rw_decoder_init(&c->decoder);
    return c;
}

void rw_code_free(RwCodeCache *c)
{
    rw_decoder_clear(&c->decoder);
    rw_jit_free(c->jit);
    munmap(c->arena, RW_CODE_ARENA_SIZE);
    g_free(c->scratch);
    g_free(c->hash);
    g_free(c);
}
