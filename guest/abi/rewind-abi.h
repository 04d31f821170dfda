/* SPDX-License-Identifier: MIT */
/*
 * The Rewind platform: what passes between the guest and the machine.
 *
 * Used by the guest kernel's patch, by init and by the engine, so it is plain C with fixed-width
 * types and no pointers. Every number is little-endian. A change of anything that is here is a new
 * REWIND_ABI_VERSION; a record that comes new is none, since a guest that does not know it never sends
 * it. Record numbers are never used twice.
 *
 * Hand-overs ("steps") are 32-bit OUT instructions to the ports below and HLT (idle). Arguments
 * travel in the shared page, so that a hand-over needs no register of the guest. The engine trusts
 * nothing in it: every address and length is checked against the guest's RAM.
 */
#ifndef REWIND_ABI_H
#define REWIND_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
typedef __u8 rw_u8;
typedef __u16 rw_u16;
typedef __u32 rw_u32;
typedef __u64 rw_u64;
typedef __s32 rw_s32;
typedef __s64 rw_s64;
#else
#include <stdint.h>
typedef uint8_t rw_u8;
typedef uint16_t rw_u16;
typedef uint32_t rw_u32;
typedef uint64_t rw_u64;
typedef int32_t rw_s32;
typedef int64_t rw_s64;
#endif

#define REWIND_ABI_VERSION 2

/* ---- Where things are (guest-physical) ---- */

#define REWIND_SHARED_GPA 0xD0000000u /* one page of rewind_shared, not in the e820 map */
#define REWIND_RAM_LOW_MAX 0xC0000000u /* RAM is [0, size), in whole MiB, as far as this … */
#define REWIND_RAM_HIGH_GPA 0x8000000000ull /* … and what is more of it from here on */
#define REWIND_IMAGE_GPA 0x100000000ull /* the root image, read-only, e820 type 12: /dev/pmem0 */
#define REWIND_PACKAGES_GPA 0x4000000000ull /* a second image, read-only, e820 type 12: /dev/pmem1 */
#define REWIND_SWAP_GPA 0x6000000000ull /* room for swapping, zeros at power-on, e820 type 12 */

/* ---- CPUID ---- */

/* Leaf 0x40000000: EAX the highest hypervisor leaf, EBX ECX EDX the signature.
   Leaf 0x40000001: EAX REWIND_ABI_VERSION, others 0. */
#define REWIND_CPUID_BASE 0x40000000u
#define REWIND_CPUID_SIGNATURE "RewindRewind"

/* ---- Interrupt ---- */

/* The only interrupt: the kernel's HYPERVISOR_CALLBACK_VECTOR (0xf3). No controller, no EOI. The
   handler takes rewind_shared.pending and clears it with one exchange. */
#define REWIND_VECTOR 0xf3

/* ---- Ports (OUT dword; EAX is ignored unless said otherwise) ---- */

#define REWIND_PORT_RECORD 0x5200 /* one record at record_gpa, record_len bytes */
#define REWIND_PORT_CLOCK 0x5204 /* asks for the time: now_tsc is current after it */
#define REWIND_PORT_TIMER 0x5208 /* arms the one-shot timer from timer_tsc */
#define REWIND_PORT_STOP 0x520c /* EAX: a REWIND_STOP_ reason; does not return */
#define REWIND_PORT_INPUT 0x5210 /* copies the job to input_gpa, at most input_size bytes */
#define REWIND_PORT_AGENT 0x5214 /* the same for the agent's request: rewind-agent.h */
#define REWIND_PORT_SYSCALL 0x5218 /* a system call returns, of a job that runs; tells nothing more */
#define REWIND_PORT_STDIN 0x521c /* copies standard input, from input_offset on, to input_gpa */

/* Idle is HLT with interrupts on: the machine jumps to the next timer. HLT with no timer armed ends
   the run as stalled; HLT with interrupts off ends it as a halted kernel. */

