// SPDX-License-Identifier: MIT
// SSE moves and SSE2 integer and logical operations. XMM registers stay in the RwCpu; the host's XMM0 does
// the work.
#include "jit-private.h"

#define X0 0 // host's XMM0
#define CR0_EM_TS 0xc
#define CR4_OSFXSR (1 << 9)
#define MOVDQA (RW_ASM_66 | 0x0f6f)
#define MOVDQA_TO (RW_ASM_66 | 0x0f7f)
#define MOVDQU (RW_ASM_F3 | 0x0f6f)
#define MOVDQU_TO (RW_ASM_F3 | 0x0f7f)
#define MOVQ (RW_ASM_F3 | 0x0f7e)
#define MOVD_FROM (RW_ASM_66 | 0x0f6e)
#define PMOVMSKB (RW_ASM_66 | 0x0fd7)

RwAsmMem jit_xmm(const RwOpnd *o)
{
    RwAsmMem m = CPU(xmm);
    m.disp += 16 * o->reg;
    return m;
}

bool jit_is_sse(const RwJitRow *row)
{
    return row->translate == jit_sse_move || row->translate == jit_sse_op ||
           row->translate == jit_sse_shift || row->translate == jit_sse_half ||
           row->translate == jit_sse_mask || row->translate == jit_sse_string || jit_is_fp(row);
}

// The check op that the first such instruction of a block begins with.
void jit_sse_check(RwJitBlock *t, const RwJitInsn *in)
{
    if (in->first == in->op)
        return;
    asm_mem(&t->a, 32, 0xf7, 0, CPU(cr0));
    asm32(&t->a, CR0_EM_TS);
    jit_leave_if(t, CC_NE, in->first);
    asm_mem(&t->a, 32, 0xf7, 0, CPU(cr4));
    asm32(&t->a, CR4_OSFXSR);
    jit_leave_if(t, CC_E, in->first);
    t->host_flags = 0;
}

void jit_sse_put(RwJitBlock *t, const RwOpnd *dst)
{
    asm_mem(&t->a, 32, MOVDQA_TO, X0, jit_xmm(dst));
}

// RAX = host address of a 16-byte operand.
static void wide_operand(RwJitBlock *t, const RwJitInsn *in, bool aligned, bool write)
{
    if (!aligned) {
        jit_operand(t, in->op, 128, write);
        return;
    }
    jit_address(t, in->op);
    jit_check_aligned(t, in->op, write);
}

static void move_wide(RwJitBlock *t, const RwJitInsn *in, bool aligned)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    if (rw_opnd_is_mem(dst)) {
        wide_operand(t, in, aligned, true);
        asm_mem(&t->a, 32, MOVDQA, X0, jit_xmm(src));
        asm_mem(&t->a, 32, MOVDQU_TO, X0, jit_at(t));
        return;
    }
    if (rw_opnd_is_mem(src))
        wide_operand(t, in, aligned, false);
    asm_mem(&t->a, 32, MOVDQU, X0, rw_opnd_is_mem(src) ? jit_at(t) : jit_xmm(src));
    jit_sse_put(t, dst);
}

static void move_scalar(RwJitBlock *t, const RwJitInsn *in, unsigned bits)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    bool merge = in->insn.mnemonic == ZYDIS_MNEMONIC_MOVSS || in->insn.mnemonic == ZYDIS_MNEMONIC_MOVSD;
    RwJitAsm *a = &t->a;
    if (rw_opnd_is_mem(dst)) {
        jit_operand(t, in->op, bits, true);
        asm_load(a, bits, H_CX, jit_xmm(src));
        asm_store(a, bits, H_CX, jit_at(t));
    } else if (rw_opnd_is_mem(src)) {
        jit_operand(t, in->op, bits, false);
        asm_mem(a, 32, bits == 64 ? MOVQ : MOVD_FROM, X0, jit_at(t));
        jit_sse_put(t, dst);
    } else if (rw_opnd_is_xmm(dst) && rw_opnd_is_xmm(src) && merge) {
        asm_load(a, bits, H_AX, jit_xmm(src));
        asm_store(a, bits, H_AX, jit_xmm(dst));
    } else if (rw_opnd_is_xmm(dst) && rw_opnd_is_xmm(src)) {
        asm_mem(a, 32, MOVQ, X0, jit_xmm(src));
        jit_sse_put(t, dst);
    } else if (rw_opnd_is_xmm(dst)) {
        RwAsmMem low = jit_xmm(dst), high = low;
        high.disp += 8;
        int host = jit_use(t, jit_gpr(src));
        asm_reg(a, 32, 0x8b, H_AX, host);
        asm_store(a, 64, bits == 64 ? host : H_AX, low);
        asm_mem(a, 64, 0xc7, 0, high);
        asm32(a, 0);
    } else {
        asm_load(a, bits, jit_def(t, jit_gpr(dst)), jit_xmm(src));
    }
}

// Every operand is one that is meant here: XMM, general or memory, and one of them XMM.
static bool is_form(const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    bool dst_good = rw_opnd_is_xmm(dst) || rw_opnd_is_mem(dst) || rw_opnd_is_any_gpr(dst);
    bool src_good = rw_opnd_is_xmm(src) || rw_opnd_is_mem(src) || rw_opnd_is_any_gpr(src);
    return in->insn.n_opnds == 2 && dst_good && src_good && (rw_opnd_is_xmm(dst) || rw_opnd_is_xmm(src));
}

