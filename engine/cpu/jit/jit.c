// SPDX-License-Identifier: MIT
// A block's way to host code. See jit-private.h.
#include "jit-private.h"

// ---- Operands ----

// A byte offset into r[] that is no register's start.
bool jit_is_high(const RwOpnd *o)
{
    return rw_opnd_is_reg(o, RW_CLASS_GPR8) && o->reg & 7;
}

bool jit_is_low(const RwOpnd *o)
{
    return rw_opnd_is_any_gpr(o) && !jit_is_high(o);
}

unsigned jit_gpr(const RwOpnd *o)
{
    unsigned slot = o->reg;
    return o->size == 8 ? slot / 8 : slot;
}

// ---- What the block is made of ----

// Its ops, from index k on; returns the index behind them.
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
    // A CMP joined with its Jcc: the slot is the Jcc's, which has no op.
    if (in->slot && i + 1 < t->n_insns && in->insn.flow == RW_FLOW_NONE) {
        in->slot = NULL;
        k--;
    }
    return k;
}

static bool operands_known(const RwJitInsn *in)
{
    if (in->row && jit_is_sse(in->row))
        return true; // looks itself
    for (unsigned i = 0; i < in->insn.n_opnds; i++)
        if (!(rw_opnd_is_mem(&in->insn.opnd[i]) || rw_opnd_is_imm(&in->insn.opnd[i]) ||
              rw_opnd_is_any_gpr(&in->insn.opnd[i])))
            return false;
    return true;
}

// FS or GS with an index, 32-bit addresses: the address is made by a helper op.
static bool has_helper(const RwJitInsn *in)
{
    return in->insn.address_width != 64 || in->insn.segment != RW_R_ZERO;
}

// One op only, as helper ops' results aren't made here; but SSE instructions have their check before them.
static bool are_ops_known(const RwJitInsn *in)
{
    if (in->first == in->op)
        return true;
    return in->row && jit_is_sse(in->row) && in->op == in->first + 1 && !has_helper(in);
}

// Of the same name as an SSE instruction, but on MMX registers, or a string instruction: these fault
// without a memory operand to tell, so that they must not pass for something translated.
static bool is_namesake(const RwJitInsn *in)
{
    if (!in->row || !jit_is_sse(in->row))
        return false;
    for (unsigned i = 0; i < in->insn.n_opnds; i++)
        if (rw_opnd_is_xmm(&in->insn.opnd[i]))
            return false;
    return true;
}

static void find_row(RwJitBlock *t, RwJitInsn *in)
{
    in->row = t->jit->rows[in->insn.mnemonic];
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
        const RwInsnDecoder *d = cpu->code->decoder.insns;
        bool good = rw_decode_insn(d, bytes + off, t->block->len - off, &in->insn) == RW_DECODED;
        if (!good && i + 1 < t->n_insns)
            return false;
        if (!good)
            in->insn = (RwDecoded){.length = 1}; // the one that faults
        k = find_ops(t, i, k);
        find_row(t, in);
        off += in->insn.length;
    }
    return true;
}

static bool touches_memory(const RwJitInsn *in)
{
    if (in->first != in->op || in->row->translate == jit_push || in->row->translate == jit_pop ||
        in->row->translate == jit_leave_frame || in->row->translate == jit_div || jit_is_fp(in->row))
        return true;
    for (unsigned i = 0; i < in->insn.n_opnds; i++)
        if (rw_opnd_is_mem(&in->insn.opnd[i]) && in->row->translate != jit_lea &&
            in->row->translate != jit_nop)
            return true;
    return false;
}

// Another one has looked for its memory.
static bool is_safe(const RwJitInsn *in)
{
    return in->is_sharing && in->first == in->op && !jit_is_fp(in->row) && in->row->translate != jit_div;
}

// Of a shift whose count may be 0.
static bool may_keep_flags(const RwJitInsn *in)
{
    if (in->row->translate != jit_shift && in->row->translate != jit_double_shift)
        return false;
    const RwOpnd *count = &in->insn.opnd[in->insn.n_opnds - 1];
    return !rw_opnd_is_imm(count) || !(count->uimm & 31);
}

// Backwards: which flags somebody may look at. Where the block can be left, all of them.
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
        if (touches_memory(in) && !is_safe(in))
            live = F_ALL;
    }
}

// ---- Translation ----

