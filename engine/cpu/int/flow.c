// SPDX-License-Identifier: MIT
// Near jumps, calls and returns.
#include "code-private.h"
#include "flags-private.h"

// ---- Slots ----

// A target in another page: disp is its offset from the start of this one.
static RW_OP(slot_far)
{
    return rw_jump(cpu, cpu->r[RW_R_PAGE] + (uint64_t)op->disp);
}

// In a block for one use: the loop has its turn after it.
static RW_OP(slot_leave)
{
    cpu->rip = cpu->r[RW_R_PAGE] + (uint64_t)op->disp;
    return RW_GO_ON;
}

bool rw_op_is_slot(const RwOp *op)
{
    return op->fn == rw_slot_near || op->fn == slot_far || op->fn == slot_leave;
}

void rw_emit_slot(RwEmit *e, int64_t offset, unsigned done)
{
    bool near = offset >= 0 && offset < 4096;
    RwOpFn fn = near ? rw_slot_near : slot_far;
    RwOp *slot = rw_emit(e, ((RwDecode *)e)->one_use ? slot_leave : fn);
    slot->chain = slot;
    slot->icnt = (uint8_t)done;
    slot->site = 0;
    if (slot->fn == rw_slot_near)
        slot->off = (uint16_t)offset & 0xfff;
    else
        slot->disp = offset;
}

static RW_OP(op_goto)
{
    RW_CHAIN(op + 1);
}

bool rw_op_is_goto(const RwOp *op)
{
    return op->fn == op_goto;
}

void rw_emit_goto(RwEmit *e)
{
    rw_emit(e, op_goto);
    rw_emit_slot(e, e->off, e->icnt);
}

// ---- Calls, returns, indirect jumps ----

// Each comes twice. The fast one does the whole where the TLB has the memory and the jump cache the
// target, and changes nothing before it knows that; so it needs no stack frame. Else the full one does it,
// checks included: a target that isn't canonical faults at the jump. (A cached target is canonical.)

static inline bool is_readable(RwCpu *cpu, uint64_t va)
{
    return RW_LIKELY(RW_TLB_HIT(rw_tlb(cpu, va)->rtag, va, 8));
}

static inline bool is_writable(RwCpu *cpu, uint64_t va)
{
    return RW_LIKELY(RW_TLB_HIT(rw_tlb(cpu, va)->wtag, va, 8));
}

static inline rw_u64u *host_word(RwCpu *cpu, uint64_t va)
{
    return (rw_u64u *)(va + rw_tlb(cpu, va)->addend);
}

#define FAST(condition) if (RW_UNLIKELY(!(condition)))
#define GO(to, target)                                                                                     \
    do {                                                                                                   \
        cpu->r[RW_R_PAGE] = (target)&RW_PAGE_MASK;                                                         \
        return rw_go(cpu, to);                                                                             \
    } while (0)
#define CHECKED(target)                                                                                    \
    do {                                                                                                   \
        if (RW_UNLIKELY(!rw_is_canonical(target)))                                                         \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
    } while (0)
#define FULL_OP(name) static int __attribute__((noinline, cold)) name(RwCpu *cpu, const RwOp *op)

// disp: offset of the return address from the start of the page.
FULL_OP(op_call_full)
{
    uint64_t rsp = cpu->r[RW_R_RSP] - 8;
    RW_STORE(64, rsp, cpu->r[RW_R_PAGE] + (uint64_t)op->disp);
    cpu->r[RW_R_RSP] = rsp;
    RW_CHAIN(op + 1);
}

static RW_OP(op_call)
{
    uint64_t rsp = cpu->r[RW_R_RSP] - 8;
    FAST(is_writable(cpu, rsp))
    return op_call_full(cpu, op);
    *host_word(cpu, rsp) = cpu->r[RW_R_PAGE] + (uint64_t)op->disp;
    cpu->r[RW_R_RSP] = rsp;
    RW_CHAIN(op + 1);
}

static RW_OP(op_jmp_reg)
{
    uint64_t target = cpu->r[op->reg];
    CHECKED(target);
    return rw_jump(cpu, target);
}

FULL_OP(op_jmp_mem_full)
{
    uint64_t target;
    RW_LOAD(64, target, RW_EA);
    CHECKED(target);
    return rw_jump(cpu, target);
}

static RW_OP(op_jmp_mem)
{
    uint64_t va = RW_EA;
    FAST(is_readable(cpu, va))
    return op_jmp_mem_full(cpu, op);
    uint64_t target = *host_word(cpu, va);
    const RwOp *to = rw_cached_jump(cpu, target);
    FAST(to)
    return op_jmp_mem_full(cpu, op);
    GO(to, target);
}

