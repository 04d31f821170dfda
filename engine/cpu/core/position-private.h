// SPDX-License-Identifier: MIT
// Where in a block execution is (block.c), and jumps to other blocks.
#pragma once

#include "state-private.h"

// Makes cpu->rip and the count those at op's first byte, op not executed: for leaving a block early.
void rw_stop_before(RwCpu *cpu, const RwOp *op);
// The same just after op.
void rw_stop_after(RwCpu *cpu, const RwOp *op);
// Virtual address of op's instruction, and of the one after it.
static inline uint64_t rw_op_rip(const RwCpu *cpu, const RwOp *op)
{
    return cpu->r[RW_R_PAGE] + op->off;
}
static inline uint64_t rw_op_next_rip(const RwCpu *cpu, const RwOp *op)
{
    return cpu->r[RW_R_PAGE] + op->off + op->len;
}
// Instructions retired before op, exactly.
static inline uint64_t rw_op_icount(const RwCpu *cpu, const RwOp *op)
{
    return cpu->icount_end - (uint64_t)cpu->budget - cpu->blk->imm + op->icnt;
}
// A string instruction did a chunk and has more to do. Each chunk costs one instruction. True: go on with
// the next chunk. False: the count is used up; RIP is at op again (registers tell how far it came):
// return RW_GO_ON.
bool rw_rep_next(RwCpu *cpu, const RwOp *op);
// For instructions that end a block: continue at rip through the jump cache; a tail call:
// `return rw_jump(cpu, rip);`. Always inlined, so that the host predicts each kind of jump by itself.
#define RW_JUMP_CACHE_SIZE 16384
struct _RwJump {
    uint64_t rip; // all of it: an address that isn't canonical has no entry
    uint64_t to; // the block's header, in the upper 16 bits the stamp
};
static inline unsigned rw_jump_index(uint64_t rip)
{
    return (rip ^ rip >> 12) & (RW_JUMP_CACHE_SIZE - 1);
}
// The header of the block at rip, or NULL.
static inline const RwOp *rw_cached_jump(const RwCpu *cpu, uint64_t rip)
{
    const RwJump *jump = cpu->jumps + rw_jump_index(rip);
    uint64_t to = jump->to ^ cpu->jump_stamp;
    return RW_LIKELY(jump->rip == rip && !(to >> 48)) ? (const RwOp *)(uintptr_t)to : NULL;
}
int rw_jump_slow(RwCpu *cpu, uint64_t rip); // where there is none
static inline int rw_jump(RwCpu *cpu, uint64_t rip)
{
    const RwOp *header = rw_cached_jump(cpu, rip);
    if (RW_UNLIKELY(!header))
        return rw_jump_slow(cpu, rip);
    cpu->r[RW_R_PAGE] = rip & RW_PAGE_MASK;
    return rw_go(cpu, header);
}
