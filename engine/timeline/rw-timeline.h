// SPDX-License-Identifier: MIT
//
// A machine that stands at a position of a recorded run, and can be brought to any other one, forwards and
// backwards: what everything that looks into a run asks.
//
// It keeps snapshots in memory (checkpoints), so that a second look near the first is cheap. Looking
// changes nothing: wherever it comes from, the machine at a position is the same.
//
// A timeline belongs to one thread at a time. Functions that return false set *error, in one line:
// RW_ERROR_USAGE for a position that the run has not, RW_ERROR_CANCELLED, and those of rw_seek(). After an
// error it stands nowhere, until it is sent somewhere.
#pragma once

#include "rw-position.h"
#include "rw-seek.h"

G_BEGIN_DECLS

typedef struct _RwTimeline RwTimeline;

typedef struct {
    const RwSeek *seek; // the run; borrowed for the timeline's life
    RwTrace *trace; // of it, borrowed likewise
    uint64_t memory; // bytes that checkpoints may take; 0: an eighth of what the host has free, 128 MiB to
                     // 1 GiB. What holds the memory of a whole machine is kept once also where it is more
    bool once; // for one look: no checkpoints, and rw_timeline_fork() gives the timeline's own machine away
    // Called now and then while something executes, from the timeline's thread: how much of what has to be,
    // at most, is done, from 0 to 1; or NULL.
    void (*progress)(double done, void *data);
    void *data;
} RwTimelineConfig;

// It stands nowhere yet. The run has ended; RW_ERROR_UNSUPPORTED when its job never started.
RwTimeline *rw_timeline_new(const RwTimelineConfig *config, GError **error);
void rw_timeline_free(RwTimeline *timeline);

// The positions that it can stand at: from the step with which the job starts, to where the run ended.
RwPosition rw_timeline_get_start(const RwTimeline *timeline);
uint64_t rw_timeline_get_first(const RwTimeline *timeline); // the same, in instructions since power-on
// For tests, and for what steps through a run.
RwPosition rw_timeline_get_end(const RwTimeline *timeline);

// Where the guest can be asked: as rw_inspect_clamp(). What is at or behind the end of the job becomes the
// step at which it ended.
bool rw_timeline_clamp(RwTrace *trace, const RwEnd *end, RwPosition *position, GError **error);

// ---- Where it stands ----

bool rw_timeline_go(RwTimeline *timeline, const RwPosition *position, GCancellable *cancellable,
                    GError **error);
// For tests, and for what steps through a run: to so many instructions since power-on, before any step that
// comes at that count without an instruction of its own. Nearer than a step by one instruction either way
// it is where a debugger's steps lead.
bool rw_timeline_go_icount(RwTimeline *timeline, uint64_t icount, GCancellable *cancellable,
                           GError **error);
// For tests, and for what steps through a run.
bool rw_timeline_is_somewhere(const RwTimeline *timeline);
// For tests, and for what steps through a run. Only where it stands somewhere.
RwPosition rw_timeline_get_position(const RwTimeline *timeline);
// For tests, and for what steps through a run: instructions since power-on.
uint64_t rw_timeline_get_icount(RwTimeline *timeline);
// For tests, and for what looks only: what reads registers and memory. Borrowed, until the timeline is sent
// elsewhere.
RwMachine *rw_timeline_get_machine(RwTimeline *timeline);
// A machine that stands there, for the caller to do anything with: the guest's agent is asked there.
RwMachine *rw_timeline_fork(RwTimeline *timeline, GError **error);
// Instead of freeing it: the next fork starts with code that this one knows. NULL is fine.
void rw_timeline_give_back(RwTimeline *timeline, RwMachine *machine);

// ---- Until something happens ----

