// SPDX-License-Identifier: MIT
// What the SSE, MMX and x87 files share: operand access, the "may FP be used" checks, emission.
//
// The host must be x86-64-v2 (SSE4.2); AES and PCLMUL are used where it has them, with a twin in C.
#pragma once

#include "cpu-private.h"

enum {
    RW_CR0_MP = 1 << 1,
    RW_CR0_EM = 1 << 2,
    RW_CR0_TS = 1 << 3,
    RW_CR4_OSFXSR = 1 << 9,
    RW_CR4_OSXMMEXCPT = 1 << 10,
};

// Bits of RwEmit.fp_checked.
enum { RW_CHECKED_SSE = 1, RW_CHECKED_X87 = 2, RW_CHECKED_MMX = 4 };

enum { RW_XMM_SRC = 16 }; // slot of cpu->xmm_src

// MXCSR: flags 0-5 (IE DE ZE OE UE PE), DAZ 6, masks 7-12, rounding 13-14, FTZ 15.
enum {
    RW_MXCSR_FLAGS = 0x3f,
    RW_MXCSR_DAZ = 1 << 6,
    RW_MXCSR_MASKS = 0x1f80,
    RW_MXCSR_FTZ = 1 << 15,
    RW_MXCSR_VALID = 0xffff,
};

static inline RwXmm *rw_xmm(RwCpu *cpu, unsigned n)
{
    return (RwXmm *)((char *)cpu + offsetof(RwCpu, xmm) + n * sizeof(RwXmm));
}
#define RW_XREG (*rw_xmm(cpu, op->reg))
#define RW_XRM (*rw_xmm(cpu, op->rm))

// An address without an index, which most are.
#define RW_EA_PLAIN (cpu->r[op->base] + (uint64_t)op->disp)

