// SPDX-License-Identifier: MIT
// The table of system instructions, and the simplest of them.
//
// Not here, so #UD: MONITOR, MWAIT, XGETBV, RDRAND, RDSEED, RDFSBASE and its kind, RDPID, INVPCID, CLAC,
// STAC, SYSENTER, SYSEXIT, RSM, VMX, SVM, CLFLUSHOPT, CLWB: cpuid.c does not advertise them.
#include "system-private.h"

// ---- Instructions without operands ----

static RW_OP(op_nop)
{
    RW_NEXT;
}

static RW_OP(op_ud)
{
    return rw_fault(cpu, op, RW_UD, RW_NO_ERROR);
}

// No counters: every number is out of range.
static RW_OP(op_rdpmc)
{
    return rw_fault(cpu, op, RW_GP, 0);
}

// Caches aren't visible; only the privilege counts.
static RW_OP(op_wbinvd)
{
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    RW_NEXT;
}

static RW_OP(op_hlt)
{
    if (cpu->cpl)
        return rw_fault(cpu, op, RW_GP, 0);
    cpu->rip = rw_op_next_rip(cpu, op);
    cpu->exit.kind = RW_EXIT_HLT;
    return RW_LEAVE;
}

enum {
    SIMPLE_NOP,
    SIMPLE_UD,
    SIMPLE_RDPMC,
    SIMPLE_WBINVD,
    SIMPLE_HLT,
    SIMPLE_CPUID,
    SIMPLE_RDMSR,
    SIMPLE_WRMSR,
    SIMPLE_RDTSC,
    SIMPLE_RDTSCP,
    SIMPLE_SYSCALL,
    SIMPLE_SWAPGS,
    SIMPLE_CLI,
    SIMPLE_STI,
    SIMPLE_LAHF,
    SIMPLE_SAHF,
    SIMPLE_CLTS,
};

static const RwSimpleOp simple_ops[] = {
    [SIMPLE_NOP] = {op_nop, false},
    [SIMPLE_UD] = {op_ud, true},
    [SIMPLE_RDPMC] = {op_rdpmc, true},
    [SIMPLE_WBINVD] = {op_wbinvd, false},
    [SIMPLE_HLT] = {op_hlt, true},
    [SIMPLE_CPUID] = {rw_op_cpuid, false},
    [SIMPLE_RDMSR] = {rw_op_rdmsr, false},
    [SIMPLE_WRMSR] = {rw_op_wrmsr, true},
    [SIMPLE_RDTSC] = {rw_op_rdtsc, false},
    [SIMPLE_RDTSCP] = {rw_op_rdtscp, false},
    [SIMPLE_SYSCALL] = {rw_op_syscall, true},
    [SIMPLE_SWAPGS] = {rw_op_swapgs, false},
    [SIMPLE_CLI] = {rw_op_cli, false},
    [SIMPLE_STI] = {rw_op_sti, true},
    [SIMPLE_LAHF] = {rw_op_lahf, false},
    [SIMPLE_SAHF] = {rw_op_sahf, false},
    [SIMPLE_CLTS] = {rw_op_clts, false},
};

static bool emit_simple(RwEmit *e, const RwMnemonic *m)
{
    rw_emit(e, simple_ops[m->arg].fn);
    e->end = e->end || simple_ops[m->arg].end;
    return true;
}

// ---- CLFLUSH: checked like a load of one byte ----

static RW_OP(op_clflush)
{
    if (!rw_probe(cpu, op, RW_EA, 1, false))
        return RW_GO_ON;
    RW_NEXT;
}

static bool emit_clflush(RwEmit *e, const RwMnemonic *m)
{
    RwEa ea = rw_emit_ea(e, &e->insn.opnd[0]);
    (void)m;
    rw_emit_mem(e, op_clflush, &ea);
    return true;
}

// ---- INT n, INT3, INT1 ----

static RW_OP(op_int)
{
    return rw_trap(cpu, op, (int)op->imm, true);
}

// INT1 is like a debug trap: no check of the gate's DPL.
static RW_OP(op_int1)
{
    return rw_trap(cpu, op, RW_DB, false);
}

bool rw_emit_int(RwEmit *e, const RwMnemonic *m)
{
    RwOp *op = rw_emit(e, m->mnemonic == ZYDIS_MNEMONIC_INT1 ? op_int1 : op_int);
    op->imm = m->mnemonic == ZYDIS_MNEMONIC_INT ? (uint8_t)e->insn.opnd[0].uimm : RW_BP;
    e->end = true;
    return true;
}

#define SIMPLE(name, what)                                                                                 \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, emit_simple, SIMPLE_##what                                                  \
    }
#define ROW(name, emit)                                                                                    \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, emit, 0                                                                     \
    }