enum rewind_stop {
    REWIND_STOP_POWEROFF = 1,
    REWIND_STOP_REBOOT = 2,
    REWIND_STOP_PANIC = 3, /* the kernel's message is in the console records before it */
    REWIND_STOP_INIT = 4, /* init could not set up or start the job; its reason is on the console */
};

/* ---- Time ---- */

/* Virtual time counts in ticks of a quarter nanosecond ("tsc"): RDTSC returns it, and with the
   `instructions` clock it moves by one tick an instruction. */
#define REWIND_TSC_HZ 4000000000ull
#define REWIND_TSC_KHZ 4000000u
#define REWIND_TSC_PER_NS 4u

enum rewind_clock {
    REWIND_CLOCK_TSC = 0, /* RDTSC moves between hand-overs: read the time with it, vDSO too */
    REWIND_CLOCK_PAGE = 1, /* time moves at hand-overs only: read it with REWIND_PORT_CLOCK;
                              sched_clock reads now_tsc without a hand-over */
};

/* ---- Shared page ---- */

#define REWIND_SHARED_MAGIC 0x444e4957u /* "WIND" */

enum rewind_pending {
    REWIND_PENDING_TIMER = 1 << 0, /* the one-shot timer is due */
    REWIND_PENDING_RESCHED = 1 << 1, /* run every other runnable task before the current one */
    REWIND_PENDING_STALL = 1 << 2, /* put the current user task to sleep for stall_ns, when it
                                      next returns to user mode; kernel threads ignore it */
    REWIND_PENDING_AGENT = 1 << 3, /* there is a request: the agent runs before everything else */
    REWIND_PENDING_SEED = 1 << 4, /* mix rewind_shared.seed into the random number generator */
    REWIND_PENDING_COMMANDS = 1 << 5, /* follow rewind_shared.commands in their order */
};

/* What a guest can do beyond its version: nothing of it is asked of a guest that does not say so. */
enum rewind_feature {
    REWIND_FEATURE_HOLDS = 1 << 0, /* current_pid, current_tid; REWIND_PENDING_COMMANDS */
    REWIND_FEATURE_LAYOUT = 1 << 1, /* layout_gpa, layout_size; switches have a rewind_switch_why */
};

/* A command about a task that is not there, or that is not as the command wants it, is ignored. */
enum rewind_command_kind {
    /* The current user task does not return to user mode before it is released, whatever wakes it. It
       takes no lock of the kernel with it, and programs see it as one that could run but is not let. */
    REWIND_COMMAND_HOLD = 1,
    REWIND_COMMAND_RELEASE = 2, /* a held task goes on in its turn: the current one is not interrupted */
    REWIND_COMMAND_NEXT = 3, /* a task that can run does so now, before all others */
};

struct rewind_command {
    rw_u32 what; /* enum rewind_command_kind */
    rw_u32 tid;
};

#define REWIND_COMMANDS_MAX 16

struct rewind_shared {
    /* written by the engine */
    rw_u32 magic;
    rw_u32 version;
    rw_u32 clock; /* enum rewind_clock, fixed for the run */
    rw_u32 cores; /* how many CPUs programs are told of, 1..64, fixed for the run */
    rw_u64 step; /* hand-overs so far, the current one included */
    rw_u64 now_tsc; /* virtual time at the last hand-over */
    rw_u64 stall_ns;
    /* set by the engine, taken by the guest */
    rw_u32 pending; /* REWIND_PENDING_ bits */
    rw_u32 input_len; /* engine: whole length of the job, also when it did not fit;
                         of the agent's request as well; of standard input the bytes that came */
    /* written by the guest */
    rw_u64 timer_tsc; /* absolute; ~0 disarms */
    rw_u64 record_gpa;
    rw_u32 record_len;
    rw_u32 input_size;
    rw_u64 input_gpa;
    /* Frequent records, drained at every hand-over before anything else: the engine reads
       ring_used bytes of whole records at ring_gpa and sets ring_used to 0. The guest makes a
       REWIND_PORT_RECORD hand-over with record_len 0 when the next record would not fit. */
    rw_u64 ring_gpa;
    rw_u32 ring_size;
    rw_u32 ring_used;
    /* written by the engine, with REWIND_PENDING_SEED */
    rw_u8 seed[32];
    /* written by the guest, with REWIND_PORT_STDIN */
    rw_u64 input_offset;
    /* written by the guest: enum rewind_feature, at boot */
    rw_u32 features;
    /* Who has the CPU, as records' headers have it; 0 for idle and kernel threads. Written at each
       switch, before the next task runs anything, and where exec gives a thread its leader's number. */
    rw_u32 current_pid;
    rw_u32 current_tid;
    /* written by the engine, with REWIND_PENDING_COMMANDS; the guest sets n_commands to 0 */
    rw_u32 n_commands;
    struct rewind_command commands[REWIND_COMMANDS_MAX];
    /* written by the guest, at boot: its table of rewind-layout.h, in bytes. It never changes. */
    rw_u64 layout_gpa;
    rw_u32 layout_size;
    rw_u8 reserved[4096 - 292];
};

