// SPDX-License-Identifier: MIT
/*
 * Inside the software CPU.
 *
 * Instructions are decoded once (Zydis) into blocks of RwOp, cached by guest-physical address. A
 * handler does one operation and tail-calls the next op's handler (RW_NEXT). Operands, immediate and
 * address parts sit in the op; registers in cpu->r[]. A guest instruction is one op, or some helper
 * ops (address computation) and one last.
 *
 * Rules for handlers
 *  - RW_OP (name) { … RW_NEXT; }. Nothing of the architectural state changes before the last
 *    load or store that can fault has succeeded: a fault restarts the instruction.
 *  - No address of a local variable is passed to a function that isn't inlined (it would stop gcc
 *    from making the tail call); slow paths hand values over in cpu->tmp.
 *  - RW_LOAD*, RW_STORE*, RW_LOAD_RMW* return from the handler when they fault.
 *  - No C floating point arithmetic outside the FPU/SSE files (it would touch host flags).
 */
#pragma once

#include "rw-cpu.h"

#include <Zydis/Zydis.h>
#include <emmintrin.h>
#include <string.h>

#define RW_LIKELY(x) __builtin_expect(!!(x), 1)
#define RW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define RW_PAGE_MASK (~(uint64_t)0xfff)
#define RW_PHYSICAL_BITS 40 /* of addresses in page tables and CPUID */

/* Slots of cpu->r[] beyond the 16 registers. */
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
    RW_R_ZERO = 16, /* always 0 */
    RW_R_PAGE, /* virtual address of the page the running block starts in */
    RW_R_FSBASE,
    RW_R_GSBASE,
    RW_R_TMP, /* address made by a helper op */
    RW_N_R = 24
};

typedef struct _RwOp RwOp;
/* What a handler returns once it stops chaining; the run loop acts on it. */
enum {
    RW_GO_ON = 0, /* cpu->rip is the next instruction: look up its block and continue */
    RW_LEAVE = 1, /* cpu->exit is filled in: back to the caller of rw_cpu_run() */
    RW_PARTIAL = 2, /* the instruction limit lies within the block at cpu->rip */
};
typedef int (*RwOpFn)(RwCpu *cpu, const RwOp *op);

/* 32 bytes. */
struct _RwOp {
    RwOpFn fn;
    union {
        uint64_t imm;
        const RwOp *chain; /* in data slots of jumps */
    };
    int64_t disp; /* of the memory operand; for RIP-relative ones base is RW_R_PAGE */
    uint8_t base, index, scale; /* r[] slots; scale is a shift count */
    uint8_t reg; /* ModRM.reg operand or only register operand: r[] slot (byte ops: byte offset into r[]) */
    uint8_t rm; /* ModRM.rm when it is a register (same coding) */
    uint8_t icnt; /* guest instructions of this block completed before this op */
    uint16_t off : 12, len : 4; /* this instruction's offset in its page, its length */
};

typedef struct {
    uint64_t rtag, wtag; /* page-aligned virtual address, or an odd number: no access by the fast path */
    uint64_t addend; /* host pointer = va + addend */
    uint64_t meta; /* MMU's own: global, … */
} RwTlbEntry;
#define RW_TLB_SIZE 1024

