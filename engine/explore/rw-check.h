// SPDX-License-Identifier: MIT
//
// One job under many schedules, in parallel, and the one step that decides between two endings.
#pragma once

#include "rw-caller.h"
#include "rw-fails.h"
#include "rw-hold-answer.h"
#include "rw-record.h"
#include "rw-search.h"
#include "rw-tried.h"

G_BEGIN_DECLS

// Schedules are tried this many at a time, whatever the number of threads, so that the same check
// reports the same schedules everywhere.
#define RW_CHECK_BATCH 16

// A schedule that takes ten times the instructions of schedule 0, and at least so many (about a minute), is
// given up as hung. Instructions and not time, so that the same check says the same.
#define RW_CHECK_GIVE_UP_TIMES 10
#define RW_CHECK_GIVE_UP_MIN 50000000000ull

// Instructions that are watched at most to learn from: of longer runs only their beginning.
#define RW_CHECK_LEARN_MAX 2000000000ull

#define RW_CHECK_SCHEDULES_DEFAULT 64u
// About a minute's worth. What starting and storing a run costs counts, too.
#define RW_CHECK_EFFORT_DEFAULT 20000000000ull
#define RW_CHECK_EFFORT_A_RUN 40000000ull

typedef struct {
    uint64_t schedule;
    uint64_t seed; // of the guest's random numbers
    RwSearchStrategy strategy; // that made the schedule; of schedule 0 nothing
    RwRecorded *recorded; // its path is NULL where it is not in the store
    RwFailsOutput output; // what `fails` wants of what it wrote
    bool fails; // what the user, or by default the exit status, calls a failure
    bool differs; // ended differently from schedule 0 with the first seed
    bool known; // was not executed: `tried` knew its ending
} RwCheckResult;

// Which runs stay in the store, besides schedule 0, the one that is narrowed and the two that this makes.
// What is not there is as soon made again.
typedef enum {
    RW_CHECK_KEEP_ENDINGS, // the first of each ending that is not schedule 0's
    RW_CHECK_KEEP_DIFFERENT, // each that ends differently
    RW_CHECK_KEEP_ALL,
} RwCheckKeep;

// Results that ended the same.
typedef struct {
    const RwCheckResult *first; // borrowed
    guint count;
    bool fails;
} RwCheckGroup;

typedef struct _RwCheckSummary RwCheckSummary;

typedef struct {
    const RwInputs *inputs; // of schedule 0
    RwWindow window; // where the others perturb; its number is not used
    // Store, guest, image, names, parent, timeout_us; keyframes of schedule 0 and the two runs in the end.
    // The rest is the check's own.
    RwRecordOptions record;
    RwRecorded *base; // schedule 0 where it is recorded already, taken over: it is not run again. Or NULL
    RwOrigin *origin; // with base: its state right before the window
    const RwFails *fails; // what is a failure; NULL: every ending but an exit with 0
    // What was executed before, and is from now on; or NULL. It changes nothing but how long that takes.
    // Not used where `fails` reads what was written, nor for what is kept.
    RwTried *tried;
    GCancellable *cancellable;
    uint64_t schedules; // how many besides schedule 0, at least,
    uint64_t effort; // and more until so many instructions were executed for them; 0: no more
    uint32_t strategies; // bits of RwSearchStrategy
    uint64_t search_seed; // of what the strategies draw
    uint64_t max_delay_ns; // how long a task may be held
    uint32_t answers; // bits of RwAnswerKind: which rare answers system calls may give
    bool many_faults; // see RwSearchOptions
    uint64_t seeds; // so many seeds from that of `inputs` on: each for schedule 0, then in turn; at least 1
    RwCheckKeep keep;
    bool all; // do not stop after the batch in which one ends as is looked for
    bool narrow; // find the step that decides
    guint jobs; // worker threads, at least 1
    // What the snapshots of narrowing may take, in bytes; 0: a quarter of what the host has free. It
    // changes nothing but how long that takes.
    uint64_t narrow_bytes;
    _Atomic uint64_t *executed; // by schedule from 1: how far each is, see RwRecordOptions; or NULL
    // All from the calling thread, or NULL. Results come in the order of their schedules.
    void (*result)(const RwCheckResult *result, void *data);
    void (*counted)(const RwCheckSummary *summary, void *data); // no more results come; narrowing begins
    void (*progress)(const char *what, void *data); // a few words for a line that is overwritten
    void *data;
} RwCheckOptions;

// As `check` does it where it is told nothing: 64 schedules and more while they are cheap, every strategy
// and rare answer that is on by default, as many threads as the host has processors; then narrowing. Who
// fills in the job, where to record and what to call finds the same as the command.
RwCheckOptions rw_check_default_options(void);

struct _RwCheckSummary {
    GPtrArray *results; // of RwCheckResult, by schedule from 0, owned; those that were finished
    uint64_t perturbed; // how many of them are not the first: another schedule or another seed
    uint64_t differing;
    const RwLearned *learned; // from schedule 0; NULL: no strategy needed it. During counted() only
    guint kinds, kinds_tried; // of meetings of tasks, and how many were turned round
    RwSearchBound bound; // what those with random priorities are worth
    uint64_t executed; // instructions under all schedules but 0
    uint64_t n_failing; // of all results
    GPtrArray *groups; // of RwCheckGroup, the commonest first, owned; set before counted()
    bool passes; // some pass: then one that passes and one that fails are told apart. Else all fail, and
                 // the commonest ending and the most alarming are
    bool turned; // schedule 0 is the failing one, or the more alarming
    const RwCheckResult *first; // the one that is narrowed, or NULL: all end alike; borrowed from results
    bool late; // nothing was found but that somebody was late, which the job's own time-outs may be for
    bool cancelled; // what was finished by then is there
    gint64 schedules_us; // wall clock of all but schedule 0

    bool narrowed; // what follows is set, unless the seed alone decides: then `first` has schedule 0
    RwWindow window; // the smallest window; its last step decides. Empty: the fork itself does
    RwPerturb perturb; // what happens at that step
    bool exact; // a preemption: one instruction earlier does not decide
    RwCaller caller; // whom that strikes, and in what
    GPtrArray *answers; // of RwHoldAnswer, in the order in which they begin; the last decides. Or NULL:
                        // what is above tells it
    RwRecorded *passing, *failing; // the same run until that step
    uint64_t narrow_peak; // bytes of snapshots that there were at a time
    uint64_t narrow_executed; // instructions for narrowing; 0: not counted
    gint64 narrowing_us;
};

// Whether every schedule that was tried fails, and in the same way.
bool rw_check_fails_alike(const RwCheckSummary *summary);
// "exited:0"; with the start of the outputs' hash where the job has outputs.
char *rw_check_group_dup_text(const RwCheckGroup *group);

// Seconds until it has tried all, when after so long that share of it, from 0 to 1, is done: at most, since
// it may find something before. false: it is too early to tell.
bool rw_check_guess_left(double share, gint64 elapsed_us, guint64 *ret_seconds);

// false when it could not be done; a cancelled check is no error.
bool rw_check(const RwCheckOptions *options, RwCheckSummary *ret, GError **error);
void rw_check_summary_clear(RwCheckSummary *summary);

G_END_DECLS