/* ---- Records ---- */

#define REWIND_RECORD_MAX 65536u /* a whole record, header included */
#define REWIND_AGENT_MAX 32768u /* payload of a record of the agent; also a whole request */

enum rewind_record_type {
    REWIND_RECORD_CONSOLE = 1, /* payload: bytes of the kernel's log */
    REWIND_RECORD_OUTPUT = 2, /* rewind_output, then bytes */
    REWIND_RECORD_EXEC = 3, /* rewind_exec, then path NUL, then argv strings each NUL-ended */
    REWIND_RECORD_FORK = 4, /* rewind_fork; pid/tid of the header are the parent's */
    REWIND_RECORD_EXIT = 5, /* rewind_exit: a thread ended */
    REWIND_RECORD_SIGNAL = 6, /* rewind_signal: taken by the header's thread */
    REWIND_RECORD_OPEN = 7, /* rewind_open, then the path NUL as resolved from the root */
    REWIND_RECORD_WRITE = 8, /* rewind_write, then the path NUL or "pipe:[N]", "socket:[N]" */
    REWIND_RECORD_UNLINK = 9, /* rewind_unlink, then path NUL */
    REWIND_RECORD_RENAME = 10, /* old path NUL, new path NUL */
    REWIND_RECORD_MARK = 11, /* bytes of a line written to /dev/mark, without its newline */
    REWIND_RECORD_SWITCH =
        12, /* rewind_switch: who gets the CPU; then rewind_switch_why, but not of older guests */
    REWIND_RECORD_JOB_START = 13, /* init starts the job; header's pid is the job's */
    REWIND_RECORD_JOB_EXIT = 14, /* rewind_job_exit: the job's first process ended */
    REWIND_RECORD_AGENT = 15, /* bytes of the agent's reply; none: it has done what was asked for */
    REWIND_RECORD_PRODUCT = 16, /* rewind_product, then path NUL: one declared output of the job */
    REWIND_RECORD_REASON = 17, /* rewind_reason, then a text NUL: what may be why a program fails */
    REWIND_RECORD_NAME = 18, /* the header's thread is called so from now on, NUL. Before its EXEC */
};

enum rewind_record_flags {
    REWIND_RECORD_TRUNCATED = 1 << 0, /* the payload was longer than fits */
    REWIND_RECORD_BUFFERED = 1 << 1, /* came through the ring */
};

struct rewind_record {
    rw_u16 type;
    rw_u16 flags;
    rw_u32 size; /* header and payload, without padding; in the ring each record starts at a
                    multiple of 8 from the ring's start */
    rw_u64 step; /* rewind_shared.step as the event happened */
    rw_u64 tsc; /* virtual time as the event happened: RDTSC, or now_tsc with the page clock */
    rw_u32 pid; /* thread group id, 0 for the kernel itself */
    rw_u32 tid;
};

struct rewind_output {
    rw_u32 fd; /* 1 stdout, 2 stderr, 0 the job's terminal */
    rw_u32 reserved;
};

struct rewind_exec {
    rw_u32 argc; /* strings that follow the path; fewer than the real count if TRUNCATED */
    rw_u32 real_argc;
};

