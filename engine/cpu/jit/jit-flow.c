// SPDX-License-Identifier: MIT
// Leaving a block: by its slots, by the jump cache, or to a handler.
#include "jit-private.h"

// A block's host code, or where it is entered by its header: block->native, just before the header.
#define NATIVE (-(int32_t)(offsetof(RwBlock, ops) - offsetof(RwBlock, native)))

// Its handler will be one that leads here.
static bool is_return(const RwJitBlock *t, const RwOp *op)
{
    for (unsigned i = 0; i < t->n_returns; i++)
        if (t->to[i].op == op)
            return true;
    return false;
}

void jit_leave(RwJitBlock *t, const RwOp *op)
{
    bool is_replaced = is_return(t, op);
    if (is_replaced)
        asm_const(&t->a, H_AX, (uint64_t)(uintptr_t)op->fn);
    asm_near(&t->a, 0x8d, H_SI, op);
    asm_near(&t->a, 0x8d, H_CX, &t->block->ops[0]);
    asm_jmp_to(&t->a, is_replaced ? t->jit->leave_to : t->jit->leave);
}

static void enter_block(RwJitBlock *t)
{
    asm_mem(&t->a, 32, 0xff, 4, AT(H_SI, NATIVE)); // jmp *native(%rsi)
}

// RSI = the header of the block at rip RAX; else jumps to where `miss` is then patched to. RCX and RDX are
// lost.
static void find_block(RwJitBlock *t, uint8_t *miss[2])
{
    RwJitAsm *a = &t->a;
    G_STATIC_ASSERT(sizeof(RwJump) == 16);
    asm_mov(a, H_CX, H_AX);
    asm_shift_imm(a, 64, 5, H_CX, 12);
    asm_alu(a, 32, ALU_XOR, H_CX, H_AX);
    asm_alu_imm(a, 32, ALU_AND, H_CX, RW_JUMP_CACHE_SIZE - 1);
    asm_shift_imm(a, 32, 4, H_CX, 4);
    asm_mem(a, 64, 0x03, H_CX, CPU(jumps));
    asm_mem(a, 64, 0x3b, H_AX, AT(H_CX, offsetof(RwJump, rip)));
    miss[0] = asm_jcc(a, CC_NE);
    asm_load(a, 64, H_SI, AT(H_CX, offsetof(RwJump, to)));
    asm_mem(a, 64, 0x33, H_SI, CPU(jump_stamp));
    asm_mov(a, H_DX, H_SI);
    asm_shift_imm(a, 64, 5, H_DX, 48);
    miss[1] = asm_jcc(a, CC_NE);
}

static void patch_both(RwJitBlock *t, uint8_t *const miss[2])
{
    asm_patch(&t->a, miss[0], t->a.p);
    asm_patch(&t->a, miss[1], t->a.p);
}

// To the block that find_block() found, at RAX.
static void enter_found(RwJitBlock *t)
{
    asm_alu_imm(&t->a, 64, ALU_AND, H_AX, -4096);
    asm_store(&t->a, 64, H_AX, SLOT(RW_R_PAGE));
    enter_block(t);
}

void jit_go_by_slot(RwJitBlock *t, const RwOp *slot)
{
    RwJitAsm *a = &t->a;
    if (slot->icnt)
        asm_alu_mem_imm(a, 64, ALU_ADD, CPU(budget), slot->icnt);
    if (slot->fn == rw_slot_near) {
        ((RwOp *)(uintptr_t)slot)->site = (uint32_t)(asm_jmp(a) - t->jit->code);
        asm_near(a, 0x8b, H_SI, &slot->chain); // a header, or while it isn't known the slot itself
        asm_jmp_to(a, t->jit->go_on);
        return;
    }
    asm_load(a, 64, H_AX, SLOT(RW_R_PAGE));
    asm_mem(a, 64, 0x8d, H_AX, AT(H_AX, (int32_t)slot->disp));
    uint8_t *miss[2];
    find_block(t, miss);
    enter_found(t);
    patch_both(t, miss);
    asm_near(a, 0x8d, H_SI, slot);
    asm_jmp_to(a, t->jit->go_on);
}