typedef struct _RwMmu RwMmu; /* mmu.c */
typedef struct _RwCodeCache RwCodeCache; /* block.c */
typedef struct _RwJump RwJump; /* an entry of its jump cache */

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

    /* Lazy flags (flags.h): enough to give each of CF PF AF ZF SF OF without knowing which operation
       or size set them. */
    uint64_t fl_res; /* result, sign-extended to 64 bits: ZF = (fl_res == 0), SF = bit 63, PF = parity of
                        byte 0 */
    uint64_t fl_vec; /* a ^ b ^ result, sign-extended to 64 bits: AF = bit 4, OF = CF ^ bit 63 */
    uint32_t fl_misc; /* bit 0 CF; bits 8-15 are XORed into the byte whose parity is PF; bit 16 is XORed
                         into SF */
    uint32_t rflags; /* all other flags (TF IF DF IOPL NT RF AC ID, bit 1); the six above are 0 here */

    int64_t budget; /* instructions left until icount_end, the running block's already taken off */
    uint64_t icount_end; /* between blocks: icount = icount_end - budget */
    const RwOp *blk; /* header op of the running block: imm is its number of instructions */
    RwTlbEntry *tlb; /* table of the current privilege: r/w by supervisor or user */
    uint64_t jit[2]; /* jit-private.h: operands of flags not made yet */
    uint64_t rip; /* valid between blocks, and after rw_sync_rip() */
    RwXmm tmp; /* values from slow paths */

    RwXmm xmm[16];
    RwXmm xmm_src; /* memory operand fetched by a helper op: slot 16 of rw_xmm() */
    uint32_t mxcsr; /* control bits, and flags as far as merged: the host's MXCSR holds the newer flags
                       while running (sse.h) */
    uint32_t sse_unmasked; /* nonzero: some SIMD exception is unmasked, take the careful path */
    uint32_t host_mxcsr; /* the host's own, kept between rw_fp_enter() and rw_fp_leave() */
    uint8_t host_sse; /* fp-env.c: what is known of the host's SSE arithmetic, 0 nothing yet */
    RwFpReg fpr[8];
    uint16_t fcw, fsw, ftw, fop; /* fsw includes TOP; ftw: full tag word */
    uint64_t fip, fdp;

    RwSegment seg[RW_N_SEGMENTS]; /* FS and GS bases live in r[] while running */
    uint8_t cpl;
    uint8_t shadow, irq_pending, irq_vector;
    uint8_t single_step; /* TF, shadow, breakpoints: one-instruction blocks only */
    volatile int kicked;
    uint64_t gdt_base, idt_base;
    uint16_t gdt_limit, idt_limit;
    uint64_t cr0, cr2, cr3, cr4, cr8, dr[8];
    uint64_t efer, star, lstar, cstar, fmask, kernel_gs_base, tsc_aux, pat, misc_enable, apic_base;
    uint64_t mtrr[32];
    uint64_t tsc_base;
    bool tsc_runs;

    /* What a failed rw_sys_read() or rw_sys_write() would have raised: */
    uint8_t fault_vector;
    uint32_t fault_error;
    uint64_t fault_cr2;
    uint8_t event; /* set by every delivery and by what else cancels the single-step trap of the running
                      instruction; the run loop clears it before each one-instruction block */

    uint8_t watch_hits; /* DR6 bits of data breakpoints that the running instruction met */
    uint8_t hold_jumps; /* an interrupt waits: every rw_jump() goes through the run loop */
    uint64_t jump_key; /* block.c: what rip is XORed with in the jump cache */
    const struct _RwJump *jumps; /* … and its table of the current privilege */

    RwExit exit;
    RwCpuModel model;
    RwMmu *mmu;
    RwCodeCache *code;
};

#define RW_OP(name) int name(RwCpu *cpu, const RwOp *op)
#ifdef RW_NO_TAIL_CALLS
/* Builds without sibling calls (-O0, sanitizers): still correct, as blocks are short and chaining between
   blocks goes through the loop. */
#endif
#define RW_NEXT return op[1].fn(cpu, op + 1)
#define RW_EA (cpu->r[op->base] + (cpu->r[op->index] << op->scale) + (uint64_t)op->disp)

/* ---- Memory (mmu.c). size 1..16 ---- */

/* Each returns false when an exception was raised (it is then already delivered: cpu->rip is its
   handler's first instruction) and the handler must return RW_GO_ON. Values travel in cpu->tmp. */
#define RW_SLOW __attribute__((cold)) /* keeps calls of it out of the handlers' straight line */
bool rw_load_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size) RW_SLOW;
bool rw_store_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size) RW_SLOW; /* value in cpu->tmp */
/* Loads, having checked that a store to the same bytes will succeed. */
bool rw_load_rmw_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size) RW_SLOW;
/* Checks that [va, va+size) can be written (or read), size up to 4096, without doing it. */
bool rw_probe(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, bool write);
/* A misaligned operand of FXSAVE and FXRSTOR: #GP(0), or #SS(0) for a stack access that isn't canonical
   either (with SSE operands the alignment comes first). Returns what rw_fault() does. */
int rw_fault_misaligned(RwCpu *cpu, const RwOp *op, uint64_t va);
/* Host pointer for a run of bytes at va within one page, or NULL when the fast path is not allowed
   (not yet in the TLB: load or store once by the ordinary way, then ask again). For string ops. */
