// SPDX-License-Identifier: MIT
/* Host code for hot blocks. See native-private.h. */
#include "native-asm.h"
#include "native-private.h"

#define R(slot) ((int32_t)(offsetof(RwCpu, r) + (slot)*8))
#define STATE(field) ((int32_t)offsetof(RwCpu, field))

/* Host conditions, as in opcodes. */
enum { CC_B = 2, CC_E = 4, CC_NE = 5, CC_S = 8 };

/* A jump to an op's C handler, from where host code doesn't go on. */
typedef struct {
    uint8_t *at; /* displacement to fill in */
    const RwOp *op;
    RwOpFn fn;
} Exit;

struct _RwNative {
    uint8_t *code; /* RW_NATIVE_CODE_SIZE bytes within reach of the ops, borrowed */
    size_t used;
    /* The block in work. */
    RwAsm a;
    RwBlock *b;
    RwNativeOp desc[RW_BLOCK_MAX_OPS];
    Exit exits[RW_BLOCK_MAX_OPS * 3];
    unsigned n_exits;
};
typedef RwNative Native;
G_STATIC_ASSERT(offsetof(RwCpu, r) == 0); /* dst and src are offsets into it */

/* ---- Leaving ---- */

static void to_handler(RwAsm *a, const RwOp *op, RwOpFn fn)
{
    asm_rip(a, true, 0x8d, H_SI, op);
    asm_imm(a, H_AX, (uint64_t)(uintptr_t)fn);
    asm_bytes(a, "\xff\xe0", 2); /* jmp *%rax */
}

/* if (cc) goto op's C handler; */
static void exit_if(Native *n, unsigned cc, const RwOp *op)
{
    n->exits[n->n_exits++] = (Exit){.at = asm_jcc(&n->a, cc), .op = op, .fn = op->fn};
}

static void write_exits(Native *n)
{
    for (unsigned i = 0; i < n->n_exits; i++) {
        const Exit *e = &n->exits[i], *before = i ? e - 1 : NULL;
        if (!before || before->op != e->op) {
            asm_set_target(&n->a, e->at, n->a.p);
            to_handler(&n->a, e->op, e->fn);
            continue;
        }
        int32_t disp;
        memcpy(&disp, before->at, 4);
        asm_set_target(&n->a, e->at, before->at + 4 + disp);
    }
}

/* RSI = header of the block at rip `target` (a register, not RCX or RDX), from the jump cache; else op's
   handler. */
static void find_block(Native *n, unsigned target, const RwOp *op)
{
    RwAsm *a = &n->a;
    G_STATIC_ASSERT(sizeof(RwJump) == 16);
    asm_rr(a, true, 0x8b, H_CX, target);
    asm_shift(a, true, 5, H_CX, 12);
    asm_rr(a, false, 0x33, H_CX, target);
    asm_alu_imm(a, false, 4, H_CX, RW_JUMP_CACHE_SIZE - 1);
    asm_shift(a, false, 4, H_CX, 4);
    asm_rm(a, true, 0x03, H_CX, H_DI, STATE(jumps));
    asm_rr(a, true, 0x8b, H_DX, target);
    asm_rm(a, true, 0x33, H_DX, H_DI, STATE(jump_key));
    asm_rm(a, true, 0x3b, H_DX, H_CX, (int32_t)offsetof(RwJump, key));
    exit_if(n, CC_NE, op);
    asm_rm(a, true, 0x8b, H_SI, H_CX, (int32_t)offsetof(RwJump, header));
}

static void enter_block(RwAsm *a)
{
    G_STATIC_ASSERT(offsetof(RwOp, fn) == 0);
    asm_bytes(a, "\xff\x26", 2); /* jmp *(%rsi) */
}

/* To the block at rip `target`, found by find_block(). */
static void enter_page(RwAsm *a, unsigned target)
{
    asm_alu_imm(a, true, 4, target, -4096);
    asm_put(a, 64, R(RW_R_PAGE), target);
    enter_block(a);
}

static void leave_by_slot(Native *n, const RwOp *slot)
{
    RwAsm *a = &n->a;
    if (slot->icnt)
        asm_alu_imm_state(a, 0, STATE(budget), slot->icnt);
    if (slot->fn == rw_slot_near) {
        asm_rip(a, true, 0x8b, H_SI, &slot->chain);
        enter_block(a);
        return;
    }
    asm_get(a, 64, H_AX, R(RW_R_PAGE));
    asm_lea(a, H_AX, H_AX, H_SP, 0, (int32_t)slot->disp);
    find_block(n, H_AX, slot);
    enter_page(a, H_AX);
}

