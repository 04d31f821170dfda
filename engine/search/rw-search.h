// SPDX-License-Identifier: MIT
//
// Which schedules are tried, in which order: a list of strategies that take turns, most of which draw from
// what was learned from schedule 0. Schedule n is a function of that and of n alone.
#pragma once

#include "rw-learn.h"

G_BEGIN_DECLS

// Their names and what draws their schedules: strategies.c.
typedef enum {
    RW_SEARCH_FLIP, // turns round the order in which two tasks meet on something
    RW_SEARCH_WAIT, // holds a task at a place of its own until nothing else can run
    RW_SEARCH_LATE, // makes a task late by 1 ms to seconds
    RW_SEARCH_ORDER, // turns round the order in which new tasks begin
    RW_SEARCH_DEMOTE, // holds one to three tasks anywhere until nothing else can run
    RW_SEARCH_BOTH, // turns round two of those orders
    RW_SEARCH_SIGNAL, // lets a signal come elsewhere in its task's code
    RW_SEARCH_FAULTS, // a system call gives a rare answer
    RW_SEARCH_TOGETHER, // holds all tasks that come to a place there until nothing else can run
    RW_SEARCH_PCT, // random priorities, and one or two tasks that come last from some place on
    RW_SEARCH_POS, // a random order of the accesses to something, by random priorities
    RW_SEARCH_SURW, // the same, each order as likely
    RW_SEARCH_MIXED, // disturbs steps at random: RwStrategy
    RW_SEARCH_PREEMPT,
    RW_SEARCH_STALL,
    RW_SEARCH_SPARSE,
    RW_N_SEARCHES,
} RwSearchStrategy;

// Those that need nothing learned, and whose schedules have no holds.
#define RW_SEARCH_BLIND                                                                                    \
    (1u << RW_SEARCH_MIXED | 1u << RW_SEARCH_PREEMPT | 1u << RW_SEARCH_STALL | 1u << RW_SEARCH_SPARSE)
#define RW_SEARCH_DEFAULT ((1u << (RW_SEARCH_MIXED + 1)) - 1) // all that need not be asked for
#define RW_ANSWERS_ALL ((1u << RW_N_ANSWERS) - 1)
// What a correct program must stand at any time.
#define RW_ANSWERS_DEFAULT (1u << RW_ANSWER_WAKEUP | 1u << RW_ANSWER_SHORT)
#define RW_SEARCH_NUMBERS 10000000ull // schedules have lower numbers than this
#define RW_SEARCH_CHANGES_MAX 2u // of priorities
#define RW_SEARCH_MAX_DELAY_DEFAULT (10ull * 1000000000)

typedef struct {
    uint32_t strategies; // bits of RwSearchStrategy; at least one
    uint64_t seed; // of the draws: another one is another list of schedules
    uint64_t max_delay_ns; // how long a task may be held
    RwWindow window; // where; its number and strategy are not used
    const RwSchedule *base; // what is done before that; borrowed
    uint32_t answers; // bits of RwAnswerKind: which rare answers may be given
    bool many_faults; // they were asked for: each fourth schedule is of them, not only some
} RwSearchOptions;

typedef struct _RwSearch RwSearch;

// learned: borrowed; NULL: strategies that need it do nothing.
RwSearch *rw_search_new(const RwLearned *learned, const RwSearchOptions *options);
void rw_search_free(RwSearch *search);

typedef struct {
    RwSearchStrategy strategy;
    RwSchedule schedule;
} RwSearchTry;

// Schedule n, from 1. Asked for in order.
RwSearchTry rw_search_next(RwSearch *search, uint64_t n);

// What was learned from the run of another schedule, which passed; takes `learned` over. The kinds of
// meetings that are new are turned round, too, in that run. Returns how many there are.
guint rw_search_add(RwSearch *search, RwLearned *learned, const RwSchedule *schedule);

// How long a task may be held at most: of a program that gives others some time, less than that.
uint64_t rw_search_get_lateness(const RwSearch *search); // ns of virtual time

// How many kinds of meetings there are, and how many of them were turned round.
guint rw_search_count_kinds(const RwSearch *search);
guint rw_search_count_tried(const RwSearch *search);

// Schedules with random priorities, each of which finds a failure that needs two things in order with a
// chance of at least 1 in tasks * places.
typedef struct {
    guint schedules, tasks, places;
} RwSearchBound;
RwSearchBound rw_search_get_bound(const RwSearch *search);

// ---- What an answer says (turned.c) ----

// What the two places of a hold until a place is passed meet on.
typedef enum {
    RW_MEETS_NOTHING,
    RW_MEETS_LOCK, // a lock of a library's alone
    RW_MEETS,
} RwMeets;
RwMeets rw_search_meets(const RwLearned *learned, const RwHold *hold);
// Whether who is held has the lock that its place is about: then whoever waits for that only waits.
// `learned` is of the whole run.
bool rw_search_has_lock(const RwLearned *learned, const RwHold *hold);
// Of the meetings of each of the two runs those that come the other way round in the other, with `own` only
// those of the program's own code in memory: holds until a place is passed that make the one into the
// other, without their steps and limits. Of the passing run first, of each the latest first and not very
// many. For the caller to unref.
GArray *rw_search_turned(const RwLearned *passing, const RwLearned *failing, bool own);

const char *rw_search_name(RwSearchStrategy strategy); // "flip", …
// "flip,late", "all": bits. USAGE names what is unknown.
bool rw_search_parse(const char *text, uint32_t *ret_strategies, GError **error);

// "short,eintr", "all", "none": bits of RwAnswerKind. USAGE names what is unknown.
bool rw_answers_parse(const char *text, uint32_t *ret_answers, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSearch, rw_search_free)

G_END_DECLS