uint8_t *rw_host_read(RwCpu *cpu, uint64_t va);
uint8_t *rw_host_write(RwCpu *cpu, uint64_t va);

static inline bool rw_is_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16) == va;
}

static inline RwTlbEntry *rw_tlb(RwCpu *cpu, uint64_t va)
{
    return &cpu->tlb[(va >> 12) & (RW_TLB_SIZE - 1)];
}

#define RW_TLB_HIT(tag, va, size) ((tag) == (((va) + (size)-1) & RW_PAGE_MASK))

typedef uint16_t __attribute__((aligned(1), may_alias)) rw_u16u;
typedef uint32_t __attribute__((aligned(1), may_alias)) rw_u32u;
typedef uint64_t __attribute__((aligned(1), may_alias)) rw_u64u;
typedef uint8_t rw_u8u;

#define RW_LOAD_(bits, dst, va, slow, tagfield)                                                            \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->tagfield, va_, bits / 8))) {                                          \
            dst = *(const rw_u##bits##u *)(va_ + e_->addend);                                              \
        } else {                                                                                           \
            if (!slow(cpu, op, va_, bits / 8))                                                             \
                return RW_GO_ON;                                                                           \
            dst = *(const rw_u##bits##u *)cpu->tmp.u8;                                                     \
        }                                                                                                  \
    } while (0)

/* dst = *(uintN *)va. bits is a literal 8, 16, 32 or 64. */
#define RW_LOAD(bits, dst, va) RW_LOAD_(bits, dst, va, rw_load_slow, rtag)
#define RW_LOAD_RMW(bits, dst, va) RW_LOAD_(bits, dst, va, rw_load_rmw_slow, wtag)
#define RW_STORE(bits, va, val)                                                                            \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->wtag, va_, bits / 8))) {                                              \
            *(rw_u##bits##u *)(va_ + e_->addend) = (val);                                                  \
        } else {                                                                                           \
            cpu->tmp.u64[0] = (val);                                                                       \
            if (!rw_store_slow(cpu, op, va_, bits / 8))                                                    \
                return RW_GO_ON;                                                                           \
        }                                                                                                  \
    } while (0)
/* 16 bytes, any alignment: dst is an __m128i. */
#define RW_LOAD128(dst, va)                                                                                \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->rtag, va_, 16))) {                                                    \
            dst = _mm_loadu_si128((const __m128i *)(va_ + e_->addend));                                    \
        } else {                                                                                           \
            if (!rw_load_slow(cpu, op, va_, 16))                                                           \
                return RW_GO_ON;                                                                           \
            dst = cpu->tmp.i;                                                                              \
        }                                                                                                  \
    } while (0)
#define RW_STORE128(va, val)                                                                               \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->wtag, va_, 16))) {                                                    \
            _mm_storeu_si128((__m128i *)(va_ + e_->addend), (val));                                        \
        } else {                                                                                           \
            cpu->tmp.i = (val);                                                                            \
            if (!rw_store_slow(cpu, op, va_, 16))                                                          \
                return RW_GO_ON;                                                                           \
        }                                                                                                  \
    } while (0)

/* ---- State (state.c) ---- */

/* Power-on values of everything architectural; for rw_cpu_new(), once cpu->mmu and cpu->code exist. */
void rw_cpu_reset(RwCpu *cpu);

/* ---- For system instructions and exceptions (mmu.c) ---- */

/* Supervisor access to n bytes (at most 4096, may cross a page) whatever the CPL, for descriptor tables,
   TSS and exception stacks. False: nothing was done (written) and cpu->fault_vector, fault_error and
   fault_cr2 tell the exception; nothing is delivered. */
bool rw_sys_read(RwCpu *cpu, uint64_t va, void *dst, unsigned n);
bool rw_sys_write(RwCpu *cpu, uint64_t va, const void *src, unsigned n);
/* Sets cpu->cpl and cpu->tlb; also to be called after CR0.AM or RFLAGS.AC changed (alignment checks). */
void rw_set_cpl(RwCpu *cpu, unsigned cpl);
/* Drop translations (and the jump cache): all; all but global ones; the page at va. rw_mmu_flush_all also
   makes changes of CR0.WP, CR4 and EFER.NXE take effect. */
