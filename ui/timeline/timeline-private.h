// SPDX-License-Identifier: MIT
#pragma once

#include "rui-timeline.h"

#define LANE_GAP 2

// Heights in pixels, from the size of the text.
typedef struct {
    int text; // of a lane's name
    int label; // of a phase's name, of a number
    int phases, lane, axis;
    int lanes_top, lanes, bottom; // of the lanes; bottom: where marks end
    int all;
} TimelineMetrics;

struct _RuiTimeline {
    GtkWidget parent_instance;
    RuiView *view;
    GArray *marks[RUI_MARKS]; // of guint64
    // borrowed from the widget
    GtkGesture *drag;
    GtkWidget *menu; // of the playhead, or NULL
    // owned
    GdkTexture *lanes; // of the range and width it was made for
    double lanes_from, lanes_until;
    int lanes_width, lanes_scale;
    const RwRunIndex *lanes_index;
    TimelineMetrics metrics;
    double pointer_x;
    guint gutter; // pixels of the lanes' names
};

// The part to the right of the lanes' names.
double timeline_get_left(RuiTimeline *timeline);
double timeline_get_width(RuiTimeline *timeline);
double timeline_to_x(RuiTimeline *timeline, double step);
double timeline_to_step(RuiTimeline *timeline, double x);

GdkRGBA timeline_get_color(RuiTimeline *timeline, const char *name, const char *fallback);

void timeline_snapshot_lanes(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_phases(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_axis(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_marks(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_playhead(RuiTimeline *timeline, GtkSnapshot *snapshot);

void timeline_add_controllers(RuiTimeline *timeline);
