// SPDX-License-Identifier: MIT
// Decoded code: blocks of ops, cached by the guest-physical address of their first byte.
//
// A block is a run of instructions within one page. Only a block of one instruction may reach into the
// next page. Its first op is its header (takes the block's instructions off the budget); it ends in an
// op that leaves it. Jumps are followed by data ops ("slots") that hold where the jump goes: `chain` is
// the target's header once known, before that the slot itself, whose handler finds the target.
//
// Blocks live in an arena and are never freed one by one: a block whose bytes were written is "dead":
// slots that led to it are reset, and each of its ops then leaves the block. The arena has regions; when
// one is full the oldest is emptied, between blocks.
#pragma once

#include "mmu-private.h"

#define RW_BLOCK_MAX_INSNS 48
#define RW_BLOCK_MAX_OPS (RW_BLOCK_MAX_INSNS * 4 + 16)
#define RW_BLOCK_MAX_BRANCHES 3 // conditional jumps whose not-taken side stays in the block
#define RW_CODE_REGIONS 8
#define RW_HOT 100 // executions of a block before host code is worth it
#define RW_N_FETCH 256
#define RW_CODE_HASH_BITS 18
#define RW_NO_PAGE UINT64_MAX

typedef struct _RwJit RwJit; // jit.c
typedef struct _RwBlock RwBlock;
struct _RwBlock {
    RwBlock *next_in_hash;
    RwBlock *next_in_page[2]; // lists of the page it starts in, and of the one it reaches into
    RwOp *incoming; // slots whose chain is this block's header, linked by disp
    uint64_t gpa; // of the first byte
    uint64_t gpa2; // page that the last instruction reaches into, or RW_NO_PAGE
    uint16_t len; // bytes in the first page
    uint16_t len2; // bytes in the second
    uint16_t n_ops;
    bool dead;
    const void
        *native; // host code to jump to with the header, in its frame: jit-private.h. Just before ops
    RwOp ops[];
};
G_STATIC_ASSERT(sizeof(RwBlock) % sizeof(RwOp) == 0);

// A page of RAM from which blocks were decoded, in granules of 64 bytes.
struct _RwCodePage {
    RwBlock *starting[64]; // blocks by the granule that their first byte in this page is in
    uint16_t covering[64]; // how many blocks have bytes in a granule
    unsigned n_blocks;
    uint64_t gpa;
    RwCodePage *next_free;
};

// Where blocks and host code are.
typedef struct {
    void *base; // of all that is mapped
    size_t reserved;
    size_t size; // of each of the three:
    uint8_t *arena;
    uint8_t *code; // to be executed; NULL: the host allows no code to be made
    uint8_t *writable; // the same memory, to be written
    int why_not; // errno
} RwCodeMemory;

typedef struct {
    uint64_t page, generation; // 0: none
    RwFetch fetch;
} RwFetchEntry;

typedef struct {
    RwInsnDecoder *insns;
    uint16_t first[ZYDIS_MNEMONIC_MAX_VALUE + 2]; // rows of mnemonic m: [first[m], first[m + 1])
    const RwMnemonic **rows;
} RwDecoder;

struct _RwCodeCache {
    RwJump jumps[2][RW_JUMP_CACHE_SIZE]; // [0] supervisor, [1] user
    RwFetchEntry fetches[2][RW_N_FETCH];
    uint64_t generation[2]; // counts the drops of jumps[] and fetches[]: older entries are to be looked at
    bool nonglobal; // supervisor code was fetched from a page that isn't global
    bool full; // room is to be made between blocks
    RwBlock *hash[1u << RW_CODE_HASH_BITS];
    RwCodeMemory memory;
    size_t region_size;
    unsigned region; // the one that is filled: of the arena
    size_t used, end; // from here to there is free
    size_t taken[RW_CODE_REGIONS]; // bytes of blocks in a region's arena,
    size_t live[RW_CODE_REGIONS]; // and of those that live
    RwBlock *scratch; // a block for one use
    GPtrArray *pages; // every RwCodePage there is; owned
    RwCodePage *free_page; // one that is not in use
    uint64_t n_visited, n_emptied; // blocks that were looked at because of stores, regions; for tests
    RwDecoder decoder;
    RwJit *jit; // NULL: the host allows no code to be made
    unsigned hot; // executions of a block after which it is translated; 0: never
};
// Decodes at most max_insns instructions from rip's page, fetched as `at`, into b (room for
// RW_BLOCK_MAX_OPS ops). False: the first instruction reaches into a page that can't be fetched; the
// fault is in cpu->fault_….
bool rw_decode_block(RwCpu *cpu, RwBlock *b, uint64_t rip, const RwFetch *at, unsigned max_insns);
void rw_decoder_init(RwDecoder *decoder);
void rw_decoder_clear(RwDecoder *decoder);