/* ---- Memory ---- */

/* RAX = the operand's address. RCX is lost. */
static void address(RwAsm *a, const RwOp *op)
{
    asm_get(a, 64, H_AX, R(op->base));
    if (op->index != RW_R_ZERO) {
        asm_get(a, 64, H_CX, R(op->index));
        asm_lea(a, H_AX, H_AX, H_CX, op->scale, (int32_t)op->disp);
    } else if (op->disp) {
        asm_lea(a, H_AX, H_AX, H_SP, 0, (int32_t)op->disp);
    }
}

/* RAX = host address of the guest address in RAX, if the TLB allows it; else op's handler. */
static void translate(Native *n, unsigned size, bool write, const RwOp *op)
{
    RwAsm *a = &n->a;
    G_STATIC_ASSERT(sizeof(RwTlbEntry) == 32 && RW_TLB_SIZE == 1024);
    asm_rr(a, false, 0x8b, H_DX, H_AX);
    asm_shift(a, false, 5, H_DX, 12 - 5);
    if (size > 1)
        asm_lea(a, H_CX, H_AX, H_SP, 0, (int32_t)size - 1);
    else
        asm_rr(a, true, 0x8b, H_CX, H_AX);
    asm_alu_imm(a, false, 4, H_DX, (RW_TLB_SIZE - 1) << 5);
    asm_alu_imm(a, true, 4, H_CX, -4096);
    asm_rm(a, true, 0x03, H_DX, H_DI, STATE(tlb));
    asm_rm(a, true, 0x3b, H_CX, H_DX, write ? offsetof(RwTlbEntry, wtag) : offsetof(RwTlbEntry, rtag));
    exit_if(n, CC_NE, op);
    asm_rm(a, true, 0x03, H_AX, H_DX, (int32_t)offsetof(RwTlbEntry, addend));
}

/* Register = [RAX], extended. */
static void load(RwAsm *a, unsigned bits, unsigned bits2, bool sign, unsigned reg)
{
    if (bits == 64 || (bits == 32 && !sign))
        asm_rm(a, bits == 64, 0x8b, reg, H_AX, 0);
    else if (bits == 32)
        asm_rm(a, bits2 == 64, 0x63, reg, H_AX, 0);
    else
        asm_rm(a, sign && bits2 == 64, (bits == 8 ? 0x0fb6 : 0x0fb7) | (sign ? 8 : 0), reg, H_AX, 0);
}

/* [at] = reg */
static void store_at(RwAsm *a, unsigned bits, unsigned at, unsigned reg)
{
    if (bits == 16)
        asm_u8(a, 0x66);
    asm_rm(a, bits == 64, bits == 8 ? 0x88 : 0x89, reg, at, 0);
}

/* [RAX] = RCX */
static void store(RwAsm *a, unsigned bits)
{
    store_at(a, bits, H_AX, H_CX);
}

/* RAX = host address of the stack's next or top word. */
static void stack_top(Native *n, int32_t offset, bool write, const RwOp *op)
{
    asm_get(&n->a, 64, H_AX, R(RW_R_RSP));
    if (offset)
        asm_lea(&n->a, H_AX, H_AX, H_SP, 0, offset);
    translate(n, 8, write, op);
}

/* ---- Flags ---- */

/* fl_res = reg, sign-extended. R8 is lost. */
static void put_result(RwAsm *a, unsigned bits, int32_t field, unsigned reg)
{
    if (bits == 32)
        asm_rr(a, true, 0x63, H_R8, reg);
    else if (bits < 32)
        asm_rr(a, true, bits == 8 ? 0x0fbe : 0x0fbf, H_R8, reg);
    asm_put(a, 64, field, bits == 64 ? reg : H_R8);
}

static void put_logic(RwAsm *a, unsigned bits, unsigned reg)
{
    put_result(a, bits, STATE(fl_res), reg);
    asm_put_imm(a, 64, STATE(fl_vec), 0);
    asm_put_imm(a, 32, STATE(fl_misc), 0);
}

/* Sets flags by host instructions so that the returned host condition is the guest's cc; -1: not one that
   is done here. */