enum rewind_fork_kind { REWIND_FORK_PROCESS = 1, REWIND_FORK_THREAD = 2, REWIND_FORK_VFORK = 3 };

struct rewind_fork {
    rw_u32 child_pid;
    rw_u32 child_tid;
    rw_u32 kind;
    rw_u32 reserved;
    rw_u64 clone_flags;
};

struct rewind_exit {
    rw_s32 status; /* as wait(2) reports it */
    rw_u32 group_dead; /* 1: the last thread of its process */
};

struct rewind_signal {
    rw_s32 signo;
    rw_s32 code; /* si_code */
    rw_u64 addr; /* si_addr where the signal has one, else 0 */
    rw_u32 sender; /* si_pid where the signal has one, else 0 */
    rw_u32 fatal; /* 1: it ends the process */
};

struct rewind_open {
    rw_s32 result; /* the descriptor, or -errno */
    rw_u32 flags; /* O_ flags */
    rw_u32 mode;
    rw_u32 reserved;
};

enum rewind_write_kind {
    REWIND_WRITE_FILE = 1,
    REWIND_WRITE_PIPE = 2,
    REWIND_WRITE_SOCKET = 3,
    REWIND_WRITE_OTHER = 4
};

struct rewind_write {
    rw_s64 length; /* bytes written, or -errno */
    rw_u64 offset; /* where, for a file */
    rw_s32 fd; /* -1 where not known */
    rw_u32 kind;
};

struct rewind_unlink {
    rw_s32 result;
    rw_u32 directory; /* 1: rmdir */
};

struct rewind_switch {
    rw_u32 next_pid;
    rw_u32 next_tid; /* the header's thread leaves, this one gets the CPU; 0 is idle */
    rw_u32 prev_state; /* 0 it could go on, else the task state it sleeps in */
    rw_u32 waker; /* who woke the next one, REWIND_WOKEN_BY_TASK; else 0 */
};

/* Why the header's thread loses the CPU. */
enum rewind_left {
    REWIND_LEFT_OTHER = 0, /* it could go on, and none of these is why it does not */
    REWIND_LEFT_SLEEP = 1, /* it waits */
    REWIND_LEFT_SLICE = 2, /* its time slice is over */
    REWIND_LEFT_WOKEN = 3, /* one that woke up, or is new, goes first */
    REWIND_LEFT_YIELD = 4, /* sched_yield(2) */
    REWIND_LEFT_SCHEDULE = 5, /* the machine asked for another one */
    REWIND_LEFT_STALL = 6, /* the machine puts it to sleep */
    REWIND_LEFT_HOLD = 7, /* the machine holds it */
    REWIND_LEFT_END = 8, /* it ended */
};

/* What happened to the next one since it last had the CPU. */
enum rewind_woken {
    REWIND_WOKEN_NOT = 0, /* it could run all the time */
    REWIND_WOKEN_BY_TASK = 1, /* it slept, or is new, and this task woke it */
    REWIND_WOKEN_BY_INTERRUPT = 2, /* it slept: a timer, or the machine that held it, woke it */
};

struct rewind_switch_why {
    rw_u16 left; /* enum rewind_left */
    rw_u16 woken; /* enum rewind_woken */
    rw_s32 call; /* the system call that the header's thread is in; negative: none */
    rw_u64 woken_ago; /* ticks since then; 0 where it was not */
};

struct rewind_job_exit {
    rw_s32 status; /* as wait(2) reports it */
    rw_u32 reserved;
};

enum rewind_product_state {
    REWIND_PRODUCT_ABSENT = 0,
    REWIND_PRODUCT_PRESENT = 1,
    REWIND_PRODUCT_UNREADABLE = 2, /* it has what the serialisation cannot express, or reading failed */
};

/* Made after the job's end, once all its processes are gone, in the order of the job's paths. */
struct rewind_product {
    rw_u8 sha256[32]; /* of its serialisation as a Nix archive; zeros unless it is present */
    rw_u32 state; /* enum rewind_product_state */
    rw_u32 reserved;
};

