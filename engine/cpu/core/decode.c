// SPDX-License-Identifier: MIT
// From instructions to ops: the groups' tables say who emits.
#include "code-private.h"
#include "stops-private.h"

// ---- Emitting ----

RwOp *rw_emit(RwEmit *e, RwOpFn fn)
{
    g_assert(e->n_ops < e->max_ops);
    RwOp *op = &e->ops[e->n_ops++];
    *op = (RwOp){
        .fn = fn,
        .base = RW_R_ZERO,
        .index = RW_R_ZERO,
        .icnt = e->icnt,
        .off = e->off,
        .len = e->insn.length,
    };
    return op;
}

RwOp *rw_emit_mem(RwEmit *e, RwOpFn fn, const RwEa *ea)
{
    RwOp *op = rw_emit(e, fn);
    op->disp = ea->disp;
    op->base = ea->base;
    op->index = ea->index;
    op->scale = ea->scale;
    return op;
}

// ---- Who emits what ----

static const RwMnemonic *const *groups(unsigned *ret_n)
{
    static const RwMnemonic *const list[] = {
        rw_group_system, rw_group_integer, rw_group_flow, rw_group_sse, rw_group_x87,
    };
    *ret_n = G_N_ELEMENTS(list);
    return list;
}

void rw_decoder_init(RwDecoder *d)
{
    unsigned n_groups, total = 0;
    const RwMnemonic *const *list = groups(&n_groups);
    for (unsigned g = 0; g < n_groups; g++)
        for (const RwMnemonic *m = list[g]; m->emit; m++, total++)
            d->first[m->mnemonic + 1]++;
    for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
        d->first[i + 1] = (uint16_t)(d->first[i + 1] + d->first[i]);
    d->rows = g_new0(const RwMnemonic *, total + 1);
    for (unsigned g = 0; g < n_groups; g++)
        for (const RwMnemonic *m = list[g]; m->emit; m++) {
            unsigned at = d->first[m->mnemonic];
            while (d->rows[at])
                at++;
            d->rows[at] = m;
        }
    d->insns = rw_insn_decoder_new();
}

void rw_decoder_clear(RwDecoder *d)
{
    g_clear_pointer(&d->rows, g_free);
    g_clear_pointer(&d->insns, rw_insn_decoder_free);
}

static bool emit_by_tables(const RwDecoder *d, RwEmit *e)
{
    unsigned m = e->insn.mnemonic;
    for (unsigned i = d->first[m]; i < d->first[m + 1]; i++)
        if (d->rows[i]->emit(e, d->rows[i]))
            return true;
    return false;
}

// ---- What can't be decoded ----

static RW_OP(op_undefined)
{
    return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
}

static RW_OP(op_too_long)
{
    return rw_fault(cpu, op, RW_GP, 0);
}

static void emit_bad(RwEmit *e, RwDecodeStatus status)
{
    bool too_long = status == RW_DECODE_TOO_LONG || status == RW_DECODE_MORE;
    e->insn.length = 1;
    rw_emit(e, too_long ? op_too_long : op_undefined);
    e->end = true;
}

// ---- Blocks ----

// Header: takes the block's instructions off the budget, or says that they don't all fit.
RW_OP(rw_op_enter)
{
    int64_t left = cpu->budget - (int64_t)op->imm;
    if (RW_UNLIKELY(left < 0)) {
        cpu->rip = rw_op_rip(cpu, op);
        return RW_PARTIAL;
    }
    cpu->budget = left;
    cpu->blk = op;
    RW_NEXT;
}

// The same until the block has shown that it is run often.
static RW_OP(op_enter_counting)
{
    int64_t left = cpu->budget - (int64_t)op->imm;
    if (RW_UNLIKELY(left < 0)) {
        cpu->rip = rw_op_rip(cpu, op);
        return RW_PARTIAL;
    }
    if (RW_UNLIKELY(++((RwOp *)(uintptr_t)op)->reg == cpu->code->hot)) {
        rw_code_translate(cpu, rw_block_of(op));
        return rw_go(cpu, op);
    }
    cpu->budget = left;
    cpu->blk = op;
    RW_NEXT;
}

enum { STILL_THERE = -1 };

// Whether the page after this one is mapped where it was when the block was decoded; else what the header
// returns.
static int __attribute__((noinline)) look_across(RwCpu *cpu, const RwOp *op)
{
    RwFetch next;
    cpu->rip = rw_op_rip(cpu, op);
    if (cpu->budget < (int64_t)op->imm)
        return RW_PARTIAL;
    if (!rw_code_fetch(cpu, cpu->r[RW_R_PAGE] + 4096, &next))
        return rw_fault_at_rip(cpu, cpu->fault_vector, cpu->fault_error);
    if (next.gpa == (uint64_t)op->disp)
        return STILL_THERE;
    rw_code_kill(cpu, op);
    return RW_GO_ON;
}

// Header of a block that reaches into the next page (disp: its guest-physical address). The block is only
// right while that page is mapped where it was.
static RW_OP(op_enter_crossing)
{
    int action = look_across(cpu, op);
    if (RW_UNLIKELY(action != STILL_THERE))
        return action;
    cpu->budget -= (int64_t)op->imm;
    cpu->blk = op;
    RW_NEXT;
}

// Header of a block whose one instruction may be stopped at. It stays the interpreter's.
static RW_OP(op_enter_stop)
{
    uint64_t rip = rw_op_rip(cpu, op);
    int action = rw_block_of(op)->gpa2 == RW_NO_PAGE ? STILL_THERE : look_across(cpu, op);
    if (RW_UNLIKELY(action != STILL_THERE))
        return action;
    if (RW_UNLIKELY(cpu->budget < (int64_t)op->imm)) {
        cpu->rip = rip;
        return RW_PARTIAL;
    }
    if (RW_UNLIKELY(rw_stops_at(cpu, rip)))
        return RW_LEAVE;
    cpu->budget -= (int64_t)op->imm;
    cpu->blk = op;
    RW_NEXT;
}

