// SPDX-License-Identifier: MIT
// The seam between a machine and what executes its instructions: the state of an x86-64 CPU in long mode,
// why it came back, and the calls that an implementation answers (engine/cpu: in software).
//
// A virtual CPU's every result is a function of its state and its memory; it counts retired instructions
// exactly and stops at any count. One owner: all calls come from one thread at a time, except
// rw_vcpu_kick().
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct _RwVcpu RwVcpu;

// Why rw_vcpu_run() came back.
typedef enum {
    RW_EXIT_ICOUNT = 1, // the instruction count reached the limit; nothing else happened
    RW_EXIT_OUT, // an OUT retired: port, size, value; RIP is after it
    RW_EXIT_HLT, // a HLT retired: RIP is after it
    RW_EXIT_SHUTDOWN, // triple fault: why[] tells the last exceptions
    RW_EXIT_KICK, // rw_vcpu_kick() was called
    RW_EXIT_UNSUPPORTED, // the guest left what this CPU does (a 32-bit code segment …): why[]
    // Stops that were asked for (RwVcpuStops). RIP is at a user instruction of which nothing is done.
    RW_EXIT_USER, // the CPU has come to user mode
    RW_EXIT_AT, // an address is met
    RW_EXIT_CALL, // a SYSCALL comes next
} RwExitKind;

typedef struct {
    RwExitKind kind;
    uint16_t port;
    uint8_t size; // bytes: 1, 2 or 4
    uint32_t value;
    char why[120];
} RwExit;

typedef struct {
    uint64_t base;
    uint32_t limit; // bytes, granularity applied
    uint16_t selector;
    uint16_t attr; // access rights as in VMX: type 0-3, S 4, DPL 5-6, P 7, AVL 12, L 13, D/B 14, G 15;
                   // bit 8: unusable (null)
} RwSegment;

enum { RW_ES, RW_CS, RW_SS, RW_DS, RW_FS, RW_GS, RW_LDTR, RW_TR, RW_N_SEGMENTS };

typedef struct {
    uint64_t significand;
    uint16_t sign_exponent;
    uint16_t reserved[3];
} RwFpReg;

// The whole architectural state, flat, without padding, the same bytes for the same state: what is
// saved, hashed and compared. A change of it is a new RW_CPU_STATE_VERSION.
#define RW_CPU_STATE_VERSION 1
typedef struct {
    uint64_t gpr[16]; // RAX RCX RDX RBX RSP RBP RSI RDI R8…
    uint64_t rip;
    uint64_t rflags; // all bits materialised
    RwSegment seg[RW_N_SEGMENTS];
    uint64_t gdt_base, idt_base;
    uint16_t gdt_limit, idt_limit;
    uint8_t shadow; // 1: interrupts are held off for the next instruction (STI, MOV SS)
    uint8_t irq_pending; // 1: irq_vector waits for RFLAGS.IF
    uint8_t irq_vector;
    uint8_t reserved0;
    uint64_t cr0, cr2, cr3, cr4, cr8;
    uint64_t dr[8];
    uint64_t efer, star, lstar, cstar, fmask, kernel_gs_base, tsc_aux, pat, misc_enable, apic_base;
    uint64_t mtrr[32]; // as the guest wrote them, no effect
    RwFpReg fpr[8]; // x87 data registers by physical number; MMX registers are their significands
    uint16_t fcw, fsw, ftw, fop; // ftw: the full 16-bit tag word
    uint64_t fip, fdp;
    uint32_t mxcsr;
    uint32_t reserved1;
    uint8_t xmm[16][16];
    uint64_t icount; // instructions retired since power-on
    uint64_t tsc_base; // RDTSC returns tsc_base + (tsc_runs ? icount : 0) + IA32_TSC adjustments
    uint8_t tsc_runs;
    uint8_t reserved2[7];
} RwCpuState;

// CPU models that the guest may be shown; a fixed table each, the same on every host.
typedef enum { RW_CPU_MODEL_V2 = 2 } RwCpuModel;

// Where a run comes back, beside what else ends it. User mode is CPL 3.
//
// An exit for a stop comes where its instruction would be the next thing to happen: after the interrupts
// that are due there, and after the exit for the limit. The next run passes the point, unless an interrupt
// or an exception is taken first: then the stop is met again when the guest comes back to it. Of several
// kinds at one instruction USER comes first, then AT, then CALL, each as an exit of its own. The chunks of
// a repeated string instruction are one execution of it. After rw_vcpu_set_state() a stop at RIP is met
// (again), but USER only when user mode is entered the next time.
#define RW_STOPS_MAX 256
typedef struct {
    bool calls; // RW_EXIT_CALL, before a SYSCALL of user mode
    bool returns; // RW_EXIT_USER, when user mode was entered (SYSRET, IRET), before the first instruction
                  // there
    unsigned n; // RW_EXIT_AT, before the user instruction at one of these virtual addresses, whatever the
    uint64_t addresses[RW_STOPS_MAX]; // address space; in any order
} RwVcpuStops;

