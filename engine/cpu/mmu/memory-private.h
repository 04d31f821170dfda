// SPDX-License-Identifier: MIT
// Guest memory as handlers see it (mmu.c). Sizes are 1 to 16 bytes.
#pragma once

#include "state-private.h"

// Each returns false when an exception was raised (it is then already delivered: cpu->rip is its
// handler's first instruction) and the handler must return RW_GO_ON. Values travel in cpu->tmp.
bool rw_load_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size) RW_SLOW;
bool rw_store_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size) RW_SLOW; // value in cpu->tmp
// Loads, having checked that a store to the same bytes will succeed.
bool rw_load_rmw_slow(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size) RW_SLOW;
// Checks that [va, va+size) can be written (or read), size up to 4096, without doing it.
bool rw_probe(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, bool write);
// #AC where alignment is checked and va is no multiple of `alignment`, for an operand of more than one
// number; false: that was raised.
bool rw_check_aligned(RwCpu *cpu, const RwOp *op, uint64_t va, unsigned size, unsigned alignment);
// A misaligned operand of FXSAVE and FXRSTOR: #GP(0), or #SS(0) for a stack access that isn't canonical
// either (with SSE operands the alignment comes first). Returns what rw_fault() does.
int rw_fault_misaligned(RwCpu *cpu, const RwOp *op, uint64_t va);

// For string instructions, two runs of bytes, each within one page: translates `first` for reading, then
// `second` for reading or writing, as an element of each would be, and leaves host pointers to both in
// cpu->tmp.u64, whichever evicts the other. False: go element by element (and fault there).
bool rw_host_pair(RwCpu *cpu, uint64_t first, uint64_t second, bool write);

static inline bool rw_is_canonical(uint64_t va)
{
    return (uint64_t)((int64_t)(va << 16) >> 16) == va;
}

static inline RwTlbEntry *rw_tlb(RwCpu *cpu, uint64_t va)
{
    return &cpu->tlb[(va >> 12) & (RW_TLB_SIZE - 1)];
}

#define RW_TLB_HIT(tag, va, size) ((tag) == (((va) + (size)-1) & RW_PAGE_MASK))

typedef uint16_t __attribute__((aligned(1), may_alias)) rw_u16u;
typedef uint32_t __attribute__((aligned(1), may_alias)) rw_u32u;
typedef uint64_t __attribute__((aligned(1), may_alias)) rw_u64u;
typedef uint8_t rw_u8u;

#define RW_LOAD_(bits, dst, va, slow, tagfield)                                                            \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->tagfield, va_, bits / 8))) {                                          \
            dst = *(const rw_u##bits##u *)(va_ + e_->addend);                                              \
        } else {                                                                                           \
            if (!slow(cpu, op, va_, bits / 8))                                                             \
                return RW_GO_ON;                                                                           \
            dst = *(const rw_u##bits##u *)cpu->tmp.u8;                                                     \
        }                                                                                                  \
    } while (0)

// dst = *(uintN *)va. bits is a literal 8, 16, 32 or 64.
#define RW_LOAD(bits, dst, va) RW_LOAD_(bits, dst, va, rw_load_slow, rtag)
#define RW_LOAD_RMW(bits, dst, va) RW_LOAD_(bits, dst, va, rw_load_rmw_slow, wtag)
#define RW_STORE(bits, va, val)                                                                            \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->wtag, va_, bits / 8))) {                                              \
            *(rw_u##bits##u *)(va_ + e_->addend) = (val);                                                  \
        } else {                                                                                           \
            cpu->tmp.u64[0] = (val);                                                                       \
            if (!rw_store_slow(cpu, op, va_, bits / 8))                                                    \
                return RW_GO_ON;                                                                           \
        }                                                                                                  \
    } while (0)
// 16 bytes, any alignment: dst is an __m128i.
#define RW_LOAD128(dst, va)                                                                                \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->rtag, va_, 16))) {                                                    \
            dst = _mm_loadu_si128((const __m128i *)(va_ + e_->addend));                                    \
        } else {                                                                                           \
            if (!rw_load_slow(cpu, op, va_, 16))                                                           \
                return RW_GO_ON;                                                                           \
            dst = cpu->tmp.i;                                                                              \
        }                                                                                                  \
    } while (0)
#define RW_STORE128(va, val)                                                                               \
    do {                                                                                                   \
        uint64_t va_ = (va);                                                                               \
        const RwTlbEntry *e_ = rw_tlb(cpu, va_);                                                           \
        if (RW_LIKELY(RW_TLB_HIT(e_->wtag, va_, 16))) {                                                    \
            _mm_storeu_si128((__m128i *)(va_ + e_->addend), (val));                                        \
        } else {                                                                                           \
            cpu->tmp.i = (val);                                                                            \
            if (!rw_store_slow(cpu, op, va_, 16))                                                          \
                return RW_GO_ON;                                                                           \
        }                                                                                                  \
    } while (0)

// ---- For system instructions and exceptions ----

// Supervisor access to n bytes (at most 4096, may cross a page) whatever the CPL, for descriptor tables,
// TSS and exception stacks. False: nothing was done (written) and cpu->fault_vector, fault_error and
// fault_cr2 tell the exception; nothing is delivered.
bool rw_sys_read(RwCpu *cpu, uint64_t va, void *dst, unsigned n);
bool rw_sys_write(RwCpu *cpu, uint64_t va, const void *src, unsigned n);
// Sets cpu->cpl and cpu->tlb; also to be called after CR0.AM or RFLAGS.AC changed (alignment checks). By an
// instruction that changes the CPL only where it ends its block: the count is that after it.
void rw_set_cpl(RwCpu *cpu, unsigned cpl);
// Drop translations (and the jump cache): all; all but global ones. No change of the page tables needs it,
// these take effect at once; changes of CR0.WP, CR4 and EFER.NXE do.
void rw_mmu_flush_all(RwCpu *cpu);
void rw_mmu_flush_nonglobal(RwCpu *cpu);
// Writes CR3.
void rw_mmu_set_root(RwCpu *cpu, uint64_t cr3);
