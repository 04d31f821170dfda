// SPDX-License-Identifier: MIT
//
// The run from left to right: phases, how much of what happened where, marks, the playhead. Drag it, scroll
// to zoom at the pointer, Shift and scroll to pan. For assistive technology it is a slider over the steps.
#pragma once

#include "rui-view.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_TIMELINE (rui_timeline_get_type())
G_DECLARE_FINAL_TYPE(RuiTimeline, rui_timeline, RUI, TIMELINE, GtkWidget)

void rui_timeline_set_view(RuiTimeline *timeline, RuiView *view);

typedef enum {
    RUI_MARK_FAILURE, // red
    RUI_MARK_DIVERGENCE, // blue
    RUI_MARK_SCHEDULES, // blue, dashed
    RUI_MARK_FORK,
    RUI_MARK_BOOKMARK,
    RUI_MARK_HIT, // of a search, in the overview alone
    RUI_MARKS,
} RuiMarkKind;

// The marks of a kind that the widget does not know by itself, by step; copied.
void rui_timeline_set_marks(RuiTimeline *timeline, RuiMarkKind kind, const guint64 *steps, guint count);

// Where a step is drawn, in the widget's coordinates, for tests and pop-overs.
double rui_timeline_get_x(RuiTimeline *timeline, guint64 step);

G_END_DECLS
