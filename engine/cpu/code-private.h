// SPDX-License-Identifier: MIT
/*
 * Decoded code: blocks of ops, cached by the guest-physical address of their first byte.
 *
 * A block is a run of instructions within one page. Only a block of one instruction may reach into the
 * next page. Its first op is its header (takes the block's instructions off the budget); it ends in an
 * op that leaves it. Jumps are followed by data ops ("slots") that hold where the jump goes: `chain` is
 * the target's header once known, before that the slot itself, whose handler finds the target.
 *
 * Blocks live in an arena and are never freed one by one: a block whose bytes were written is "dead":
 * slots that led to it are reset, and each of its ops then leaves the block. The whole arena is emptied
 * at once when it is full, between blocks.
 */
#pragma once

#include "mmu-private.h"

#define RW_BLOCK_MAX_INSNS 48
#define RW_BLOCK_MAX_OPS (RW_BLOCK_MAX_INSNS * 4 + 16)
#define RW_BLOCK_MAX_BRANCHES 3 /* conditional jumps whose not-taken side stays in the block */
#define RW_CODE_ARENA_SIZE (64u << 20) /* bytes */
#define RW_HOT 100 /* executions of a block before host code is worth it */
#define RW_N_FETCH 256
#define RW_NO_PAGE UINT64_MAX

typedef struct _RwJit RwJit; /* jit.c */
typedef struct _RwBlock RwBlock;
struct _RwBlock {
    RwBlock *next_in_hash;
    RwBlock *next_in_page[2]; /* lists of the page it starts in, and of the one it reaches into */
    RwOp *incoming; /* slots whose chain is this block's header, linked by disp */
    uint64_t gpa; /* of the first byte */
    uint64_t gpa2; /* page that the last instruction reaches into, or RW_NO_PAGE */
    uint16_t len; /* bytes in the first page */
    uint16_t len2; /* bytes in the second */
    uint16_t n_ops;
    bool dead;
    const void
        *native; /* host code to jump to with the header, in its frame: jit-private.h. Just before ops */
    RwOp ops[];
};
G_STATIC_ASSERT(sizeof(RwBlock) % sizeof(RwOp) == 0);

/* A page of RAM from which blocks were decoded. */
struct _RwCodePage {
    RwBlock *blocks;
    uint64_t granules; /* bit n: some block overlaps bytes [64 n, 64 n + 64) */
    uint64_t gpa;
};

typedef struct {
    uint64_t key; /* page ^ generation */
    RwFetch fetch;
} RwFetchEntry;

typedef struct {
    ZydisDecoder zydis;
    uint16_t first[ZYDIS_MNEMONIC_MAX_VALUE + 2]; /* rows of mnemonic m: [first[m], first[m + 1]) */
    const RwMnemonic **rows;
} RwDecoder;

struct _RwCodeCache {
    RwJump jumps[2][RW_JUMP_CACHE_SIZE]; /* [0] supervisor, [1] user */
    RwFetchEntry fetches[2][RW_N_FETCH];
    uint64_t executed[2][16]; /* hashes of virtual pages fetched from since the last drop of jumps[] */
    uint64_t generation[2]; /* goes into the keys above the 48 bits of an address */
    bool nonglobal; /* supervisor code was fetched from a page that isn't global */
    bool full; /* to be emptied between blocks */
    RwBlock **hash;
    uint8_t *arena;
    size_t used;
    RwBlock *scratch; /* a block for one use */
    RwDecoder decoder;
    RwJit *jit; /* NULL: the host allows no code to be made */
    unsigned hot; /* executions of a block after which it is translated; 0: never */
};
#define RW_CODE_HASH_BITS 18

/* Decodes at most max_insns instructions from rip's page, fetched as `at`, into b (room for
   RW_BLOCK_MAX_OPS ops). False: the first instruction reaches into a page that can't be fetched; the
   fault is in cpu->fault_…. */
bool rw_decode_block(RwCpu *cpu, RwBlock *b, uint64_t rip, const RwFetch *at, unsigned max_insns);
void rw_decoder_init(RwDecoder *decoder);
void rw_decoder_clear(RwDecoder *decoder);

