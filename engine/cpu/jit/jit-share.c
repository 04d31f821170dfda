// SPDX-License-Identifier: MIT
// One look into the TLB for several accesses near each other.
//
// Accesses of a block that have the same base register, which changes by constants only between them, and
// lie within SPAN bytes share the first one's look, of the page that all of them are in; for the others the
// host's address is kept in the frame. A TLB entry can't change inside host code. Where they are not in one
// page, or one of them writes to a page that the TLB allows no fast write to, the first one leaves, before
// anything has changed. Where that happens again and again, not long after each other, the block is
// translated anew, with a look for each.
#include "jit-private.h"

#define SPAN 256
#define STRAYS_MAX 16 // times that a block leaves because of it,
#define SELDOM 30000 // each at most so many instructions after the one before

// ---- Who shares with whom ----

typedef struct {
    unsigned base; // r[] slot
    int64_t disp;
    unsigned bytes;
    bool write;
} Access;

static bool is_plain(const RwOp *op)
{
    return op && op->base < 16 && op->index == RW_R_ZERO && op->disp == (int16_t)op->disp;
}

static bool writes_memory(const RwJitInsn *in)
{
    const RwJitRow *row = in->row;
    if (row->translate == jit_xchg || row->translate == jit_xadd || row->translate == jit_cmpxchg)
        return true;
    return rw_opnd_is_mem(&in->insn.opnd[0]) && !(row->translate == jit_alu && row->arg >= ALU_CMP) &&
           row->translate != jit_mul && row->translate != jit_div && row->translate != jit_imul;
}

static bool is_stack(const RwJitInsn *in, Access *ret)
{
    RwJitTranslate *translate = in->row->translate;
    bool wide = in->insn.operand_width == 64 && !rw_opnd_is_mem(&in->insn.opnd[0]);
    if (translate == jit_push || (translate == jit_call && rw_opnd_is_imm(&in->insn.opnd[0])))
        *ret = (Access){RW_R_RSP, -8, 8, true};
    else if (translate == jit_pop || translate == jit_ret)
        *ret = (Access){RW_R_RSP, 0, 8, false};
    else if (translate == jit_leave_frame)
        *ret = (Access){RW_R_RBP, 0, 8, false};
    else
        return false;
    return wide;
}

static bool find_access(const RwJitInsn *in, Access *ret)
{
    if (is_stack(in, ret))
        return !in->insn.far;
    if (in->row->translate == jit_lea || in->row->translate == jit_nop || in->row->translate == jit_push ||
        in->row->translate == jit_call || in->row->translate == jit_jmp || !is_plain(in->op))
        return false;
    for (unsigned i = 0; i < in->insn.n_opnds; i++)
        if (rw_opnd_is_mem(&in->insn.opnd[i])) {
            *ret = (Access){in->op->base, in->op->disp, in->insn.opnd[i].size / 8, writes_memory(in)};
            return ret->bytes <= 8 || (in->row->translate == jit_sse_move && !(in->row->arg & 1));
        }
    return false;
}

// ADD, SUB, LEA, PUSH, POP: *ret_slot is more by so much afterwards.
static bool adds_constant(const RwJitInsn *in, unsigned *ret_slot, int64_t *ret_by)
{
    const RwOpnd *dst = &in->insn.opnd[0], *src = &in->insn.opnd[1];
    RwJitTranslate *translate = in->row->translate;
    *ret_slot = RW_R_RSP;
    *ret_by = translate == jit_push ? -8 : 8;
    if (translate == jit_push)
        return true;
    if (translate == jit_pop)
        return rw_opnd_is_any_gpr(dst) && jit_gpr(dst) != RW_R_RSP;
    if (!rw_opnd_is_reg(dst, RW_CLASS_GPR64))
        return false;
    *ret_slot = jit_gpr(dst);
    if (translate == jit_alu && rw_opnd_is_imm(src)) {
        *ret_by = in->row->arg == ALU_SUB ? -src->imm : src->imm;
        return in->row->arg == ALU_ADD || in->row->arg == ALU_SUB;
    }
    if (translate != jit_lea || !is_plain(in->op) || in->op->base != *ret_slot)
        return false;
    *ret_by = in->op->disp;
    return true;
}