static int test_condition(RwAsm *a, unsigned cc)
{
    unsigned kind = cc >> 1;
    int host = CC_NE;
    if (kind == 0 || kind == 5)
        return -1;
    if (kind == 1) {
        asm_rm(a, false, 0xf6, 0, H_DI, STATE(fl_misc)); /* testb $1, fl_misc */
        asm_u8(a, 1);
    } else if (kind == 3) {
        asm_get(a, 32, H_AX, STATE(fl_misc));
        asm_alu_imm(a, false, 4, H_AX, 1);
    } else if (kind != 2) {
        asm_get(a, 64, H_AX, STATE(fl_res));
        if (kind != 4)
            asm_rm(a, true, 0x33, H_AX, H_DI, STATE(fl_vec));
        asm_shift(a, true, 5, H_AX, 63);
        asm_get(a, 32, H_CX, STATE(fl_misc));
        if (kind != 4)
            asm_rr(a, false, 0x33, H_AX, H_CX);
        asm_shift(a, false, 5, H_CX, 16);
        asm_rr(a, false, 0x33, H_AX, H_CX);
        asm_alu_imm(a, false, 4, H_AX, 1);
    }
    if (kind == 2 || kind == 3 || kind == 7)
        asm_alu_imm_state(a, 7, STATE(fl_res), 0);
    if (kind == 2)
        host = CC_E;
    if (kind == 3 || kind == 7) {
        asm_setcc(a, CC_E, H_CX);
        asm_rr(a, false, 0x0b, H_AX, H_CX);
    }
    return cc & 1 ? host ^ 1 : host;
}

/* ---- Instructions ---- */

/* Jumps over what follows unless cc; then by op[1]. */
static void take_if(Native *n, unsigned cc, const RwOp *op)
{
    uint8_t *over = asm_jcc(&n->a, cc ^ 1);
    leave_by_slot(n, op + 1);
    asm_set_target(&n->a, over, n->a.p);
}

static void emit_extend(RwAsm *a, const RwNativeOp *d)
{
    if (d->bits == 32) {
        asm_rm(a, d->bits2 == 64 && d->sign, d->sign ? 0x63 : 0x8b, H_CX, H_DI, d->src);
    } else {
        unsigned opcode = (d->bits == 8 ? 0x0fb6 : 0x0fb7) | (d->sign ? 8 : 0);
        asm_rm(a, d->sign && d->bits2 == 64, opcode, H_CX, H_DI, d->src);
    }
    asm_put(a, 64, d->dst, H_CX);
}

static void emit_move(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    unsigned width = d->bits2 == 8 ? 8 : 64; /* of the register written: 32-bit results clear the rest */
    switch (d->kind) {
    case N_MOV_RR:
        asm_get(a, d->bits, H_CX, d->src);
        asm_put(a, width, d->dst, H_CX);
        break;
    case N_MOV_RI:
        asm_imm(a, H_CX, d->bits == 32 ? (uint32_t)d->imm : (uint64_t)d->imm);
        asm_put(a, width, d->dst, H_CX);
        break;
    case N_LOAD:
        address(a, op);
        translate(n, d->bits / 8, false, op);
        load(a, d->bits, d->bits2, d->sign, H_CX);
        asm_put(a, width, d->dst, H_CX);
        break;
    case N_STORE:
        address(a, op);
        translate(n, d->bits / 8, true, op);
        asm_get(a, d->bits, H_CX, d->src);
        store(a, d->bits);
        break;
    case N_STORE_IMM:
        address(a, op);
        translate(n, d->bits / 8, true, op);
        asm_imm(a, H_CX, (uint64_t)d->imm);
        store(a, d->bits);
        break;
    default: /* N_LEA */
        address(a, op);
        if (d->bits == 32)
            asm_rr(a, false, 0x8b, H_AX, H_AX);
        asm_put(a, 64, d->dst, H_AX);
        break;
    }
}

static bool writes_memory(const RwNativeOp *d)
{
    return d->form >= N_MR && d->alu < 7;
}

