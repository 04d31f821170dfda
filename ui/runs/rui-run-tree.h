// SPDX-License-Identifier: MIT
//
// Runs as a tree of rows: a heading a job, its runs below it, forks below what they were forked from. The
// job that ran last comes first. Of runs side by side that ended alike the first few are shown, the others
// are below a row of their own: a check of 64 schedules is read at a glance.
#pragma once

#include "rui-run-row.h"

#include <gio/gio.h>

G_BEGIN_DECLS

// Of RuiRunRow, owned. job NULL: all; else that one alone, without a heading. current: the ref of a run
// that is never put away with those alike, or NULL.
GListStore *rui_run_tree_new(GListModel *runs, const char *job, const char *current);

G_END_DECLS
