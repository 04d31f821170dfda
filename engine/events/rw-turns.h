// SPDX-License-Identifier: MIT
//
// Who had the CPU from where to where, why it lost it and who woke it, as a trace's switches and steps
// tell: exact to the instruction, and nothing is executed for it. Guests older than REWIND_FEATURE_LAYOUT
// do not tell names, in which system call a thread waits, who woke it, and of why one that could go on lost
// the CPU only what the schedule did.
#pragma once

#include "rw-trace.h"

#include <stdbool.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct {
    uint64_t step;
    uint64_t after; // ticks of virtual time since the step; with the instruction clock, instructions
    bool exact; // `after` is known
    uint64_t tsc; // virtual time, 1/4 ns
} RwMoment;

// "3237+41"; "3237" where `after` is 0, or not known, or no instructions (with_ticks false).
char *rw_moment_dup_text(const RwMoment *moment, bool with_ticks);

// Why a thread lost the CPU.
typedef enum {
    RW_LEFT_ABLE, // it could go on; more is not known
    RW_LEFT_SLEEP, // it waits
    RW_LEFT_SLICE, // its time slice was over
    RW_LEFT_WOKEN, // one that woke up, or is new, went first
    RW_LEFT_YIELD, // sched_yield(2)
    RW_LEFT_SCHEDULE, // the schedule let another go first
    RW_LEFT_STALL, // the schedule put it to sleep
    RW_LEFT_HOLD, // the schedule holds it
    RW_LEFT_END, // it ended
    RW_LEFT_RUN_END, // the run ended, or what was recorded of it
    RW_N_LEFT,
} RwLeft;

// "able", "sleep", "slice", "woken", "yield", "schedule", "stall", "hold", "end", "run-end"
const char *rw_left_name(RwLeft left);

enum { RW_CALL_NONE = -1, RW_CALL_UNKNOWN = -2 };

typedef struct {
    uint32_t pid, tid; // as it leaves: exec(2) gives a thread its leader's number. 0: idle
    const char *name; // what it is called as it leaves, of older guests the last part of its program's
                      // first argument: up to 15 bytes; NULL: not known. Valid as long as the RwTurns
    bool kernel; // a thread of the kernel's own
    RwMoment from, to; // [from, to)
    RwLeft left;
    int32_t call; // the system call that it is in as it leaves, or RW_CALL_
    uint32_t woken; // enum rewind_woken: how it came to be able to run before `from`; NOT also: not told
    uint32_t waker; // by which thread, or 0
    RwMoment woken_at; // where it was woken, if it was; not exact where that is too long ago
} RwTurn;

// false: no more are wanted.
typedef bool (*RwTurnFunc)(const RwTurn *turn, void *data);

// All turns that have a part in the steps [from, to], in order; whole ones. `to` may be UINT64_MAX. From
// the job's start on. Reads the trace from its start to the one after `to`.
bool rw_turns_walk(RwTrace *trace, uint64_t from, uint64_t to, RwTurnFunc each, void *data, GError **error);

// The same by hand: feed it a trace's items in their order, then say that there are no more.
typedef struct _RwTurns RwTurns;
RwTurns *rw_turns_new(RwTurnFunc each, void *data);
void rw_turns_feed(RwTurns *turns, const RwTraceItem *item);
void rw_turns_end(RwTurns *turns);
void rw_turns_free(RwTurns *turns);

// "waits in futex", "its time slice is over", "the schedule holds it", … for the caller to free.
char *rw_turn_dup_why(const RwTurn *turn);
// "woken by 33 at 3236+9", "woken by an interrupt at 3236+9"; NULL: it could run all the time, or it is not
// told.
char *rw_turn_dup_woken(const RwTurn *turn, bool with_ticks);
JsonObject *rw_turn_to_json(const RwTurn *turn, bool with_ticks); // for the caller to unref

// ---- By thread ----

typedef struct {
    uint32_t pid, tid;
    char *name; // the last one, or NULL
    bool kernel;
    RwMoment first, last; // of its turns
    uint64_t turns;
    uint64_t ticks; // of virtual time that it had the CPU; with the instruction clock, instructions
    uint64_t left[RW_N_LEFT]; // how often it lost it so
} RwThreadSum;

void rw_thread_sum_free(RwThreadSum *sum);
// Of RwThreadSum*, owned, in the order in which they first had the CPU. A number that is used again later
// is another thread.
GPtrArray *rw_turns_sum(RwTrace *trace, uint64_t from, uint64_t to, GError **error);
JsonObject *rw_thread_sum_to_json(const RwThreadSum *sum, bool with_ticks); // for the caller to unref

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTurns, rw_turns_free)

G_END_DECLS
