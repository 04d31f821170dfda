// SPDX-License-Identifier: MIT
/* A block's way to host code. See jit-private.h. */
#include "jit-private.h"

#include <sys/mman.h>

#ifndef CODE_SIZE
#define CODE_SIZE (32u << 20)
#endif

/* ---- Operands ---- */

bool jit_is_gpr(const ZydisDecodedOperand *o)
{
    if (o->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return false;
    ZydisRegisterClass c = ZydisRegisterGetClass(o->reg.value);
    return c == ZYDIS_REGCLASS_GPR8 || c == ZYDIS_REGCLASS_GPR16 || c == ZYDIS_REGCLASS_GPR32 ||
           c == ZYDIS_REGCLASS_GPR64;
}

bool jit_is_high(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value >= ZYDIS_REGISTER_AH &&
           o->reg.value <= ZYDIS_REGISTER_BH;
}

bool jit_is_low(const ZydisDecodedOperand *o)
{
    return jit_is_gpr(o) && !jit_is_high(o);
}

unsigned jit_gpr(const ZydisDecodedOperand *o)
{
    unsigned slot = rw_reg(o->reg.value);
    return o->size == 8 ? slot / 8 : slot;
}

/* ---- What the block is made of ---- */

static bool decode(const RwCpu *cpu, RwJitInsn *in, const uint8_t *bytes, unsigned n)
{
    const ZydisDecoder *d = &cpu->code->decoder.zydis;
    ZydisDecoderContext context;
    return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(d, &context, bytes, n, &in->z)) &&
           ZYAN_SUCCESS(ZydisDecoderDecodeOperands(d, &context, &in->z, in->o,
                                                   MIN(in->z.operand_count_visible, G_N_ELEMENTS(in->o))));
}

/* Its ops, from index k on; returns the index behind them. */
static unsigned find_ops(RwJitBlock *t, unsigned i, unsigned k)
{
    RwJitInsn *in = &t->insn[i];
    const RwBlock *b = t->block;
    unsigned first = k;
    while (k < b->n_ops && !rw_op_is_slot(&b->ops[k]) && b->ops[k].icnt == i)
        k++;
    in->first = k > first ? &b->ops[first] : NULL;
    in->op = k > first ? &b->ops[k - 1] : NULL;
    in->slot = k < b->n_ops && rw_op_is_slot(&b->ops[k]) ? &b->ops[k++] : NULL;
    /* A CMP joined with its Jcc: the slot is the Jcc's, which has no op. */
    if (in->slot && i + 1 < t->n_insns && in->z.meta.category != ZYDIS_CATEGORY_COND_BR &&
        in->z.meta.category != ZYDIS_CATEGORY_UNCOND_BR && in->z.meta.category != ZYDIS_CATEGORY_CALL) {
        in->slot = NULL;
        k--;
    }
    return k;
}

static bool operands_known(const RwJitInsn *in)
{
    if (in->row && jit_is_sse(in->row))
        return true; /* looks itself */
    for (unsigned i = 0; i < in->z.operand_count_visible; i++)
        if (i >= G_N_ELEMENTS(in->o) ||
            !(jit_is_mem(&in->o[i]) || jit_is_imm(&in->o[i]) || jit_is_gpr(&in->o[i])))
            return false;
    return true;
}

/* FS or GS with an index, 32-bit addresses: the address is made by a helper op. */
static bool has_helper(const RwJitInsn *in)
{
    uint64_t segments = ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS;
    return in->z.address_width != 64 || in->z.attributes & segments;
}

/* One op only, as helper ops' results aren't made here; but SSE instructions have their check before them.
 */
static bool are_ops_known(const RwJitInsn *in)
{
    if (in->first == in->op)
        return true;
    return in->row && jit_is_sse(in->row) && in->op == in->first + 1 && !has_helper(in);
}

/* Of the same name as an SSE instruction, but on MMX registers, or a string instruction: these fault
   without a memory operand to tell, so that they must not pass for something translated. */
