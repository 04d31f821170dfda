// SPDX-License-Identifier: MIT
#pragma once

#include "rw-search.h"

// ---- Runs that were watched (seen.c) ----

typedef struct {
    const RwLearned *learned;
    RwLearned *owned; // the same, or NULL
    bool later; // it is not schedule 0 but
    RwSchedule schedule;
    GPtrArray *sites; // by object: a GArray of guint, the indices of its sites
    GPtrArray *own; // by task: a GArray of guint, the indices of what its program's own code does, in
                    // order, to what such code changes
} RwSeen;

// schedule: NULL of schedule 0; copied.
RwSeen *rw_seen_new(const RwLearned *learned, const RwSchedule *schedule);
void rw_seen_free(RwSeen *seen);
const RwLearnedEvent *rw_seen_event(const RwLearned *learned, guint index);
const RwLearnedTask *rw_seen_task(const RwLearned *learned, guint index);
bool rw_event_is_own(const RwLearnedEvent *event); // of the program, not of a library
// a comes before b because one creates the other, or had waited for its end.
bool rw_event_is_forced(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b);
// On one object, and of that the same part.
bool rw_events_overlap(const RwLearnedEvent *a, const RwLearnedEvent *b);
// Of different tasks, in an order that is not forced; one of them changes what both touch.
bool rw_events_conflict(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b);

// ---- Kinds (kinds.c): alike meetings are one kind, however often they happen ----

typedef struct {
    guint first, second; // events, in this order in schedule 0
} RwMeeting;

// How much may come of turning it round.
typedef enum {
    RW_CLASS_OWN, // both are in the program's own code,
    RW_CLASS_ALIKE, // and do the same, or one waits for the end of the other
    RW_CLASS_MIXED, // one is in a library,
    RW_CLASS_LIBRARY, // or both
    RW_CLASS_LATER, // seen under another schedule than 0
    RW_N_CLASSES,
} RwKindClass;

typedef struct {
    RwPlaceKind kind[2]; // of the places of both, and
    uint64_t number[2]; // what these are without how often
    RwObjectKind object;
    RwKindClass class;
    bool is_race; // of the program's own code, and nothing was seen to order them
    guint near; // how near what it breaks is (rw_meeting_breaks()); 0: it breaks nothing
    bool silent; // of its meetings none left another value in memory than was there
    guint best, other; // of its meetings: which is turned round first, and which then
    guint what; // number of the object of the first one
    uint64_t turn, draw; // among those of its object, and of all
    guint place; // in the order in which they are tried, of its class
    guint total; // how many there were
    GArray *meetings; // of RwMeeting, some of them
    guint tried;
    const RwSeen *seen; // in which run
} RwKind;

// Of RwKind: those that are not in `known`, a set of strings, to which they are added. Two orders take
// turns: what breaks what belongs together, the nearest first; and races first, and each object has its
// turn before one has a second. The seed decides about the rest. For the caller to unref.
GPtrArray *rw_kinds_new(const RwSeen *seen, GHashTable *known, uint64_t seed);

// Sets is_race, and leaves out those that only creation and end of tasks order (races.c).
void rw_kinds_take_order(GPtrArray *kinds, const RwLearned *learned);

// The lock that the first of a meeting takes last before it, and that the other one takes, too: its event;
// else the first itself.
guint rw_meeting_lock(const RwSeen *seen, const RwMeeting *meeting);
// Where the second one lets go of what the event `lock` takes, after the meeting; else the second itself.
guint rw_meeting_unlock(const RwSeen *seen, const RwMeeting *meeting, guint lock);

// How near the two things are that turning it round would break in two, in events of their tasks; 0: it
// would not (breaks.c).
guint rw_meeting_breaks(const RwSeen *seen, const RwMeeting *meeting);
// Whether neither of its sides leaves another value than was there.
bool rw_meeting_is_silent(const RwSeen *seen, const RwMeeting *meeting);

// ---- Spots (spots.c): where one task alone stands ----

// Of calls by which tasks take locks of files that others take, too: an event each. For the caller to
// unref.
GArray *rw_locks_new(const RwSeen *seen);
GArray *rw_late_tasks_new(const RwLearned *learned);
bool rw_search_has_late_tasks(const RwSearch *search); // whether one of them has a turn left

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
    bool several, takes; // several tasks come there; it reads and writes as one, as locks do
    guint tried, together;
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
    GPtrArray *kinds[RW_N_CLASSES]; // of RwKind
    guint next_kind[RW_N_CLASSES];
    gint credit[RW_N_CLASSES]; // by how much each is behind its share
    GPtrArray *lists; // what holds them
    GHashTable *known; // kinds, as text
    RwStrikes *strikes;
    GPtrArray *seen; // of RwSeen: schedule 0, and what was watched later
    GPtrArray *spots; // of RwSpot; empty where nothing was learned
    GArray *useful, *locks; // see rw_useful_new(), rw_locks_new()
    GArray *late_tasks; // of guint: those that are late as wholes, each in its turn
    bool whole; // the lateness that is drawn next is that of one of these
    GPtrArray *calls; // see rw_answer_calls_new()
    GHashTable *tried; // schedules as text
    uint64_t late_ns; // how late a task is made at most
    uint64_t flip_ns; // how long it waits for others at most
    guint next_spot, next_together, next_order, next_call, next_lock, next_late, lates, waits, crowds, turn;
    guint drawn[RW_N_SEARCHES]; // how many schedules of each strategy
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
    rw_draw_together, rw_draw_signal, rw_draw_fault, rw_draw_window;
RwDrawSchedule rw_draw_pct; // priorities.c
RwDrawSchedule rw_draw_pos, rw_draw_surw; // walks.c

// One of schedule 0, those of the program's own code three times of four; NULL: there is none.
RwKind *rw_search_draw_kind(RwSearch *search, RwDraw *draw);

// What draws its schedules.
RwDrawSchedule *rw_search_get_draw(RwSearchStrategy strategy);
