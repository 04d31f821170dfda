// SPDX-License-Identifier: MIT
// Control and debug registers, descriptor table registers, TLB. Intel SDM volume 3, 2.5, and volume 2
// for each instruction. The CPU never leaves long mode: the manual has #GP for every way out of it that
// 64-bit code could try.
#include "system-private.h"

enum {
    CR0_KNOWN = RW_CR0_PE | RW_CR0_MP | RW_CR0_EM | RW_CR0_TS | RW_CR0_ET | RW_CR0_NE | RW_CR0_WP |
                RW_CR0_AM | RW_CR0_NW | RW_CR0_CD,
    CR4_KNOWN = RW_CR4_TSD | RW_CR4_DE | RW_CR4_PSE | RW_CR4_PAE | RW_CR4_PGE | RW_CR4_PCE | RW_CR4_OSFXSR |
                RW_CR4_OSXMMEXCPT,
};

// ---- Control registers ----

static bool write_cr0(RwCpu *cpu, uint64_t value)
{
    uint64_t old = cpu->cr0;
    if (value >> 32 || !(value & RW_CR0_PE) || !(value & RW_CR0_PG))
        return false;
    if ((value & RW_CR0_NW) && !(value & RW_CR0_CD))
        return false;
    cpu->cr0 = (value & ((uint32_t)CR0_KNOWN | RW_CR0_PG)) | RW_CR0_ET;
    if ((old ^ cpu->cr0) & RW_CR0_WP)
        rw_mmu_flush_all(cpu);
    if ((old ^ cpu->cr0) & RW_CR0_AM)
        rw_set_cpl(cpu, cpu->cpl);
    return true;
}

static bool write_cr3(RwCpu *cpu, uint64_t value)
{
    if (value >> RW_PHYSICAL_BITS)
        return false;
    rw_mmu_set_root(cpu, value);
    return true;
}

static bool write_cr4(RwCpu *cpu, uint64_t value)
{
    const uint64_t paging = RW_CR4_PSE | RW_CR4_PAE | RW_CR4_PGE;
    uint64_t old = cpu->cr4;
    if ((value & ~(uint64_t)CR4_KNOWN) || !(value & RW_CR4_PAE))
        return false;
    cpu->cr4 = value;
    if ((old ^ value) & paging)
        rw_mmu_flush_all(cpu);
    return true;
}

static bool write_cr8(RwCpu *cpu, uint64_t value)
{
    if (value >> 4)
        return false;
    cpu->cr8 = value;
    return true;
}

static bool write_cr2(RwCpu *cpu, uint64_t value)
{
    cpu->cr2 = value;
    return true;
}

