// SPDX-License-Identifier: MIT
// What the files of system instructions and exceptions share.
//
// Functions that can raise an exception return false and leave it in cpu->fault_vector and
// fault_error; nothing is delivered yet. A handler turns that into `return rw_sys_fault (cpu, op)`.
#pragma once

#include "cpu-private.h"

// In fault_vector: not an exception, but something this CPU does not do; exit.why is filled in.
#define RW_SYS_UNSUPPORTED 0xff

// Access rights of segments, as in RwSegment.attr.
enum {
    RW_ATTR_TYPE = 0xf,
    RW_ATTR_ACCESSED = 1 << 0,
    RW_ATTR_WRITABLE = 1 << 1, // data
    RW_ATTR_READABLE = 1 << 1, // code
    RW_ATTR_CONFORMING = 1 << 2, // code
    RW_ATTR_CODE = 1 << 3,
    RW_ATTR_S = 1 << 4,
    RW_ATTR_P = 1 << 7,
    RW_ATTR_UNUSABLE = 1 << 8,
    RW_ATTR_L = 1 << 13,
    RW_ATTR_D = 1 << 14,
    RW_ATTR_G = 1 << 15,
};

enum {
    RW_TYPE_LDT = 2,
    RW_TYPE_TSS = 9,
    RW_TYPE_TSS_BUSY = 11,
    RW_TYPE_CALL_GATE = 12,
    RW_TYPE_INTERRUPT_GATE = 14,
    RW_TYPE_TRAP_GATE = 15,
};

enum {
    RW_CR0_PE = 1 << 0,
    RW_CR0_MP = 1 << 1,
    RW_CR0_EM = 1 << 2,
    RW_CR0_TS = 1 << 3,
    RW_CR0_ET = 1 << 4,
    RW_CR0_NE = 1 << 5,
    RW_CR0_WP = 1 << 16,
    RW_CR0_AM = 1 << 18,
    RW_CR0_NW = 1 << 29,
    RW_CR0_CD = 1 << 30,
};
#define RW_CR0_PG (1u << 31)

enum {
    RW_CR4_TSD = 1 << 2,
    RW_CR4_DE = 1 << 3,
    RW_CR4_PSE = 1 << 4,
    RW_CR4_PAE = 1 << 5,
    RW_CR4_PGE = 1 << 7,
    RW_CR4_PCE = 1 << 8,
    RW_CR4_OSFXSR = 1 << 9,
    RW_CR4_OSXMMEXCPT = 1 << 10,
};

enum {
    RW_EFER_SCE = 1 << 0,
    RW_EFER_LME = 1 << 8,
    RW_EFER_LMA = 1 << 10,
    RW_EFER_NXE = 1 << 11,
};

enum { RW_DR6_BD = 1 << 13, RW_DR6_BS = 1 << 14, RW_DR7_GD = 1 << 13 };
#define RW_DR6_FIXED 0xffff0ff0u // bits that read as 1
#define RW_DR7_FIXED 0x400u

#define RW_LINEAR_BITS 48

static inline unsigned rw_attr_dpl(uint16_t attr)
{
    return attr >> 5 & 3;
}
static inline unsigned rw_iopl(const RwCpu *cpu)
{
    return cpu->rflags >> 12 & 3;
}

// Leaves an exception for the caller; false always.
bool rw_sys_raise(RwCpu *cpu, int vector, uint32_t error);
// The same for what this CPU does not do.
bool rw_sys_unsupported(RwCpu *cpu, const char *what);
// Delivers what was left, at op's instruction.
int rw_sys_fault(RwCpu *cpu, const RwOp *op);
// Ends an instruction that changed rip, flags or privilege: the next one, or the run loop if a trap or an
// interrupt may be due.
int rw_sys_continue(RwCpu *cpu, uint64_t rip);

// ---- segment.c ----