enum rewind_reason_kind {
    REWIND_REASON_MEMORY = 1, /* no memory is left: the header's process is killed for it */
    REWIND_REASON_SPACE = 2, /* a file system of the machine's own is full; value: its size in bytes. Once
                                for each of them */
    REWIND_REASON_INSTRUCTION = 3, /* the CPU does not know an instruction (SIGILL); value: where it is,
                                      bytes: what is there, as far as it can be read */
    REWIND_REASON_FORMAT = 4, /* execve(2) of an ELF file that is not for this machine; bytes: its first
                                 ones, up to e_machine; text: the path */
    REWIND_REASON_INPUT = 5, /* the job's standard input, which is empty, was read. Once */
    REWIND_REASON_TERMINAL = 6, /* a program waits for input on the job's terminal; there is none. Once */
};

/* Something outside the program that it may fail for, as it happens: whether it did is not known then. */
struct rewind_reason {
    rw_u32 kind; /* enum rewind_reason_kind */
    rw_u32 length; /* of bytes */
    rw_u64 value;
    rw_u8 bytes[24];
};

/* ---- The job ---- */

#define REWIND_JOB_MAGIC 0x424f4a57u /* "WJOB" */
#define REWIND_JOB_MAX (4u << 20)

enum rewind_job_flags {
    REWIND_JOB_TTY = 1 << 0, /* stdin, stdout, stderr are the terminal */
    REWIND_JOB_STDIN = 1 << 1, /* stdin is what REWIND_PORT_STDIN gives, else /dev/null; not with TTY */
};

/* What REWIND_PORT_INPUT copies, and what read(2) of /dev/rewind gives init. The kernel acts on
   seed and epoch at that hand-over: it adds the seed to its random number generator and sets the
   wall clock. After this header follow, each NUL-ended: hostname, cwd, argc arguments, envc
   KEY=VALUE strings, outc absolute paths of outputs. */
struct rewind_job {
    rw_u32 magic;
    rw_u32 version;
    rw_u32 size; /* of everything, header included */
    rw_u32 flags;
    rw_u8 seed[32];
    rw_s64 epoch; /* seconds since 1970, UTC */
    rw_u32 uid;
    rw_u32 gid;
    rw_u32 argc;
    rw_u32 envc;
    rw_u32 tty_rows;
    rw_u32 tty_cols;
    rw_u32 outc;
    rw_u32 reserved;
};

#define REWIND_ABI_ASSERT(name, cond) typedef char rewind_abi_##name[(cond) ? 1 : -1]
REWIND_ABI_ASSERT(shared, sizeof(struct rewind_shared) == 4096);
REWIND_ABI_ASSERT(command, sizeof(struct rewind_command) == 8);
REWIND_ABI_ASSERT(record, sizeof(struct rewind_record) == 32);
REWIND_ABI_ASSERT(output, sizeof(struct rewind_output) == 8);
REWIND_ABI_ASSERT(exec, sizeof(struct rewind_exec) == 8);
REWIND_ABI_ASSERT(fork, sizeof(struct rewind_fork) == 24);
REWIND_ABI_ASSERT(exit_, sizeof(struct rewind_exit) == 8);
REWIND_ABI_ASSERT(signal, sizeof(struct rewind_signal) == 24);
REWIND_ABI_ASSERT(open_, sizeof(struct rewind_open) == 16);
REWIND_ABI_ASSERT(write_, sizeof(struct rewind_write) == 24);
REWIND_ABI_ASSERT(unlink_, sizeof(struct rewind_unlink) == 8);
REWIND_ABI_ASSERT(switch_, sizeof(struct rewind_switch) == 16);
REWIND_ABI_ASSERT(switch_why, sizeof(struct rewind_switch_why) == 16);
REWIND_ABI_ASSERT(product, sizeof(struct rewind_product) == 40);
REWIND_ABI_ASSERT(reason, sizeof(struct rewind_reason) == 40);
REWIND_ABI_ASSERT(job, sizeof(struct rewind_job) == 88);

#endif
