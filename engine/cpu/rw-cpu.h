// SPDX-License-Identifier: MIT
// A software x86-64 CPU: long mode only, x86-64-v2 and what the guest kernel needs.
//
// Its every result is a function of its state and its memory; nothing of the host's CPU, clock or
// memory layout reaches the guest. It counts retired instructions exactly and can stop at any count.
//
// One owner: all calls on one RwCpu come from one thread at a time, except rw_cpu_kick().
#pragma once

#include "rw-vcpu.h"

typedef struct _RwCpu RwCpu;

// At power-on: call rw_cpu_set_state() next. Owned by the caller. NULL: not enough memory or address space
// (it reserves up to 512 MiB of the latter, and takes what it uses).
RwCpu *rw_cpu_new(RwCpuModel model);
void rw_cpu_free(RwCpu *cpu);
// The same behind the seam of a machine; NULL likewise.
RwVcpu *rw_cpu_new_vcpu(RwCpuModel model);

// Guest-physical memory: at most 8 ranges, page-aligned, disjoint; `host` stays the caller's and must
// outlive the CPU. Reads elsewhere give all ones, writes are dropped.
// `dirty`, if given, is one byte a page: set to 1 at the first write since rw_cpu_clear_dirty().
void rw_cpu_map(RwCpu *cpu, uint64_t gpa, uint64_t size, uint8_t *host, bool writable, uint8_t *dirty);
// To be called after the caller zeroed the dirty bytes, so that the next write sets them again.
void rw_cpu_clear_dirty(RwCpu *cpu);
// The caller wrote guest memory itself (device, snapshot restore): drops code decoded from there.
void rw_cpu_memory_written(RwCpu *cpu, uint64_t gpa, uint64_t size);

void rw_cpu_get_state(RwCpu *cpu, RwCpuState *ret_state);
void rw_cpu_set_state(RwCpu *cpu, const RwCpuState *state);
// NULL, or what makes this no state that the CPU can be in: for states that come from a file.
const char *rw_cpu_state_check(const RwCpuState *state);
// FNV-like or better 64-bit hash of the state, cheap enough for every thousand instructions.
uint64_t rw_cpu_hash(RwCpu *cpu);

// Runs until icount == limit_icount (absolute) or an exit. An external interrupt that is pending is
// taken as soon as RFLAGS.IF and the shadow allow it, before the first instruction too.
void rw_cpu_run(RwCpu *cpu, uint64_t limit_icount, RwExit *ret_exit);
uint64_t rw_cpu_icount(RwCpu *cpu);
// Of these, those in user mode, since the CPU was made: only differences mean something.
uint64_t rw_cpu_user_icount(RwCpu *cpu);
// From now on these stops, copied; NULL: none. Not while the CPU runs.
void rw_cpu_set_stops(RwCpu *cpu, const RwVcpuStops *stops);
// Who is told of accesses of user mode, copied; NULL: nobody. What was told is forgotten; a page is
// watched: see there.
void rw_cpu_set_watch(RwCpu *cpu, const RwVcpuWatch *watch);
void rw_cpu_forget_user(RwCpu *cpu);
void rw_cpu_watch_page(RwCpu *cpu, uint64_t gpa);
// For tests: the stamp counter now, as RDTSC would give it.
uint64_t rw_cpu_tsc(RwCpu *cpu);
// RDTSC = base + (runs ? icount : 0) from now on.
void rw_cpu_set_tsc(RwCpu *cpu, uint64_t base, bool runs);
// One external interrupt line with its vector; edge: taken once. vector < 0 takes the request back.
void rw_cpu_set_irq(RwCpu *cpu, int vector);
// From any thread: the run in progress, or the next, comes back with RW_EXIT_KICK soon (within a few
// hundred thousand instructions).
void rw_cpu_kick(RwCpu *cpu);

// A block becomes host code after `hot` executions (1 to 255); 0: all is interpreted. The results are the
// same. Not while the CPU runs.
void rw_cpu_set_jit(RwCpu *cpu, unsigned hot);

// Whether this process may make host code, and how.
RwHostCode rw_cpu_probe_host_code(int *ret_error);

uint64_t rw_cpu_rip(RwCpu *cpu);
// Translates a virtual address with the current page tables, without side effects; false: not mapped.
bool rw_cpu_translate(RwCpu *cpu, uint64_t va, uint64_t *ret_gpa);

// The instruction that `bytes` start with, which lies at `address`, as assemblers write it, whatever model
// has it; NULL when it is none. Free with g_free().
char *rw_cpu_dup_disassembly(const uint8_t *bytes, size_t length, uint64_t address);

// What the guest is shown by CPUID, for `show` and the run id: the model's name and its table's text.
const char *rw_cpu_model_name(RwCpuModel model);