void rw_put_segment(RwCpu *cpu, unsigned s, const RwSegment *segment);
RwSegment rw_null_segment(uint16_t selector);
RwSegment rw_unpack_segment(uint16_t selector, uint64_t descriptor);
// 8 bytes of the descriptor that selector names; raises `vector` with selector | ext when it lies outside
// its table.
bool rw_read_descriptor(RwCpu *cpu, uint16_t selector, int vector, uint32_t ext, uint64_t *ret_descriptor);
// Upper 8 bytes of a 16-byte descriptor.
bool rw_read_descriptor_high(RwCpu *cpu, uint16_t selector, int vector, uint32_t ext, uint64_t *ret_high);
// Sets the accessed bit in the table, if it is not.
bool rw_mark_accessed(RwCpu *cpu, uint16_t selector, uint64_t descriptor);
bool rw_load_segment(RwCpu *cpu, unsigned s, uint16_t selector);
bool rw_load_ss(RwCpu *cpu, uint16_t selector, unsigned new_cpl, RwSegment *ret_segment);
// A stack pointer for a more privileged ring, from the TSS: rsp of ring 0..2, or ist 1..7.
bool rw_read_tss_stack(RwCpu *cpu, unsigned ring, unsigned ist, uint32_t ext, uint64_t *ret_rsp);
// Checks a descriptor as the new CS of a 64-bit ring; raises #GP or #NP with selector | ext.
bool rw_check_code64(RwCpu *cpu, uint16_t selector, uint64_t descriptor, uint32_t ext);

// CS, from a descriptor that was checked; its accessed bit is set first.
bool rw_load_cs(RwCpu *cpu, uint16_t selector, uint64_t descriptor, unsigned new_cpl);

// ---- system-flags.c ----

// Loads RFLAGS as POPF and IRET may at the present CPL (bits of `mask` only), and what follows from it.
void rw_write_rflags(RwCpu *cpu, uint64_t value, uint64_t mask);
// Bits that the present CPL and IOPL allow to change.
uint64_t rw_writable_rflags(const RwCpu *cpu);

// ---- Emitters and helpers of each file; rows in system.c ----

typedef struct {
    RwOpFn fn;
    bool end;
} RwSimpleOp;

bool rw_emit_mov_special(RwEmit *e, const RwMnemonic *m);
// MOV between segment register n and `other`; load: the segment register is loaded.
bool rw_emit_mov_segment(RwEmit *e, unsigned n, const RwOpnd *other, bool load);
bool rw_emit_push_segment(RwEmit *e, const RwMnemonic *m);
bool rw_emit_pop_segment(RwEmit *e, const RwMnemonic *m);
bool rw_emit_load_far_pointer(RwEmit *e, const RwMnemonic *m);
bool rw_emit_table_register(RwEmit *e, const RwMnemonic *m);
bool rw_emit_selector_load(RwEmit *e, const RwMnemonic *m);
bool rw_emit_selector_store(RwEmit *e, const RwMnemonic *m);
bool rw_emit_selector_query(RwEmit *e, const RwMnemonic *m);
bool rw_emit_lmsw(RwEmit *e, const RwMnemonic *m);
bool rw_emit_invlpg(RwEmit *e, const RwMnemonic *m);
bool rw_emit_far_transfer(RwEmit *e, const RwMnemonic *m);
bool rw_emit_retf(RwEmit *e);
bool rw_emit_iret(RwEmit *e, const RwMnemonic *m);
bool rw_emit_int(RwEmit *e, const RwMnemonic *m);
bool rw_emit_flags_stack(RwEmit *e, const RwMnemonic *m);
bool rw_emit_in(RwEmit *e, const RwMnemonic *m);
bool rw_emit_out(RwEmit *e, const RwMnemonic *m);
bool rw_emit_ins_outs(RwEmit *e, const RwMnemonic *m);
bool rw_emit_sysret(RwEmit *e, const RwMnemonic *m);

RW_OP(rw_op_syscall);
RW_OP(rw_op_swapgs);
RW_OP(rw_op_cpuid);
RW_OP(rw_op_rdmsr);
RW_OP(rw_op_wrmsr);
RW_OP(rw_op_rdtsc);
RW_OP(rw_op_rdtscp);
RW_OP(rw_op_cli);
RW_OP(rw_op_sti);
RW_OP(rw_op_lahf);
RW_OP(rw_op_sahf);
RW_OP(rw_op_clts);

// ---- cpuid.c ----

typedef struct {
    uint32_t eax, ebx, ecx, edx;
} RwCpuid;
RwCpuid rw_cpuid(RwCpuModel model, uint32_t leaf, uint32_t subleaf);

// ---- msr.c ----

// icount: instructions retired so far, for the time stamp counter. False: #GP.
bool rw_read_msr(RwCpu *cpu, uint32_t index, uint64_t icount, uint64_t *ret_value);
bool rw_write_msr(RwCpu *cpu, uint32_t index, uint64_t icount, uint64_t value);
void rw_reset_msrs(RwCpu *cpu);
