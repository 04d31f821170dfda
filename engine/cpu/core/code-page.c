// SPDX-License-Identifier: MIT
// Pages that blocks were decoded from, and the death of blocks that are written to.
#include "code-private.h"

// A block reaches over so many granules beyond the one it starts in.
#define REACH (RW_BLOCK_MAX_INSNS * 15 / 64 + 1)

// Bytes of b in this page.
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

static RwCodePage *new_page(RwCodeCache *c, uint64_t gpa)
{
    RwCodePage *page = c->free_page;
    if (page) {
        c->free_page = page->next_free;
    } else {
        page = g_new(RwCodePage, 1);
        g_ptr_array_add(c->pages, page);
    }
    *page = (RwCodePage){.gpa = gpa};
    return page;
}

// Counts b in or out where its bytes are.
static void count(RwCodePage *page, const RwBlock *b, int by)
{
    unsigned off, len;
    extent(b, page, &off, &len);
    for (unsigned i = off / 64; i <= (off + len - 1) / 64; i++)
        page->covering[i] = (uint16_t)(page->covering[i] + by);
    page->n_blocks += (unsigned)by;
}

static RwBlock **starting(RwCodePage *page, const RwBlock *b)
{
    return &page->starting[b->gpa2 == page->gpa ? 0 : (b->gpa & 0xfff) / 64];
}

static void add_to(RwCpu *cpu, RwBlock *b, uint64_t gpa)
{
    RwCodePage **slot = page_slot(cpu->mmu, gpa);
    if (!slot)
        return;
    if (!*slot) {
        *slot = new_page(cpu->code, gpa & RW_PAGE_MASK);
        rw_phys_protect(cpu->mmu, gpa);
    }
    RwBlock **head = starting(*slot, b);
    *next_in(b, *slot) = *head;
    *head = b;
    count(*slot, b, 1);
}

void rw_code_page_add(RwCpu *cpu, RwBlock *b)
{
    add_to(cpu, b, b->gpa);
    if (b->gpa2 != RW_NO_PAGE)
        add_to(cpu, b, b->gpa2);
}

static void remove_from(RwCpu *cpu, RwBlock *b, uint64_t gpa)
{
    RwCodePage **slot = page_slot(cpu->mmu, gpa);
    RwCodePage *page = slot ? *slot : NULL;
    if (!page)
        return;
    RwBlock **at = starting(page, b);
    for (; *at != b; at = next_in(*at, page))
        cpu->code->n_visited++;
    *at = *next_in(b, page);
    count(page, b, -1);
    if (page->n_blocks)
        return;
    *slot = NULL; // whoever is walking its lists finds them empty
    page->next_free = cpu->code->free_page;
    cpu->code->free_page = page;
}

// ---- Death ----

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
    // A goto behind all instructions leads on; one that is a JMP itself may be what was written to.
    for (unsigned i = 1; i < b->n_ops; i++)
        if (rw_op_is_slot(&b->ops[i]))
            b->ops[i].site = 0;
        else if (!rw_op_is_goto(&b->ops[i]) || b->ops[i].icnt != b->ops[0].imm)
            b->ops[i].fn = op_dead;
    for (RwOp *slot = b->incoming; slot;) {
        RwOp *next = (RwOp *)(uintptr_t)slot->disp;
        rw_jit_unlink(c->jit, slot);
        slot->chain = slot;
        slot->disp = 0;
        slot = next;
    }
    b->incoming = NULL;
}

void rw_code_kill_block(RwCpu *cpu, RwBlock *b)
{
    for (RwBlock **at = rw_code_bucket(cpu->code, b->gpa); *at; at = &(*at)->next_in_hash)
        if (*at == b) {
            *at = b->next_in_hash;
            break;
        }
    rw_code_remove(cpu->code, b);
    remove_from(cpu, b, b->gpa);
    if (b->gpa2 != RW_NO_PAGE)
        remove_from(cpu, b, b->gpa2);
    disarm(cpu->code, b);
}

void rw_code_kill(RwCpu *cpu, const RwOp *header)
{
    RwBlock *b = rw_block_of(header);
    if (b == cpu->code->scratch)
        disarm(cpu->code, b);
    else if (!b->dead)
        rw_code_kill_block(cpu, b);
}

static bool overlaps(const RwBlock *b, uint64_t gpa, unsigned size)
{
    bool first = b->gpa < gpa + size && gpa < b->gpa + b->len;
    return first || (b->gpa2 != RW_NO_PAGE && b->gpa2 < gpa + size && gpa < b->gpa2 + b->len2);
}

// Of the blocks that start in granule i those that overlap.
static void kill_starting(RwCpu *cpu, RwCodePage *page, unsigned i, uint64_t gpa, unsigned size)
{
    for (RwBlock *b = page->starting[i], *next; b; b = next) {
        next = *next_in(b, page);
        cpu->code->n_visited++;
        if (overlaps(b, gpa, size))
            rw_code_kill_block(cpu, b);
    }
}

void rw_code_written(RwCpu *cpu, RwCodePage *page, uint64_t gpa, unsigned size)
{
    unsigned first = (gpa & 0xfff) / 64, last = ((gpa & 0xfff) + size - 1) / 64, covering = 0;
    for (unsigned i = first; i <= last; i++)
        covering += page->covering[i];
    if (!covering)
        return;
    RwBlock *scratch = cpu->code->scratch;
    if (!scratch->dead && overlaps(scratch, gpa, size))
        disarm(cpu->code, scratch);
    for (unsigned i = first > REACH ? first - REACH : 0; i <= last; i++)
        kill_starting(cpu, page, i, gpa, size);
}

void rw_code_drop_bytes(RwCpu *cpu, uint64_t gpa, unsigned size)
{
    RwCodePage **slot = page_slot(cpu->mmu, gpa);
    if (slot && *slot)
        rw_code_written(cpu, *slot, gpa, size);
}

// Blocks of a page lead to each other without asking where it is mapped. So all of them go; that the code
// that runs is mapped elsewhere is rare.
void rw_code_leave_page(RwCpu *cpu)
{
    RwBlock *scratch = cpu->code->scratch;
    uint64_t gpa = rw_block_of(cpu->blk)->gpa & RW_PAGE_MASK;
    RwCodePage **slot = page_slot(cpu->mmu, gpa);
    RwCodePage *page = slot ? *slot : NULL;
    if (!scratch->dead)
        disarm(cpu->code, scratch);
    for (unsigned i = 0; page && i < G_N_ELEMENTS(page->starting); i++)
        kill_starting(cpu, page, i, gpa, 4096);
}