/* RAX, RCX = the operands; R11 = host address of one that is written. */
static void alu_operands(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    if (d->form >= N_RM) {
        address(a, op);
        translate(n, d->bits / 8, writes_memory(d), op);
        if (writes_memory(d))
            asm_rr(a, true, 0x8b, H_R11, H_AX);
        load(a, d->bits, d->bits, false, d->form == N_RM ? H_CX : H_AX);
    }
    if (d->form <= N_RM)
        asm_get(a, d->bits, H_AX, d->dst);
    if (d->form == N_RR || d->form == N_MR)
        asm_get(a, d->bits, H_CX, d->src);
    if (d->form == N_RI || d->form == N_MI)
        asm_imm(a, H_CX, (uint64_t)d->imm << (64 - d->bits) >> (64 - d->bits));
}

static void put_alu(RwAsm *a, const RwNativeOp *d, unsigned reg)
{
    if (writes_memory(d))
        store_at(a, d->bits, H_R11, reg);
    else
        asm_put(a, 64, d->dst, reg);
}

/* R8 = RAX op RCX with all flags; RAX and RCX stay. */
static void add_or_sub(RwAsm *a, const RwNativeOp *d)
{
    bool wide = d->bits == 64, add = d->alu == 0;
    asm_rr(a, true, 0x8b, H_DX, H_AX);
    asm_rr(a, true, 0x8b, H_R9, H_AX);
    asm_rr(a, true, 0x33, H_DX, H_CX);
    if (d->bits == 16)
        asm_u8(a, 0x66);
    if (d->bits == 8)
        asm_rr(a, false, add ? 0x02 : 0x2a, H_R9, H_CX);
    else
        asm_rr(a, wide, add ? 0x03 : 0x2b, H_R9, H_CX);
    asm_setcc(a, CC_B, H_R10);
    asm_put(a, 32, STATE(fl_misc), H_R10);
    asm_rr(a, true, 0x33, H_DX, H_R9);
    put_result(a, d->bits, STATE(fl_vec), H_DX);
    put_result(a, d->bits, STATE(fl_res), H_R9);
    asm_rr(a, true, 0x8b, H_R8, H_R9);
}

static unsigned alu_opcode(const RwNativeOp *d)
{
    return d->alu * 8 + 3;
}

static void emit_alu(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    bool wide = d->bits == 64, logic = d->alu != 0 && d->alu != 5 && d->alu != 7;
    alu_operands(n, d, op);
    if (!d->live && d->alu < 7) {
        asm_rr(a, wide, alu_opcode(d), H_AX, H_CX);
        put_alu(a, d, H_AX);
        return;
    }
    if (!d->live)
        return;
    if (!logic) {
        add_or_sub(a, d);
    } else {
        asm_rr(a, true, 0x8b, H_R8, H_AX);
        asm_rr(a, wide, d->alu == 8 ? 0x23 : alu_opcode(d), H_R8, H_CX);
        if (d->alu < 7)
            put_alu(a, d, H_R8);
        put_logic(a, d->bits, H_R8);
    }
    if (!logic && d->alu < 7)
        put_alu(a, d, H_R8);
    if (!d->fused)
        return;
    if (d->bits == 16)
        asm_u8(a, 0x66);
    unsigned test = d->alu == 8 ? 0x84 : 0x3a; /* TEST rm, r; CMP r, rm: of bytes */
    asm_rr(a, wide, d->bits == 8 ? test : test + 1, H_AX, H_CX);
    take_if(n, d->cc, op);
}

/* Flags as shift.c has them, undefined ones too. */
static void emit_shift(RwAsm *a, const RwNativeOp *d)
{
    bool wide = d->bits == 64;
    unsigned count = (unsigned)d->imm;
    asm_get(a, d->bits, H_AX, d->dst);
    if (d->live) /* the last bit that goes out is CF */
        asm_rr(a, true, 0x8b, H_CX, H_AX);
    asm_shift(a, wide, d->alu, H_AX, count);
    asm_put(a, 64, d->dst, H_AX);
    if (!d->live)
        return;
    asm_shift(a, true, 5, H_CX, d->alu == 4 ? d->bits - count : count - 1);
    asm_alu_imm(a, false, 4, H_CX, 1);
    asm_put(a, 32, STATE(fl_misc), H_CX);
    put_result(a, d->bits, STATE(fl_res), H_AX);
    /* fl_vec is OF ^ CF in bit 63: SHL's OF is the top bit ^ CF, SHR's the two top bits' difference, SAR's
     * 0. */
    if (d->alu == 4) {
        asm_shift(a, true, 5, H_AX, d->bits - 1);
        asm_rr(a, true, 0x8b, H_CX, H_AX);
    } else if (d->alu == 5) {
        asm_rm(a, true, 0x8d, H_DX, H_AX, 0);
        asm_rr(a, true, 0x03, H_DX, H_DX);
        asm_rr(a, true, 0x33, H_DX, H_AX);
        asm_shift(a, true, 5, H_DX, d->bits - 1);
        asm_rr(a, true, 0x33, H_CX, H_DX);
    }
    asm_shift(a, true, 4, H_CX, 63);
    asm_put(a, 64, STATE(fl_vec), H_CX);
}

