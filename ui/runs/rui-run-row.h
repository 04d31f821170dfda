// SPDX-License-Identifier: MIT
//
// A row of the tree of runs: a job's heading, a run, the runs of one check, or those that ended as those
// above them. It stays the same object while what it shows changes.
#pragma once

#include "rw-session-sides.h"

G_BEGIN_DECLS

typedef enum {
    RUI_RUN_ROW_HEADING,
    RUI_RUN_ROW_RUN,
    RUI_RUN_ROW_CHECK, // forks at one step, each under a schedule of its own
    RUI_RUN_ROW_ALIKE,
} RuiRunRowKind;

#define RUI_TYPE_RUN_ROW (rui_run_row_get_type())
G_DECLARE_FINAL_TYPE(RuiRunRow, rui_run_row, RUI, RUN_ROW, GObject)

// Signal: "changed", another text is due. key is taken; it tells rows of the whole tree apart.
RuiRunRow *rui_run_row_new(RuiRunRowKind kind, char *key, RwRunItem *item);
RuiRunRowKind rui_run_row_get_kind(RuiRunRow *row);
const char *rui_run_row_get_key(RuiRunRow *row);
RwRunItem *rui_run_row_get_item(RuiRunRow *row); // of a heading or check the newest run, else the first
guint rui_run_row_get_count(RuiRunRow *row); // of all but runs: how many runs
guint rui_run_row_get_failed(RuiRunRow *row); // how many of them failed
void rui_run_row_count(RuiRunRow *row, RwRunItem *item); // one more
// The verdicts of those that were counted last, the last of all at the end.
const RwVerdict *rui_run_row_get_recent(RuiRunRow *row, guint *ret_count);

gboolean rui_run_row_is_current(RuiRunRow *row); // of the run that the window shows
gboolean rui_run_row_is_compared(RuiRunRow *row); // of the one that it is compared with
void rui_run_row_set_shown(RuiRunRow *row, gboolean current, gboolean compared);
// One of two that a check found: the same until the step that decides.
gboolean rui_run_row_is_twin(RuiRunRow *row);
void rui_run_row_set_twin(RuiRunRow *row, gboolean twin);
// Of the holds of a run, borrowed from the session; NULL while they are not known.
const RwSides *rui_run_row_get_sides(RuiRunRow *row);
void rui_run_row_set_sides(RuiRunRow *row, const RwSides *sides);

// The rows below it, of RuiRunRow; NULL: there are none and never were.
GListModel *rui_run_row_get_children(RuiRunRow *row);
void rui_run_row_add_child(RuiRunRow *row, RuiRunRow *child);

// Makes the rows of `store` those of `fresh`. What was there and still is stays the same object, so that
// what is expanded and selected stays so; all of `fresh` that is of no use afterwards is dropped.
void rui_run_rows_update(GListStore *store, GListModel *fresh);

G_END_DECLS
