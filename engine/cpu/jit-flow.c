// SPDX-License-Identifier: MIT
/* Leaving a block: by its slots, by the jump cache, or to a handler. */
#include "jit-private.h"

/* A block's host code, or where it is entered by its header: block->native, just before the header. */
#define NATIVE (-(int32_t)(offsetof(RwBlock, ops) - offsetof(RwBlock, native)))

void jit_leave(RwJitBlock *t, const RwOp *op)
{
    /* Its handler as it is now: later it may be one that leads here. The block is alive, as this runs. */
    asm_const(&t->a, H_SI, (uint64_t)(uintptr_t)op);
    asm_const(&t->a, H_AX, (uint64_t)(uintptr_t)op->fn);
    asm_jmp_to(&t->a, t->jit->leave_to);
}

static void enter_block(RwJitBlock *t)
{
    asm_mem(&t->a, 32, 0xff, 4, AT(H_SI, NATIVE)); /* jmp *native(%rsi) */
}

/* RSI = the header of the block at rip RAX; else jumps to the returned place. RCX and RDX are lost. */
static uint8_t *find_block(RwJitBlock *t)
{
    RwJitAsm *a = &t->a;
    G_STATIC_ASSERT(sizeof(RwJump) == 16);
    asm_mov(a, H_CX, H_AX);
    asm_shift_imm(a, 64, 5, H_CX, 12);
    asm_alu(a, 32, ALU_XOR, H_CX, H_AX);
    asm_alu_imm(a, 32, ALU_AND, H_CX, RW_JUMP_CACHE_SIZE - 1);
    asm_shift_imm(a, 32, 4, H_CX, 4);
    asm_mem(a, 64, 0x03, H_CX, CPU(jumps));
    asm_mov(a, H_DX, H_AX);
    asm_mem(a, 64, 0x33, H_DX, CPU(jump_key));
    asm_mem(a, 64, 0x3b, H_DX, AT(H_CX, offsetof(RwJump, key)));
    uint8_t *miss = asm_jcc(a, CC_NE);
    asm_load(a, 64, H_SI, AT(H_CX, offsetof(RwJump, header)));
    return miss;
}

/* To the block that find_block() found, at RAX. */
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
        asm_const(a, H_CX, (uint64_t)(uintptr_t)slot);
        asm_load(a, 64, H_SI, AT(H_CX, offsetof(RwOp, chain)));
        asm_alu(a, 64, ALU_CMP, H_SI, H_CX);
        asm_patch(a, asm_jcc(a, CC_E), t->jit->leave); /* its target is not known yet */
        enter_block(t);
        return;
    }
    asm_load(a, 64, H_AX, SLOT(RW_R_PAGE));
    asm_mem(a, 64, 0x8d, H_AX, AT(H_AX, (int32_t)slot->disp));
    uint8_t *miss = find_block(t);
    enter_found(t);
    asm_patch(a, miss, a->p);
    jit_leave(t, slot);
}

static void settle(RwJitBlock *t)
{
    jit_write_back(t);
    jit_make_flags(t, &t->s.pending);
    t->s.pending = (RwJitPending){.kind = K_NONE};
    t->host_flags = 0;
}

/* Nothing is known any more: what follows is reached from elsewhere or not at all. */
static bool ended(RwJitBlock *t)
{
    jit_forget(t);
    t->s.pending = (RwJitPending){.kind = K_NONE};
    t->host_flags = 0;
    return true;
}

bool jit_is_end(const RwJitInsn *in)
{
    const RwJitRow *row = in->row;
    return row && (row->translate == jit_jmp || row->translate == jit_call || row->translate == jit_ret);
}

/* RAX = target of a JMP or CALL by register or memory. */
static void load_target(RwJitBlock *t, const RwJitInsn *in)
{
    if (jit_is_mem(&in->o[0])) {
        jit_operand(t, in->op, 64, false);
        asm_load(&t->a, 64, H_AX, AT(H_AX, 0));
    } else {
        asm_mov(&t->a, H_AX, jit_use(t, jit_gpr(&in->o[0])));
    }
}

/* Pushes the return address at [RAX]; then RSP moves, in memory. */
static void push_return(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    asm_load(a, 64, H_CX, SLOT(RW_R_PAGE));
    asm_mem(a, 64, 0x8d, H_CX, AT(H_CX, in->op->off + in->op->len));
    asm_store(a, 64, H_CX, AT(H_AX, 0));
    asm_alu_mem_imm(a, 64, ALU_SUB, SLOT(RW_R_RSP), 8);
}

bool jit_jmp(RwJitBlock *t, const RwJitInsn *in)
{
    if (in->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return false;
    settle(t);
    if (jit_is_imm(&in->o[0])) {
        jit_go_by_slot(t, in->slot);
        return ended(t);
    }
    load_target(t, in);
    uint8_t *miss = find_block(t);
    enter_found(t);
    asm_patch(&t->a, miss, t->a.p);
    jit_leave(t, in->op);
    return ended(t);
}

bool jit_call(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    if (in->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return false;
    settle(t);
    bool direct = jit_is_imm(&in->o[0]);
    uint8_t *miss = NULL;
    if (!direct) {
        load_target(t, in);
        miss = find_block(t);
        asm_store(a, 64, H_AX, CPU(jit[0]));
    }
    asm_load(a, 64, H_AX, SLOT(RW_R_RSP)); /* find_block() has RSI, so no register is asked for here */
    asm_alu_imm(a, 64, ALU_SUB, H_AX, 8);
    jit_check(t, in->op, 8, true);
    push_return(t, in);
    if (direct) {
        jit_go_by_slot(t, in->slot);
        return ended(t);
    }
    asm_load(a, 64, H_AX, CPU(jit[0]));
    enter_found(t);
    asm_patch(a, miss, a->p);
    jit_leave(t, in->op);
    return ended(t);
}

bool jit_ret(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    if (in->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return false;
    settle(t);
    asm_mov(a, H_AX, jit_use(t, RW_R_RSP));
    jit_check(t, in->op, 8, false);
    asm_load(a, 64, H_AX, AT(H_AX, 0));
    uint8_t *miss = find_block(t);
    asm_alu_mem_imm(a, 64, ALU_ADD, SLOT(RW_R_RSP), (int32_t)in->op->imm);
    enter_found(t);
    asm_patch(a, miss, a->p);
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
