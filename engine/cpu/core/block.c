// SPDX-License-Identifier: MIT
// The cache of decoded code.
#include "code-private.h"
#include "stops-private.h"

// Generations are the stamps of jumps, 16 bits. 0 is that of an empty entry; the last is no entry's, for a
// jump cache that is held.
#define MAX_GENERATION 0xfffe
#define NO_GENERATION 0xffffull

// ---- Position ----

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
    // The chunk that was done is one instruction more; a step trap or interrupt comes between chunks, and
    // a chunk may have written to the instruction itself, or to where it is mapped.
    if (RW_LIKELY(cpu->budget > 0 && !cpu->single_step && !rw_block_of(cpu->blk)->dead)) {
        cpu->budget--;
        return true;
    }
    rw_stop_before(cpu, op);
    cpu->budget--;
    rw_stops_pass(cpu);
    return false;
}

// ---- Jump cache ----

void rw_code_select_jumps(RwCpu *cpu)
{
    unsigned user = cpu->cpl == 3;
    cpu->jumps = cpu->code->jumps[user];
    cpu->jump_stamp = (cpu->hold_jumps ? NO_GENERATION : cpu->code->generation[user]) << 48;
}

static void forget_jumps(RwCodeCache *c, unsigned user)
{
    memset(c->jumps[user], 0, sizeof c->jumps[user]);
    memset(c->fetches[user], 0, sizeof c->fetches[user]);
}

void rw_code_drop(RwCpu *cpu, bool user)
{
    RwCodeCache *c = cpu->code;
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

bool rw_code_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch)
{
    RwCodeCache *c = cpu->code;
    unsigned user = cpu->cpl == 3;
    RwFetchEntry *e = &c->fetches[user][va >> 12 & (RW_N_FETCH - 1)];
    if (e->page != (va & RW_PAGE_MASK) || e->generation != c->generation[user]) {
        bool global;
        e->generation = 0;
        if (!rw_mmu_fetch(cpu, va, &e->fetch, &global))
            return false;
        e->page = va & RW_PAGE_MASK;
        e->generation = c->generation[user];
        if (!user && !global)
            c->nonglobal = true;
    }
    *ret_fetch = e->fetch;
    return true;
}

// ---- Blocks by address ----

RwBlock **rw_code_bucket(RwCodeCache *c, uint64_t gpa)
{
    return &c->hash[gpa * 0x9e3779b97f4a7c15ull >> (64 - RW_CODE_HASH_BITS)];
}

// ---- Finding ----

