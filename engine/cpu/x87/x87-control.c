// SPDX-License-Identifier: MIT
// x87 control: words, environment, whole state, stack pointer, EMMS. Manual vol. 1, 8.1.
#include "x87-private.h"

unsigned rw_x87_tag_of(const RwFpReg *r)
{
    unsigned exp = r->sign_exponent & 0x7fff;

    if (exp == 0 && r->significand == 0)
        return 1;
    return exp == 0 || exp == 0x7fff || !(r->significand >> 63) ? 2 : 0;
}

// The operand pointer is an offset: an FS or GS base that stands in the index's place is not in it.
static uint64_t offset_in_segment(const RwCpu *cpu, const RwOp *op)
{
    bool segment = op->index == RW_R_FSBASE || op->index == RW_R_GSBASE;
    return RW_EA - (segment ? cpu->r[op->index] : 0);
}

unsigned rw_x87_raise(RwCpu *cpu, const RwOp *op, unsigned flags)
{
    unsigned unmasked = flags & ~(unsigned)cpu->fcw & RW_X87_EXCEPTIONS;

    cpu->fsw |= (uint16_t)flags;
    if (unmasked) {
        cpu->fsw |= RW_X87_ES | RW_X87_B;
        cpu->fop = op->reg | (uint16_t)(op->rm << 8);
        if (op->base != RW_R_ZERO || op->index != RW_R_ZERO || op->disp)
            cpu->fdp = offset_in_segment(cpu, op);
    }
    return unmasked;
}

static void reset(RwCpu *cpu)
{
    cpu->fcw = 0x37f;
    cpu->fsw = 0;
    cpu->ftw = 0xffff;
    cpu->fop = 0;
    cpu->fip = cpu->fdp = 0;
}

static RW_OP(op_fninit)
{
    reset(cpu);
    RW_NEXT;
}
static RW_OP(op_fnclex)
{
    cpu->fsw &= (uint16_t) ~(RW_X87_EXCEPTIONS | RW_X87_SF | RW_X87_ES | RW_X87_B);
    RW_NEXT;
}
static RW_OP(op_fnop)
{
    RW_X87_BEGIN;
    RW_NEXT;
}
static RW_OP(op_nothing)
{
    RW_NEXT;
}
// The only instruction that MP concerns.
static RW_OP(op_fwait)
{
    if ((cpu->cr0 & (RW_CR0_MP | RW_CR0_TS)) == (RW_CR0_MP | RW_CR0_TS))
        return rw_fault(cpu, op, RW_NM, RW_NO_ERROR);
    RW_CHECK_MF;
    RW_NEXT;
}
static RW_OP(op_fincstp)
{
    RW_X87_BEGIN;
    rw_x87_add_top(cpu, 1);
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    RW_NEXT;
}
static RW_OP(op_fdecstp)
{
    RW_X87_BEGIN;
    rw_x87_add_top(cpu, -1);
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    RW_NEXT;
}
static RW_OP(op_emms)
{
    RW_CHECK_MF;
    rw_mmx_enter(cpu);
    cpu->ftw = 0xffff;
    RW_NEXT;
}

static const RwOpFn plain[] = {
    [RW_X87_FNINIT] = op_fninit, [RW_X87_FNCLEX] = op_fnclex,     [RW_X87_FWAIT] = op_fwait,
    [RW_X87_FNOP] = op_fnop,     [RW_X87_FINCSTP] = op_fincstp,   [RW_X87_FDECSTP] = op_fdecstp,
    [RW_X87_EMMS] = op_emms,     [RW_X87_NO_LONGER] = op_nothing,
};

bool rw_emit_x87_plain(RwEmit *e, const RwMnemonic *m)
{
    if (m->arg == RW_X87_EMMS)
        rw_emit_check_mmx(e);
    else if (m->arg != RW_X87_FWAIT)
        rw_emit_check_x87(e);
    rw_emit(e, plain[m->arg]);
    return true;
}

