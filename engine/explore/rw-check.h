// SPDX-License-Identifier: MIT
//
// One job under many schedules, in parallel, and the one step that decides between two endings.
#pragma once

#include "rw-record.h"

G_BEGIN_DECLS

// Schedules are tried this many at a time, whatever the number of threads, so that the same check
// reports the same schedules everywhere.
#define RW_CHECK_BATCH 16

// A schedule that takes ten times the instructions of schedule 0, and at least so many (about a minute), is
// given up as hung. Instructions and not time, so that the same check says the same.
#define RW_CHECK_GIVE_UP_TIMES 10
#define RW_CHECK_GIVE_UP_MIN 50000000000ull

typedef struct {
    uint64_t schedule;
    uint64_t seed; // of the guest's random numbers
    RwRecorded *recorded;
    bool differs; // ended differently from schedule 0 with the first seed
} RwCheckResult;

typedef struct _RwCheckSummary RwCheckSummary;

typedef struct {
    const RwInputs *inputs; // of schedule 0
    RwWindow window; // where the others perturb; its number is not used
    // Store, guest, image, names, parent, timeout_us; keyframes of schedule 0 and the two runs in the end.
    // The rest is the check's own.
    RwRecordOptions record;
    RwRecorded *base; // schedule 0 where it is recorded already, taken over: it is not run again. Or NULL
    RwOrigin *origin; // with base: its state right before the window
    GCancellable *cancellable;
    uint64_t schedules; // how many besides schedule 0
    uint64_t seeds; // so many seeds from that of `inputs` on: each for schedule 0, then in turn; at least 1
    bool all; // do not stop after the batch in which one ends differently
    bool narrow; // find the step that decides
    guint jobs; // worker threads, at least 1
    // All from the calling thread, or NULL. Results come in the order of their schedules.
    void (*result)(const RwCheckResult *result, void *data);
    void (*counted)(const RwCheckSummary *summary, void *data); // no more results come; narrowing begins
    void (*progress)(const char *what, void *data); // a few words for a line that is overwritten
    void *data;
} RwCheckOptions;

struct _RwCheckSummary {
    GPtrArray *results; // of RwCheckResult, by schedule from 0, owned; those that were finished
    uint64_t perturbed; // how many of them are not the first: another schedule or another seed
    uint64_t differing;
    bool turned; // schedule 0 fails: one that passes is looked for
    const RwCheckResult *first; // the first that ends as is looked for, or NULL; borrowed from results
    bool cancelled; // what was finished by then is there
    gint64 schedules_us; // wall clock of all but schedule 0

    bool narrowed; // what follows is set, unless the seed alone decides: then `first` has schedule 0
    RwWindow window; // the smallest window; its last step decides. Empty: the fork itself does
    RwPerturb perturb; // what happens at that step
    bool exact; // a preemption: one instruction earlier does not decide
    RwRecorded *passing, *failing; // the same run until that step
    gint64 narrowing_us;
};

// FALSE when it could not be done; a cancelled check is no error. Every run that was finished is in the
// store.
gboolean rw_check(const RwCheckOptions *options, RwCheckSummary *ret, GError **error);
void rw_check_summary_clear(RwCheckSummary *summary);

G_END_DECLS