// An access of user mode to a watched page, or that part of one that lies in it.
enum { RW_WATCH_READ = 1 << 0, RW_WATCH_WRITE = 1 << 1 };
typedef struct {
    uint64_t va, gpa; // of its first byte
    uint64_t rip; // of the instruction
    uint64_t icount,
        user_icount; // before the instruction, as rw_vcpu_icount() and rw_vcpu_user_icount() tell
    uint8_t size; // bytes, 1 to 16
    uint8_t flags; // RW_WATCH_…; a read-modify-write is told once, with both
} RwWatchAccess;

// Who is told of the data that user mode accesses. Told is what an instruction does, in its order; accesses
// across two pages as two; string instructions by element; wide ones (FXSAVE) in pieces. One that faults
// later on and starts again is told again. Not told: what the kernel does, instructions that are fetched,
// and the tables and stacks of far calls and exceptions.
//
// The calls come from within rw_vcpu_run(). They must not change the CPU or its memory, but may call
// rw_vcpu_watch_page(): that page is watched from the access in work on.
typedef struct {
    // The first access to this virtual page (va and gpa are the access's) as it is mapped to this
    // guest-physical page, since rw_vcpu_set_watch() or rw_vcpu_forget_user(); the first read, and the
    // first write, a read-modify-write counting as a write.
    void (*page)(void *data, uint64_t va, uint64_t gpa, bool write);
    // Each access to a page that rw_vcpu_watch_page() named, after page().
    void (*access)(void *data, const RwWatchAccess *access);
    void *data;
} RwVcpuWatch;

// What an implementation answers; every one of them is there.
typedef struct {
    void (*free)(RwVcpu *vcpu);
    void (*map)(RwVcpu *vcpu, uint64_t gpa, uint64_t size, uint8_t *host, bool writable, uint8_t *dirty);
    void (*clear_dirty)(RwVcpu *vcpu);
    void (*memory_written)(RwVcpu *vcpu, uint64_t gpa, uint64_t size);
    void (*get_state)(RwVcpu *vcpu, RwCpuState *ret_state);
    void (*set_state)(RwVcpu *vcpu, const RwCpuState *state);
    const char *(*check_state)(const RwCpuState *state);
    uint64_t (*hash)(RwVcpu *vcpu);
    void (*run)(RwVcpu *vcpu, uint64_t limit_icount, RwExit *ret_exit);
    uint64_t (*icount)(RwVcpu *vcpu);
    uint64_t (*rip)(RwVcpu *vcpu);
    bool (*translate)(RwVcpu *vcpu, uint64_t va, uint64_t *ret_gpa);
    void (*set_tsc)(RwVcpu *vcpu, uint64_t base, bool runs);
    void (*set_irq)(RwVcpu *vcpu, int vector);
    void (*kick)(RwVcpu *vcpu);
    void (*set_jit)(RwVcpu *vcpu, unsigned hot);
    void (*set_stops)(RwVcpu *vcpu, const RwVcpuStops *stops);
    uint64_t (*user_icount)(RwVcpu *vcpu);
    void (*set_watch)(RwVcpu *vcpu, const RwVcpuWatch *watch);
    void (*forget_user)(RwVcpu *vcpu);
    void (*watch_page)(RwVcpu *vcpu, uint64_t gpa);
} RwVcpuOps;

// How host code is made of the guest's, where a virtual CPU does that.
typedef enum {
    RW_HOST_CODE_NONE, // everything is interpreted, some times slower: *ret_error is the errno
    RW_HOST_CODE_PLAIN,
    RW_HOST_CODE_TWICE, // memory that is writable and executable is refused: it is mapped twice
} RwHostCode;

// The head of an implementation's own structure.
struct _RwVcpu {
    const RwVcpuOps *ops;
};

static inline void rw_vcpu_free(RwVcpu *vcpu)
{
    if (vcpu)
        vcpu->ops->free(vcpu);
}

// Guest-physical memory: at most 8 ranges, page-aligned, disjoint; `host` stays the caller's and must
// outlive the CPU. Reads elsewhere give all ones, writes are dropped. `dirty`, if given, is one byte a
// page: set to 1 at the first write since rw_vcpu_clear_dirty().
static inline void rw_vcpu_map(RwVcpu *vcpu, uint64_t gpa, uint64_t size, uint8_t *host, bool writable,
                               uint8_t *dirty)
{
    vcpu->ops->map(vcpu, gpa, size, host, writable, dirty);
}