void rw_mmu_flush_all(RwCpu *cpu);
void rw_mmu_flush_nonglobal(RwCpu *cpu);
void rw_mmu_flush_page(RwCpu *cpu, uint64_t va);

/* ---- Exceptions (exception.c) ---- */

enum {
    RW_DE = 0,
    RW_DB = 1,
    RW_NMI = 2,
    RW_BP = 3,
    RW_OF = 4,
    RW_BR = 5,
    RW_UD = 6,
    RW_NM = 7,
    RW_DF = 8,
    RW_TS = 10,
    RW_NP = 11,
    RW_SS_FAULT = 12,
    RW_GP = 13,
    RW_PF = 14,
    RW_MF = 16,
    RW_AC = 17,
    RW_XM = 19,
};
#define RW_NO_ERROR (-1)
/* Raises a fault at op's instruction: puts RIP and the instruction count back to it, delivers it through
   the IDT. Returns RW_GO_ON or RW_LEAVE (triple fault): `return rw_fault(cpu, op, RW_GP, 0);` */
int rw_fault(RwCpu *cpu, const RwOp *op, int vector, int64_t error) RW_SLOW;
/* The same for traps: RIP and count are after the instruction (INT3, INT n, INTO, single step). */
int rw_trap(RwCpu *cpu, const RwOp *op, int vector, bool software);
/* A fault between blocks, at cpu->rip with the count already right (instruction fetch, undecodable
   bytes): no op. Returns RW_GO_ON or RW_LEAVE. */
int rw_fault_at_rip(RwCpu *cpu, int vector, int64_t error);
/* For the run loop, between instructions:
   - rw_deliver_irq: irq_pending, RFLAGS.IF and no shadow: takes the interrupt (clears irq_pending). False:
     triple fault, cpu->exit is filled in.
   - rw_single_step_trap: after an instruction that started with RFLAGS.TF set and that raised nothing:
     #DB with DR6.BS. Returns RW_GO_ON or RW_LEAVE. Raised nothing: cpu->event is still 0.
   A triple fault below rw_load_slow() and friends can't say RW_LEAVE: cpu->exit.kind is then
   RW_EXIT_SHUTDOWN, which the loop looks at after every RW_GO_ON (it sets kind to 0 at entry).
   cpu->shadow holds off both for one instruction: the loop reads and clears it before that instruction
   (which may set it again). */
bool rw_deliver_irq(RwCpu *cpu);
int rw_single_step_trap(RwCpu *cpu);
/* After an instruction that met a data breakpoint, DR6 being set: #DB. */
int rw_watch_trap(RwCpu *cpu);
/* Instruction breakpoints of DR7 at cpu->rip, unless RFLAGS.RF: delivers #DB and returns true with
 *ret_action; RF is cleared after any instruction that completes. Only called when single_step. */
bool rw_check_code_breakpoint(RwCpu *cpu, int *ret_action);
/* Recomputes cpu->single_step from TF, the shadow and DR7 (RF is only ever set with breakpoints in DR7). */
static inline void rw_update_single_step(RwCpu *cpu);

/* ---- Position (block.c) ---- */

/* Makes cpu->rip and the count those at op's first byte, op not executed: for leaving a block early. */
void rw_stop_before(RwCpu *cpu, const RwOp *op);
/* The same just after op. */
void rw_stop_after(RwCpu *cpu, const RwOp *op);
/* Virtual address of op's instruction, and of the one after it. */
static inline uint64_t rw_op_rip(const RwCpu *cpu, const RwOp *op)
{
    return cpu->r[RW_R_PAGE] + op->off;
}
static inline uint64_t rw_op_next_rip(const RwCpu *cpu, const RwOp *op)
{
    return cpu->r[RW_R_PAGE] + op->off + op->len;
}
/* Instructions retired before op, exactly. */
static inline uint64_t rw_op_icount(const RwCpu *cpu, const RwOp *op)
{
    return cpu->icount_end - (uint64_t)cpu->budget - cpu->blk->imm + op->icnt;
}
/* A string instruction did a chunk and has more to do. Each chunk costs one instruction. True: go on with
   the next chunk. False: the count is used up; RIP is at op again (registers tell how far it came):
   return RW_GO_ON. */
