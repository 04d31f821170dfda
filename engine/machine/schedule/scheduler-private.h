// SPDX-License-Identifier: MIT
// The one place where a machine asks what its schedule does. What it answers is a function of the schedule
// and of the points it was asked at before, so all that it keeps between two of them is saved with the
// machine. Windows answer from a step alone and keep nothing; holds keep how far each of them is.
#pragma once

#include "faults-private.h"

typedef struct {
    uint32_t count; // how often its task was there
    bool reached; // so often as it says: what is left are instructions,
    uint64_t due; // up to so many of the task in user mode; AGAIN: where it was held last
    bool met;
} RwPlaceState;

// The memory of an instruction that is split in two: what WITHIN has read; of UNSEEN what was there before
// it (until the hold begins), and what it wrote.
typedef struct {
    uint64_t address; // virtual
    uint64_t value;
    uint32_t size; // bytes, 1 to 8; 0: it is not split
    uint64_t since; // UNSEEN: icount before the instruction
} RwSplit;

typedef enum {
    RW_HOLD_WAITS, // for its place
    RW_HOLD_HELD,
    RW_HOLD_REJOINS, // it goes on, and what was split is still to be ended
    RW_HOLD_DONE,
    RW_HOLD_AGAIN, // for its task to come back to user mode
    RW_HOLD_GATHERS, // of all others: it holds some, and those that come,
    RW_HOLD_DRAINS, // and lets one after the other go on
} RwHoldPhase;

typedef struct {
    RwHoldPhase phase;
    uint32_t tid; // HELD: whom
    // HELD, GATHERS, DRAINS: virtual time, and instruction count, at which it ends; AGAIN: the former
    uint64_t until, busy_until;
    RwPlaceState place, passed;
    RwSplit split;
    bool cut; // it ended before what it waits for was passed; not saved
} RwHoldState;

// Plain data: a copy is as good, in a snapshot or a fork.
typedef struct {
    RwSchedule schedule;
    RwHoldState hold[RW_HOLDS_MAX];
    RwFaultState fault[RW_FAULTS_MAX];
    uint32_t n_others, others[RW_HOLD_OTHERS_MAX]; // GATHERS, DRAINS: whom, by tid, as they came
    bool loaded; // they were loaded, and are of the schedule that will be set
} RwScheduler;

// Where it is asked: a step of a job that runs.
typedef struct {
    uint64_t step;
    RwStepKind kind;
} RwPoint;

typedef struct {
    RwPerturb perturb; // as it was drawn: not all of it means something at every kind of step
    bool reseed; // the guest's random numbers follow `seed` from here on
    uint64_t seed;
} RwDecision;

// Another schedule. Holds that both have, but for where they must begin, are as far as they are.
void rw_scheduler_set(RwScheduler *scheduler, const RwSchedule *schedule);
RwDecision rw_scheduler_at(RwScheduler *scheduler, const RwPoint *point);
// The end of a saved machine's bytes at the end of a step: what it keeps, without the schedule, which is an
// input of the run. Of holds and faults whose first step is still to come it keeps nothing, and says
// nothing: a run that has others from there on has the same bytes.
void rw_scheduler_save(const RwScheduler *scheduler, uint64_t step, GByteArray *out);
// Takes all that is left. false: that is not what a scheduler of this version saves.
bool rw_scheduler_load(RwScheduler *scheduler, RwReader *reader);

// ---- Holds ----

// Whether hold i can still do anything when `step` steps are done: it holds, or it may begin.
bool rw_scheduler_is_open(const RwScheduler *scheduler, unsigned i, uint64_t step);
// Somebody, or some of all others, is kept by it.
bool rw_hold_has_somebody(const RwHoldState *state);
bool rw_scheduler_is_any_open(const RwScheduler *scheduler, uint64_t step);
// The first number of done steps after `step` with which other holds may begin; RW_NEVER: there is none.
uint64_t rw_scheduler_changes_at(const RwScheduler *scheduler, uint64_t step);
// What a CPU must stop at for the open holds; false: nothing.
bool rw_scheduler_stops(const RwScheduler *scheduler, uint64_t step, RwVcpuStops *ret);
// `task` stands at a point of its own in user mode, where it was not before. Places that name it are
// counted. what: START, CALL, RETURN or AT; number: the system call, or the address.
void rw_scheduler_count(RwScheduler *scheduler, uint64_t step, const RwTask *task, RwPlaceKind what,
                        uint64_t number);
// Places of which only instructions were left, and which those of `task` have reached now.
void rw_scheduler_count_user(RwScheduler *scheduler, const RwTask *task);
// How many instructions of user mode `task` is from the next such place; RW_NEVER: there is none.
uint64_t rw_scheduler_user_left(const RwScheduler *scheduler, const RwTask *task);

// A place by itself, as far as it is. Whether `task`, which stands at a point, is there; one more time; all
// its instructions are executed, or so many are left (RW_NEVER: it is not that).
bool rw_place_names(const RwPlace *place, const RwTask *task, RwPlaceKind what, uint64_t number);
void rw_place_count(RwPlaceState *state, const RwPlace *place, const RwTask *task);
void rw_place_meet(RwPlaceState *state, const RwPlace *place, const RwTask *task);
uint64_t rw_place_left(const RwPlaceState *state, const RwPlace *place, const RwTask *task);

// Bits by index: of the holds until a place is passed, those that began and ended, or did not, without
// that.
uint32_t rw_scheduler_cut_holds(const RwScheduler *scheduler);

// What is to be done now, one thing at a time: until it says RW_HOLD_NOTHING.
typedef enum { RW_HOLD_NOTHING, RW_HOLD_BEGIN, RW_HOLD_END } RwHoldAction;
typedef struct {
    RwHoldAction action;
    unsigned hold; // its index
    uint32_t tid; // whom
    bool free; // END: no other hold has it
    bool next; // END: it runs before all others
} RwHoldOrder;
typedef struct {
    uint64_t tsc, icount; // now
    bool idle; // nothing can run
} RwHoldTime;

// `task` has the CPU, in user mode; NULL: nobody of the job has.
RwHoldOrder rw_scheduler_order(RwScheduler *scheduler, const RwTask *task, const RwHoldTime *now);
// The index of the hold whose split instruction `task`, which is in user mode again, has to end; -1: there
// is none. The caller sets its phase when that is done; when the task is elsewhere it is done.
int rw_scheduler_rejoins(RwScheduler *scheduler, const RwTask *task, uint64_t rip);
// Whether one ends when nothing can run.
bool rw_scheduler_ends_idle(const RwScheduler *scheduler);
// When a hold ends in any case: in virtual time, or with `busy` in instructions. RW_NEVER: nobody is held.
uint64_t rw_scheduler_deadline(const RwScheduler *scheduler, bool busy);

// ---- Faults (fault.c) ----

// As rw_scheduler_set() does, before the schedule is the other one.
void rw_scheduler_set_faults(RwScheduler *scheduler, const RwSchedule *schedule);
// Adds to what a CPU must stop at; false: nothing.
bool rw_scheduler_stops_for_faults(const RwScheduler *scheduler, uint64_t step, RwVcpuStops *stops);
uint64_t rw_scheduler_faults_change_at(const RwScheduler *scheduler, uint64_t step);
// `task` stands before a system call: those that name it are due.
void rw_scheduler_count_faults(RwScheduler *scheduler, uint64_t step, const RwTask *task, uint64_t number);
void rw_scheduler_save_faults(const RwScheduler *scheduler, uint64_t step, GByteArray *out);
bool rw_scheduler_load_faults(RwScheduler *scheduler, RwReader *reader);