// The block at rip: cached, or decoded now. Sets r[RW_R_PAGE]. NULL: cpu->rip is rip or a handler's
// first instruction (a fault was delivered), or cpu->code->full; go through the run loop.
const RwOp *rw_code_find(RwCpu *cpu, uint64_t rip);
// Where to fetch va's page from, remembered. False: cpu->fault_… tell.
bool rw_code_fetch(RwCpu *cpu, uint64_t va, RwFetch *ret_fetch);
RwBlock **rw_code_bucket(RwCodeCache *c, uint64_t gpa); // the list of blocks at gpa, and others

// code-page.c. Where b is the block of a header that is wrong, or was written to: it dies.
void rw_code_kill(RwCpu *cpu, const RwOp *header);
void rw_code_kill_block(RwCpu *cpu, RwBlock *b); // one that is in the hash
// From now on writes to the block's pages go the slow way, and find it.
void rw_code_page_add(RwCpu *cpu, RwBlock *b);
// A block for one use of at most max_insns instructions. NULL: a fault was delivered.
const RwOp *rw_code_scratch(RwCpu *cpu, uint64_t rip, unsigned max_insns);
// Bytes [gpa, gpa + size) of one page were written: blocks decoded from them die.
void rw_code_written(RwCpu *cpu, RwCodePage *page, uint64_t gpa, unsigned size);
// The same, whether or not any were decoded from that page.
void rw_code_drop_bytes(RwCpu *cpu, uint64_t gpa, unsigned size);
// code-room.c. The block that was decoded at the end of the arena stays; one dies.
void rw_code_add(RwCodeCache *c, const RwBlock *b);
void rw_code_remove(RwCodeCache *c, const RwBlock *b);
// Whether there is room for any block.
bool rw_code_is_room(const RwCodeCache *c);
// Empties a region, or all. Only between blocks.
void rw_code_make_room(RwCpu *cpu);
void rw_code_flush(RwCpu *cpu);
// For tests: regions of less than there is room for. Not while the CPU runs.
void rw_code_set_region_size(RwCpu *cpu, size_t bytes);

// code-memory.c. False: there is not enough address space.
bool rw_code_memory_init(RwCodeMemory *m);
void rw_code_memory_clear(RwCodeMemory *m);
// Zeros, on large pages of the host if it has some; NULL: no memory.
void *rw_large_new(size_t size);
void rw_large_free(void *memory);
// What the MMU's flushes do to remembered fetches and jumps.
void rw_code_drop(RwCpu *cpu, bool user);
void rw_code_drop_nonglobal(RwCpu *cpu);
// The running block is left after the running instruction, and its page fetched again: it may be mapped
// elsewhere now.
void rw_code_leave_page(RwCpu *cpu);
// Sets cpu->jumps and cpu->jump_stamp for cpu->cpl; while cpu->hold_jumps, no rw_jump() finds anything.
void rw_code_select_jumps(RwCpu *cpu);
RwCodeCache *rw_code_new(void); // NULL: no memory
void rw_code_free(RwCodeCache *code);

// flow.c: appends the jump to a block's successor, and makes slots.
void rw_emit_goto(RwEmit *e);
// A slot for the target at `offset` from the start of the block's page; after `done` instructions.
void rw_emit_slot(RwEmit *e, int64_t offset, unsigned done);
// Ops that are data or lead out of a block: not to be overwritten when it dies.
bool rw_op_is_slot(const RwOp *op);
bool rw_op_is_goto(const RwOp *op);
RW_OP(rw_slot_near);

// decode.c: a header that counts no executions.
RW_OP(rw_op_enter);
// jit.c: host code for b, if there is room and anything to gain.
void rw_jit_translate(RwCpu *cpu, RwBlock *b);
RwJit *rw_jit_new(const RwCodeMemory *memory); // NULL: the host allows no code to be made
void rw_jit_fill(RwJit *jit, size_t from, size_t to); // this part of the memory's code, from its start
void rw_jit_free(RwJit *jit);
// A slot's jump in host code: to the block that it is chained to, if that has host code; to nowhere.
void rw_jit_link(RwJit *jit, const RwOp *slot);
void rw_jit_unlink(RwJit *jit, const RwOp *slot);
// A hot block becomes host code; its header becomes one that doesn't count.
void rw_code_translate(RwCpu *cpu, RwBlock *b);
// What block->native is while the block has no host code.
const void *rw_jit_leave(const RwJit *jit);
static inline RwBlock *rw_block_of(const RwOp *header)
{
    return (RwBlock *)((uint8_t *)(uintptr_t)header - offsetof(RwBlock, ops));
}

// fuse.c: turns the CMP or TEST emitted just before into one op with this Jcc. False: not a form
// it knows.
bool rw_emit_fused(RwEmit *e, unsigned condition, int64_t target);

// To the block that a slot leads to.
#define RW_CHAIN(slot) return rw_go(cpu, (slot)->chain)

// What decoding knows beyond RwEmit, for emitters that look back.
typedef struct {
    RwEmit e; // first: emitters get a pointer to it
    RwDecoded prev; // the instruction before, if prev_op isn't 0: a CMP or TEST
    unsigned prev_op; // index of its only op; 0: another instruction, or more than one op
    unsigned n_branches;
    bool one_use;
    bool stops; // some instructions of this page may be stopped at
    bool stop; // the first one, alone in its block
} RwDecode;