// Handlers that load, do something with the value, and go on. What happens on a TLB miss is a function of
// its own, so that the handler keeps nothing across a call and needs no stack frame. name_plain is the
// same for addresses without an index.
#define RW_SLOW_OP __attribute__((noinline, cold))
#define RW_OP_LOAD_(name, type, var, hit, size, misaligned, fetch, slow_value, ...)                        \
    static RW_SLOW_OP RW_OP(name##_slow)                                                                   \
    {                                                                                                      \
        uint64_t va_ = RW_EA;                                                                              \
        if (misaligned)                                                                                    \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
        if (!rw_load_slow(cpu, op, va_, size))                                                             \
            return RW_GO_ON;                                                                               \
        type var = slow_value;                                                                             \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        uint64_t va_ = RW_EA;                                                                              \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_UNLIKELY(!(hit)))                                                                           \
            return name##_slow(cpu, op);                                                                   \
        type var = fetch;                                                                                  \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static __attribute__((unused)) RW_OP(name##_plain)                                                     \
    {                                                                                                      \
        uint64_t va_ = RW_EA_PLAIN;                                                                        \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_UNLIKELY(!(hit)))                                                                           \
            return name##_slow(cpu, op);                                                                   \
        type var = fetch;                                                                                  \
        __VA_ARGS__;                                                                                       \
        RW_NEXT;                                                                                           \
    }
// 16 bytes, aligned (the alignment is part of the TLB comparison) and of any alignment.
#define RW_OP_LOAD128A(name, var, ...)                                                                     \
    RW_OP_LOAD_(name, __m128i, var, e_->rtag == (va_ & (RW_PAGE_MASK | 15)), 16, va_ & 15,                 \
                _mm_load_si128((const __m128i *)(va_ + e_->addend)), cpu->tmp.i, __VA_ARGS__)
#define RW_OP_LOAD128(name, var, ...)                                                                      \
    RW_OP_LOAD_(name, __m128i, var, RW_TLB_HIT(e_->rtag, va_, 16), 16, false,                              \
                _mm_loadu_si128((const __m128i *)(va_ + e_->addend)), cpu->tmp.i, __VA_ARGS__)
// bits: 8, 16, 32 or 64; var is an unsigned integer of that size.
#define RW_OP_LOAD(name, bits, var, ...)                                                                   \
    RW_OP_LOAD_(name, uint##bits##_t, var, RW_TLB_HIT(e_->rtag, va_, bits / 8), bits / 8, false,           \
                *(const rw_u##bits##u *)(va_ + e_->addend), *(const rw_u##bits##u *)cpu->tmp.u8,           \
                __VA_ARGS__)

// Handlers that store a value and go on.
#define RW_OP_STORE_(name, hit, size, misaligned, to_tmp, put)                                             \
    static RW_SLOW_OP RW_OP(name##_slow)                                                                   \
    {                                                                                                      \
        uint64_t va_ = RW_EA;                                                                              \
        if (misaligned)                                                                                    \
            return rw_fault(cpu, op, RW_GP, 0);                                                            \
        to_tmp;                                                                                            \
        if (!rw_store_slow(cpu, op, va_, size))                                                            \
            return RW_GO_ON;                                                                               \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static RW_OP(name)                                                                                     \
    {                                                                                                      \
        uint64_t va_ = RW_EA;                                                                              \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_UNLIKELY(!(hit)))                                                                           \
            return name##_slow(cpu, op);                                                                   \
        put;                                                                                               \
        RW_NEXT;                                                                                           \
    }                                                                                                      \
    static __attribute__((unused)) RW_OP(name##_plain)                                                     \
    {                                                                                                      \
        uint64_t va_ = RW_EA_PLAIN;                                                                        \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_UNLIKELY(!(hit)))                                                                           \
            return name##_slow(cpu, op);                                                                   \
        put;                                                                                               \
        RW_NEXT;                                                                                           \
    }
#define RW_OP_STORE128A(name, val)                                                                         \
    RW_OP_STORE_(name, e_->wtag == (va_ & (RW_PAGE_MASK | 15)), 16, va_ & 15, cpu->tmp.i = (val),          \
                 _mm_store_si128((__m128i *)(va_ + e_->addend), (val)))
#define RW_OP_STORE128(name, val)                                                                          \
    RW_OP_STORE_(name, RW_TLB_HIT(e_->wtag, va_, 16), 16, false, cpu->tmp.i = (val),                       \
                 _mm_storeu_si128((__m128i *)(va_ + e_->addend), (val)))
#define RW_OP_STORE(name, bits, val)                                                                       \
    RW_OP_STORE_(name, RW_TLB_HIT(e_->wtag, va_, bits / 8), bits / 8, false, cpu->tmp.u64[0] = (val),      \
                 *(rw_u##bits##u *)(va_ + e_->addend) = (val))

// ---- MMX registers: the significands of the x87 registers ----

// An x87 or MMX instruction meets an exception that an earlier one left pending.
#define RW_CHECK_MF                                                                                        \
    do {                                                                                                   \
        if (RW_UNLIKELY(cpu->fsw & 0x80))                                                                  \
            return rw_fault(cpu, op, RW_MF, RW_NO_ERROR);                                                  \
    } while (0)

// Every MMX instruction sets TOP to 0 and all tags to valid (EMMS: to empty).
static inline void rw_mmx_enter(RwCpu *cpu)
{
    cpu->fsw &= (uint16_t)~0x3800;
    cpu->ftw = 0;
}
static inline uint64_t rw_mmx_get(const RwCpu *cpu, unsigned n)
{
    return cpu->fpr[n].significand;
}
static inline void rw_mmx_set(RwCpu *cpu, unsigned n, uint64_t v)
{
    cpu->fpr[n].significand = v;
    cpu->fpr[n].sign_exponent = 0xffff;
}

// ---- MXCSR (fp-env.c) ----

// cpu->mxcsr with the flags that the host's MXCSR has collected.
uint32_t rw_mxcsr_get(RwCpu *cpu);
// v without reserved bits.
void rw_mxcsr_set(RwCpu *cpu, uint32_t v);

// ---- Emission (fp-emit.c) ----

typedef struct {
    RwOpFn xx; // register form; operands in reg and rm
    RwOpFn xm; // memory form; destination in reg
    RwOpFn mm, mm_m; // the same for MMX registers
    RwOpFn xm_plain; // xm for addresses without an index, or NULL
} RwForms;

void rw_emit_check_sse(RwEmit *e);
void rw_emit_check_x87(RwEmit *e);
void rw_emit_check_mmx(RwEmit *e);

static inline bool rw_opnd_is_gpr(const RwOpnd *o)
{
    return rw_opnd_is_reg(o, RW_CLASS_GPR32) || rw_opnd_is_reg(o, RW_CLASS_GPR64);
}

// An op whose operand `o` is a register (its slot in rm, fn_reg) or memory (fn_mem). NULL when fn is.
RwOp *rw_emit_rm(RwEmit *e, RwOpFn fn_reg, RwOpFn fn_mem, const RwOpnd *o);
// An op for the memory operand; plain, unless NULL, where it has no index.
RwOp *rw_emit_mem_op(RwEmit *e, RwOpFn fn, RwOpFn plain, const RwOpnd *mem);
// "reg, reg/mem" of XMM or MMX registers, with the checks they need; an immediate goes to imm.
bool rw_emit_forms(RwEmit *e, const RwForms *f);
// Fetches operand 1 into slot RW_XMM_SRC if it is in memory and returns its slot number.
uint8_t rw_emit_fetch(RwEmit *e, RwOpFn load);
// 16 bytes aligned or not; narrower ones are zero-extended.
typedef struct {
    RwOpFn m128a, m128, m64, m32, m16, m8;
} RwFetchOps;
extern const RwFetchOps rw_fetch;
