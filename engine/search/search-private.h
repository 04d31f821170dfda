// SPDX-License-Identifier: MIT
#pragma once

#include "rw-search.h"

// ---- Kinds (kinds.c): alike meetings are one kind, however often they happen ----

typedef struct {
    guint first, second; // events, in this order in schedule 0
} RwMeeting;

typedef struct {
    RwPlaceKind kind[2]; // of the places of both, and
    uint64_t number[2]; // what these are without how often
    RwObjectKind object;
    bool own; // neither is in a library
    bool is_race; // own, and nothing was seen to order them
    guint64 order; // of the first one
    guint total; // how many there were
    GArray *meetings; // of RwMeeting, some of them
    guint tried;
    const RwLearned *learned; // whose events these are
    const RwSchedule *base; // of that run
} RwKind;

// Of RwKind, races first, in the order in which they first happened: those that are not in `known`, a set
// of strings, to which they are added. For the caller to unref.
GPtrArray *rw_kinds_new(const RwLearned *learned, const RwSchedule *base, GHashTable *known);

// Sets is_race, and leaves out those that only creation and end of tasks order (races.c).
void rw_kinds_take_order(GPtrArray *kinds, const RwLearned *learned);

// The lock that the first of a meeting takes last before it, and that the other one takes, too: its event;
// else the first itself.
guint rw_meeting_lock(const RwLearned *learned, const RwMeeting *meeting);

// ---- Spots (kinds.c): where one task alone stands ----

// Of calls by which tasks take locks of files that others take, too: an event each. For the caller to
// unref.
GArray *rw_locks_new(const RwLearned *learned);

// How much may come of holding a task somewhere.
typedef enum {
    RW_PROMISE_SHARED, // where the program's own code touches what others touch
    RW_PROMISE_WAITS, // where it waits for others, which may be faster
    RW_PROMISE_LITTLE, // elsewhere
    RW_N_PROMISES,
} RwPromise;

// Places that differ by more than the task and how often.
typedef struct {
    RwPlaceKind kind;
    uint64_t number;
    RwPromise promise;
    guint turn; // among those of its promise
    GArray *events; // of guint, some of them
    guint tried;
} RwSpot;

// Events, as indices, at which somebody else could run instead. For the caller to unref.
GArray *rw_useful_new(const RwLearned *learned);
// Of RwSpot, of each promise one in turn.
GPtrArray *rw_spots_new(const RwLearned *learned, const GArray *useful);

// ---- Signals (signals.c): where else in its task's code a signal could come ----

typedef struct _RwStrikes RwStrikes;
RwStrikes *rw_strikes_new(void);
void rw_strikes_free(RwStrikes *strikes);
// What the run of `base` (NULL: schedule 0) shows, and none before did; both are borrowed.
void rw_strikes_add(RwStrikes *strikes, const RwLearned *learned, const RwSchedule *base);
guint rw_strikes_count(const RwStrikes *strikes);
guint rw_strikes_count_tried(const RwStrikes *strikes);
// ---- Rare answers (faults.c) ----

// What can give one: the wanted kinds of a program's calls, of programs that are the job's own first.
GPtrArray *rw_answer_calls_new(const RwLearned *learned, uint32_t wanted);

// ---- The search (search.c) ----

struct _RwSearch {
    const RwLearned *learned;
    RwSearchOptions options;
    // Of RwKind: of schedule 0 those of the program's own code and of its libraries; those of other
    // schedules.
    GPtrArray *own, *library, *later;
    GPtrArray *lists; // what holds them
    GHashTable *known; // kinds, as text
    GPtrArray *more; // of what was learned later
    RwStrikes *strikes;
    GPtrArray *spots; // of RwSpot; empty where nothing was learned
    GArray *useful, *locks; // see rw_useful_new(), rw_locks_new()
    GPtrArray *calls; // see rw_answer_calls_new()
    GHashTable *tried; // schedules as text
    uint64_t late_ns; // how late a task is made at most
    uint64_t flip_ns; // how long it waits for others at most
    guint next_own, next_library, next_later, next_spot, next_order, next_call, next_lock, turn;
    guint flips, lates;
};

// ---- Strategies (strategies.c, draws.c) ----

// A stream of draws that a schedule's number gives.
typedef struct {
    uint64_t number, state;
} RwDraw;

RwDraw rw_draw_new(uint64_t number, uint64_t salt);
uint64_t rw_draw(RwDraw *draw);
uint64_t rw_draw_below(RwDraw *draw, uint64_t limit); // limit > 0

// A hold at that place, as long as flips are.
RwHold rw_make_hold(const RwSearch *search, const RwPlace *place);
// Adds to the schedule of `ret`, whose strategy is set. false: there is nothing to do it with.
typedef bool RwDrawSchedule(RwSearch *search, RwDraw *draw, RwSearchTry *ret);
RwDrawSchedule rw_draw_flip, rw_draw_wait, rw_draw_late, rw_draw_order, rw_draw_demote, rw_draw_both,
    rw_draw_signal, rw_draw_fault, rw_draw_window;

// What draws its schedules.
RwDrawSchedule *rw_search_get_draw(RwSearchStrategy strategy);