static bool is_namesake(const RwJitInsn *in)
{
    if (!in->row || !jit_is_sse(in->row))
        return false;
    for (unsigned i = 0; i < MIN(in->z.operand_count_visible, G_N_ELEMENTS(in->o)); i++)
        if (in->o[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(in->o[i].reg.value) == ZYDIS_REGCLASS_XMM)
            return false;
    return true;
}

static void find_row(RwJitBlock *t, RwJitInsn *in)
{
    in->row = t->jit->rows[in->z.mnemonic];
    if (is_namesake(in))
        in->row = NULL;
    if (!are_ops_known(in) || !operands_known(in) || (!in->op && in->row && in->row->translate != jit_jcc))
        in->row = NULL;
}

static bool decode_all(const RwCpu *cpu, RwJitBlock *t, const uint8_t *bytes)
{
    unsigned k = 1, off = 0;
    t->n_insns = (unsigned)t->block->ops[0].imm;
    for (unsigned i = 0; i < t->n_insns; i++) {
        RwJitInsn *in = &t->insn[i];
        bool good = decode(cpu, in, bytes + off, t->block->len - off);
        if (!good && i + 1 < t->n_insns)
            return false;
        if (!good)
            in->z = (ZydisDecodedInstruction){.length = 1}; /* the one that faults */
        k = find_ops(t, i, k);
        find_row(t, in);
        off += in->z.length;
    }
    return true;
}

static bool touches_memory(const RwJitInsn *in)
{
    if (in->first != in->op || in->row->translate == jit_push || in->row->translate == jit_pop ||
        in->row->translate == jit_leave_frame)
        return true;
    for (unsigned i = 0; i < in->z.operand_count_visible; i++)
        if (jit_is_mem(&in->o[i]) && in->row->translate != jit_lea && in->row->translate != jit_nop)
            return true;
    return false;
}

/* Of a shift whose count may be 0. */
static bool may_keep_flags(const RwJitInsn *in)
{
    if (in->row->translate != jit_shift && in->row->translate != jit_double_shift)
        return false;
    const ZydisDecodedOperand *count = &in->o[in->z.operand_count_visible - 1];
    return !jit_is_imm(count) || (in->z.raw.imm[0].size && !(count->imm.value.u & 31));
}

/* Backwards: which flags somebody may look at. Where the block can be left, all of them. */
static void find_live(RwJitBlock *t)
{
    unsigned live = F_ALL;
    for (unsigned i = t->n_insns; i-- > 0;) {
        RwJitInsn *in = &t->insn[i];
        if (!in->row) {
            live = F_ALL;
            continue;
        }
        in->live = live & in->row->kills;
        if (!may_keep_flags(in))
            live &= ~(unsigned)in->row->kills;
        live |= in->row->reads;
        if (touches_memory(in))
            live = F_ALL;
    }
}

/* ---- Frame ---- */

static const uint8_t saved[] = {H_BX, H_BP, H_12, H_13, H_14, H_15};

static void push_frame(RwJitAsm *a)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(saved); i++) {
        if (saved[i] >= 8)
            asm8(a, 0x41);
        asm8(a, 0x50u | (saved[i] & 7u));
    }
    asm_alu_imm(a, 64, ALU_SUB, H_SP, 8); /* calls want it aligned */
    asm_mem(a, 64, 0x8d, H_BP, AT(H_DI, JIT_BIAS));
}

static void pop_frame(RwJitAsm *a)
{
    asm_alu_imm(a, 64, ALU_ADD, H_SP, 8);
    for (unsigned i = G_N_ELEMENTS(saved); i-- > 0;) {
        if (saved[i] >= 8)
            asm8(a, 0x41);
        asm8(a, 0x58u | (saved[i] & 7u));
    }
}

static void write_common(RwJit *jit)
{
    RwJitAsm a = {.p = jit->code, .end = jit->code + CODE_SIZE};
    int32_t native = (int32_t)offsetof(RwBlock, native) - (int32_t)offsetof(RwBlock, ops);
    jit->enter = a.p;
    push_frame(&a);
    asm_mem(&a, 32, 0xff, 4, AT(H_SI, native));
    jit->leave = a.p;
    asm_mem(&a, 64, 0x8d, H_DI, AT(H_BP, -JIT_BIAS));
    pop_frame(&a);
    asm_mem(&a, 32, 0xff, 4, AT(H_SI, 0));
    jit->leave_to = a.p;
    asm_mem(&a, 64, 0x8d, H_DI, AT(H_BP, -JIT_BIAS));
    pop_frame(&a);
    asm_reg(&a, 32, 0xff, 4, H_AX);
    jit->exit = a.p;
    pop_frame(&a);
    asm8(&a, 0xc3);
    jit->after_stubs = a.p;
    jit->used = (size_t)(a.p - jit->code);
}

/* ---- Translation ---- */

static void write_header(RwJitBlock *t)
{
    RwJitAsm *a = &t->a;
    const RwOp *header = &t->block->ops[0];
    asm_load(a, 64, H_AX, CPU(budget));
    asm_alu_imm(a, 64, ALU_SUB, H_AX, (int32_t)header->imm);
    uint8_t *fits = asm_jcc(a, CC_NS);
    asm_load(a, 64, H_AX, SLOT(RW_R_PAGE));
    asm_mem(a, 64, 0x8d, H_AX, AT(H_AX, header->off));
    asm_store(a, 64, H_AX, CPU(rip));
    asm_const(a, H_AX, RW_PARTIAL);
    asm_jmp_to(a, t->jit->exit);
    asm_patch(a, fits, a->p);
    asm_store(a, 64, H_AX, CPU(budget));
    asm_store(a, 64, H_SI, CPU(blk));
}

static void write_stubs(RwJitBlock *t)
{
    for (unsigned i = 0; i < t->n_stubs; i++) {
        const RwJitStub *stub = &t->stub[i];
        asm_patch(&t->a, stub->at, t->a.p);
        jit_write_state(t, &stub->state);
        jit_make_flags(t, &stub->state.pending);
        if (stub->is_slot)
            jit_go_by_slot(t, stub->op);
        else
            jit_leave(t, stub->op);
    }
}

