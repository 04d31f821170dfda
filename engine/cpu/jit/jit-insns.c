// SPDX-License-Identifier: MIT
// What a block is made of: its instructions decoded, with their ops and rows, and which flags matter where.
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

// One op only, as helper ops' results aren't made here; but SSE instructions have their check before them,
// and string comparisons what fetches their operand.
static bool are_ops_known(const RwJitInsn *in)
{
    if (in->first == in->op)
        return true;
    if (!in->row || !jit_is_sse(in->row) || has_helper(in))
        return false;
    bool fetches = in->row->translate == jit_sse_string && rw_opnd_is_mem(&in->insn.opnd[1]);
    return in->op == in->first + 1 || (fetches && in->op == in->first + 2);
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

bool jit_decode(const RwCpu *cpu, RwJitBlock *t, const uint8_t *bytes)
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
void jit_find_live(RwJitBlock *t)
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

// A JMP's op stays as it is: slots and gotos are known by their handlers.
bool jit_can_return(const RwJitInsn *in)
{
    return in->row && in->first && !rw_op_is_goto(in->first);
}