static void emit_inc(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    bool wide = d->bits == 64, memory = d->form == N_MI;
    if (memory) {
        address(a, op);
        translate(n, d->bits / 8, true, op);
        asm_rr(a, true, 0x8b, H_R11, H_AX);
        load(a, d->bits, d->bits, false, H_AX);
    } else {
        asm_get(a, d->bits, H_AX, d->dst);
    }
    asm_rr(a, true, 0x8b, H_DX, H_AX);
    asm_rr(a, wide, 0xff, d->alu, H_AX); /* inc or dec */
    if (d->live)
        asm_setcc(a, 0, H_CX); /* OF */
    if (memory)
        store_at(a, d->bits, H_R11, H_AX);
    else
        asm_put(a, 64, d->dst, H_AX);
    if (!d->live)
        return;
    asm_rr(a, true, 0x33, H_DX, H_AX);
    asm_alu_imm(a, false, 4, H_DX, 0x10);
    asm_get(a, 32, H_R9, STATE(fl_misc));
    asm_alu_imm(a, false, 4, H_R9, 1); /* CF stays */
    asm_put(a, 32, STATE(fl_misc), H_R9);
    asm_rr(a, false, 0x33, H_CX, H_R9);
    asm_shift(a, true, 4, H_CX, 63);
    asm_rr(a, true, 0x0b, H_DX, H_CX);
    asm_put(a, 64, STATE(fl_vec), H_DX);
    put_result(a, d->bits, STATE(fl_res), H_AX);
}

static void emit_unary(Native *n, const RwNativeOp *d)
{
    RwAsm *a = &n->a;
    asm_get(a, d->bits, H_CX, d->dst);
    if (d->kind == N_NOT) {
        asm_rr(a, d->bits == 64, 0xf7, 2, H_CX);
        asm_put(a, 64, d->dst, H_CX);
        return;
    }
    RwNativeOp sub = *d; /* NEG: 0 - operand */
    sub.alu = 5;
    asm_imm(a, H_AX, 0);
    add_or_sub(a, &sub);
    asm_put(a, 64, d->dst, H_R8);
}

static bool emit_setcc(RwAsm *a, const RwNativeOp *d)
{
    int cc = test_condition(a, d->cc);
    if (cc < 0)
        return false;
    asm_setcc(a, (unsigned)cc, H_AX);
    asm_put(a, 8, d->dst, H_AX);
    return true;
}

static bool emit_cmov(RwAsm *a, const RwNativeOp *d)
{
    int cc = test_condition(a, d->cc);
    if (cc < 0)
        return false;
    asm_get(a, d->bits, H_AX, d->dst);
    asm_get(a, d->bits, H_CX, d->src);
    asm_rr(a, d->bits == 64, 0x0f40 | (unsigned)cc, H_AX, H_CX);
    asm_put(a, 64, d->dst, H_AX);
    return true;
}

static void emit_push(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    stack_top(n, -8, true, op);
    if (d->kind == N_PUSH)
        asm_get(a, 64, H_CX, d->src);
    else
        asm_imm(a, H_CX, (uint64_t)d->imm);
    store(a, 64);
    asm_alu_imm_state(a, 5, R(RW_R_RSP), 8);
}

static void emit_pop(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    stack_top(n, 0, false, op);
    load(a, 64, 64, false, H_CX);
    asm_alu_imm_state(a, 0, R(RW_R_RSP), 8);
    asm_put(a, 64, d->dst, H_CX);
}

static void emit_call(Native *n, const RwOp *op)
{
    RwAsm *a = &n->a;
    stack_top(n, -8, true, op);
    asm_get(a, 64, H_CX, R(RW_R_PAGE));
    asm_lea(a, H_CX, H_CX, H_SP, 0, (int32_t)op->disp);
    store(a, 64);
    asm_alu_imm_state(a, 5, R(RW_R_RSP), 8);
    leave_by_slot(n, op + 1);
}