static uint8_t *write_header(RwJitBlock *t)
{
    asm_alu_mem_imm(&t->a, 64, ALU_SUB, CPU(budget), (int32_t)t->block->ops[0].imm);
    return asm_jcc(&t->a, CC_S);
}

static void write_partial_exit(RwJitBlock *t, uint8_t *from)
{
    const RwOp *header = &t->block->ops[0];
    asm_patch(&t->a, from, t->a.p);
    asm_alu_mem_imm(&t->a, 64, ALU_ADD, CPU(budget), (int32_t)header->imm);
    asm_const(&t->a, H_CX, header->off);
    asm_jmp_to(&t->a, t->jit->partial);
}

static void write_stubs(RwJitBlock *t)
{
    for (unsigned i = 0; i < t->n_stubs; i++) {
        const RwJitStub *stub = &t->stub[i];
        asm_patch(&t->a, stub->at, t->a.p);
        if (stub->is_stray)
            jit_note_stray(t);
        jit_write_state(t, &stub->state);
        jit_store_flags(t, &stub->state);
        if (stub->is_slot)
            jit_go_by_slot(t, stub->op);
        else if (stub->is_stray)
            jit_leave_stray(t, stub->op);
        else
            jit_leave(t, stub->op);
    }
}

// A JMP's op stays as it is: slots and gotos are known by their handlers.
bool jit_can_return(const RwJitInsn *in)
{
    return in->row && in->first && !rw_op_is_goto(in->first);
}

// Nothing is known but that the handlers were at work.
static void start_anew(RwJitBlock *t)
{
    jit_forget(t);
    t->s.pending = (RwJitPending){.kind = K_NONE};
    t->s.is_kind_none = true;
    t->host_flags = 0;
}

// False: the rest of the block is the handlers'.
static bool leave_and_return(RwJitBlock *t, unsigned i)
{
    jit_settle(t);
    jit_leave(t, t->insn[i].first);
    start_anew(t);
    while (++i < t->n_insns)
        if (jit_can_return(&t->insn[i]))
            return true;
    return false;
}

static void return_here(RwJitBlock *t, const RwJitInsn *in)
{
    t->to[t->n_returns++] = (RwJitReturn){.op = in->first, .entry = t->a.p};
    jit_push_frame(&t->a);
}

static void write_end(RwJitBlock *t)
{
    const RwBlock *b = t->block;
    const RwOp *last = &b->ops[b->n_ops - 2];
    if (b->n_ops < 3 || !rw_op_is_goto(last) || last->icnt != t->n_insns)
        return;
    jit_settle(t);
    jit_go_by_slot(t, last + 1);
}

// An instruction that turns out to be of a form that is not translated, which nobody was told of: what the
// others know is wrong.
static bool is_surprise(const RwJitBlock *t, const RwJitInsn *in)
{
    return in->row && t->n_shares;
}

// False: once more, without the translation of one of them.
static bool write_insns(RwJitBlock *t)
{
    bool away = false; // the handlers have it
    for (unsigned i = 0; i < t->n_insns; i++) {
        RwJitInsn *in = &t->insn[i];
        t->now = in;
        if (away && !jit_can_return(in))
            continue;
        uint8_t *before = t->a.p;
        if (away)
            return_here(t, in);
        t->turn++;
        t->locked = 0;
        if (in->row && in->row->translate(t, in)) {
            away = false;
            t->n_translated++;
            if (jit_is_end(in))
                return true;
            continue;
        }
        if (is_surprise(t, in)) {
            in->row = NULL;
            return false;
        }
        if (away) { // its handler must not lead here: it is what does it
            t->a.p = before;
            t->n_returns--;
            start_anew(t);
            continue;
        }
        if (!leave_and_return(t, i))
            return true;
        away = true;
    }
    if (!away)
        write_end(t);
    return true;
}

// Where what is written at p is executed.
static const void *to_run(const RwJit *jit, const uint8_t *p)
{
    return p + jit->to_run;
}

// Code was written at an address that may have been executed. The host's CPU sees that by itself, but not
// for certain where it is written by another address: SDM volume 3, 8.1.3.
static void serialize(const RwJit *jit)
{
    unsigned a = 0, b, c = 0, d;
    if (jit->to_run)
        __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d) : : "memory");
}

