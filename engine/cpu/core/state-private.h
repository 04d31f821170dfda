// SPDX-License-Identifier: MIT
// The state of a CPU, the ops that its blocks are made of, and what a handler is.
#pragma once

#include "rw-cpu.h"

#include <stdbool.h>
#include <emmintrin.h>
#include <string.h>

#define RW_LIKELY(x) __builtin_expect(!!(x), 1)
#define RW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RW_SLOW __attribute__((cold)) // keeps calls of it out of the handlers' straight line
#define RW_PAGE_MASK (~(uint64_t)0xfff)
#define RW_PHYSICAL_BITS 40 // of addresses in page tables and CPUID

// Slots of cpu->r[] beyond the 16 registers.
enum {
    RW_R_RAX,
    RW_R_RCX,
    RW_R_RDX,
    RW_R_RBX,
    RW_R_RSP,
    RW_R_RBP,
    RW_R_RSI,
    RW_R_RDI,
    RW_R_R8,
    RW_R_ZERO = 16, // always 0
    RW_R_PAGE, // virtual address of the page the running block starts in
    RW_R_FSBASE,
    RW_R_GSBASE,
    RW_R_TMP, // address made by a helper op
    RW_N_R = 24
};

typedef struct _RwOp RwOp;
// What a handler returns once it stops chaining; the run loop acts on it.
enum {
    RW_GO_ON = 0, // cpu->rip is the next instruction: look up its block and continue
    RW_LEAVE = 1, // cpu->exit is filled in: back to the caller of rw_cpu_run()
    RW_PARTIAL = 2, // the instruction limit lies within the block at cpu->rip
    RW_STEP = 3, // only where handlers don't tail-call each other: cpu->next is the op to go on with
};
typedef int (*RwOpFn)(RwCpu *cpu, const RwOp *op);

// 32 bytes.
struct _RwOp {
    RwOpFn fn;
    union {
        uint64_t imm;
        const RwOp *chain; // in data slots of jumps
    };
    int64_t disp; // of the memory operand; for RIP-relative ones base is RW_R_PAGE
    union {
        struct {
            uint8_t base, index, scale; // r[] slots; scale is a shift count
            uint8_t reg; // ModRM.reg operand or only register operand: r[] slot (byte ops: byte offset into
                         // r[])
        };
        uint32_t site; // in data slots: jit-private.h
    };
    uint8_t rm; // ModRM.rm when it is a register (same coding)
    uint8_t icnt; // guest instructions of this block completed before this op
    uint16_t off : 12, len : 4; // this instruction's offset in its page, its length
};

typedef struct {
    uint64_t rtag, wtag; // page-aligned virtual address, or an odd number: no access by the fast path
    uint64_t addend; // host pointer = va + addend
    uint64_t meta; // MMU's own: global, …
} RwTlbEntry;
#define RW_TLB_SIZE 4096

typedef struct _RwMmu RwMmu; // mmu.c
typedef struct _RwCodeCache RwCodeCache; // block.c
typedef struct _RwJump RwJump; // an entry of its jump cache
typedef struct _RwStops RwStops; // stops.c
typedef struct _RwWatcher RwWatcher; // watch.c

typedef union {
    uint8_t u8[16];
    uint16_t u16[8];
    uint32_t u32[4];
    uint64_t u64[2];
    __m128i i;
    __m128 ps;
    __m128d pd;
} RwXmm __attribute__((aligned(16)));

struct _RwCpu {
    uint64_t r[RW_N_R];

    // Lazy flags (flags-private.h): enough to give each of CF PF AF ZF SF OF without knowing which
    // operation or size set them.
    uint64_t fl_res; // result, sign-extended to 64 bits: ZF = (fl_res == 0), SF = bit 63, PF = parity of
                     // byte 0
    uint64_t fl_vec; // a ^ b ^ result, sign-extended to 64 bits: AF = bit 4, OF = CF ^ bit 63
    uint32_t fl_misc; // bit 0 CF; bits 8-15 are XORed into the byte whose parity is PF; bit 16 is XORed
                      // into SF
    uint32_t rflags; // all other flags (TF IF DF IOPL NT RF AC ID, bit 1); the six above are 0 here