/* The op after an instruction that was left to its handlers: leads back here. */
typedef struct {
    const RwOp *op;
    uint8_t *entry;
} Return;

typedef struct {
    Return to[RW_BLOCK_MAX_INSNS];
    unsigned n;
    unsigned n_translated;
} Returns;

/* A JMP's op stays as it is: slots and gotos are known by their handlers. */
static bool can_return(const RwJitInsn *in)
{
    return in->row && in->first && !rw_op_is_goto(in->first);
}

/* False: the rest of the block is the handlers'. */
static bool leave_and_return(RwJitBlock *t, unsigned i)
{
    const RwJitInsn *in = &t->insn[i];
    jit_write_back(t);
    jit_make_flags(t, &t->s.pending);
    jit_forget(t);
    t->s.pending = (RwJitPending){.kind = K_NONE};
    t->host_flags = 0;
    jit_leave(t, in->first);
    while (++i < t->n_insns)
        if (can_return(&t->insn[i]))
            return true;
    return false;
}

static void return_here(RwJitBlock *t, const RwJitInsn *in, Returns *ret)
{
    ret->to[ret->n++] = (Return){.op = in->first, .entry = t->a.p};
    push_frame(&t->a);
}

static void write_end(RwJitBlock *t)
{
    const RwBlock *b = t->block;
    const RwOp *last = &b->ops[b->n_ops - 2];
    if (b->n_ops < 3 || !rw_op_is_goto(last) || last->icnt != t->n_insns)
        return;
    jit_write_back(t);
    jit_make_flags(t, &t->s.pending);
    jit_go_by_slot(t, last + 1);
}

static void write_insns(RwJitBlock *t, Returns *ret)
{
    bool away = false; /* the handlers have it */
    for (unsigned i = 0; i < t->n_insns; i++) {
        const RwJitInsn *in = &t->insn[i];
        if (away && !can_return(in))
            continue;
        uint8_t *before = t->a.p;
        if (away)
            return_here(t, in, ret);
        t->turn++;
        t->locked = 0;
        if (in->row && in->row->translate(t, in)) {
            away = false;
            ret->n_translated++;
            if (jit_is_end(in))
                return;
            continue;
        }
        if (away) { /* its handler must not lead here: it is what does it */
            t->a.p = before;
            ret->n--;
            jit_forget(t);
            continue;
        }
        if (!leave_and_return(t, i))
            return;
        away = true;
    }
    if (!away)
        write_end(t);
}

static void install(RwJitBlock *t, const Returns *ret, uint8_t *start)
{
    RwBlock *b = t->block;
    b->native = start;
    b->ops[0].fn = (RwOpFn)(uintptr_t)t->jit->enter;
    for (unsigned i = 0; i < ret->n; i++)
        ((RwOp *)(uintptr_t)ret->to[i].op)->fn = (RwOpFn)(uintptr_t)ret->to[i].entry;
}

void rw_jit_translate(RwCpu *cpu, RwBlock *b)
{
    RwJit *jit = cpu->code->jit;
    const RwRange *range = rw_phys_range(cpu->mmu, b->gpa);
    if (!jit || !range || b->gpa2 != RW_NO_PAGE || b->dead)
        return;
    RwJitBlock *t = &jit->block;
    uint8_t *start = jit->code + jit->used;
    Returns ret = {.n = 0};
    t->a = (RwJitAsm){.p = start, .end = jit->code + CODE_SIZE};
    t->block = b;
    t->n_stubs = 0;
    t->host_flags = t->turn = 0;
    t->s.pending = (RwJitPending){.kind = K_NONE};
    jit_forget(t);
    memset(t->used_at, 0, sizeof t->used_at);
    if (!decode_all(cpu, t, range->host + (b->gpa - range->gpa)))
        return;
    find_live(t);
    write_header(t);
    write_insns(t, &ret);
    write_stubs(t);
    if (t->a.full) {
        cpu->code->full = true;
        return;
    }
    if (!ret.n_translated)
        return;
    jit->used = ((size_t)(t->a.p - jit->code) + 15) & ~(size_t)15;
    install(t, &ret, start);
}

/* ---- Life ---- */

RwJit *rw_jit_new(void)
{
    uint8_t *code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (code == MAP_FAILED)
        return NULL;
    RwJit *jit = g_new0(RwJit, 1);
    jit->code = code;
    jit->block.jit = jit;
    for (const RwJitRow *row = rw_jit_rows; row->translate; row++)
        jit->rows[row->mnemonic] = row;
    write_common(jit);
    return jit;
}

void rw_jit_clear(RwJit *jit)
{
    if (jit)
        jit->used = (size_t)(jit->after_stubs - jit->code);
}

const void *rw_jit_leave(const RwJit *jit)
{
    return jit ? jit->leave : NULL;
}

void rw_jit_free(RwJit *jit)
{
    if (!jit)
        return;
    munmap(jit->code, CODE_SIZE);
    g_free(jit);
}
