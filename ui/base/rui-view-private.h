// SPDX-License-Identifier: MIT
#pragma once

#include "rui-view.h"

struct _RuiView {
    GObject parent_instance;
    RwSessionRun *run, *compared;
    gulong loaded; // handler
    RwSessionComparison *comparison;
    char *compare_problem; // why there is none, or NULL
    GCancellable *comparing, *seeking;
    GCancellable *finding, *finding_compared; // the sides of holds of the two runs
    guint64 step;
    double from, until; // steps
    GArray *back, *ahead; // of guint64
    RwStop stop; // without its path
    RwStopKind chosen_kind; // that of `stop`, but while somebody is followed
    char *path;
    const RwSpan *process; // selected, of the run's index; or NULL
    guint64 selected_from, selected_until; // steps; until 0: none are
};

void rui_view_cancel(GCancellable **cancellable);
void rui_view_start_comparing(RuiView *view); // anew: rui-view-compare.c
void rui_view_notify_busy(RuiView *view);
void rui_view_notify_filter(RuiView *view);
// rui-view-sides.c: of a run, or NULL. What was under way is dropped; "sides" is notified.
void rui_view_find_sides(RuiView *view, RwSessionRun *run, GCancellable **slot);
