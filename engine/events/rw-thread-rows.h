// SPDX-License-Identifier: MIT
//
// What each thread of a run did from when to when: had the CPU, could have run, waited, was held by the
// schedule; made of turns (rw-turns.h). A row a thread. Immutable once finished, for any thread.
#pragma once

#include "rw-trace.h"

G_BEGIN_DECLS

typedef enum {
    RW_THREAD_AWAY, // it had not come yet, has ended, or it is not known
    RW_THREAD_RUNS,
    RW_THREAD_READY, // it could run, and waits for the CPU
    RW_THREAD_BLOCKED,
    RW_THREAD_HELD, // by the schedule
    RW_N_THREAD_STATES,
} RwThreadState;

// How it came to that.
typedef enum {
    RW_CAUSE_NONE, // not told
    RW_CAUSE_WOKEN, // READY: by `other`, which woke it
    RW_CAUSE_INTERRUPT, // READY: by a timer, or since the schedule holds it no longer
    RW_CAUSE_TAKEN, // READY: `other` got the CPU
    RW_CAUSE_SLICE, // so, and its time slice was over
    RW_CAUSE_FIRST, // so, and that was woken, or is new
    RW_CAUSE_YIELD, // so, by sched_yield(2)
    RW_CAUSE_SCHEDULE, // READY, HELD: so, as the schedule wanted it
} RwThreadCause;

#define RW_NO_THREAD G_MAXUINT32

// From here to the next one of its thread, or to the end of the run.
typedef struct {
    uint64_t from; // virtual time, 1/4 ns; never less than the one's before
    uint64_t ran; // so long it had the CPU before
    uint32_t other; // number of the thread that woke it, or that got the CPU; RW_NO_THREAD: none is known
    int16_t call; // BLOCKED: the system call that it waits in; negative: not known
    uint8_t state, cause; // RwThreadState, RwThreadCause
} RwThreadBar;

typedef struct {
    uint32_t pid, tid;
    bool kernel; // a thread of the kernel's own
    const char *name; // the last one; valid UTF-8 in one line; NULL: not known
    const char *process; // of its process's first thread; the same
    const RwThreadBar *bars; // by time; at least one
    guint n_bars;
    const guint *marked; // numbers of those that the schedule made: HELD, or RW_CAUSE_SCHEDULE
    guint n_marked;
} RwThreadRow;

// What is kept; of a run that has more, only what came before.
#define RW_THREAD_ROWS_MAX (1u << 14)
#define RW_THREAD_BARS_MAX (1u << 21)

typedef struct _RwThreadRows RwThreadRows;

// Feed it a trace's items in their order, then finish it.
RwThreadRows *rw_thread_rows_new(void);
void rw_thread_rows_feed(RwThreadRows *rows, const RwTraceItem *item);
// The rows are in order then: those of process `first` (0: none), of processes that have several threads,
// of others, of init and the kernel; processes by who had the CPU first, their threads by number.
void rw_thread_rows_finish(RwThreadRows *rows, uint32_t first);
void rw_thread_rows_free(RwThreadRows *rows);

guint rw_thread_rows_count(const RwThreadRows *rows);
const RwThreadRow *rw_thread_rows_get(const RwThreadRows *rows, guint number);
// The virtual time from which on nothing is kept; 0: all is there.
uint64_t rw_thread_rows_get_cut(const RwThreadRows *rows);
// Who has the CPU then: its number, or RW_NO_THREAD.
uint32_t rw_thread_rows_find_running(const RwThreadRows *rows, uint64_t time);

// The number of the bar that it has then, from `hint` on, that of an earlier time or 0; G_MAXUINT: none
// yet.
guint rw_thread_row_find(const RwThreadRow *row, guint hint, uint64_t time);
// The time at which a bar ends; UINT64_MAX: with the run.
uint64_t rw_thread_row_get_end(const RwThreadRow *row, guint bar);
// The system call that it waits in; NULL: not known, or it has no name.
const char *rw_thread_bar_get_call(const RwThreadBar *bar);
// So long it had the CPU by then, in 1/4 ns. bar: rw_thread_row_find() of the same time.
uint64_t rw_thread_row_get_ran(const RwThreadRow *row, guint bar, uint64_t time);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwThreadRows, rw_thread_rows_free)

G_END_DECLS