static RwBlock *look_up(RwCpu *cpu, uint64_t rip, uint64_t gpa)
{
    for (RwBlock *b = *rw_code_bucket(cpu->code, gpa); b; b = b->next_in_hash) {
        if (b->gpa != gpa)
            continue;
        RwFetch next;
        if (b->gpa2 == RW_NO_PAGE)
            return b;
        // Right only with the second page where it was; if that can't be fetched, its header faults.
        if (!rw_code_fetch(cpu, (rip & RW_PAGE_MASK) + 4096, &next) || next.gpa == b->gpa2)
            return b;
        rw_code_kill_block(cpu, b);
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
    RwBlock *b = (RwBlock *)(c->memory.arena + c->used);
    if (!rw_decode_block(cpu, b, rip, at, RW_BLOCK_MAX_INSNS))
        return NULL;
    // From a page into the same page, mapped twice: such a block can't be in two lists.
    if (RW_UNLIKELY(b->gpa2 == (b->gpa & RW_PAGE_MASK)))
        return rw_decode_block(cpu, c->scratch, rip, at, 1) ? c->scratch : NULL;
    rw_code_add(c, b);
    RwBlock **head = rw_code_bucket(c, b->gpa);
    b->next_in_hash = *head;
    *head = b;
    rw_code_page_add(cpu, b);
    return b;
}

static const RwOp *scratch_at(RwCpu *cpu, uint64_t rip, const RwFetch *at, unsigned max_insns)
{
    RwBlock *b = cpu->code->scratch;
    return rw_decode_block(cpu, b, rip, at, max_insns) ? b->ops : fault(cpu, rip);
}

// The block that a jump led to, in whatever generation; NULL: there is none, or it is dead.
static RwBlock *jump_block(const RwJump *jump, uint64_t rip)
{
    const RwOp *header = (const RwOp *)(uintptr_t)(jump->to & (UINT64_MAX >> 16));
    if (jump->rip != rip || !header || rw_block_of(header)->dead)
        return NULL;
    return rw_block_of(header);
}

// Where to fetch rip's block from. False: a fault was delivered.
static bool fetch_block(RwCpu *cpu, uint64_t rip, RwFetch *ret_at)
{
    if (!rw_code_fetch(cpu, rip, ret_at)) {
        fault(cpu, rip);
        return false;
    }
    if (RW_UNLIKELY(cpu->stops_any) && (cpu->cpl == 3 || cpu->stops_kernel))
        rw_stops_enter_page(cpu, rip, ret_at->gpa);
    return true;
}

const RwOp *rw_code_find(RwCpu *cpu, uint64_t rip)
{
    RwCodeCache *c = cpu->code;
    unsigned user = cpu->cpl == 3;
    RwJump *jump = &c->jumps[user][rw_jump_index(rip)];
    RwBlock *b = jump_block(jump, rip);
    cpu->r[RW_R_PAGE] = rip & RW_PAGE_MASK;
    if (b && jump->to >> 48 == c->generation[user])
        return b->ops;
    RwFetch at;
    if (!fetch_block(cpu, rip, &at))
        return NULL;
    if (RW_UNLIKELY(!at.range))
        return scratch_at(cpu, rip, &at, 1);
    // After a drop most pages are still where they were.
    if (!b || b->dead || b->gpa != (at.gpa | (rip & 0xfff)))
        b = look_up(cpu, rip, at.gpa | (rip & 0xfff));
    if (!b && !rw_code_is_room(c)) {
        c->full = true;
        cpu->rip = rip;
        return NULL;
    }
    if (!b && !(b = decode_new(cpu, rip, &at)))
        return fault(cpu, rip);
    if (RW_UNLIKELY(b == c->scratch))
        return b->ops;
    *jump = (RwJump){.rip = rip, .to = (uintptr_t)b->ops | c->generation[user] << 48};
    return b->ops;
}

// Without a turn of the loop, where it would only look whether there are instructions left.
int rw_jump_slow(RwCpu *cpu, uint64_t rip)
{
    cpu->rip = rip;
    if (cpu->budget <= 0 || cpu->hold_jumps)
        return RW_GO_ON;
    const RwOp *header = rw_code_find(cpu, rip);
    return RW_LIKELY(header != NULL) ? rw_go(cpu, header) : RW_GO_ON;
}

const RwOp *rw_code_scratch(RwCpu *cpu, uint64_t rip, unsigned max_insns)
{
    RwFetch at;
    cpu->r[RW_R_PAGE] = rip & RW_PAGE_MASK;
    if (!fetch_block(cpu, rip, &at))
        return NULL;
    return scratch_at(cpu, rip, &at, max_insns);
}

// ---- Chains ----

// A slot's handler while its target is not known: finds it, and remembers it in the slot.
RW_OP(rw_slot_near)
{
    RwOp *slot = (RwOp *)op;
    uint64_t rip = cpu->r[RW_R_PAGE] + op->off;
    if (RW_UNLIKELY(cpu->budget <= 0)) {
        cpu->rip = rip; // finding it may fault, or set accessed bits: not before its turn
        return RW_GO_ON;
    }
    const RwOp *header = rw_code_find(cpu, rip);
    if (!header)
        return RW_GO_ON;
    RwBlock *b = rw_block_of(header);
    if (b != cpu->code->scratch) {
        slot->chain = header;
        slot->disp = (int64_t)(uintptr_t)b->incoming;
        b->incoming = slot;
        rw_jit_link(cpu->code->jit, slot);
    }
    return rw_go(cpu, header);
}

void rw_code_translate(RwCpu *cpu, RwBlock *b)
{
    b->ops[0].fn = rw_op_enter;
    if (cpu->code->hot)
        rw_jit_translate(cpu, b);
}
