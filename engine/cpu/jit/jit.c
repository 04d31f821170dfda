// SPDX-License-Identifier: MIT
// A block's way to host code. See jit-private.h.
#include "jit-private.h"

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

// False: one of them turns out to be of a form that is not translated, so that what the others were told is
// wrong: once more, without a translation of it.
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
        if (in->row && t->n_shares) {
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
    if (!jit_decode(cpu, t, range->host + (b->gpa - range->gpa)))
        return;
    uint8_t *partial;
    do {
        start(t, b);
        forget_sites(b);
        jit_find_shares(t, jit_is_apart(jit, b->gpa));
        jit_find_live(t);
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