FULL_OP(op_call_reg_full)
{
    uint64_t target = cpu->r[op->reg], rsp = cpu->r[RW_R_RSP] - 8;
    CHECKED(target);
    RW_STORE(64, rsp, rw_op_next_rip(cpu, op));
    cpu->r[RW_R_RSP] = rsp;
    return rw_jump(cpu, target);
}

static RW_OP(op_call_reg)
{
    uint64_t target = cpu->r[op->reg], rsp = cpu->r[RW_R_RSP] - 8;
    const RwOp *to = rw_cached_jump(cpu, target);
    FAST(to && is_writable(cpu, rsp))
    return op_call_reg_full(cpu, op);
    *host_word(cpu, rsp) = rw_op_next_rip(cpu, op);
    cpu->r[RW_R_RSP] = rsp;
    GO(to, target);
}

FULL_OP(op_call_mem_full)
{
    uint64_t target, rsp = cpu->r[RW_R_RSP] - 8;
    RW_LOAD(64, target, RW_EA);
    CHECKED(target);
    RW_STORE(64, rsp, rw_op_next_rip(cpu, op));
    cpu->r[RW_R_RSP] = rsp;
    return rw_jump(cpu, target);
}

static RW_OP(op_call_mem)
{
    uint64_t va = RW_EA, rsp = cpu->r[RW_R_RSP] - 8;
    FAST(is_readable(cpu, va) && is_writable(cpu, rsp))
    return op_call_mem_full(cpu, op);
    uint64_t target = *host_word(cpu, va);
    const RwOp *to = rw_cached_jump(cpu, target);
    FAST(to)
    return op_call_mem_full(cpu, op);
    *host_word(cpu, rsp) = rw_op_next_rip(cpu, op);
    cpu->r[RW_R_RSP] = rsp;
    GO(to, target);
}

// imm: 8 and the bytes of arguments to drop.
FULL_OP(op_ret_full)
{
    uint64_t target, rsp = cpu->r[RW_R_RSP];
    RW_LOAD(64, target, rsp);
    CHECKED(target);
    cpu->r[RW_R_RSP] = rsp + op->imm;
    return rw_jump(cpu, target);
}

static RW_OP(op_ret)
{
    uint64_t rsp = cpu->r[RW_R_RSP];
    FAST(is_readable(cpu, rsp))
    return op_ret_full(cpu, op);
    uint64_t target = *host_word(cpu, rsp);
    const RwOp *to = rw_cached_jump(cpu, target);
    FAST(to)
    return op_ret_full(cpu, op);
    cpu->r[RW_R_RSP] = rsp + op->imm;
    GO(to, target);
}

// ---- Conditional jumps ----

// A conditional jump: its slot follows, then the op for the other case.
#define TAKE_IF(condition)                                                                                 \
    do {                                                                                                   \
        if (condition) {                                                                                   \
            cpu->budget += op[1].icnt;                                                                     \
            RW_CHAIN(op + 1);                                                                              \
        }                                                                                                  \
        return rw_go(cpu, op + 2);                                                                         \
    } while (0)

