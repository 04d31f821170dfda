// SPDX-License-Identifier: MIT
//
// What a check prints.
#pragma once

#include "cli.h"
#include "lines.h"
#include "rw-check.h"
#include "rw-compare.h"
#include "rw-decider.h"
#include "rw-decision.h"

typedef struct {
    Cli *cli; // to look into runs
    bool json, quiet, all, narrow;
    bool where; // lines of the programs for events
    bool seeds; // several: results say which
    bool terminal; // stderr is one: progress is shown there
    bool fails; // the user said what a failure is
    bool bounded; // and did not say how many schedules to try
    uint64_t search_seed; // of the schedules' draws
    bool nondeterministic; // set when a run was not the same as before
} CheckView;

// The callbacks of RwCheckOptions.
void check_view_result(const RwCheckResult *result, void *view);
void check_view_counted(const RwCheckSummary *summary, void *view);
void check_view_progress(const char *what, void *view);

void check_view_clear_progress(const CheckView *view);
// The rest, once it is over; returns the exit status.
int check_view_summary(const CheckView *view, const RwCheckSummary *summary);

// ---- Its parts ----

// Whether it is about a run that passes, since schedule 0 fails.
bool check_view_passes(const RwCheckSummary *summary);
// What the deciding step does, and what that makes of the run.
char *check_view_dup_decision(const RwCheckSummary *summary);
RwTrace *check_view_open_trace(const RwRecorded *recorded, GError **error);
// Whom it strikes, and who runs instead: two lines, and members of an object.
void check_view_print_decider(const CheckView *view, const RwCheckSummary *summary);
void check_view_add_decider(const CheckView *view, JsonObject *object, const RwCheckSummary *summary);
// Both sides of each hold: two lines each, and an array of objects.
void check_view_print_holds(const CheckView *view, const RwCheckSummary *summary);
void check_view_add_holds(const CheckView *view, JsonObject *object, const RwCheckSummary *summary);
// The two runs that part at the deciding step, see rw_compare().
RwComparison *check_view_compare(const RwCheckSummary *summary, GError **error);
void check_view_report(const CheckView *view, const RwCheckSummary *summary); // in words
void check_view_object(const CheckView *view, const RwCheckSummary *summary); // as an object
// The events around it.
void check_view_print_lines(const CheckView *view, const RwCheckSummary *summary,
                            const RwComparison *comparison);
JsonArray *check_view_lines_to_json(const CheckView *view, const RwCheckSummary *summary,
                                    const RwComparison *comparison);
// Who waits for what in the end, of RwInspectWait *; NULL where the failing run did not stall. Owned.
GPtrArray *check_view_find_waits(const CheckView *view, const RwCheckSummary *summary);

// Two runs' events.
typedef struct {
    const char *left, *right; // what the runs are called
    Lines *left_lines, *right_lines; // for the lines of the programs that made them; or NULL
} CompareLines;

// "  failing       5153   166/174   SIGSEGV code=1 addr=0x108": how lines of two runs are printed.
void print_compare_lines(const RwComparison *comparison, const CompareLines *what);
JsonArray *compare_lines_to_json(const RwComparison *comparison, const CompareLines *what);