static void set_distance(RwJit *jit, const RwOp *slot, const void *to)
{
    uint8_t *at = jit->code + slot->site;
    int32_t distance = to ? (int32_t)((const uint8_t *)to - ((const uint8_t *)to_run(jit, at) + 4)) : 0;
    memcpy(at, &distance, 4);
    serialize(jit);
}

void rw_jit_link(RwJit *jit, const RwOp *slot)
{
    const void *native = rw_block_of(slot->chain)->native;
    if (slot->site && slot->chain != slot && native != rw_jit_leave(jit))
        set_distance(jit, slot, native);
}

void rw_jit_unlink(RwJit *jit, const RwOp *slot)
{
    if (slot->site)
        set_distance(jit, slot, NULL);
}

static void install(RwJitBlock *t, uint8_t *start)
{
    RwBlock *b = t->block;
    RwJit *jit = t->jit;
    jit->free += ((size_t)(t->a.p - start) + 15) & ~(size_t)15;
    b->native = to_run(jit, start);
    b->ops[0].fn = (RwOpFn)(uintptr_t)to_run(jit, jit->enter);
    for (unsigned i = 0; i < t->n_returns; i++)
        ((RwOp *)(uintptr_t)t->to[i].op)->fn = (RwOpFn)(uintptr_t)to_run(jit, t->to[i].entry);
    for (unsigned i = 1; i < b->n_ops; i++)
        if (b->ops[i].fn == rw_slot_near)
            rw_jit_link(jit, &b->ops[i]);
    for (const RwOp *slot = b->incoming; slot; slot = (const RwOp *)(uintptr_t)slot->disp)
        rw_jit_link(jit, slot);
    serialize(jit);
}

static void start(RwJitBlock *t, RwBlock *b)
{
    RwJit *jit = t->jit;
    t->a = (RwJitAsm){.p = jit->free, .end = jit->end, .to_run = jit->to_run};
    t->block = b;
    t->n_stubs = t->n_returns = t->n_translated = 0;
    t->host_flags = t->turn = 0;
    t->s.pending = (RwJitPending){.kind = K_IN};
    t->s.is_kind_none = false;
    jit_forget(t);
    memset(t->used_at, 0, sizeof t->used_at);
}

// What is not installed is not jumped to.
static void forget_sites(RwBlock *b)
{
    for (unsigned i = 1; i < b->n_ops; i++)
        if (b->ops[i].fn == rw_slot_near)
            b->ops[i].site = 0;
}

void rw_jit_translate(RwCpu *cpu, RwBlock *b)
{
    RwJit *jit = cpu->code->jit;
    const RwRange *range = rw_phys_range(cpu->mmu, b->gpa);
    if (!jit || !range || b->gpa2 != RW_NO_PAGE || b->dead)
        return;
    RwJitBlock *t = &jit->block;
    t->block = b;
    if (!decode_all(cpu, t, range->host + (b->gpa - range->gpa)))
        return;
    uint8_t *partial;
    do {
        start(t, b);
        forget_sites(b);
        jit_find_shares(t, jit_is_apart(jit, b->gpa));
        find_live(t);
        partial = write_header(t);
    } while (!write_insns(t));
    write_stubs(t);
    write_partial_exit(t, partial);
    if (t->a.full)
        cpu->code->full = true;
    if (t->a.full || !t->n_translated)
        forget_sites(b);
    else
        install(t, jit->free);
}

// ---- Life ----

RwJit *rw_jit_new(const RwCodeMemory *memory)
{
    if (!memory->code)
        return NULL;
    RwJit *jit = g_new0(RwJit, 1);
    jit->code = memory->writable;
    jit->to_run = memory->code - memory->writable;
    jit->block.jit = jit;
    for (const RwJitRow *row = rw_jit_rows; row->translate; row++)
        jit->rows[row->mnemonic] = row;
    jit_write_common(jit);
    return jit;
}

void rw_jit_fill(RwJit *jit, size_t from, size_t to)
{
    if (!jit)
        return;
    jit->free = MAX(jit->code + from, (uint8_t *)(((uintptr_t)jit->after_stubs + 15) & ~(uintptr_t)15));
    jit->end = jit->code + to;
}

const void *rw_jit_leave(const RwJit *jit)
{
    return jit ? to_run(jit, jit->go_on) : NULL;
}

void rw_jit_free(RwJit *jit)
{
    g_free(jit);
}