// Registers that have another value afterwards, or may have: bits.
static unsigned find_changed(const RwJitInsn *in)
{
    RwJitTranslate *translate = in->row->translate;
    unsigned changed = 0;
    if (translate == jit_leave_frame)
        changed |= 1u << RW_R_RBP | 1u << RW_R_RSP;
    if (translate == jit_mul || translate == jit_imul || translate == jit_div || translate == jit_widen ||
        translate == jit_cmpxchg)
        changed |= 1u << RW_R_RAX | 1u << RW_R_RDX;
    if (translate == jit_sse_string)
        changed |= 1u << RW_R_RCX;
    if (translate == jit_push || translate == jit_nop || translate == jit_jcc ||
        (translate == jit_alu && in->row->arg >= ALU_CMP))
        return changed;
    for (unsigned i = 0; i < in->insn.n_opnds; i++)
        if (rw_opnd_is_any_gpr(&in->insn.opnd[i]) &&
            (i == 0 || translate == jit_xchg || translate == jit_xadd))
            changed |= 1u << jit_gpr(&in->insn.opnd[i]);
    return changed;
}

// Registers as they are followed through the block: how much each is more than when its group began.
typedef struct {
    int group[16]; // that accesses by it join; -1: none
    int64_t more[16];
    bool branched[16]; // the block may have been left since the group began
} Walk;

static bool joins(const RwJitShare *share, const Access *access, int64_t at, bool branched)
{
    int64_t from = MIN(share->from, at), to = MAX(share->to, at + access->bytes);
    return to - from <= SPAN && !(branched && access->write && !share->write);
}

static void add_access(RwJitBlock *t, Walk *walk, RwJitInsn *in, const Access *access)
{
    unsigned base = access->base;
    int group = walk->group[base];
    int64_t at = access->disp + walk->more[base];
    if (group < 0 || !joins(&t->share[group], access, at, walk->branched[base])) {
        walk->group[base] = -1;
        if (t->n_shares == JIT_SHARES)
            return;
        group = walk->group[base] = (int)t->n_shares++;
        walk->more[base] = 0;
        walk->branched[base] = false;
        at = access->disp;
        t->share[group] = (RwJitShare){.from = at, .to = at};
    }
    RwJitShare *share = &t->share[group];
    share->from = MIN(share->from, at);
    share->to = MAX(share->to, at + access->bytes);
    share->write |= access->write;
    share->n++;
    in->share = (uint8_t)(group + 1);
    in->is_sharing = share->n > 1;
    in->at = (int32_t)at;
    in->bytes = (uint8_t)access->bytes;
}

static void follow(Walk *walk, const RwJitInsn *in)
{
    unsigned slot;
    int64_t by;
    if (adds_constant(in, &slot, &by)) {
        walk->more[slot] += by;
        if (walk->more[slot] != (int16_t)walk->more[slot])
            walk->group[slot] = -1;
        if (in->row->translate != jit_pop)
            return;
        slot = jit_gpr(&in->insn.opnd[0]);
        walk->group[slot] = -1;
        return;
    }
    unsigned changed = find_changed(in);
    for (unsigned i = 0; i < 16; i++) {
        if (changed >> i & 1)
            walk->group[i] = -1;
        walk->branched[i] |= in->row->translate == jit_jcc;
    }
}

static void forget_all(Walk *walk)
{
    for (unsigned i = 0; i < 16; i++)
        walk->group[i] = -1;
}

void jit_find_shares(RwJitBlock *t, bool apart)
{
    Walk walk = {0};
    forget_all(&walk);
    t->n_shares = 0;
    bool away = false; // the handlers have it
    for (unsigned i = 0; i < t->n_insns; i++) {
        RwJitInsn *in = &t->insn[i];
        Access access;
        in->share = 0;
        in->is_sharing = false;
        away = !in->row || (away && !jit_can_return(in));
        if (away || apart) {
            forget_all(&walk);
            continue;
        }
        if (find_access(in, &access))
            add_access(t, &walk, in, &access);
        follow(&walk, in);
    }
}

// ---- Translation ----

static RwAsmMem kept(unsigned group)
{
    return AT(H_SP, (int32_t)group * 8);
}