static void emit_call_reg(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    asm_get(a, 64, H_R8, d->dst);
    find_block(n, H_R8, op);
    stack_top(n, -8, true, op);
    asm_get(a, 64, H_CX, R(RW_R_PAGE));
    asm_lea(a, H_CX, H_CX, H_SP, 0, op->off + op->len);
    store(a, 64);
    asm_alu_imm_state(a, 5, R(RW_R_RSP), 8);
    enter_page(a, H_R8);
}

static void emit_ret(Native *n, const RwOp *op)
{
    RwAsm *a = &n->a;
    stack_top(n, 0, false, op);
    load(a, 64, 64, false, H_AX);
    find_block(n, H_AX, op);
    asm_alu_imm_state(a, 0, R(RW_R_RSP), (int32_t)op->imm);
    enter_page(a, H_AX);
}

static void emit_jmp(Native *n, const RwNativeOp *d, const RwOp *op)
{
    RwAsm *a = &n->a;
    if (d->kind == N_JMP_REG) {
        asm_get(a, 64, H_AX, d->dst);
    } else {
        address(a, op);
        translate(n, 8, false, op);
        load(a, 64, 64, false, H_AX);
    }
    find_block(n, H_AX, op);
    enter_page(a, H_AX);
}

/* False: left to the C handler. Nothing may have been written then but scratch registers. */
static bool emit_op(Native *n, const RwNativeOp *d, const RwOp *op)
{
    int cc;
    switch (d->kind) {
    case N_NONE:
        return false;
    case N_NOP:
        return true;
    case N_EXTEND:
        emit_extend(&n->a, d);
        return true;
    case N_ALU:
        emit_alu(n, d, op);
        return true;
    case N_SHIFT:
        emit_shift(&n->a, d);
        return true;
    case N_INC:
        emit_inc(n, d, op);
        return true;
    case N_NOT:
    case N_NEG:
        emit_unary(n, d);
        return true;
    case N_SETCC:
        return emit_setcc(&n->a, d);
    case N_CMOV:
        return emit_cmov(&n->a, d);
    case N_PUSH:
    case N_PUSH_IMM:
        emit_push(n, d, op);
        return true;
    case N_POP:
        emit_pop(n, d, op);
        return true;
    case N_JCC:
        cc = test_condition(&n->a, d->cc);
        if (cc >= 0)
            take_if(n, (unsigned)cc, op);
        return cc >= 0;
    case N_GOTO:
        leave_by_slot(n, op + 1);
        return true;
    case N_CALL:
        emit_call(n, op);
        return true;
    case N_CALL_REG:
        emit_call_reg(n, d, op);
        return true;
    case N_RET:
        emit_ret(n, op);
        return true;
    case N_JMP_REG:
    case N_JMP_MEM:
        emit_jmp(n, d, op);
        return true;
    default:
        emit_move(n, d, op);
        return true;
    }
}

/* ---- A block ---- */

/* The block's instructions again, and which op is which. False: its bytes don't decode as they did. */
static bool classify(RwCpu *cpu, Native *n, const uint8_t *bytes)
{
    RwBlock *b = n->b;
    const ZydisDecoder *zydis = &cpu->code->decoder.zydis;
    ZydisDecoderContext context;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand opnd[ZYDIS_MAX_OPERAND_COUNT];
    unsigned k = 1, n_insns = (unsigned)b->ops[0].imm;
    RwNativeOp *fused = NULL;
    for (unsigned i = 0, off = 0; i < n_insns; i++, off += insn.length) {
        unsigned first = k;
        if (!ZYAN_SUCCESS(
                ZydisDecoderDecodeInstruction(zydis, &context, bytes + off, b->len - off, &insn)) ||
            !ZYAN_SUCCESS(
                ZydisDecoderDecodeOperands(zydis, &context, &insn, opnd, insn.operand_count_visible)))
            return i == n_insns - 1; /* the one that faults */
        while (k < b->n_ops && !rw_op_is_slot(&b->ops[k]) && b->ops[k].icnt == i)
            k++;
        if (k > first)
            rw_native_classify(&n->desc[k - 1], &insn, opnd, &b->ops[k - 1]);
        RwNativeOp *d = &n->desc[k - 1];
        if (fused && k == first) {
            fused->fused = true;
            fused->cc = insn.opcode & 15;
        }
        fused = k > first && k < b->n_ops && rw_op_is_slot(&b->ops[k]) && d->kind == N_ALU ? d : NULL;
        if (k < b->n_ops && rw_op_is_slot(&b->ops[k]))
            k++;
    }
    if (k < b->n_ops && rw_op_is_goto(&b->ops[k]))
        n->desc[k].kind = N_GOTO;
    return true;
}