const RwMnemonic rw_group_system[] = {
    SIMPLE(NOP, NOP),
    SIMPLE(PAUSE, NOP),
    SIMPLE(LFENCE, NOP),
    SIMPLE(MFENCE, NOP),
    SIMPLE(SFENCE, NOP),
    SIMPLE(PREFETCH, NOP),
    SIMPLE(PREFETCHNTA, NOP),
    SIMPLE(PREFETCHT0, NOP),
    SIMPLE(PREFETCHT1, NOP),
    SIMPLE(PREFETCHT2, NOP),
    SIMPLE(PREFETCHW, NOP),
    SIMPLE(PREFETCHWT1, NOP),
    // Later extensions made from NOPs: still NOPs on this CPU. Unwinders run RDSSP without asking.
    SIMPLE(ENDBR32, NOP),
    SIMPLE(ENDBR64, NOP),
    SIMPLE(RDSSPD, NOP),
    SIMPLE(RDSSPQ, NOP),
    SIMPLE(CLDEMOTE, NOP),
    SIMPLE(BNDCL, NOP),
    SIMPLE(BNDCN, NOP),
    SIMPLE(BNDCU, NOP),
    SIMPLE(BNDLDX, NOP),
    SIMPLE(BNDMK, NOP),
    SIMPLE(BNDMOV, NOP),
    SIMPLE(BNDSTX, NOP),
    SIMPLE(UD0, UD),
    SIMPLE(UD1, UD),
    SIMPLE(UD2, UD),
    SIMPLE(RDPMC, RDPMC),
    SIMPLE(WBINVD, WBINVD),
    SIMPLE(INVD, WBINVD),
    SIMPLE(HLT, HLT),
    SIMPLE(CPUID, CPUID),
    SIMPLE(RDMSR, RDMSR),
    SIMPLE(WRMSR, WRMSR),
    SIMPLE(RDTSC, RDTSC),
    SIMPLE(RDTSCP, RDTSCP),
    SIMPLE(SYSCALL, SYSCALL),
    SIMPLE(SWAPGS, SWAPGS),
    SIMPLE(CLI, CLI),
    SIMPLE(STI, STI),
    SIMPLE(LAHF, LAHF),
    SIMPLE(SAHF, SAHF),
    SIMPLE(CLTS, CLTS),
    ROW(CLFLUSH, emit_clflush),
    ROW(INT, rw_emit_int),
    ROW(INT1, rw_emit_int),
    ROW(INT3, rw_emit_int),
    ROW(MOV, rw_emit_mov_special),
    ROW(PUSH, rw_emit_push_segment),
    ROW(POP, rw_emit_pop_segment),
    ROW(LFS, rw_emit_load_far_pointer),
    ROW(LGS, rw_emit_load_far_pointer),
    ROW(LSS, rw_emit_load_far_pointer),
    ROW(LGDT, rw_emit_table_register),
    ROW(LIDT, rw_emit_table_register),
    ROW(SGDT, rw_emit_table_register),
    ROW(SIDT, rw_emit_table_register),
    ROW(LLDT, rw_emit_selector_load),
    ROW(LTR, rw_emit_selector_load),
    ROW(SLDT, rw_emit_selector_store),
    ROW(STR, rw_emit_selector_store),
    ROW(SMSW, rw_emit_selector_store),
    ROW(LMSW, rw_emit_lmsw),
    ROW(VERR, rw_emit_selector_query),
    ROW(VERW, rw_emit_selector_query),
    ROW(LAR, rw_emit_selector_query),
    ROW(LSL, rw_emit_selector_query),
    ROW(INVLPG, rw_emit_invlpg),
    ROW(CALL, rw_emit_far_transfer),
    ROW(JMP, rw_emit_far_transfer),
    ROW(RET, rw_emit_far_transfer),
    ROW(IRET, rw_emit_iret),
    ROW(IRETD, rw_emit_iret),
    ROW(IRETQ, rw_emit_iret),
    ROW(SYSRET, rw_emit_sysret),
    ROW(PUSHF, rw_emit_flags_stack),
    ROW(PUSHFQ, rw_emit_flags_stack),
    ROW(POPF, rw_emit_flags_stack),
    ROW(POPFQ, rw_emit_flags_stack),
    ROW(IN, rw_emit_in),
    ROW(OUT, rw_emit_out),
    ROW(INSB, rw_emit_ins_outs),
    ROW(INSW, rw_emit_ins_outs),
    ROW(INSD, rw_emit_ins_outs),
    ROW(OUTSB, rw_emit_ins_outs),
    ROW(OUTSW, rw_emit_ins_outs),
    ROW(OUTSD, rw_emit_ins_outs),
    {0, NULL, 0},
};
