// SPDX-License-Identifier: MIT
// What the integer handlers share: typed register access, handlers with a memory operand, and emitters
// that choose a handler by operand size and form.
//
// Memory handlers come in pairs. The hot one looks into the TLB and works on host memory at once; on a
// miss it tail-calls its cold twin, which does the same by the general RW_LOAD and RW_STORE. So the hot
// one needs no stack frame. Both are made from one body, in which `m` is the memory operand's value.
#pragma once

#include "flags-private.h"

#define RW_COLD static __attribute__((noinline, cold))

// Registers by number of bits: read zero-extended; a 32-bit write clears the upper half.
#define RW_GET8(i) (*rw_r8(cpu, (i)))
#define RW_GET16(i) ((uint16_t)cpu->r[(i)])
#define RW_GET32(i) ((uint32_t)cpu->r[(i)])
#define RW_GET64(i) (cpu->r[(i)])
#define RW_SET8(i, v) ((void)(*rw_r8(cpu, (i)) = (uint8_t)(v)))
#define RW_SET16(i, v) ((void)(*(rw_u16u *)&cpu->r[(i)] = (uint16_t)(v)))
#define RW_SET32(i, v) ((void)(cpu->r[(i)] = (uint32_t)(v)))
#define RW_SET64(i, v) ((void)(cpu->r[(i)] = (v)))

// Slot of the accumulator, RDX for a size: a byte offset for 8 bits, which is 0 for AL too.
#define RW_ACC 0
#define RW_AH 1

// Effective address without an index register: the common case.
#define RW_EAB (cpu->r[op->base] + (uint64_t)op->disp)