// ---- FFREE, FFREEP, FNSTSW ----

static RW_OP(op_ffree)
{
    RW_X87_BEGIN;
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    rw_x87_set_empty(cpu, op->imm & 7);
    RW_NEXT;
}
static RW_OP(op_ffreep)
{
    RW_X87_BEGIN;
    rw_x87_set_cc(cpu, RW_X87_C1, 0);
    rw_x87_set_empty(cpu, op->imm & 7);
    rw_x87_pop(cpu);
    RW_NEXT;
}

bool rw_emit_x87_ffree(RwEmit *e, const RwMnemonic *m)
{
    rw_emit_check_x87(e);
    rw_emit(e, m->arg ? op_ffreep : op_ffree)->imm = rw_decoded_rm(&e->insn);
    return true;
}

static RW_OP(op_fnstsw_ax)
{
    *(rw_u16u *)&cpu->r[RW_R_RAX] = cpu->fsw;
    RW_NEXT;
}
RW_OP_STORE(op_fnstsw, 16, cpu->fsw)

bool rw_emit_x87_fnstsw(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    rw_emit_check_x87(e);
    rw_emit_rm(e, op_fnstsw_ax, op_fnstsw, &e->insn.opnd[0]);
    return true;
}

// ---- Control word ----

RW_OP_STORE(op_fnstcw, 16, cpu->fcw)

// Unmasking an exception whose flag is set makes it pending.
static RW_OP(op_fldcw)
{
    uint16_t v;

    RW_CHECK_MF;
    RW_LOAD(16, v, RW_EA);
    cpu->fcw = rw_x87_clean_cw(v);
    cpu->fsw = rw_x87_clean_sw(cpu->fcw, cpu->fsw);
    RW_NEXT;
}

// ---- Environment: seven words of 32 or (imm = 1) 16 bits ----

enum { ENV_WORDS = 7 };

static uint16_t stored_tags(RwCpu *cpu)
{
    uint16_t ftw = 0;

    for (unsigned i = 0; i < 8; i++)
        ftw |= (uint16_t)(((cpu->ftw >> (2 * i) & 3) == 3 ? 3u : rw_x87_tag_of(&cpu->fpr[i])) << (2 * i));
    return ftw;
}

static uint32_t env_word(RwCpu *cpu, unsigned n, bool narrow)
{
    switch (n) {
    case 0:
        return 0xffff0000 | cpu->fcw;
    case 1:
        return 0xffff0000 | cpu->fsw;
    case 2:
        return 0xffff0000 | stored_tags(cpu);
    case 3:
        return (uint32_t)cpu->fip;
    case 4:
        return narrow ? 0 : (uint32_t)(cpu->fop & 0x7ff) << 16;
    case 5:
        return (uint32_t)cpu->fdp;
    default:
        return 0xffff0000;
    }
}

static bool store_env(RwCpu *cpu, const RwOp *op, uint64_t va, bool narrow)
{
    for (unsigned n = 0; n < ENV_WORDS; n++) {
        unsigned size = narrow ? 2 : 4;
        cpu->tmp.u64[0] = env_word(cpu, n, narrow);
        if (!rw_store_slow(cpu, op, va + n * size, size))
            return false;
    }
    return true;
}

static void set_env_word(RwCpu *cpu, unsigned n, uint32_t v)
{
    uint16_t tags = 0;

    switch (n) {
    case 0:
        cpu->fcw = rw_x87_clean_cw((uint16_t)v);
        break;
    case 1:
        cpu->fsw = rw_x87_clean_sw(cpu->fcw, (uint16_t)v);
        break;
    case 2:
        for (unsigned i = 0; i < 16; i += 2)
            tags |= (v >> i & 3) == 3 ? (uint16_t)(3 << i) : 0;
        cpu->ftw = tags;
        break;
    case 3:
        cpu->fip = v;
        break;
    case 4:
        cpu->fop = v >> 16 & 0x7ff;
        break;
    case 5:
        cpu->fdp = v;
        break;
    default:
        break;
    }
}