typedef enum {
    RW_WHEN_CODE, // the instruction at `address` comes next; addresses of the upper half are the kernel's
    RW_WHEN_READ, // an instruction, of programs or the kernel, read memory of [address, address + length)
    RW_WHEN_WRITTEN, // wrote there, be it what was there before
    RW_WHEN_CHANGED, // wrote something else there
    RW_WHEN_TASK, // the thread `tid`, or one of the process `pid`, got the CPU
    RW_WHEN_EVENT, // an event of the kind `event` (REWIND_RECORD_…) of `pid` and `tid`
    RW_WHEN_COUNT, // `number` instructions since power-on are executed
    RW_WHEN_CALL, // a system call comes next: that of `number`, or RW_WHEN_ANY
    RW_WHEN_RETURN, // one is back, before the first instruction behind it; not one that a signal's handler
                    // interrupted
    RW_WHEN_USER, // user mode was entered, before the first instruction there
    RW_N_WHENS,
} RwWhenKind;

#define RW_WHEN_ANY UINT64_MAX

// Who does it is told by pid and tid, as events number them; 0: anybody.
//
// Of memory, `root` or else `pid` say whose address space it is in, and `tid` who accesses it. It is found
// by its place in the guest's memory, so also when another process that shares it, or the kernel by an
// address of its own, accesses it. What is not found is that other memory is put there (munmap and mmap),
// and what the schedule's own holds and faults write.
//
// Events and tasks are told by the trace, without executing: with the clock `exits` by their steps only.
typedef struct {
    RwWhenKind kind;
    uint32_t pid, tid;
    uint64_t root; // CODE and memory: of the page tables, see rw_machine_root(); 0: any, or that of `pid`
    bool physical; // memory: the address is the guest-physical one, whoever has it mapped where
    uint64_t address, length;
    uint64_t number;
    unsigned event;
    // CODE: whether the instruction, before which the machine stands, is met indeed; it looks only. NULL:
    // it is.
    bool (*holds)(RwMachine *machine, const void *data);
    const void *data;
} RwWhen;

#define RW_WHENS_MAX 64

typedef enum {
    RW_WENT_FAILED, // *error is set
    RW_WENT_HIT, // it stands where a condition holds
    RW_WENT_OUT, // none did: it stands at the end of the recording, or backwards at the job's start
} RwWent;

typedef struct {
    size_t which; // of the conditions; of several at one position the first
    RwPosition position;
    uint64_t icount;
    uint32_t pid, tid; // who had the CPU; 0: no program's thread
    char program[64]; // the end of the path that its process executes; "": not known
    uint64_t rip; // of the instruction: CODE, CALL, RETURN the next one, of memory the one before; else 0
    uint64_t address; // of memory: the first byte accessed,
    unsigned size; // and how many by this instruction, or by a part of it
    bool kernel; // the instruction is one of the kernel's
    uint64_t number; // of the system call; RW_WHEN_ANY: not known. Of an event of a branch, see there,
    uint32_t sender; // and there, too
} RwWhenHit;

// For tests, and for what steps through a run. Goes on, forwards or backwards, to the nearest position
// after (before) the present one at which one of the conditions holds: of CODE and CALL before the
// instruction, of memory right behind it. No stretch of the run is executed more than twice. At most
// RW_WHENS_MAX.
RwWent rw_timeline_run(RwTimeline *timeline, bool forward, const RwWhen *whens, size_t n,
                       RwWhenHit *ret_hit, GCancellable *cancellable, GError **error);

// ---- Where no recording leads ----

// A timeline that begins with a machine, which may have been changed and is taken: a fork of the timeline
// `from`, which it does not need any more but has its run from. What the machine does is found by executing
// it, to where it ends. It cannot be sent to before its beginning, conditions of tasks are never met, and
// of events those of which the guest tells at once: rewind_signal, the number of its hit being the signal
// and, 32 bits above it, si_code, its address si_addr and its sender si_pid; rewind_exit, the number being
// the status of a process whose last thread it was, else RW_WHEN_ANY; rewind_exec.
RwTimeline *rw_timeline_branch(const RwTimeline *from, RwMachine *machine, GError **error);

// ---- For tests and measurements ----

typedef struct {
    uint64_t executed; // instructions, all in all
    guint restored; // from keyframes, or power-on
    guint checkpoints; // that there are now,
    uint64_t bytes; // and their memory
} RwTimelineFigures;

// For tests.
RwTimelineFigures rw_timeline_get_figures(const RwTimeline *timeline);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTimeline, rw_timeline_free)

G_END_DECLS