// To be called after the caller zeroed the dirty bytes, so that the next write sets them again.
static inline void rw_vcpu_clear_dirty(RwVcpu *vcpu)
{
    vcpu->ops->clear_dirty(vcpu);
}

// The caller wrote guest memory itself (device, snapshot restore): drops code decoded from there.
static inline void rw_vcpu_memory_written(RwVcpu *vcpu, uint64_t gpa, uint64_t size)
{
    vcpu->ops->memory_written(vcpu, gpa, size);
}

static inline void rw_vcpu_get_state(RwVcpu *vcpu, RwCpuState *ret_state)
{
    vcpu->ops->get_state(vcpu, ret_state);
}

// Forgets everything that is remembered beside the state: translations.
static inline void rw_vcpu_set_state(RwVcpu *vcpu, const RwCpuState *state)
{
    vcpu->ops->set_state(vcpu, state);
}

// NULL, or what makes this no state that the CPU can be in: for states that come from a file.
static inline const char *rw_vcpu_check_state(RwVcpu *vcpu, const RwCpuState *state)
{
    return vcpu->ops->check_state(state);
}

// 64 bits over the state, cheap enough for every thousand instructions.
static inline uint64_t rw_vcpu_hash(RwVcpu *vcpu)
{
    return vcpu->ops->hash(vcpu);
}

// Runs until icount == limit_icount (absolute) or an exit. An external interrupt that is pending is taken
// as soon as RFLAGS.IF and the shadow allow it, before the first instruction too.
static inline void rw_vcpu_run(RwVcpu *vcpu, uint64_t limit_icount, RwExit *ret_exit)
{
    vcpu->ops->run(vcpu, limit_icount, ret_exit);
}

// Instructions retired since power-on.
static inline uint64_t rw_vcpu_icount(RwVcpu *vcpu)
{
    return vcpu->ops->icount(vcpu);
}

// Of these, those in user mode, SYSCALL among them. Counted since the vCPU was made, through
// rw_vcpu_set_state(): only differences mean something.
static inline uint64_t rw_vcpu_user_icount(RwVcpu *vcpu)
{
    return vcpu->ops->user_icount(vcpu);
}

static inline uint64_t rw_vcpu_rip(RwVcpu *vcpu)
{
    return vcpu->ops->rip(vcpu);
}

// Translates a virtual address with the current page tables, without side effects; false: not mapped.
static inline bool rw_vcpu_translate(RwVcpu *vcpu, uint64_t va, uint64_t *ret_gpa)
{
    return vcpu->ops->translate(vcpu, va, ret_gpa);
}

// RDTSC = base + (runs ? icount : 0) from now on.
static inline void rw_vcpu_set_tsc(RwVcpu *vcpu, uint64_t base, bool runs)
{
    vcpu->ops->set_tsc(vcpu, base, runs);
}

// One external interrupt line with its vector; edge: taken once. vector < 0 takes the request back.
static inline void rw_vcpu_set_irq(RwVcpu *vcpu, int vector)
{
    vcpu->ops->set_irq(vcpu, vector);
}

// From now on these stops, copied; NULL: none. What is executed and counted is the same with any. Cheap:
// only decoded code at addresses that come or go is dropped. Not while the CPU runs.
static inline void rw_vcpu_set_stops(RwVcpu *vcpu, const RwVcpuStops *stops)
{
    vcpu->ops->set_stops(vcpu, stops);
}

// From now on this one is told, and no page is watched; copied; NULL: nobody is. What is executed and
// counted is the same. Not while the CPU runs.
static inline void rw_vcpu_set_watch(RwVcpu *vcpu, const RwVcpuWatch *watch)
{
    vcpu->ops->set_watch(vcpu, watch);
}

// Somebody else runs now: first accesses are told anew. Watched pages stay so. Not while the CPU runs.
static inline void rw_vcpu_forget_user(RwVcpu *vcpu)
{
    vcpu->ops->forget_user(vcpu);
}

// Every access of user mode to this guest-physical page (of any address in it) is told. Only while there is
// somebody to tell.
static inline void rw_vcpu_watch_page(RwVcpu *vcpu, uint64_t gpa)
{
    vcpu->ops->watch_page(vcpu, gpa);
}

// From any thread: the run in progress, or the next, comes back with RW_EXIT_KICK soon (within a few
// hundred thousand instructions).
static inline void rw_vcpu_kick(RwVcpu *vcpu)
{
    vcpu->ops->kick(vcpu);
}

// For tests: a block becomes host code after `hot` executions (1 to 255); 0: all is interpreted. The
// results are the same. Not while the CPU runs.
static inline void rw_vcpu_set_jit(RwVcpu *vcpu, unsigned hot)
{
    vcpu->ops->set_jit(vcpu, hot);
}
