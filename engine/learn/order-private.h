// SPDX-License-Identifier: MIT
//
// What happens before what, by what was seen: vector clocks of tasks (clocks.c), accesses to words of
// memory and which of them no order was seen of (order.c), and the system calls that order (order-calls.c).
#pragma once

#include "learn-private.h"

// ---- Clocks (clocks.c) ----

// How far each task was as somebody last learned of it. Shared, and copied before it is changed.
typedef struct _RwTimes RwTimes;

typedef struct {
    RwTimes *knows; // of others: what happened before what this task does now
    RwTimes *forced; // the same by creation and end alone, which no schedule turns round
    uint32_t now; // its own time, from 1: one later with each release
} RwClockTask;

typedef struct {
    GArray *tasks; // of RwClockTask
    uint64_t bytes, work; // what clocks take, and how many numbers of them were gone through
    uint64_t most_bytes, most_work;
    bool full; // a limit was reached: nothing is ordered or told any more
} RwClocks;

#define RW_CLOCK_TASKS 4096u
#define RW_CLOCK_BYTES (256ull << 20)
#define RW_CLOCK_WORK (4ull << 30)

void rw_clocks_init(RwClocks *clocks); // with those limits
void rw_clocks_clear(RwClocks *clocks);
guint rw_clocks_add(RwClocks *clocks); // a task that nobody created
guint rw_clocks_create(RwClocks *clocks, guint creator); // a task that begins after what its creator did

// What one leaves for others to know. All zeros: nothing yet.
typedef struct {
    RwTimes *knows, *forced; // NULL: nothing
    guint task; // who left it last, and
    uint32_t epoch, forced_epoch; // its time then; 0: nobody, not by its end
    bool joined; // there is more in it than what that one knew
} RwSync;

void rw_sync_clear(RwClocks *clocks, RwSync *sync);

typedef enum {
    RW_RELEASE_STORE, // in the place of what was there
    RW_RELEASE_ADD, // beside it
    RW_RELEASE_END, // beside it, and no schedule turns it round
} RwRelease;

void rw_clocks_release(RwClocks *clocks, guint task, RwSync *sync, RwRelease how);
void rw_clocks_acquire(RwClocks *clocks, guint task, const RwSync *sync);

uint32_t rw_clocks_now(const RwClocks *clocks, guint task);
// What `other` did at its time `epoch` happened before what `task` does now.
bool rw_clocks_is_before(const RwClocks *clocks, guint other, uint32_t epoch, guint task);
bool rw_clocks_is_forced(const RwClocks *clocks, guint other, uint32_t epoch, guint task);

// ---- Words (order.c) ----

typedef struct _RwOrder RwOrder;

// One access of user mode within one word of eight bytes.
typedef struct {
    guint task; // of the clocks
    uint64_t word; // rw_words_key() of it, a multiple of 8
    uint64_t va; // as the task has it
    uint64_t rip, value; // value: of the word before it, for ATOMIC ones
    uint8_t mask; // which of its bytes
    uint8_t flags; // RW_EVENT_ bits
    bool jumps; // it reads where to jump to, as calls of libraries' functions do
    bool is_counted; // others count how often its site is met
} RwOrderAccess;

// What both sides of a pair are told as; they are made when they are needed.
typedef struct {
    guint (*object)(void *data, guint task, uint64_t word, uint64_t va); // index
    guint (*site)(void *data, guint task, guint object, uint64_t rip, uint32_t flags); // G_MAXUINT: no room
    void (*count)(void *data, guint site, uint64_t times);
    void *data;
} RwOrderNames;

RwOrder *rw_order_new(RwLearned *learned, const RwOrderNames *names); // learned->pairs is filled
void rw_order_free(RwOrder *order); // or NULL
RwClocks *rw_order_clocks(RwOrder *order);
// Only such words are looked at. atomics: the bytes that some task accesses by atomic instructions, which
// order others; they are told before.
void rw_order_add_word(RwOrder *order, uint64_t word, uint8_t atomics);
void rw_order_stop(RwOrder *order); // as where there is too much
bool rw_order_has_word(const RwOrder *order, uint64_t word);
void rw_order_access(RwOrder *order, const RwOrderAccess *access);
// The kernel clears a word as a task ends; who reads that comes after its end.
void rw_order_end_at(RwOrder *order, guint task, uint64_t word);
// What was there is no more: other memory comes in its place.
void rw_order_forget(RwOrder *order, uint64_t start, uint64_t length);

// ---- System calls and records (order-calls.c) ----

typedef struct _RwOrderCalls RwOrderCalls;

// All borrowed.
typedef struct {
    RwOrder *order;
    RwMachine *machine;
    const RwWords *words;
    const RwFds *fds;
} RwOrderContext;

RwOrderCalls *rw_order_calls_new(const RwOrderContext *context);
void rw_order_calls_free(RwOrderCalls *calls); // or NULL
guint rw_order_calls_task(RwOrderCalls *calls, const RwTaskPoint *point); // of the clocks
void rw_order_calls_enter(RwOrderCalls *calls, const RwTaskPoint *point);
void rw_order_calls_user(RwOrderCalls *calls, const RwTaskPoint *point,
                         const RwBack *back); // it may be back from one
void rw_order_calls_record(RwOrderCalls *calls, const struct rewind_record *record, const uint8_t *payload);