    int64_t budget; // instructions left until icount_end, the running block's already taken off
    RwTlbEntry *tlb; // table of the current privilege: r/w by supervisor or user
    uint64_t jit[2]; // jit-private.h: operands of flags not made yet
    uint32_t jit_kind; // … and of which operation; 0 outside host code
    uint64_t icount_end; // between blocks: icount = icount_end - budget
    const RwOp *blk; // header op of the running block: imm is its number of instructions. While host code
                     // runs, and between blocks, that of one that ran before
    uint64_t rip; // valid between blocks, and after rw_sync_rip()
    RwXmm tmp; // values from slow paths

    RwXmm xmm[16];
    RwXmm xmm_src; // memory operand fetched by a helper op: slot 16 of rw_xmm()
    uint32_t mxcsr; // control bits, and flags as far as merged: the host's MXCSR holds the newer flags
                    // while running (sse-private.h)
    uint32_t sse_unmasked; // nonzero: some SIMD exception is unmasked, take the careful path
    uint32_t host_mxcsr; // the host's own, kept between rw_fp_enter() and rw_fp_leave()
    uint8_t host_sse; // fp-env.c: what is known of the host's SSE arithmetic, 0 nothing yet
    RwFpReg fpr[8];
    uint16_t fcw, fsw, ftw, fop; // fsw includes TOP; ftw: full tag word
    uint64_t fip, fdp;

    RwSegment seg[RW_N_SEGMENTS]; // FS and GS bases live in r[] while running
    uint8_t cpl;
    uint8_t shadow, irq_pending, irq_vector;
    uint8_t single_step; // TF, shadow, breakpoints: one-instruction blocks only
    bool stops_any, stops_calls, stops_returns; // stops.c: something is asked for; what is looked at often
    bool stops_kernel; // … of the kernel's instructions, too
    bool user_entered; // … and user mode was entered, with nothing of it executed yet
    volatile int kicked;
    RwWatcher *watch; // watch.c; NULL: nobody is to be told of accesses
    uint64_t gdt_base, idt_base;
    uint16_t gdt_limit, idt_limit;
    uint64_t cr0, cr2, cr3, cr4, cr8, dr[8];
    uint64_t efer, star, lstar, cstar, fmask, kernel_gs_base, tsc_aux, pat, misc_enable, apic_base;
    uint64_t mtrr[32];
    uint64_t tsc_base;
    bool tsc_runs;

    // What a failed rw_sys_read() or rw_sys_write() would have raised:
    uint8_t fault_vector;
    uint32_t fault_error;
    uint64_t fault_cr2;
    uint8_t event; // set by every delivery and by what else cancels the single-step trap of the running
                   // instruction; the run loop clears it before each one-instruction block

    uint8_t watch_hits; // DR6 bits of data breakpoints that the running instruction met
    uint8_t hold_jumps; // an interrupt waits: every rw_jump() goes through the run loop
    uint64_t jump_stamp; // block.c: what entries of the jump cache have that are right now
    const struct _RwJump *jumps; // … and its table of the current privilege

    RwStops *stops; // stops.c
    uint64_t user_base, user_icount; // instructions retired in user mode: in user mode the count less
                                     // user_base, else user_icount

    uint64_t jit_stray[2]; // jit-share.c: an address, and whether what was wanted there crosses its page
    uint64_t jit_target; // jit-flow.c: of a call
    const RwOp *next; // for rw_go() without tail calls
    RwExit exit;
    RwCpuModel model;
    RwMmu *mmu;
    RwCodeCache *code;
};

#define RW_OP(name) int name(RwCpu *cpu, const RwOp *op)
// Goes on with another op: a tail call, or in builds that can't be relied on for these (-O0, sanitizers) by
// the loop in run.c.
static inline __attribute__((always_inline)) int rw_go(RwCpu *cpu, const RwOp *op)
{
#ifdef RW_NO_TAIL_CALLS
    cpu->next = op;
    return RW_STEP;
#else
    return op->fn(cpu, op);
#endif
}
#define RW_NEXT return rw_go(cpu, op + 1)
#define RW_EA (cpu->r[op->base] + (cpu->r[op->index] << op->scale) + (uint64_t)op->disp)

// Power-on values of everything architectural; for rw_cpu_new(), once cpu->mmu and cpu->code exist.
void rw_cpu_reset(RwCpu *cpu);