// name: m = [ea], then the body.
#define RW_OP_LOAD(name, bits, ea, ...)                                                                    \
    RW_COLD RW_OP(name##_slow)                                                                             \
    {                                                                                                      \
        uint##bits##_t m;                                                                                  \
        RW_LOAD(bits, m, ea);                                                                              \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        uint64_t va = ea;                                                                                  \
        const RwTlbEntry *t = rw_tlb(cpu, va);                                                             \
        uint##bits##_t m;                                                                                  \
        if (RW_UNLIKELY(!RW_TLB_HIT(t->rtag, va, bits / 8)))                                               \
            return name##_slow(cpu, op);                                                                   \
        m = *(const rw_u##bits##u *)(va + t->addend);                                                      \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }

// name: m = [ea]; the body changes m; [ea] = m. The load has checked that the store will succeed.
#define RW_OP_RMW(name, bits, ea, ...)                                                                     \
    RW_COLD RW_OP(name##_slow)                                                                             \
    {                                                                                                      \
        uint64_t va = ea;                                                                                  \
        uint##bits##_t m;                                                                                  \
        RW_LOAD_RMW(bits, m, va);                                                                          \
        __VA_ARGS__;                                                                                       \
        RW_STORE(bits, va, m);                                                                             \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        uint64_t va = ea;                                                                                  \
        const RwTlbEntry *t = rw_tlb(cpu, va);                                                             \
        rw_u##bits##u *p;                                                                                  \
        uint##bits##_t m;                                                                                  \
        if (RW_UNLIKELY(!RW_TLB_HIT(t->wtag, va, bits / 8)))                                               \
            return name##_slow(cpu, op);                                                                   \
        p = (rw_u##bits##u *)(va + t->addend);                                                             \
        m = *p;                                                                                            \
        __VA_ARGS__;                                                                                       \
        *p = m;                                                                                            \
        RW_NEXT;                                                                                           \
    }

// name: [ea] = val, then the body.
#define RW_OP_STORE(name, bits, ea, val, ...)                                                              \
    RW_COLD RW_OP(name##_slow)                                                                             \
    {                                                                                                      \
        uint64_t va = ea;                                                                                  \
        RW_STORE(bits, va, (uint##bits##_t)(val));                                                         \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        uint64_t va = ea;                                                                                  \
        const RwTlbEntry *t = rw_tlb(cpu, va);                                                             \
        if (RW_UNLIKELY(!RW_TLB_HIT(t->wtag, va, bits / 8)))                                               \
            return name##_slow(cpu, op);                                                                   \
        *(rw_u##bits##u *)(va + t->addend) = (uint##bits##_t)(val);                                        \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }

// Forms: destination, then source. B: the memory operand has no index register.
typedef enum {
    RW_RR,
    RW_RI,
    RW_RM,
    RW_RMB,
    RW_MR,
    RW_MRB,
    RW_MI,
    RW_MIB,
    RW_N_FORMS,
} RwForm;

// Handlers of an operation by log2 of the size in bytes and by form; NULL where there is none. op->reg is
// a register destination (or the register source of MR), op->rm the source of RR, op->imm the immediate
// truncated to the operand size.
typedef RwOpFn RwFormTable[4][RW_N_FORMS];
// The same with one operand: register, memory, memory without index.
typedef RwOpFn RwUnaryTable[4][3];

// log2 of a size in bytes.
static inline unsigned rw_size_index(unsigned bits)
{
    return (unsigned)__builtin_ctz(bits) - 3;
}
// The operands 0 and 1 by a table; false when the table has no such form.
bool rw_emit_form(RwEmit *e, const RwFormTable fns);
bool rw_emit_unary(RwEmit *e, const RwUnaryTable fns);
// One op whose memory operand (if any) is operand `i`: indexed or plain handler.
RwOp *rw_emit_mem2(RwEmit *e, RwOpFn indexed, RwOpFn plain, const RwOpnd *mem);

// Of the address size, for implicit operands at [RSI], [RDI], [RBX + AL].
uint64_t rw_address_mask(const RwEmit *e);

// Emitters, by file.
bool rw_emit_alu(RwEmit *e, const RwMnemonic *m);
bool rw_emit_alu1(RwEmit *e, const RwMnemonic *m);
bool rw_emit_xadd(RwEmit *e, const RwMnemonic *m);
bool rw_emit_cmpxchg(RwEmit *e, const RwMnemonic *m);
bool rw_emit_cmpxchg_wide(RwEmit *e, const RwMnemonic *m);
bool rw_emit_shift(RwEmit *e, const RwMnemonic *m);
bool rw_emit_double_shift(RwEmit *e, const RwMnemonic *m);
bool rw_emit_mul(RwEmit *e, const RwMnemonic *m);
bool rw_emit_imul(RwEmit *e, const RwMnemonic *m);
bool rw_emit_div(RwEmit *e, const RwMnemonic *m);
bool rw_emit_bt(RwEmit *e, const RwMnemonic *m);
bool rw_emit_bitscan(RwEmit *e, const RwMnemonic *m);
bool rw_emit_crc32(RwEmit *e, const RwMnemonic *m);
bool rw_emit_mov(RwEmit *e, const RwMnemonic *m);
bool rw_emit_extend(RwEmit *e, const RwMnemonic *m);
bool rw_emit_lea(RwEmit *e, const RwMnemonic *m);
bool rw_emit_xchg(RwEmit *e, const RwMnemonic *m);
bool rw_emit_fixed(RwEmit *e, const RwMnemonic *m);
bool rw_emit_bswap(RwEmit *e, const RwMnemonic *m);
bool rw_emit_xlat(RwEmit *e, const RwMnemonic *m);
bool rw_emit_cmov(RwEmit *e, const RwMnemonic *m);
bool rw_emit_setcc(RwEmit *e, const RwMnemonic *m);
bool rw_emit_push(RwEmit *e, const RwMnemonic *m);
bool rw_emit_pop(RwEmit *e, const RwMnemonic *m);
bool rw_emit_enter(RwEmit *e, const RwMnemonic *m);
bool rw_emit_leave(RwEmit *e, const RwMnemonic *m);
bool rw_emit_string(RwEmit *e, const RwMnemonic *m);
