// SPDX-License-Identifier: MIT
/*
 * A software x86-64 CPU: long mode only, x86-64-v2 and what the guest kernel needs.
 *
 * Its every result is a function of its state and its memory; nothing of the host's CPU, clock or
 * memory layout reaches the guest. It counts retired instructions exactly and can stop at any count.
 *
 * One owner: all calls on one RwCpu come from one thread at a time, except rw_cpu_kick().
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct _RwCpu RwCpu;

/* Why rw_cpu_run() came back. */
typedef enum {
    RW_EXIT_ICOUNT = 1, /* the instruction count reached the limit; nothing else happened */
    RW_EXIT_OUT, /* an OUT retired: port, size, value; RIP is after it */
    RW_EXIT_HLT, /* a HLT retired: RIP is after it */
    RW_EXIT_SHUTDOWN, /* triple fault: why[] tells the last exceptions */
    RW_EXIT_KICK, /* rw_cpu_kick() was called */
    RW_EXIT_UNSUPPORTED, /* the guest left what this CPU does (a 32-bit code segment …): why[] */
} RwExitKind;

typedef struct {
    RwExitKind kind;
    uint16_t port;
    uint8_t size; /* bytes: 1, 2 or 4 */
    uint32_t value;
    char why[120];
} RwExit;

typedef struct {
    uint64_t base;
    uint32_t limit; /* bytes, granularity applied */
    uint16_t selector;
    uint16_t attr; /* access rights as in VMX: type 0-3, S 4, DPL 5-6, P 7, AVL 12, L 13, D/B 14, G 15;
                      bit 8: unusable (null) */
} RwSegment;

enum { RW_ES, RW_CS, RW_SS, RW_DS, RW_FS, RW_GS, RW_LDTR, RW_TR, RW_N_SEGMENTS };

typedef struct {
    uint64_t significand;
    uint16_t sign_exponent;
    uint16_t reserved[3];
} RwFpReg;

/* The whole architectural state, flat, without padding, the same bytes for the same state: what is
   saved, hashed and compared. A change of it is a new RW_CPU_STATE_VERSION. */
#define RW_CPU_STATE_VERSION 1
typedef struct {
    uint64_t gpr[16]; /* RAX RCX RDX RBX RSP RBP RSI RDI R8… */
    uint64_t rip;
    uint64_t rflags; /* all bits materialised */
    RwSegment seg[RW_N_SEGMENTS];
    uint64_t gdt_base, idt_base;
    uint16_t gdt_limit, idt_limit;
    uint8_t shadow; /* 1: interrupts are held off for the next instruction (STI, MOV SS) */
    uint8_t irq_pending; /* 1: irq_vector waits for RFLAGS.IF */
    uint8_t irq_vector;
    uint8_t reserved0;
    uint64_t cr0, cr2, cr3, cr4, cr8;
    uint64_t dr[8];
    uint64_t efer, star, lstar, cstar, fmask, kernel_gs_base, tsc_aux, pat, misc_enable, apic_base;
    uint64_t mtrr[32]; /* as the guest wrote them, no effect */
    RwFpReg fpr[8]; /* x87 data registers by physical number; MMX registers are their significands */
    uint16_t fcw, fsw, ftw, fop; /* ftw: the full 16-bit tag word */
    uint64_t fip, fdp;
    uint32_t mxcsr;
    uint32_t reserved1;
    uint8_t xmm[16][16];
    uint64_t icount; /* instructions retired since power-on */
    uint64_t tsc_base; /* RDTSC returns tsc_base + (tsc_runs ? icount : 0) + IA32_TSC adjustments */
    uint8_t tsc_runs;
    uint8_t reserved2[7];
} RwCpuState;

/* CPU models that the guest may be shown; a fixed table each, the same on every host. */
typedef enum { RW_CPU_MODEL_V2 = 2 } RwCpuModel;

RwCpu *rw_cpu_new(RwCpuModel model); /* at power-on: call rw_cpu_set_state() next; owned by the caller */
void rw_cpu_free(RwCpu *cpu);

/* Guest-physical memory: at most 8 ranges, page-aligned, disjoint; `host` stays the caller's and must
   outlive the CPU (or until rw_cpu_unmap_all). Reads elsewhere give all ones, writes are dropped.
   `dirty`, if given, is one byte a page: set to 1 at the first write since rw_cpu_clear_dirty(). */
void rw_cpu_map(RwCpu *cpu, uint64_t gpa, uint64_t size, uint8_t *host, bool writable, uint8_t *dirty);
void rw_cpu_unmap_all(RwCpu *cpu);
/* To be called after the caller zeroed the dirty bytes, so that the next write sets them again. */
void rw_cpu_clear_dirty(RwCpu *cpu);
/* The caller wrote guest memory itself (device, snapshot restore): drops code decoded from there. */
void rw_cpu_memory_written(RwCpu *cpu, uint64_t gpa, uint64_t size);

void rw_cpu_get_state(RwCpu *cpu, RwCpuState *ret_state);
void rw_cpu_set_state(RwCpu *cpu, const RwCpuState *state);
/* NULL, or what makes this no state that the CPU can be in: for states that come from a file. */
const char *rw_cpu_state_check(const RwCpuState *state);
/* FNV-like or better 64-bit hash of the state, cheap enough for every thousand instructions. */
uint64_t rw_cpu_hash(RwCpu *cpu);

/* Runs until icount == limit_icount (absolute) or an exit. An external interrupt that is pending is
   taken as soon as RFLAGS.IF and the shadow allow it, before the first instruction too. */
void rw_cpu_run(RwCpu *cpu, uint64_t limit_icount, RwExit *ret_exit);
uint64_t rw_cpu_icount(RwCpu *cpu);
/* The stamp counter now, as RDTSC would give it. */
uint64_t rw_cpu_tsc(RwCpu *cpu);
/* RDTSC = base + (runs ? icount : 0) from now on. */
void rw_cpu_set_tsc(RwCpu *cpu, uint64_t base, bool runs);
/* One external interrupt line with its vector; edge: taken once. vector < 0 takes the request back. */
void rw_cpu_set_irq(RwCpu *cpu, int vector);
/* From any thread: the run in progress, or the next, comes back with RW_EXIT_KICK soon (within a few
   hundred thousand instructions). */
void rw_cpu_kick(RwCpu *cpu);

/* A block becomes host code after `hot` executions (1 to 255); 0: all is interpreted. The results are the
   same. Not while the CPU runs. */
void rw_cpu_set_jit(RwCpu *cpu, unsigned hot);

uint64_t rw_cpu_rip(RwCpu *cpu);
uint64_t rw_cpu_cr3(RwCpu *cpu);
unsigned rw_cpu_cpl(RwCpu *cpu);
/* Translates a virtual address with the current page tables, without side effects; false: not mapped. */
bool rw_cpu_translate(RwCpu *cpu, uint64_t va, uint64_t *ret_gpa);

/* What the guest is shown by CPUID, for `show` and the run id: the model's name and its table's text. */
const char *rw_cpu_model_name(RwCpuModel model);
