// SPDX-License-Identifier: MIT
//
// What a check prints.
#pragma once

#include "cli.h"
#include "rw-check.h"
#include "rw-compare.h"

typedef struct {
    bool json, quiet, all, narrow;
    bool seeds; // several: results say which
    bool terminal; // stderr is one: progress is shown there
    bool nondeterministic; // set when a run was not the same as before
} CheckView;

// The callbacks of RwCheckOptions.
void check_view_result(const RwCheckResult *result, void *view);
void check_view_counted(const RwCheckSummary *summary, void *view);
void check_view_progress(const char *what, void *view);

void check_view_clear_progress(const CheckView *view);
// The rest, once it is over; returns the exit status.
int check_view_summary(const CheckView *view, const RwCheckSummary *summary);

// "  failing       5153   166/174   SIGSEGV code=1 addr=0x108": how lines of two runs are printed.
void print_compare_lines(const RwComparison *comparison, const char *left, const char *right);
JsonArray *compare_lines_to_json(const RwComparison *comparison, const char *left, const char *right);