typedef struct {
    const RwFetch *at;
    uint64_t rip;
    uint8_t buffer[RW_INSN_MAX_LEN + 1];
    RwFetch next; // the page after, once it was needed
} RwBytes;

// The bytes at `off` of the page, up to its end and RW_INSN_MAX_LEN.
static unsigned bytes_in_page(unsigned off)
{
    return MIN(4096 - off, RW_INSN_MAX_LEN);
}

static RwDecodeStatus decode_at(RwDecode *d, const uint8_t *bytes, unsigned n)
{
    return rw_decode_insn(d->e.cpu->code->decoder.insns, bytes, n, &d->e.insn);
}

// The first instruction, where it reaches into the next page. False: that page can't be fetched.
static bool decode_crossing(RwDecode *d, RwBytes *in, RwDecodeStatus *ret_status)
{
    unsigned n = bytes_in_page(d->e.off);
    if (!rw_code_fetch(d->e.cpu, (in->rip & RW_PAGE_MASK) + 4096, &in->next))
        return false;
    memcpy(in->buffer, in->at->host + d->e.off, n);
    memcpy(in->buffer + n, in->next.host, RW_INSN_MAX_LEN - n);
    *ret_status = decode_at(d, in->buffer, RW_INSN_MAX_LEN);
    return true;
}

// Emits the decoded instruction; keeps it where the next emitter may want to look back at it (fuse.c).
static void emit_insn(RwDecode *d)
{
    RwEmit *e = &d->e;
    unsigned before = e->n_ops;
    if (!emit_by_tables(&e->cpu->code->decoder, e)) {
        g_assert(e->n_ops == before);
        emit_bad(e, RW_DECODE_BAD);
    }
    d->prev_op = e->n_ops == before + 1 ? before : 0;
    if (e->insn.mnemonic == ZYDIS_MNEMONIC_CMP || e->insn.mnemonic == ZYDIS_MNEMONIC_TEST)
        d->prev = e->insn;
    else
        d->prev_op = 0;
}

static bool is_room(const RwDecode *d, unsigned max_insns)
{
    return !d->e.end && d->e.icnt < max_insns && d->e.off < 4096 && d->e.n_ops + 20 < d->e.max_ops &&
           d->n_branches < RW_BLOCK_MAX_BRANCHES;
}

// Slots of jumps within the block give back what the block's header took for the instructions after
// them: known only now.
static void set_refunds(RwEmit *e, unsigned n_insns)
{
    for (unsigned i = 1; i < e->n_ops; i++)
        if (rw_op_is_slot(&e->ops[i]))
            e->ops[i].icnt = (uint8_t)(n_insns - e->ops[i].icnt);
}

static void finish(RwDecode *d, RwBlock *b, const RwBytes *in, unsigned end)
{
    RwEmit *e = &d->e;
    if (!e->end)
        rw_emit_goto(e);
    set_refunds(e, e->icnt);
    bool crossing = end > 4096;
    RwOp *header = &e->ops[0];
    header->fn = d->stop      ? op_enter_stop
                 : crossing   ? op_enter_crossing
                 : d->one_use ? rw_op_enter
                              : op_enter_counting;
    header->imm = e->icnt;
    header->disp = crossing ? (int64_t)in->next.gpa : 0;
    b->gpa = in->at->gpa + (in->rip & 0xfff);
    b->gpa2 = crossing ? in->next.gpa : RW_NO_PAGE;
    b->len = (uint16_t)(MIN(end, 4096) - (in->rip & 0xfff));
    b->len2 = (uint16_t)(crossing ? end - 4096 : 0);
    b->n_ops = (uint16_t)e->n_ops;
    b->dead = false;
    b->incoming = NULL;
    b->native = rw_jit_leave(d->e.cpu->code->jit);
}

bool rw_decode_block(RwCpu *cpu, RwBlock *b, uint64_t rip, const RwFetch *at, unsigned max_insns)
{
    RwDecode d;
    RwEmit *e = &d.e;
    *e = (RwEmit){.cpu = cpu, .off = rip & 0xfff, .ops = b->ops, .max_ops = RW_BLOCK_MAX_OPS};
    d.prev_op = d.n_branches = 0;
    d.one_use = b == cpu->code->scratch;
    d.stops = cpu->stops_any && rw_stops_in_page(cpu->stops, at->gpa);
    d.stop = d.stops && rw_stops_offset(cpu->stops, e->off);
    if (d.stop)
        max_insns = 1;
    RwBytes in = {.at = at, .rip = rip};
    e->insn.length = 0;
    rw_emit(e, rw_op_enter);
    unsigned end = e->off;
    while (is_room(&d, max_insns)) {
        if (d.stops && e->icnt > 0 && rw_stops_offset(cpu->stops, e->off))
            break;
        RwDecodeStatus status = decode_at(&d, at->host + e->off, bytes_in_page(e->off));
        if (status == RW_DECODE_MORE && bytes_in_page(e->off) < RW_INSN_MAX_LEN) {
            if (e->icnt > 0)
                break;
            if (!decode_crossing(&d, &in, &status))
                return false;
            max_insns = 1;
        }
        if (status == RW_DECODED)
            emit_insn(&d);
        else
            emit_bad(e, status);
        e->icnt++;
        end = e->off + e->insn.length;
        e->off = (uint16_t)end;
    }
    finish(&d, b, &in, end);
    return true;
}
