// SPDX-License-Identifier: MIT
#pragma once

#include "rui-timeline.h"

#define LANE_GAP 1
#define GUTTER_MARGIN 6 // left of the lanes' names
#define GUTTER_GAP 10 // right of them

// Pixels, from the font, which is the theme's for captions.
typedef struct {
    int text; // height of a line
    int phases, lane, axis; // heights
    int lanes_top, lanes, bottom; // of the lanes; bottom: where marks end
    int all;
    int gutter; // width of the lanes' names
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
    gboolean lanes_dark;
    TimelineMetrics metrics;
    double pointer_x;
};

// The part to the right of the lanes' names.
double timeline_get_left(RuiTimeline *timeline);
double timeline_get_width(RuiTimeline *timeline);
double timeline_to_x(RuiTimeline *timeline, double step);
double timeline_to_step(RuiTimeline *timeline, double x);

// What is told of a place: of a lane's name what it shows, else the step and what the lane has there.
char *timeline_dup_tooltip(RuiTimeline *timeline, int x, int y);
char *timeline_dup_description(void); // of all lanes

// A line of text; width 0: as wide as it is, else with an ellipsis.
PangoLayout *timeline_layout_new(RuiTimeline *timeline, const char *text, double width);

gboolean timeline_is_dark(RuiTimeline *timeline); // light text on a dark window
GdkRGBA timeline_get_color(RuiTimeline *timeline, const char *light, const char *dark);

void timeline_snapshot_lanes(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_phases(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_axis(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_marks(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_playhead(RuiTimeline *timeline, GtkSnapshot *snapshot);

void timeline_add_controllers(RuiTimeline *timeline);
