// SPDX-License-Identifier: MIT
// Hot blocks as host code.
//
// A block that ran often is decoded again and written as one piece of host code, which keeps guest
// registers in host registers and makes the flags only where someone may look at them. It begins with
// what a block's header does and ends like a block: by the next block's header or slot.
//
// What it doesn't do itself it leaves to the interpreter: registers and flags are written to the RwCpu,
// then the op's handler is called as ever, and goes on with the ops after it. So a TLB miss, a page with
// code, a fault, a rare form are all the handlers' work, from the start of the instruction on. After an
// instruction that has no translation at all, the op behind it leads back into the host code.
//
// A jump to a known block of the same page is a jump in host code: the slot's `site` is where the distance
// is, counted from the start of all code, 0 without host code. While it isn't known, the distance is 0:
// what follows goes on by the slot's chain.
//
// A block that dies has its ops' handlers overwritten (block.c). Host code needs no look at that: only a
// store to a page with code can kill a block, the TLB allows no fast write there, and after such a store
// the handlers go on.
//
// Host code runs in a frame of its own, with RBP = &cpu + 128 (so that the hot fields are within reach of
// a one-byte displacement) and RAX RCX RDX for scratch. RAX to RDI of the guest are pinned: in host
// registers of their own in all host code (jit-regs.c), in cpu->r[] only outside of it. Those of R8 to R15
// that a block uses are in what is left, and in cpu->r[] between blocks.
#pragma once

#include "code-private.h"
#include "flags-private.h"
#include "jit-asm-private.h"

#define JIT_BIAS 128
#define CPU(field) AT(H_BP, (int32_t)offsetof(RwCpu, field) - JIT_BIAS)
#define SLOT(i) AT(H_BP, (int32_t)offsetof(RwCpu, r) + (i)*8 - JIT_BIAS)

// The six flags, for saying who reads and who writes which.
enum { F_CF = 1, F_PF = 2, F_AF = 4, F_ZF = 8, F_SF = 16, F_OF = 32, F_ALL = 63 };

// Flags not made yet: the operation and its operands, saved in cpu->jit[0] (a; the result for LOGIC) and
// cpu->jit[1] (b), or b_imm. From block to block they stay so, with the operation in cpu->jit_kind; they
// are made where host code is left.
typedef enum {
    K_NONE, // the flags are in fl_res, fl_vec, fl_misc
    K_IN, // cpu->jit_kind tells: flags of a block before
    K_ZERO, // of a result 0 of LOGIC
    K_ADD,
    K_SUB,
    K_LOGIC,
    K_INC, // with CF in fl_misc
    K_DEC,
    // Made by a call of a C function:
    K_SHL,
    K_SHR,
    K_SAR,
    K_ROL, // on top of the flags that are in fl_…; so are the next five
    K_ROR,
    K_SHL_CL,
    K_SHR_CL,
    K_SAR_CL,
    K_CARRY,
    K_MUL,
    K_HOST, // a: AH as LAHF gives it, AL: OF
    K_N
} RwJitKind;

typedef struct {
    uint8_t kind, bits;
    bool has_imm;
    int32_t imm;
} RwJitPending;

// What host code knows at a point: where guest registers are, which of them differ from cpu->r[], and the
// flags.
typedef struct {
    int8_t host[16]; // of a guest register, or H_NONE
    uint16_t dirty; // never a pinned one
    RwJitPending pending;
    bool is_kind_none; // cpu->jit_kind is K_NONE
} RwJitState;

// Code out of line, written at the block's end.
typedef struct {
    uint8_t *at; // jump to it
    const RwOp *op; // handler to leave to, or slot to go on by
    bool is_slot;
    bool is_stray; // the first of several accesses leaves, because of all of them
    RwJitState state;
} RwJitStub;

// Accesses with one look into the TLB: jit-share.c.
#define JIT_SHARES 8
typedef struct {
    int64_t from, to; // bytes that they are in, from what their base was when the first one came
    bool write;
    unsigned n;
} RwJitShare;