#define CR_OPS(n)                                                                                          \
    static RW_OP(op_get_cr##n)                                                                             \
    {                                                                                                      \
        if (cpu->cpl)                                                                                      \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
        cpu->r[op->rm] = cpu->cr##n;                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_set_cr##n)                                                                             \
    {                                                                                                      \
        if (cpu->cpl || !write_cr##n(cpu, cpu->r[op->rm]))                                                 \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
        return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));                                              \
    }
CR_OPS(0)
CR_OPS(2)
CR_OPS(3)
CR_OPS(4)
CR_OPS(8)

static bool emit_mov_cr(RwEmit *e, unsigned n, uint8_t slot, bool set)
{
    static const RwOpFn get_ops[9] = {op_get_cr0, NULL,       op_get_cr2,
                                      op_get_cr3, op_get_cr4, [8] = op_get_cr8};
    static const RwOpFn set_ops[9] = {op_set_cr0, NULL,       op_set_cr2,
                                      op_set_cr3, op_set_cr4, [8] = op_set_cr8};
    if (n > 8 || !get_ops[n])
        return false;
    rw_emit(e, set ? set_ops[n] : get_ops[n])->rm = slot;
    e->end = e->end || set;
    return true;
}

RW_OP(rw_op_clts)
{
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->cr0 &= ~(uint64_t)RW_CR0_TS;
    RW_NEXT;
}

// ---- Debug registers. reg: number; rm: r[] slot ----

// DR4 and DR5 are DR6 and DR7, unless debug extensions are on. False: an exception was left.
static bool __attribute__((noinline)) check_dr(RwCpu *cpu, unsigned n)
{
    if (cpu->cpl)
        return rw_sys_raise(cpu, RW_GP, 0);
    if ((n == 4 || n == 5) && (cpu->cr4 & RW_CR4_DE))
        return rw_sys_raise(cpu, RW_UD, 0);
    if (cpu->dr[7] & RW_DR7_GD) {
        cpu->dr[6] |= RW_DR6_BD;
        return rw_sys_raise(cpu, RW_DB, 0);
    }
    return true;
}

// Watched pages have no entry for the fast path, so what changes them drops all entries.
static bool __attribute__((noinline)) write_dr(RwCpu *cpu, unsigned n, uint64_t value)
{
    if (n < 4) {
        cpu->dr[n] = value;
        rw_mmu_flush_all(cpu);
        return true;
    }
    if (value >> 32)
        return rw_sys_raise(cpu, RW_GP, 0);
    if (n & 1) {
        cpu->dr[7] = (value & 0xffff2bffu) | RW_DR7_FIXED;
        rw_update_single_step(cpu);
        rw_mmu_flush_all(cpu);
    } else {
        cpu->dr[6] = (value & 0xe00fu) | RW_DR6_FIXED;
    }
    return true;
}

static RW_OP(op_get_dr)
{
    if (!check_dr(cpu, op->reg))
        return rw_sys_fault(cpu, op);
    cpu->r[op->rm] = cpu->dr[op->reg < 4 ? op->reg : op->reg | 2];
    RW_NEXT;
}

static RW_OP(op_set_dr)
{
    if (!check_dr(cpu, op->reg) || !write_dr(cpu, op->reg, cpu->r[op->rm]))
        return rw_sys_fault(cpu, op);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static bool emit_mov_dr(RwEmit *e, unsigned n, uint8_t slot, bool set)
{
    RwOp *op;
    if (n > 7)
        return false;
    op = rw_emit(e, set ? op_set_dr : op_get_dr);
    op->reg = (uint8_t)n;
    op->rm = slot;
    e->end = e->end || set;
    return true;
}

// MOV to or from CRn, DRn or a segment register; false for any other MOV.
bool rw_emit_mov_special(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    for (unsigned i = 0; i < 2; i++) {
        const RwOpnd *other = &e->insn.opnd[!i];
        RwRegClass class;
        unsigned n;
        if (e->insn.opnd[i].type != RW_OPND_REG)
            continue;
        class = e->insn.opnd[i].class;
        n = e->insn.opnd[i].reg;
        if (class == RW_CLASS_CONTROL)
            return emit_mov_cr(e, n, other->reg, i == 0);
        if (class == RW_CLASS_DEBUG)
            return emit_mov_dr(e, n, other->reg, i == 0);
        if (class == RW_CLASS_SEGMENT)
            return rw_emit_mov_segment(e, n, other, i == 0);
    }
    return false;
}

// ---- LMSW: the low four bits of CR0, but it can't clear PE ----

static bool write_msw(RwCpu *cpu, uint64_t value)
{
    uint64_t keep = cpu->cr0 & ~(uint64_t)(RW_CR0_MP | RW_CR0_EM | RW_CR0_TS);
    return write_cr0(cpu, keep | (value & (RW_CR0_MP | RW_CR0_EM | RW_CR0_TS)));
}

static RW_OP(op_lmsw_r)
{
    if (cpu->cpl || !write_msw(cpu, cpu->r[op->rm]))
        return rw_fault(cpu, op, RW_GP, 0);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

static RW_OP(op_lmsw_m)
{
    uint16_t value;
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    RW_LOAD(16, value, RW_EA);
    write_msw(cpu, value);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

bool rw_emit_lmsw(RwEmit *e, const RwMnemonic *m)
{
    (void)m;
    if (e->insn.opnd[0].type == RW_OPND_REG) {
        rw_emit(e, op_lmsw_r)->rm = e->insn.opnd[0].reg;
    } else {
        RwEa ea = rw_emit_ea(e, &e->insn.opnd[0]);
        rw_emit_mem(e, op_lmsw_m, &ea);
    }
    e->end = true;
    return true;
}

// ---- INVLPG: translations are never stale (tables.c) ----

static RW_OP(op_invlpg)
{
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    return rw_sys_continue(cpu, rw_op_next_rip(cpu, op));
}

bool rw_emit_invlpg(RwEmit *e, const RwMnemonic *m)
{
    RwEa ea = rw_emit_ea(e, &e->insn.opnd[0]);
    (void)m;
    rw_emit_mem(e, op_invlpg, &ea);
    e->end = true;
    return true;
}

// ---- LGDT, LIDT, SGDT, SIDT: a 16-bit limit, then a 64-bit base ----

#define LOAD_TABLE(table)                                                                                  \
    static RW_OP(op_l##table)                                                                              \
    {                                                                                                      \
        uint64_t base, va = RW_EA;                                                                         \
        uint16_t limit;                                                                                    \
        if (cpu->cpl)                                                                                      \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
        RW_LOAD(16, limit, va);                                                                            \
        RW_LOAD(64, base, va + 2);                                                                         \
        if (!rw_is_canonical(base))                                                                        \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
        cpu->table##_base = base;                                                                          \
        cpu->table##_limit = limit;                                                                        \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(op_s##table)                                                                              \
    {                                                                                                      \
        uint64_t va = RW_EA;                                                                               \
        if (!rw_probe(cpu, op, va, 10, true))                                                              \
            return RW_GO_ON;                                                                               \
        RW_STORE(16, va, cpu->table##_limit);                                                              \
        RW_STORE(64, va + 2, cpu->table##_base);                                                           \
        RW_NEXT;                                                                                           \
    }
LOAD_TABLE(gdt)
LOAD_TABLE(idt)

bool rw_emit_table_register(RwEmit *e, const RwMnemonic *m)
{
    static const struct {
        uint16_t mnemonic; // ZYDIS_MNEMONIC_…
        RwOpFn fn;
    } ops[] = {
        {ZYDIS_MNEMONIC_LGDT, op_lgdt},
        {ZYDIS_MNEMONIC_LIDT, op_lidt},
        {ZYDIS_MNEMONIC_SGDT, op_sgdt},
        {ZYDIS_MNEMONIC_SIDT, op_sidt},
    };
    RwEa ea = rw_emit_ea(e, &e->insn.opnd[0]);
    for (unsigned i = 0; i < G_N_ELEMENTS(ops); i++)
        if (ops[i].mnemonic == m->mnemonic)
            rw_emit_mem(e, ops[i].fn, &ea);
    return true;
}