#define JCC(cc)                                                                                            \
    static RW_OP(op_jcc_##cc)                                                                              \
    {                                                                                                      \
        TAKE_IF(rw_cond(cpu, cc));                                                                         \
    }
JCC(0)
JCC(1)
JCC(2)
JCC(3)
JCC(4)
JCC(5)
JCC(6)
JCC(7)
JCC(8)
JCC(9)
JCC(10)
JCC(11)
JCC(12)
JCC(13)
JCC(14)
JCC(15)

// RCX as the address size has it: imm masks it.
static RW_OP(op_jrcxz)
{
    TAKE_IF((cpu->r[RW_R_RCX] & op->imm) == 0);
}

static bool count_down(RwCpu *cpu, uint64_t mask)
{
    uint64_t rcx = (cpu->r[RW_R_RCX] - 1) & mask;
    cpu->r[RW_R_RCX] = rcx;
    return rcx != 0;
}

static RW_OP(op_loop)
{
    TAKE_IF(count_down(cpu, op->imm));
}

static RW_OP(op_loope)
{
    TAKE_IF(count_down(cpu, op->imm) && rw_zf(cpu));
}

static RW_OP(op_loopne)
{
    TAKE_IF(count_down(cpu, op->imm) && !rw_zf(cpu));
}

// ---- Emitters ----

static bool is_near(const RwEmit *e)
{
    return !e->insn.far;
}

static int64_t relative_target(const RwEmit *e)
{
    return e->off + e->insn.length + e->insn.opnd[0].imm;
}

// What a JMP or CALL by register or memory needs.
static void emit_indirect(RwEmit *e, RwOpFn by_reg, RwOpFn by_mem)
{
    if (e->insn.opnd[0].type == RW_OPND_REG) {
        RwOp *op = rw_emit(e, by_reg);
        op->reg = e->insn.opnd[0].reg;
    } else {
        RwEa ea = rw_emit_ea(e, &e->insn.opnd[0]);
        rw_emit_mem(e, by_mem, &ea);
    }
    e->end = true;
}

static bool emit_jmp(RwEmit *e, const RwMnemonic *m)
{
    if (!is_near(e))
        return false;
    if (e->insn.opnd[0].type == RW_OPND_IMM) {
        rw_emit(e, op_goto);
        rw_emit_slot(e, relative_target(e), e->icnt + 1u);
        e->end = true;
    } else {
        emit_indirect(e, op_jmp_reg, op_jmp_mem);
    }
    return true;
}

static bool emit_call(RwEmit *e, const RwMnemonic *m)
{
    if (!is_near(e))
        return false;
    if (e->insn.opnd[0].type == RW_OPND_IMM) {
        RwOp *op = rw_emit(e, op_call);
        op->disp = e->off + e->insn.length;
        rw_emit_slot(e, relative_target(e), e->icnt + 1u);
        e->end = true;
    } else {
        emit_indirect(e, op_call_reg, op_call_mem);
    }
    return true;
}

static bool emit_ret(RwEmit *e, const RwMnemonic *m)
{
    if (!is_near(e))
        return false;
    RwOp *op = rw_emit(e, op_ret);
    op->imm = 8;
    if (e->insn.opnd[0].type == RW_OPND_IMM)
        op->imm += (uint16_t)e->insn.opnd[0].uimm;
    e->end = true;
    return true;
}

static const RwOpFn jcc_fns[16] = {
    op_jcc_0, op_jcc_1, op_jcc_2,  op_jcc_3,  op_jcc_4,  op_jcc_5,  op_jcc_6,  op_jcc_7,
    op_jcc_8, op_jcc_9, op_jcc_10, op_jcc_11, op_jcc_12, op_jcc_13, op_jcc_14, op_jcc_15,
};

// arg: the condition.
static bool emit_jcc(RwEmit *e, const RwMnemonic *m)
{
    int64_t target = relative_target(e);
    ((RwDecode *)e)->n_branches++;
    if (rw_emit_fused(e, m->arg, target))
        return true;
    rw_emit(e, jcc_fns[m->arg]);
    rw_emit_slot(e, target, e->icnt + 1u);
    return true;
}

static const RwOpFn counter_fns[] = {op_jrcxz, op_loop, op_loope, op_loopne};

// arg: index into counter_fns. JCXZ does not exist in 64-bit mode.
static bool emit_counter(RwEmit *e, const RwMnemonic *m)
{
    ((RwDecode *)e)->n_branches++;
    RwOp *op = rw_emit(e, counter_fns[m->arg]);
    op->imm = e->insn.address_width == 32 ? UINT32_MAX : UINT64_MAX;
    rw_emit_slot(e, relative_target(e), e->icnt + 1u);
    return true;
}

#define ROW(name, emit, arg)                                                                               \
    {                                                                                                      \
        ZYDIS_MNEMONIC_##name, emit, arg                                                                   \
    }
const RwMnemonic rw_group_flow[] = {
    ROW(JMP, emit_jmp, 0),
    ROW(CALL, emit_call, 0),
    ROW(RET, emit_ret, 0),
    ROW(JO, emit_jcc, 0),
    ROW(JNO, emit_jcc, 1),
    ROW(JB, emit_jcc, 2),
    ROW(JNB, emit_jcc, 3),
    ROW(JZ, emit_jcc, 4),
    ROW(JNZ, emit_jcc, 5),
    ROW(JBE, emit_jcc, 6),
    ROW(JNBE, emit_jcc, 7),
    ROW(JS, emit_jcc, 8),
    ROW(JNS, emit_jcc, 9),
    ROW(JP, emit_jcc, 10),
    ROW(JNP, emit_jcc, 11),
    ROW(JL, emit_jcc, 12),
    ROW(JNL, emit_jcc, 13),
    ROW(JLE, emit_jcc, 14),
    ROW(JNLE, emit_jcc, 15),
    ROW(JECXZ, emit_counter, 0),
    ROW(JRCXZ, emit_counter, 0),
    ROW(LOOP, emit_counter, 1),
    ROW(LOOPE, emit_counter, 2),
    ROW(LOOPNE, emit_counter, 3),
    {0},
};
