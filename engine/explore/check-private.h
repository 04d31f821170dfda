// SPDX-License-Identifier: MIT
#pragma once

#include "holds-private.h"

typedef struct {
    const RwCheckOptions *options;
    RwCheckSummary *summary;
    RwPool *pool;
    RwOrigin *boot; // owned; NULL with options->origin
    RwOrigin *later; // owned: the state before the window where that is not the boot's
    RwOrigin *origin; // borrowed: where the schedules start
    GPtrArray *searches; // of RwSearch, by seed, the last one for all that have none; NULL before it begins
    GPtrArray *learned; // of RwLearned, that they learned from
    GHashTable *taught; // the results that were learned from, by index
    GHashTable *late; // results of which it is known that nothing but lateness makes them
    const RwCheckResult *narrowed_of; // of which `narrowed` is the answer; NULL: there is none
    RwNarrowedHolds narrowed;
    uint64_t done; // schedules besides 0
    gint64 since; // when the first of them began, on the monotonic clock; 0: none did
    RwVerdict verdict;
    RwFailsOutput begun; // what `fails` wants of what was written before the schedules start
    uint64_t start_icount; // where the schedules start
    uint64_t give_up; // instructions; 0: none
} Check;

// Judges a result, which becomes the summary's, and reports it. false: what it wrote could not be read.
bool rw_check_add(Check *check, RwCheckResult *result, GError **error);
// What schedule n is drawn from: its seed is one of them in turn. Borrowed.
RwSearch *rw_check_get_search(const Check *check, uint64_t n);
// Records a result that was only executed.
bool rw_check_keep(Check *check, RwCheckResult *result, GError **error);
// Records so many schedules from `first` on, or with `seeds` schedule 0 with so many seeds, and reports
// them in order. false with an error that is not the cancellation, which sets summary->cancelled.
typedef struct {
    uint64_t first;
    guint count;
    bool seeds;
    const RwSearchTry *tries; // of those schedules; NULL: schedule 0
} RwBatchOf;

bool rw_check_batch(Check *check, const RwBatchOf *what, GError **error);
// Whether one of the results so far is what is looked for.
bool rw_check_found(const Check *check);
// And one that holds made.
bool rw_check_has_answer(const Check *check);
// Fills in the summary's groups, and which of the results is narrowed, for what kind of ending.
void rw_check_choose(Check *check);
// The options for a recording of this check.
RwRecordOptions rw_check_record_options(const Check *check);
// Whether somebody was held for a time, which may be all that it takes.
bool rw_check_is_timed(const RwCheckResult *result);
// From summary->first, whose holds it is about, to check->narrowed; whether that needs a time.
bool rw_check_narrow_holds(Check *check, bool *ret_late, GError **error);
// From summary->first to the step that decides, and both twins.
bool rw_check_narrow(Check *check, GError **error);