/* The block at rip: cached, or decoded now. Sets r[RW_R_PAGE]. NULL: cpu->rip is rip or a handler's
   first instruction (a fault was delivered), or cpu->code->full; go through the run loop. */
const RwOp *rw_code_find(RwCpu *cpu, uint64_t rip);
/* Where to fetch va's page from, remembered. False: cpu->fault_… tell. */
bool rw_code_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch);
/* The block of this header is wrong: it dies. */
void rw_code_kill(RwCpu *cpu, const RwOp *header);
/* A block for one use of at most max_insns instructions. NULL: a fault was delivered. */
const RwOp *rw_code_scratch(RwCpu *cpu, uint64_t rip, unsigned max_insns);
/* Bytes [gpa, gpa + size) of one page were written: blocks decoded from them die. */
void rw_code_written(RwCpu *cpu, RwCodePage *page, uint64_t gpa, unsigned size);
/* Empties the cache. Only between blocks. */
void rw_code_flush(RwCpu *cpu);
/* What the MMU's flushes do to remembered fetches and jumps. */
void rw_code_drop(RwCpu *cpu, bool user);
void rw_code_drop_nonglobal(RwCpu *cpu);
void rw_code_drop_page(RwCpu *cpu, uint64_t va);
/* Sets cpu->jumps and cpu->jump_key for cpu->cpl; while cpu->hold_jumps, no rw_jump() finds anything. */
void rw_code_select_jumps(RwCpu *cpu);
RwCodeCache *rw_code_new(void);
void rw_code_free(RwCodeCache *code);

/* flow.c: appends the jump to a block's successor, and makes slots. */
void rw_emit_goto(RwEmit *e);
/* A slot for the target at `offset` from the start of the block's page; after `done` instructions. */
void rw_emit_slot(RwEmit *e, int64_t offset, unsigned done);
/* Ops that are data or lead out of a block: not to be overwritten when it dies. */
bool rw_op_is_slot(const RwOp *op);
bool rw_op_is_goto(const RwOp *op);
RW_OP(rw_slot_near);

/* decode.c: a header that counts no executions. */
RW_OP(rw_op_enter);
/* jit.c: host code for b, if there is room and anything to gain. */
void rw_jit_translate(RwCpu *cpu, RwBlock *b);
RwJit *rw_jit_new(void);
void rw_jit_clear(RwJit *jit);
void rw_jit_free(RwJit *jit);
/* A hot block becomes host code; its header becomes one that doesn't count. */
void rw_code_translate(RwCpu *cpu, RwBlock *b);
/* What block->native is while the block has no host code. */
const void *rw_jit_leave(const RwJit *jit);
static inline RwBlock *rw_block_of(const RwOp *header)
{
    return (RwBlock *)((uint8_t *)(uintptr_t)header - offsetof(RwBlock, ops));
}

/* fuse.c: turns the CMP or TEST emitted just before into one op with this Jcc. False: not a form
   it knows. */
bool rw_emit_fused(RwEmit *e, unsigned condition, int64_t target);

#ifdef RW_NO_TAIL_CALLS
#define RW_CHAIN(slot)                                                                                     \
    do {                                                                                                   \
        return rw_slot_leave(cpu, slot);                                                                   \
    } while (0)
int rw_slot_leave(RwCpu *cpu, const RwOp *slot);
#else
#define RW_CHAIN(slot)                                                                                     \
    do {                                                                                                   \
        const RwOp *to_ = (slot)->chain;                                                                   \
        return to_->fn(cpu, to_);                                                                          \
    } while (0)
#endif

/* What decoding knows beyond RwEmit, for emitters that look back. */
typedef struct {
    RwEmit e; /* first: emitters get a pointer to it */
    ZydisDecodedInstruction prev; /* the instruction before, if prev_op isn't 0 */
    ZydisDecodedOperand prev_opnd[4];
    unsigned prev_op; /* index of its only op; 0: none, or more than one op */
    unsigned n_branches;
    bool one_use;
} RwDecode;