// How often a block was left because they are not in one page; of two with the same hash, the last one.
#define JIT_STRAY_BITS 12
typedef struct {
    uint64_t gpa;
    uint64_t last; // instruction count
    unsigned n;
} RwJitStray;

typedef struct _RwJitBlock RwJitBlock;
typedef struct _RwJitInsn RwJitInsn;
typedef struct _RwJitRow RwJitRow;
typedef bool RwJitTranslate(RwJitBlock *t, const RwJitInsn *in);
struct _RwJitRow {
    uint16_t mnemonic; // ZYDIS_MNEMONIC_…
    // False: not translated, nothing that matters was written.
    RwJitTranslate *translate;
    uint32_t arg;
    uint8_t kills; // flags that it sets in any case, when it has no memory operand
    uint8_t reads;
};

struct _RwJitInsn {
    RwDecoded insn;
    const RwJitRow *row; // NULL: none
    const RwOp *op; // its last, which has the memory operand; of a Jcc joined with a CMP: NULL
    const RwOp *first, *slot;
    uint8_t live; // flags that matter after it
    uint8_t share; // number of the group that its access belongs to, plus 1; 0: none
    bool is_sharing; // it is not the first of them
    uint8_t bytes; // of its access
    int32_t at; // where among the group's bytes that is, counted as they are
};

// The op after an instruction that was left to its handlers: leads back to host code.
typedef struct {
    const RwOp *op;
    uint8_t *entry;
} RwJitReturn;

struct _RwJitBlock {
    RwJitAsm a;
    RwJit *jit;
    RwBlock *block;
    RwJitState s;
    int8_t guest[16]; // the other way round
    uint8_t used_at[16]; // for eviction: turn of a host register's last use
    uint8_t turn;
    uint16_t locked; // host registers that the instruction in work holds
    uint8_t host_flags; // guest flags that the host's flags are now
    int32_t at; // a memory operand's distance from RAX
    const RwJitInsn *now; // the instruction in work
    RwJitShare share[JIT_SHARES];
    unsigned n_shares;
    unsigned n_insns, n_stubs, n_returns, n_translated;
    RwJitReturn to[RW_BLOCK_MAX_INSNS];
    RwJitInsn insn[RW_BLOCK_MAX_INSNS];
    RwJitStub stub[RW_BLOCK_MAX_INSNS * 3];
};

