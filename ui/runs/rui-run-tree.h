// SPDX-License-Identifier: MIT
//
// Runs as a flat list of rows with depths: a heading a job, its runs below it, forks below what they were
// forked from. The job that ran last comes first.
#pragma once

#include "rw-run-item.h"

G_BEGIN_DECLS

#define RUI_TYPE_RUN_ROW (rui_run_row_get_type())
G_DECLARE_FINAL_TYPE(RuiRunRow, rui_run_row, RUI, RUN_ROW, GObject)

RwRunItem *rui_run_row_get_item(RuiRunRow *row); // of a heading: the job's newest run
gboolean rui_run_row_is_heading(RuiRunRow *row);
guint rui_run_row_get_depth(RuiRunRow *row);
guint rui_run_row_get_count(RuiRunRow *row); // of a heading: how many runs
guint rui_run_row_get_failed(RuiRunRow *row); // of a heading: how many of them failed
gboolean rui_run_row_equal(gpointer a, gpointer b);

// Of RuiRunRow. job NULL: all; else that one alone, without a heading.
GPtrArray *rui_run_tree_new(GListModel *runs, const char *job);

G_END_DECLS
