// SPDX-License-Identifier: MIT
#pragma once

#include "rw-check.h"
#include "trial.h"

typedef struct {
    const RwCheckOptions *options;
    RwCheckSummary *summary;
    RwPool *pool;
    RwOrigin *boot; // owned; NULL with options->origin
    RwOrigin *later; // owned: the state before the window where that is not the boot's
    RwOrigin *origin; // borrowed: where the schedules start
    RwVerdict verdict;
    uint64_t give_up; // instructions; 0: none
} Check;

// The schedule of a run that is schedule 0 up to the window and then perturbed by it.
RwSchedule rw_check_schedule(const Check *check, const RwWindow *window);
// Records so many schedules from `first` on, or with `seeds` schedule 0 with so many seeds, and reports
// them in order. FALSE with an error that is not the cancellation, which sets summary->cancelled.
typedef struct {
    uint64_t first;
    guint count;
    bool seeds;
} RwBatchOf;

gboolean rw_check_batch(Check *check, const RwBatchOf *what, GError **error);
// The options for a recording of this check.
RwRecordOptions rw_check_record_options(const Check *check);
// From summary->first to the step that decides, and both twins.
gboolean rw_check_narrow(Check *check, GError **error);