// arg: bits; 128 + 1: aligned; 0: the size of the operand that isn't XMM
bool jit_sse_move(RwJitBlock *t, const RwJitInsn *in)
{
    unsigned bits = in->row->arg;
    if (!is_form(in))
        return false;
    jit_sse_check(t, in);
    if (bits >= 128)
        move_wide(t, in, bits & 1);
    else
        move_scalar(t, in, bits);
    return true;
}

// MOVLPS, MOVHPS and the like. arg: offset of the half
bool jit_sse_half(RwJitBlock *t, const RwJitInsn *in)
{
    bool write = rw_opnd_is_mem(&in->insn.opnd[0]);
    const RwOpnd *reg = &in->insn.opnd[write];
    if (!rw_opnd_is_mem(&in->insn.opnd[!write]) || !rw_opnd_is_xmm(reg))
        return false;
    RwAsmMem half = jit_xmm(reg);
    half.disp += (int32_t)in->row->arg;
    jit_sse_check(t, in);
    jit_operand(t, in->op, 64, write);
    asm_load(&t->a, 64, H_CX, write ? half : jit_at(t));
    asm_store(&t->a, 64, H_CX, write ? jit_at(t) : half);
    return true;
}

uint64_t jit_sse_opcode(const RwJitInsn *in)
{
    static const uint32_t maps[] = {
        [RW_MAP_0F] = 0x0f00, [RW_MAP_0F38] = 0x0f3800, [RW_MAP_0F3A] = 0x0f3a00};
    uint32_t map = in->insn.map < G_N_ELEMENTS(maps) ? maps[in->insn.map] : 0;
    return map ? (uint64_t)in->row->arg << 24 | map | in->insn.opcode : 0;
}

// "op xmm, xmm/m128", perhaps with an immediate. arg: the mandatory prefix
bool jit_sse_op(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    bool has_imm = in->insn.n_opnds == 3;
    if (!rw_opnd_is_xmm(dst) || !(rw_opnd_is_xmm(src) || rw_opnd_is_mem(src)) || !jit_sse_opcode(in) ||
        (has_imm && (!rw_opnd_is_imm(&in->insn.opnd[2]) ||
                     rw_opnd_is_mem(src)))) // that has an op for its operand alone
        return false;
    jit_sse_check(t, in);
    if (rw_opnd_is_mem(src))
        wide_operand(t, in, true, false);
    asm_mem(&t->a, 32, MOVDQA, X0, jit_xmm(dst));
    asm_mem(&t->a, 32, jit_sse_opcode(in), X0, rw_opnd_is_mem(src) ? jit_at(t) : jit_xmm(src));
    if (has_imm)
        asm8(&t->a, (unsigned)in->insn.opnd[2].uimm & 0xff);
    jit_sse_put(t, dst);
    return true;
}

// Shifts by an immediate: of XMM0, by the same opcode and ModRM.reg.
bool jit_sse_shift(RwJitBlock *t, const RwJitInsn *in)
{
    const RwOpnd *dst = &in->insn.opnd[0], *count = &in->insn.opnd[1];
    if (!rw_opnd_is_xmm(dst) || !rw_opnd_is_imm(count))
        return jit_sse_op(t, in);
    jit_sse_check(t, in);
    asm_mem(&t->a, 32, MOVDQA, X0, jit_xmm(dst));
    asm_reg(&t->a, 32, jit_sse_opcode(in), (int)rw_decoded_reg(&in->insn), X0);
    asm8(&t->a, (unsigned)count->uimm & 0xff);
    jit_sse_put(t, dst);
    return true;
}

// PMOVMSKB r, xmm
bool jit_sse_mask(RwJitBlock *t, const RwJitInsn *in)
{
    if (!rw_opnd_is_any_gpr(&in->insn.opnd[0]) || !rw_opnd_is_xmm(&in->insn.opnd[1]))
        return false;
    jit_sse_check(t, in);
    asm_mem(&t->a, 32, MOVDQA, X0, jit_xmm(&in->insn.opnd[1]));
    asm_reg(&t->a, 32, PMOVMSKB, jit_def(t, jit_gpr(&in->insn.opnd[0])), X0);
    return true;
}

// PCMPISTRI xmm, xmm/m128, imm8: index to RCX, and flags.
bool jit_sse_string(RwJitBlock *t, const RwJitInsn *in)
{
    RwJitAsm *a = &t->a;
    const RwOpnd *src = &in->insn.opnd[1];
    bool from_memory = rw_opnd_is_mem(src);
    const RwOp *fetch = in->op - from_memory; // memory has an op of its own
    if (in->first != fetch)
        jit_sse_check(t, in);
    if (from_memory) {
        jit_address(t, fetch);
        jit_check(t, fetch, 16, false);
    }
    int index = jit_def(t, RW_R_RCX);
    asm_mem(a, 32, MOVDQA, X0, jit_xmm(&in->insn.opnd[0]));
    asm_mem(a, 32, jit_sse_opcode(in), X0, from_memory ? jit_at(t) : jit_xmm(src));
    asm8(a, (unsigned)in->insn.opnd[2].uimm & 0xff);
    asm_reg(a, 32, 0x8b, index, H_CX);
    jit_save_host_flags(t, in);
    return true;
}