// The range was found readable, so no load fails.
static bool load_env(RwCpu *cpu, const RwOp *op, uint64_t va, bool narrow)
{
    for (unsigned n = 0; n < ENV_WORDS; n++) {
        unsigned size = narrow ? 2 : 4;
        if (!rw_load_slow(cpu, op, va + n * size, size))
            return false;
        set_env_word(cpu, n, narrow ? cpu->tmp.u16[0] : cpu->tmp.u32[0]);
    }
    return true;
}

static unsigned env_size(bool narrow)
{
    return ENV_WORDS * (narrow ? 2u : 4u);
}

static RW_OP(op_fnstenv)
{
    uint64_t va = RW_EA;
    bool narrow = op->imm;

    if (!rw_probe(cpu, op, va, env_size(narrow), true) || !store_env(cpu, op, va, narrow))
        return RW_GO_ON;
    cpu->fcw |= RW_X87_EXCEPTIONS;
    cpu->fsw = rw_x87_clean_sw(cpu->fcw, cpu->fsw);
    RW_NEXT;
}

static RW_OP(op_fldenv)
{
    uint64_t va = RW_EA;
    bool narrow = op->imm;

    RW_CHECK_MF;
    if (!rw_probe(cpu, op, va, env_size(narrow), false) || !load_env(cpu, op, va, narrow))
        return RW_GO_ON;
    RW_NEXT;
}

// ---- Environment and registers ----

enum { REG_BYTES = 10 };

static bool store_reg(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned i)
{
    const RwFpReg *r = rw_x87_st(cpu, i);

    cpu->tmp.u64[0] = r->significand;
    cpu->tmp.u64[1] = r->sign_exponent;
    return rw_store_slow(cpu, op, va, REG_BYTES);
}

static RW_OP(op_fnsave)
{
    bool narrow = op->imm;
    unsigned env = env_size(narrow);
    uint64_t va = RW_EA;

    if (!rw_probe(cpu, op, va, env + 8 * REG_BYTES, true) || !store_env(cpu, op, va, narrow))
        return RW_GO_ON;
    for (unsigned i = 0; i < 8; i++) {
        if (!store_reg(cpu, op, va + env + i * REG_BYTES, i))
            return RW_GO_ON;
    }
    reset(cpu);
    RW_NEXT;
}

static RW_OP(op_frstor)
{
    bool narrow = op->imm;
    unsigned env = env_size(narrow);
    uint64_t va = RW_EA;

    RW_CHECK_MF;
    if (!rw_probe(cpu, op, va, env + 8 * REG_BYTES, false) || !load_env(cpu, op, va, narrow))
        return RW_GO_ON;
    for (unsigned i = 0; i < 8; i++) {
        if (!rw_load_slow(cpu, op, va + env + i * REG_BYTES, REG_BYTES))
            return RW_GO_ON;
        rw_x87_st(cpu, i)->significand = cpu->tmp.u64[0];
        rw_x87_st(cpu, i)->sign_exponent = cpu->tmp.u16[4];
    }
    RW_NEXT;
}

static const RwOpFn memory[] = {
    [RW_X87_FLDCW] = op_fldcw,   [RW_X87_FNSTCW] = op_fnstcw, [RW_X87_FNSTENV] = op_fnstenv,
    [RW_X87_FLDENV] = op_fldenv, [RW_X87_FNSAVE] = op_fnsave, [RW_X87_FRSTOR] = op_frstor,
};

bool rw_emit_x87_mem(RwEmit *e, const RwMnemonic *m)
{
    if (!rw_opnd_is_mem(&e->insn.opnd[0]))
        return false;
    rw_emit_check_x87(e);
    rw_emit_rm(e, NULL, memory[m->arg], &e->insn.opnd[0])->imm = e->insn.operand_width == 16;
    return true;
}