/* Whose flags matter: those still there where the block may be left, or that an instruction reads. */
static void find_live(Native *n)
{
    bool live = true;
    for (unsigned k = n->b->n_ops; k-- > 1;) {
        RwNativeOp *d = &n->desc[k];
        if (rw_op_is_slot(&n->b->ops[k]))
            continue;
        switch (d->kind) {
        case N_NOP:
        case N_MOV_RR:
        case N_MOV_RI:
        case N_EXTEND:
        case N_LEA:
        case N_NOT:
            break;
        case N_ALU:
            d->live = live || d->fused;
            live = d->form >= N_RM;
            break;
        case N_SHIFT:
        case N_NEG:
            d->live = live;
            live = false;
            break;
        case N_INC:
            d->live = live;
            live = live || d->form == N_MI;
            break;
        default:
            live = true;
        }
    }
}

static void emit_header(Native *n)
{
    RwAsm *a = &n->a;
    const RwOp *header = &n->b->ops[0];
    asm_get(a, 64, H_AX, STATE(budget));
    asm_alu_imm(a, true, 5, H_AX, (int32_t)header->imm);
    exit_if(n, CC_S, header);
    asm_put(a, 64, STATE(budget), H_AX);
    asm_put(a, 64, STATE(blk), H_SI);
}

/* Writes all; entry[k] is where op k starts, NULL where its C handler does it. */
static void emit_block(Native *n, uint8_t **entry)
{
    RwBlock *b = n->b;
    bool inside = true; /* host code before this point runs into it */
    entry[0] = n->a.p;
    emit_header(n);
    for (unsigned k = 1; k < b->n_ops; k++) {
        if (rw_op_is_slot(&b->ops[k]))
            continue;
        RwAsm before = n->a;
        unsigned n_exits = n->n_exits;
        entry[k] = n->a.p;
        if (emit_op(n, &n->desc[k], &b->ops[k])) {
            inside = true;
            continue;
        }
        n->a = before;
        n->n_exits = n_exits;
        entry[k] = NULL;
        if (inside)
            to_handler(&n->a, &b->ops[k], b->ops[k].fn);
        inside = false;
    }
    write_exits(n);
}

static unsigned count_known(const Native *n)
{
    unsigned known = 0;
    for (unsigned k = 1; k < n->b->n_ops; k++)
        known += n->desc[k].kind != N_NONE;
    return known;
}

void rw_native_translate(RwCpu *cpu, RwBlock *b)
{
    Native *n = cpu->code->native;
    const RwRange *range = rw_phys_range(cpu->mmu, b->gpa);
    uint8_t *entry[RW_BLOCK_MAX_OPS] = {NULL};
    b->ops[0].fn = rw_op_enter;
    if (!n || !range || b->gpa2 != RW_NO_PAGE)
        return;
    n->b = b;
    n->n_exits = 0;
    memset(n->desc, 0, b->n_ops * sizeof n->desc[0]);
    n->a = (RwAsm){.p = n->code + n->used, .end = n->code + RW_NATIVE_CODE_SIZE};
    if (!classify(cpu, n, range->host + (b->gpa - range->gpa)) || !count_known(n))
        return;
    find_live(n);
    emit_block(n, entry);
    if (n->a.full) {
        cpu->code->full = true;
        return;
    }
    n->used = ((size_t)(n->a.p - n->code) + 15) & ~(size_t)15;
    for (unsigned k = 0; k < b->n_ops; k++)
        if (entry[k] && !rw_op_is_goto(&b->ops[k]))
            b->ops[k].fn = (RwOpFn)(uintptr_t)entry[k];
}

RwNative *rw_native_new(uint8_t *code)
{
    Native *n = g_new0(Native, 1);
    n->code = code;
    return n;
}

void rw_native_clear(RwNative *n)
{
    if (n)
        n->used = 0;
}

void rw_native_free(RwNative *n)
{
    g_free(n);
}