bool rw_rep_next(RwCpu *cpu, const RwOp *op);
/* For instructions that end a block: continue at rip through the jump cache; a tail call:
   `return rw_jump(cpu, rip);`. Always inlined, so that the host predicts each kind of jump by itself. */
#define RW_JUMP_CACHE_SIZE 4096
struct _RwJump {
    uint64_t key; /* rip ^ cpu->jump_key of its privilege */
    const RwOp *header;
};
static inline unsigned rw_jump_index(uint64_t rip)
{
    return (rip ^ rip >> 12) & (RW_JUMP_CACHE_SIZE - 1);
}
static inline int rw_jump(RwCpu *cpu, uint64_t rip)
{
#ifndef RW_NO_TAIL_CALLS
    const RwJump *jump = cpu->jumps + rw_jump_index(rip);
    if (RW_LIKELY(jump->key == (rip ^ cpu->jump_key))) {
        cpu->r[RW_R_PAGE] = rip & RW_PAGE_MASK;
        return jump->header->fn(cpu, jump->header);
    }
#endif
    cpu->rip = rip;
    return RW_GO_ON;
}

/* ---- Decoding (decode.c) ---- */

typedef struct {
    RwCpu *cpu;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand opnd[ZYDIS_MAX_OPERAND_COUNT];
    uint16_t off; /* offset in the page of the instruction's first byte */
    uint8_t icnt; /* instructions of the block before it */
    bool end; /* set by an emitter: nothing may follow in this block */
    uint8_t fp_checked; /* fp.h: which "FP may be used" checks this block has; 0 at a block's start. An
                           instruction that writes CR0 or CR4 must end its block */
    RwOp *ops; /* the block so far */
    unsigned n_ops, max_ops;
} RwEmit;

/* Parts of a memory operand, made by rw_emit_ea() (which may emit a helper op first: FS/GS with an
   index, 32-bit addresses). */
typedef struct {
    int64_t disp;
    uint8_t base, index, scale;
} RwEa;

RwEa rw_emit_ea(RwEmit *e, const ZydisDecodedOperand *mem);
/* Appends an op with off, len, icnt set and base = index = RW_R_ZERO. Valid until the next rw_emit(). */
RwOp *rw_emit(RwEmit *e, RwOpFn fn);
/* rw_emit() with a memory operand. */
RwOp *rw_emit_mem(RwEmit *e, RwOpFn fn, const RwEa *ea);
/* r[] slot of a 16/32/64-bit general register; byte offset into r[] of an 8-bit one (AH is RAX's offset +
   1); XMM, MMX, x87 registers: their number. */
uint8_t rw_reg(ZydisRegister reg);
static inline uint8_t *rw_r8(RwCpu *cpu, uint8_t offset)
{
    return (uint8_t *)cpu->r + offset;
}

/* One row a mnemonic (Zydis has one for each operation): emit returns false for a form that this CPU
   does not have (the instruction then faults with #UD). arg is the group's own. */
typedef struct _RwMnemonic RwMnemonic;
struct _RwMnemonic {
    ZydisMnemonic mnemonic;
    bool (*emit)(RwEmit *e, const RwMnemonic *m);
    uint32_t arg;
};
/* A group's rows, ended by an entry with emit NULL. A mnemonic in no table is not advertised: #UD.
   A mnemonic may stand in several groups (MOV to a segment register, POP FS, far RET are the system
   group's): decoding asks the system group first, then the others, until an emitter returns true; one that
   returns false has emitted nothing. */
extern const RwMnemonic rw_group_integer[]; /* alu.c, shift.c, muldiv.c, bit.c, string.c, stack.c, … */
extern const RwMnemonic rw_group_flow[]; /* flow.c: jumps, calls, returns, Jcc, LOOP, JRCXZ */
extern const RwMnemonic
    rw_group_system[]; /* system.c: privileged, segments, MSRs, CPUID, I/O, SYSCALL, IRETQ */
extern const RwMnemonic rw_group_sse[]; /* sse*.c: SSE to SSE4.2, AES, PCLMUL */
extern const RwMnemonic rw_group_x87[]; /* x87*.c, mmx.c: x87, MMX, FXSAVE */