// RAX = the host's address of all that share, once they have been looked for.
static void look(RwJitBlock *t, const RwJitInsn *in, const RwOp *op, unsigned base, int64_t disp)
{
    const RwJitShare *share = &t->share[in->share - 1];
    int host = jit_use(t, base);
    asm_mem(&t->a, 64, 0x8d, H_AX, AT(host, (int32_t)(disp + share->from - in->at)));
    jit_check_range(t, op, (unsigned)(share->to - share->from), share->write);
    asm_store(&t->a, 64, H_AX, kept(in->share - 1u));
    t->at = (int32_t)(in->at - share->from);
}

bool jit_share(RwJitBlock *t, const RwOp *op, unsigned base, int64_t disp, unsigned bytes)
{
    const RwJitInsn *in = t->now;
    if (!in->share || t->share[in->share - 1].n < 2)
        return false;
    g_assert(bytes == in->bytes);
    if (!in->is_sharing) {
        look(t, in, op, base, disp);
        return true;
    }
    asm_load(&t->a, 64, H_AX, kept(in->share - 1u));
    t->at = (int32_t)(in->at - t->share[in->share - 1].from);
    return true;
}

// ---- Where it does not pay ----

// That it is not in the TLB yet, or to be told of, says nothing.
static bool is_stray(const RwCpu *cpu)
{
    if (cpu->jit_stray[1])
        return true;
    const RwTlbEntry *e = &cpu->tlb[cpu->jit_stray[0] >> 12 & (RW_TLB_SIZE - 1)];
    if (e->rtag != (cpu->jit_stray[0] & RW_PAGE_MASK))
        return false;
    uint64_t gpa = e->meta & RW_PAGE_MASK;
    const RwRange *range = rw_phys_range(cpu->mmu, gpa);
    return !range || !(e->meta & RW_TLB_WRITE) || range->code[(gpa - range->gpa) >> 12] ||
           range->table[(gpa - range->gpa) >> 12];
}

static RwJitStray *find_stray(RwJit *jit, uint64_t gpa)
{
    return &jit->stray[gpa * 0x9e3779b97f4a7c15ull >> (64 - JIT_STRAY_BITS)];
}

bool jit_is_apart(RwJit *jit, uint64_t gpa)
{
    const RwJitStray *stray = find_stray(jit, gpa);
    return stray->gpa == gpa && stray->n >= STRAYS_MAX;
}

// The host's MXCSR is the guest's here: nothing that computes with floating point may be called, as GLib's
// hash tables do.
static void __attribute__((noinline)) count_stray(RwCpu *cpu)
{
    RwJit *jit = cpu->code->jit;
    uint64_t gpa = rw_block_of(cpu->blk)->gpa;
    RwJitStray *stray = find_stray(jit, gpa);
    if (!is_stray(cpu))
        return;
    if (stray->gpa != gpa)
        *stray = (RwJitStray){.gpa = gpa};
    uint64_t now = cpu->icount_end - (uint64_t)cpu->budget;
    if (now - stray->last > SELDOM)
        stray->n = 0;
    stray->last = now;
    if (++stray->n >= STRAYS_MAX)
        rw_code_kill(cpu, cpu->blk);
}

// The handler of an op that the first of several accesses was left to, whose own is cpu->jit_target.
static RW_OP(op_stray)
{
    count_stray(cpu);
    return ((RwOpFn)(uintptr_t)cpu->jit_target)(cpu, op);
}

void jit_note_stray(RwJitBlock *t)
{
    asm_store(&t->a, 64, H_AX, CPU(jit_stray[0]));
    asm_alu(&t->a, 64, ALU_XOR, H_CX, H_AX);
    asm_shift_imm(&t->a, 64, 5, H_CX, 12);
    asm_store(&t->a, 64, H_CX, CPU(jit_stray[1]));
}

void jit_leave_stray(RwJitBlock *t, const RwOp *op)
{
    asm_const(&t->a, H_AX, (uint64_t)(uintptr_t)op->fn);
    asm_store(&t->a, 64, H_AX, CPU(jit_target));
    asm_const(&t->a, H_AX, (uint64_t)(uintptr_t)op_stray);
    asm_near(&t->a, 0x8d, H_SI, op);
    asm_near(&t->a, 0x8d, H_CX, &t->block->ops[0]);
    asm_jmp_to(&t->a, t->jit->leave_to);
}