void jit_settle(RwJitBlock *t)
{
    jit_write_back(t);
    jit_store_flags(t, &t->s);
    t->s.pending = (RwJitPending){.kind = K_IN};
    t->s.is_kind_none = false;
    t->host_flags = 0;
}

// Nothing is known any more: what follows is reached from elsewhere or not at all.
static bool ended(RwJitBlock *t)
{
    jit_forget(t);
    t->s.pending = (RwJitPending){.kind = K_IN};
    t->host_flags = 0;
    return true;
}

bool jit_is_end(const RwJitInsn *in)
{
    const RwJitRow *row = in->row;
    return row && (row->translate == jit_jmp || row->translate == jit_call || row->translate == jit_ret);
}

// RAX = target of a JMP or CALL by register or memory.
static void load_target(RwJitBlock *t, const RwJitInsn *in)
{
    if (rw_opnd_is_mem(&in->insn.opnd[0])) {
        jit_operand(t, in->op, 64, false);
        asm_load(&t->a, 64, H_AX, jit_at(t));
    } else {
        asm_mov(&t->a, H_AX, jit_use(t, jit_gpr(&in->insn.opnd[0])));
    }
}

// Pushes the return address at [RAX]; then RSP moves.
static void push_return(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    asm_load(a, 64, H_CX, SLOT(RW_R_PAGE));
    asm_mem(a, 64, 0x8d, H_CX, AT(H_CX, in->op->off + in->op->len));
    asm_store(a, 64, H_CX, jit_at(t));
    asm_alu_imm(a, 64, ALU_SUB, jit_update(t, RW_R_RSP), 8);
}

bool jit_jmp(RwJitBlock *t, const RwJitInsn *in)
{
    if (in->insn.far)
        return false;
    jit_settle(t);
    if (rw_opnd_is_imm(&in->insn.opnd[0])) {
        jit_go_by_slot(t, in->slot);
        return ended(t);
    }
    load_target(t, in);
    uint8_t *miss[2];
    find_block(t, miss);
    enter_found(t);
    patch_both(t, miss);
    jit_leave(t, in->op);
    return ended(t);
}

bool jit_call(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    if (in->insn.far)
        return false;
    jit_settle(t);
    bool direct = rw_opnd_is_imm(&in->insn.opnd[0]);
    uint8_t *miss[2];
    if (!direct) {
        load_target(t, in);
        find_block(t, miss);
        asm_store(a, 64, H_AX, CPU(jit_target));
    }
    if (direct) {
        jit_stack(t, in->op, RW_R_RSP, -8, true);
    } else { // find_block() has RSI: no register that isn't pinned is asked for here
        asm_mem(a, 64, 0x8d, H_AX, AT(jit_use(t, RW_R_RSP), -8));
        jit_check(t, in->op, 8, true);
    }
    push_return(t, in);
    if (direct) {
        jit_go_by_slot(t, in->slot);
        return ended(t);
    }
    asm_load(a, 64, H_AX, CPU(jit_target));
    enter_found(t);
    patch_both(t, miss);
    jit_leave(t, in->op);
    return ended(t);
}

bool jit_ret(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    if (in->insn.far)
        return false;
    jit_settle(t);
    jit_stack(t, in->op, RW_R_RSP, 0, false);
    asm_load(a, 64, H_AX, jit_at(t));
    uint8_t *miss[2];
    find_block(t, miss);
    asm_mem(a, 64, 0x8d, jit_update(t, RW_R_RSP), AT(jit_update(t, RW_R_RSP), (int32_t)in->op->imm));
    enter_found(t);
    patch_both(t, miss);
    jit_leave(t, in->op);
    return ended(t);
}

bool jit_jcc(RwJitBlock *t, const RwJitInsn *in)
{
    if (!in->slot)
        return false;
    jit_prepare_cond(t, in->row->arg);
    unsigned cc = jit_cond(t, in->row->arg);
    jit_take_if(t, cc, in->slot);
    return true;
}