struct _RwJit {
    uint8_t *code; // as it is written, like all pointers here,
    ptrdiff_t to_run; // and how far from there it is executed
    uint8_t *free, *end; // of the region that is filled
    uint8_t *enter; // handler of every translated block's header
    uint8_t *leave; // jumped to with RSI = op, RCX = its block's header: goes on with its handler
    uint8_t *leave_to; // the same with the handler in RAX
    uint8_t *go_on; // jumped to with RSI = a header or slot: goes on with its handler
    uint8_t *partial; // jumped to with ECX = header's offset in the page: RW_PARTIAL
    uint8_t *make_flags; // called: makes the flags that cpu->jit_kind tells; RAX RCX RDX are lost
    uint8_t *after_stubs;
    const RwJitRow *rows[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    RwJitStray stray[1u << JIT_STRAY_BITS]; // by a hash of gpa
    RwJitBlock block; // the one in work
};

extern const RwJitRow rw_jit_rows[]; // ended by one without translate

#define JIT_FRAME (JIT_SHARES * 8 + 8) // bytes of the frame on the stack, beside registers

// jit-frame.c
void jit_push_frame(RwJitAsm *a);
void jit_write_common(RwJit *jit); // what all code shares, at its start

// jit-regs.c. A register got from these stays where it is until the next instruction.
int jit_use(RwJitBlock *t, unsigned guest); // its value
int jit_def(RwJitBlock *t, unsigned guest); // to be overwritten as a whole; becomes dirty
int jit_reserve(RwJitBlock *t, unsigned guest); // jit_def() that isn't dirty yet: before a load
int jit_update(RwJitBlock *t, unsigned guest); // its value, to be changed
void jit_write_back(RwJitBlock *t);
void jit_forget(RwJitBlock *t);
void jit_write_state(RwJitBlock *t, const RwJitState *s);
void jit_load_pinned(RwJitAsm *a);
void jit_store_pinned(RwJitAsm *a); // host flags stay

// jit-flags.c
void rw_jit_make_flags(RwCpu *cpu); // as cpu->jit_kind tells
void jit_store_flags(RwJitBlock *t, const RwJitState *s); // by cpu->jit_kind. Registers stay
void jit_flags_now(RwJitBlock *t); // nothing pending after it; between instructions only
void jit_save(RwJitBlock *t, unsigned i, int host); // cpu->jit[i] = register
void jit_save_host_flags(RwJitBlock *t, const RwJitInsn *in); // all are the instruction's. RAX is lost
void jit_set_pending(RwJitBlock *t, RwJitKind kind, unsigned bits, unsigned host_flags);
// Before the registers of an instruction with condition cc are asked for, then with them, losing RAX and
// RDX: returns the host's condition.
void jit_prepare_cond(RwJitBlock *t, unsigned cc);
unsigned jit_cond(RwJitBlock *t, unsigned cc);
unsigned jit_cond_flags(unsigned cc);
// CF of the host is the guest's. RAX is lost. After jit_prepare_cond(CC_B).
void jit_carry_in(RwJitBlock *t);

// jit-mem.c. Afterwards jit_at() is where the op's memory operand is; RAX, RCX and RDX are lost.
void jit_address(RwJitBlock *t, const RwOp *op); // RAX = guest address
void jit_check(RwJitBlock *t, const RwOp *op, unsigned bytes, bool write); // RAX: guest → host
void jit_check_range(RwJitBlock *t, const RwOp *op, unsigned bytes, bool write); // … of several accesses
void jit_check_aligned(RwJitBlock *t, const RwOp *op, bool write); // 16 bytes
void jit_operand(RwJitBlock *t, const RwOp *op, unsigned bits, bool write);
void jit_stack(RwJitBlock *t, const RwOp *op, unsigned base, int32_t disp, bool write); // 8 bytes
static inline RwAsmMem jit_at(const RwJitBlock *t)
{
    return AT(H_AX, t->at);
}
// jit-share.c
void jit_find_shares(RwJitBlock *t, bool apart); // apart: nobody shares
// The operand as jit_operand() gives it, if its look into the TLB is one of several accesses. It loses RAX
// and for the first of them RCX and RDX; the host's flags too, for the first.
bool jit_share(RwJitBlock *t, const RwOp *op, unsigned base, int64_t disp, unsigned bytes);
// At the look's RAX and RCX: where it was; then, with all written back, to the op.
void jit_note_stray(RwJitBlock *t);
void jit_leave_stray(RwJitBlock *t, const RwOp *op);
bool jit_is_apart(RwJit *jit, uint64_t gpa); // the block there is translated with a look for each
// Where a jump's stub is wanted.
void jit_leave_if(RwJitBlock *t, unsigned cc, const RwOp *op);
void jit_take_if(RwJitBlock *t, unsigned cc, const RwOp *slot);

// jit-flow.c
void jit_leave(RwJitBlock *t, const RwOp *op); // all is written back
void jit_go_by_slot(RwJitBlock *t, const RwOp *slot);
void jit_settle(RwJitBlock *t); // all is where the next block looks for it
bool jit_is_end(const RwJitInsn *in);
bool jit_jmp(RwJitBlock *t, const RwJitInsn *in);
bool jit_jcc(RwJitBlock *t, const RwJitInsn *in);
bool jit_call(RwJitBlock *t, const RwJitInsn *in);
bool jit_ret(RwJitBlock *t, const RwJitInsn *in);

// jit-insns.c
bool jit_decode(const RwCpu *cpu, RwJitBlock *t, const uint8_t *bytes); // false: not to be translated
void jit_find_live(RwJitBlock *t); // after jit_find_shares()
bool jit_can_return(const RwJitInsn *in); // its op may lead back to host code

// Operands.
bool jit_is_high(const RwOpnd *o); // AH CH DH BH
bool jit_is_low(const RwOpnd *o); // any other general register
unsigned jit_gpr(const RwOpnd *o); // guest register

// Rows' functions: jit-int.c, jit-shift.c, jit-wide.c, jit-move.c, jit-sse.c, jit-fp.c
bool jit_alu(RwJitBlock *t, const RwJitInsn *in);
bool jit_inc(RwJitBlock *t, const RwJitInsn *in);
bool jit_not(RwJitBlock *t, const RwJitInsn *in);
bool jit_imul(RwJitBlock *t, const RwJitInsn *in);
bool jit_bt(RwJitBlock *t, const RwJitInsn *in);
bool jit_shift(RwJitBlock *t, const RwJitInsn *in);
bool jit_double_shift(RwJitBlock *t, const RwJitInsn *in);
bool jit_mov(RwJitBlock *t, const RwJitInsn *in);
bool jit_extend(RwJitBlock *t, const RwJitInsn *in);
bool jit_lea(RwJitBlock *t, const RwJitInsn *in);
bool jit_bswap(RwJitBlock *t, const RwJitInsn *in);
bool jit_widen(RwJitBlock *t, const RwJitInsn *in);
bool jit_xchg(RwJitBlock *t, const RwJitInsn *in);
bool jit_setcc(RwJitBlock *t, const RwJitInsn *in);
bool jit_cmov(RwJitBlock *t, const RwJitInsn *in);
bool jit_push(RwJitBlock *t, const RwJitInsn *in);
bool jit_pop(RwJitBlock *t, const RwJitInsn *in);
bool jit_leave_frame(RwJitBlock *t, const RwJitInsn *in);
bool jit_nop(RwJitBlock *t, const RwJitInsn *in);
bool jit_mul(RwJitBlock *t, const RwJitInsn *in);
bool jit_div(RwJitBlock *t, const RwJitInsn *in);
bool jit_scan(RwJitBlock *t, const RwJitInsn *in);
bool jit_xchg_memory(RwJitBlock *t, const RwJitInsn *in);
bool jit_xadd(RwJitBlock *t, const RwJitInsn *in);
bool jit_cmpxchg(RwJitBlock *t, const RwJitInsn *in);
bool jit_is_sse(const RwJitRow *row); // an operation on XMM registers,
bool jit_is_fp(const RwJitRow *row); // arithmetic that reads MXCSR
bool jit_sse_move(RwJitBlock *t, const RwJitInsn *in);
bool jit_sse_half(RwJitBlock *t, const RwJitInsn *in);
bool jit_sse_mask(RwJitBlock *t, const RwJitInsn *in);
bool jit_sse_op(RwJitBlock *t, const RwJitInsn *in);
bool jit_sse_shift(RwJitBlock *t, const RwJitInsn *in);
bool jit_sse_string(RwJitBlock *t, const RwJitInsn *in);
bool jit_fp_op(RwJitBlock *t, const RwJitInsn *in);
bool jit_fp_compare(RwJitBlock *t, const RwJitInsn *in);
bool jit_fp_from_int(RwJitBlock *t, const RwJitInsn *in);
bool jit_fp_to_int(RwJitBlock *t, const RwJitInsn *in);

// jit-sse.c, for jit-fp.c, too
RwAsmMem jit_xmm(const RwOpnd *o); // where it is
void jit_sse_check(RwJitBlock *t, const RwJitInsn *in); // the check op that a block's first such has
void jit_sse_put(RwJitBlock *t, const RwOpnd *dst); // XMM0 to the guest's register
uint64_t jit_sse_opcode(const RwJitInsn *in); // as the assembler wants it; row->arg: the mandatory prefix
