// SPDX-License-Identifier: MIT
// Room for blocks and host code.
//
// Both have as many regions; new blocks go to one region, their host code to the one that is filled when
// they become hot. When either part of a region is full another one is emptied: the blocks in it die, and
// those whose host code is there. It is one that is mostly dead already, as a guest that makes code leaves
// them, so that it does not take ever more of the host's memory; else the next one, which is the oldest.
#include "code-private.h"

static bool is_in(const RwCodeCache *c, unsigned region, const void *p, const uint8_t *base)
{
    return (size_t)((uintptr_t)p - (uintptr_t)base) - region * c->region_size < c->region_size;
}

static bool is_block_in(const RwCodeCache *c, unsigned region, const RwBlock *b)
{
    return is_in(c, region, b, c->memory.arena) ||
           (b->native != rw_jit_leave(c->jit) && is_in(c, region, b->native, c->memory.code));
}

// Slots of blocks in this region lead to b no longer.
static void forget_incoming(const RwCodeCache *c, unsigned region, RwBlock *b)
{
    RwOp **at = &b->incoming;
    for (RwOp *slot = b->incoming, *next; slot; slot = next) {
        next = (RwOp *)(uintptr_t)slot->disp;
        if (is_in(c, region, slot, c->memory.arena))
            continue;
        *at = slot;
        at = (RwOp **)(void *)&slot->disp;
    }
    *at = NULL;
}

static void forget_jumps_to(RwCodeCache *c, unsigned region)
{
    for (unsigned user = 0; user < 2; user++)
        for (unsigned i = 0; i < RW_JUMP_CACHE_SIZE; i++) {
            uint64_t to = c->jumps[user][i].to & (UINT64_MAX >> 16);
            if (to && is_in(c, region, (const void *)(uintptr_t)to, c->memory.arena))
                c->jumps[user][i] = (RwJump){0};
        }
}

static void empty(RwCpu *cpu, unsigned region)
{
    RwCodeCache *c = cpu->code;
    for (unsigned i = 0; i < 1u << RW_CODE_HASH_BITS; i++)
        for (RwBlock *b = c->hash[i], *next; b; b = next) {
            next = b->next_in_hash;
            if (is_block_in(c, region, b))
                rw_code_kill_block(cpu, b);
        }
    for (unsigned i = 0; i < 1u << RW_CODE_HASH_BITS; i++)
        for (RwBlock *b = c->hash[i]; b; b = b->next_in_hash)
            forget_incoming(c, region, b);
    forget_jumps_to(c, region);
    cpu->blk = c->scratch->ops;
}

static void fill(RwCodeCache *c, unsigned region)
{
    c->region = region;
    c->used = region * c->region_size;
    c->end = c->used + c->region_size;
    rw_jit_fill(c->jit, c->used, c->end);
    c->full = false;
    c->taken[region] = 0;
}

static size_t size_of(const RwBlock *b)
{
    return sizeof *b + b->n_ops * sizeof(RwOp);
}

static unsigned region_of(const RwCodeCache *c, const RwBlock *b)
{
    return (unsigned)((size_t)((const uint8_t *)b - c->memory.arena) / c->region_size);
}

void rw_code_add(RwCodeCache *c, const RwBlock *b)
{
    c->used += (size_of(b) + 31) & ~(size_t)31;
    c->taken[region_of(c, b)] += size_of(b);
    c->live[region_of(c, b)] += size_of(b);
}

void rw_code_remove(RwCodeCache *c, const RwBlock *b)
{
    c->live[region_of(c, b)] -= size_of(b);
}

bool rw_code_is_room(const RwCodeCache *c)
{
    return c->used + sizeof(RwBlock) + RW_BLOCK_MAX_OPS * sizeof(RwOp) < c->end;
}

static unsigned choose(const RwCodeCache *c)
{
    for (unsigned i = 1; i <= RW_CODE_REGIONS; i++) {
        unsigned region = (c->region + i) % RW_CODE_REGIONS;
        if (c->live[region] < c->taken[region] / 4)
            return region;
    }
    return (c->region + 1) % RW_CODE_REGIONS;
}

void rw_code_make_room(RwCpu *cpu)
{
    unsigned next = choose(cpu->code);
    empty(cpu, next);
    fill(cpu->code, next);
    cpu->code->n_emptied++;
}

void rw_code_flush(RwCpu *cpu)
{
    for (unsigned i = 0; i < RW_CODE_REGIONS; i++)
        empty(cpu, i);
    memset(cpu->code->taken, 0, sizeof cpu->code->taken);
    fill(cpu->code, 0);
}

void rw_code_set_region_size(RwCpu *cpu, size_t size)
{
    rw_code_flush(cpu);
    cpu->code->region_size = size;
    fill(cpu->code, 0);
}

void rw_cpu_set_jit(RwCpu *cpu, unsigned hot)
{
    cpu->code->hot = MIN(hot, 255);
    rw_code_flush(cpu);
}

// ---- Life ----

RwCodeCache *rw_code_new(void)
{
    RwCodeCache *c = rw_large_new(sizeof *c);
    if (!c)
        return NULL;
    if (!rw_code_memory_init(&c->memory)) {
        rw_large_free(c);
        return NULL;
    }
    c->jit = rw_jit_new(&c->memory);
    c->region_size = c->memory.size / RW_CODE_REGIONS;
    fill(c, 0);
    c->hot = RW_HOT;
    c->scratch = g_malloc0(sizeof(RwBlock) + RW_BLOCK_MAX_OPS * sizeof(RwOp));
    c->scratch->dead = true;
    c->pages = g_ptr_array_new_with_free_func(g_free);
    c->generation[0] = c->generation[1] = 1;
    rw_decoder_init(&c->decoder);
    return c;
}

void rw_code_free(RwCodeCache *c)
{
    if (!c)
        return;
    rw_decoder_clear(&c->decoder);
    rw_jit_free(c->jit);
    rw_code_memory_clear(&c->memory);
    g_ptr_array_unref(c->pages);
    g_free(c->scratch);
    rw_large_free(c);
}
