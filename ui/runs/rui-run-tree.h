// SPDX-License-Identifier: MIT
//
// Runs as a tree of rows: a heading a job, its runs below it, forks below what they were forked from. The
// job that ran last comes first. The runs of one check are below a row of their own; the one that the
// window shows, and the one it is compared with, are beside it. Of runs side by side that ended alike the
// first few are shown, the others are below a row of their own: a check of 64 schedules is read at a
// glance.
#pragma once

#include "rui-run-row.h"

#include "rw-session.h"

#include <gio/gio.h>

G_BEGIN_DECLS

// current, compared: the refs of the run that the window shows, and of the one that it is compared with:
// never put away with those alike. words: of the runs only those that match, see rui_run_matches(). Or
// NULL.
typedef struct {
    const char *current, *compared;
    char **words;
} RuiShownRuns;

// Of RuiRunRow, owned. job NULL: all; else that one alone, without a heading.
GListStore *rui_run_tree_new(RwSession *session, const char *job, RuiShownRuns shown);

G_END_DECLS