/* ---- Floating point environment (fp-env.c) ---- */

/* Around everything that executes ops: the guest's rounding, FTZ and DAZ go into the host's MXCSR with all
   exceptions masked, and the sticky flags come back into cpu->mxcsr. They don't nest. */
void rw_fp_enter(RwCpu *cpu);
void rw_fp_leave(RwCpu *cpu);

/* ---- Flags ---- */

enum {
    RW_FLAG_CF = 1 << 0,
    RW_FLAG_PF = 1 << 2,
    RW_FLAG_AF = 1 << 4,
    RW_FLAG_ZF = 1 << 6,
    RW_FLAG_SF = 1 << 7,
    RW_FLAG_TF = 1 << 8,
    RW_FLAG_IF = 1 << 9,
    RW_FLAG_DF = 1 << 10,
    RW_FLAG_OF = 1 << 11,
    RW_FLAG_IOPL = 3 << 12,
    RW_FLAG_NT = 1 << 14,
    RW_FLAG_RF = 1 << 16,
    RW_FLAG_VM = 1 << 17,
    RW_FLAG_AC = 1 << 18,
    RW_FLAG_VIF = 1 << 19,
    RW_FLAG_VIP = 1 << 20,
    RW_FLAG_ID = 1 << 21,
    RW_FLAGS_ARITH = RW_FLAG_CF | RW_FLAG_PF | RW_FLAG_AF | RW_FLAG_ZF | RW_FLAG_SF | RW_FLAG_OF,
};
static inline bool rw_cf(const RwCpu *cpu)
{
    return cpu->fl_misc & 1;
}
static inline bool rw_zf(const RwCpu *cpu)
{
    return cpu->fl_res == 0;
}
static inline bool rw_sf(const RwCpu *cpu)
{
    return (cpu->fl_res >> 63) ^ (cpu->fl_misc >> 16 & 1);
}
static inline bool rw_of(const RwCpu *cpu)
{
    return (cpu->fl_misc & 1) ^ (cpu->fl_vec >> 63);
}
static inline bool rw_af(const RwCpu *cpu)
{
    return cpu->fl_vec >> 4 & 1;
}
static inline bool rw_pf(const RwCpu *cpu)
{
    return !__builtin_parity((unsigned)((cpu->fl_res ^ cpu->fl_misc >> 8) & 0xff));
}
static inline uint64_t rw_get_rflags(const RwCpu *cpu)
{
    return cpu->rflags | (uint64_t)rw_cf(cpu) | rw_pf(cpu) << 2 | rw_af(cpu) << 4 | rw_zf(cpu) << 6 |
           rw_sf(cpu) << 7 | rw_of(cpu) << 11;
}
/* Sets the six arithmetic flags from an RFLAGS image. */
static inline void rw_set_arith(RwCpu *cpu, uint64_t f)
{
    bool cf = f & RW_FLAG_CF, pf = f & RW_FLAG_PF, zf = f & RW_FLAG_ZF, sf = f & RW_FLAG_SF,
         of = f & RW_FLAG_OF;
    cpu->fl_res = zf ? 0 : 1; /* parity of 0 is even, of 1 odd; sign 0 */
    cpu->fl_vec = (uint64_t)(f & RW_FLAG_AF ? 1 << 4 : 0) | (uint64_t)(of ^ cf) << 63;
    cpu->fl_misc = (uint32_t)cf | (uint32_t)(pf != zf) << 8 | (uint32_t)sf << 16;
}
static inline void rw_update_single_step(RwCpu *cpu)
{
    cpu->single_step = (cpu->rflags & RW_FLAG_TF) || cpu->shadow || (cpu->dr[7] & 0xff);
}
/* Sets all of RFLAGS. */
static inline void rw_set_rflags(RwCpu *cpu, uint64_t f)
{
    rw_set_arith(cpu, f);
    cpu->rflags = (uint32_t)(f & ~(uint64_t)RW_FLAGS_ARITH) | 2;
}
/* After AND, OR, XOR, TEST: res sign-extended; CF = OF = AF = 0. */
static inline void rw_flags_logic(RwCpu *cpu, int64_t res)
{
    cpu->fl_res = (uint64_t)res;
    cpu->fl_vec = 0;
    cpu->fl_misc = 0;
}
