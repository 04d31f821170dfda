// SPDX-License-Identifier: MIT
//
// One job under many schedules, in parallel.
#pragma once

#include "rw-record.h"

G_BEGIN_DECLS

// Schedules are tried this many at a time, whatever the number of threads, so that the same check
// reports the same schedules everywhere.
#define RW_CHECK_BATCH 16

typedef struct {
    uint64_t schedule;
    RwRecorded *recorded;
    bool differs; // ended differently from schedule 0
} RwCheckResult;

typedef struct {
    const RwInputs *inputs; // of schedule 0
    RwWindow window; // where the others perturb; its number is not used
    RwRecordOptions
        record; // output, boot and cancellable are the check's own; cancellable is `cancellable`
    GCancellable *cancellable;
    uint64_t schedules; // how many besides schedule 0
    bool all; // do not stop after the batch in which one ends differently
    guint jobs; // worker threads, at least 1
    // Both from the calling thread, or NULL. Results come in the order of their schedules.
    void (*result)(const RwCheckResult *result, void *data);
    void (*progress)(uint64_t done, uint64_t total, void *data);
    void *data;
} RwCheckOptions;

typedef struct {
    GPtrArray *results; // of RwCheckResult, by schedule from 0, owned; those that were finished
    uint64_t perturbed; // how many of them have a schedule other than 0
    uint64_t differing;
    const RwCheckResult *first; // the first that ends differently, or NULL; borrowed from results
    bool cancelled; // results holds what was finished by then
} RwCheckSummary;

// FALSE when it could not be done; a cancelled check is no error. Every run that was finished is in the
// store.
gboolean rw_check(const RwCheckOptions *options, RwCheckSummary *ret, GError **error);
void rw_check_summary_clear(RwCheckSummary *summary);

G_END_DECLS
