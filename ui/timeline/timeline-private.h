// SPDX-License-Identifier: MIT
#pragma once

#include "rui-timeline.h"
#include "rui-thread-hues.h"

#define LANE_GAP 1 // below each strip of the events' lane
#define GUTTER_MARGIN 6 // left of the names
#define GUTTER_GAP 10 // right of them

// Pixels, from the font, which is the theme's for captions.
typedef struct {
    int text; // height of a line
    int overview, phases, row, strip, axis; // heights; strip: of a kind of events
    int phases_top, rows_top, lanes_top, lanes, bottom; // bottom: where the marks' lines end
    int all;
    int gutter; // width of the names
    guint rows; // so many are in sight
    guint strips; // kinds of events that there are
} TimelineMetrics;

// What a texture was made of.
typedef struct {
    double from, until;
    int width, height, scale;
    guint first_row;
    const RwRunIndex *index, *compared;
    const RwSpan *selected;
    gboolean dark, time, threads;
} TimelinePicture;

typedef enum {
    CHEVRON_FAILURE,
    CHEVRON_PARTING,
    CHEVRON_PLAYHEAD,
    CHEVRONS,
} TimelineChevron;

// What a drag moves.
typedef enum { DRAG_PLAYHEAD, DRAG_SLICE, DRAG_RANGE, DRAG_OVERVIEW, DRAG_NOTHING } TimelineDrag;

struct _RuiTimeline {
    GtkWidget parent_instance;
    RuiView *view;
    GArray *marks[RUI_MARKS]; // of guint64
    // borrowed from the widget
    GtkGesture *drag;
    GtkWidget *menu; // of the playhead, or NULL
    GtkWidget *choice; // Processes or Threads, left of the rows
    // owned
    GdkTexture *lanes, *rows, *overview; // or NULL
    TimelinePicture lanes_of, rows_of, overview_of;
    TimelineMetrics metrics;
    double pointer_x;
    guint first_row; // of those in sight; of threads, of both runs
    gboolean time_axis, threads;
    int names; // width of the threads' names; 0: not measured
    guint thread; // number of the row that was chosen, or RW_NO_THREAD
    RwSessionRun *compared; // or NULL
    RuiThreadHues *hues; // of the threads of both; NULL: not made yet
    TimelineDrag dragging;
    guint64 drag_from; // step where a range begins
};

// timeline.c: a row per process, or per thread.
guint timeline_count_rows(RuiTimeline *timeline);
guint timeline_get_page(RuiTimeline *timeline); // how many of them are in sight, of one run
void timeline_scroll_rows(RuiTimeline *timeline, int rows);
void timeline_show_row(RuiTimeline *timeline, guint row); // scrolls it into sight
void timeline_update_accessible(RuiTimeline *timeline);
// The pictures are made anew.
void timeline_forget(RuiTimeline *timeline);

// timeline-axis.c. The part to the right of the names:
double timeline_get_left(RuiTimeline *timeline);
double timeline_get_width(RuiTimeline *timeline);
double timeline_to_x(RuiTimeline *timeline, double step);
double timeline_to_step(RuiTimeline *timeline, double x);
// Where a step is on the axis, which has steps or virtual time; and back.
double timeline_to_place(RuiTimeline *timeline, double step);
double timeline_from_place(RuiTimeline *timeline, double place);
// The virtual time of a run of that index at a place of this run's axis.
guint64 timeline_get_time_at(RuiTimeline *timeline, const RwRunIndex *index, double x);
// The same with all of the run across the width.
double timeline_to_overview(RuiTimeline *timeline, double step);
double timeline_from_overview(RuiTimeline *timeline, double x);
gboolean timeline_shows_all(RuiTimeline *timeline);

// What is told of a place: of a name what it stands for, else the step and what is there.
char *timeline_dup_tooltip(RuiTimeline *timeline, int x, int y);
char *timeline_dup_description(void); // of all kinds of events
char *timeline_dup_process(const RwSpan *process); // "cc m07.c, process 12, exited with 1"
const RwSpan *timeline_get_span_at(RuiTimeline *timeline, double x, double y); // or NULL

// A line of text; width 0: as wide as it is, else with an ellipsis.
PangoLayout *timeline_layout_new(RuiTimeline *timeline, const char *text, double width);

gboolean timeline_is_dark(RuiTimeline *timeline); // light text on a dark window
GdkRGBA timeline_get_color(RuiTimeline *timeline, const char *light, const char *dark);
GdkRGBA timeline_get_red(RuiTimeline *timeline);
GdkRGBA timeline_get_blue(RuiTimeline *timeline);
GdkRGBA timeline_get_mark_color(RuiTimeline *timeline, RuiMarkKind kind); // of those that may be many
GdkRGBA timeline_get_text_color(RuiTimeline *timeline, float alpha);
void timeline_append_rect(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double width,
                          double height);
void timeline_append_layout(GtkSnapshot *snapshot, PangoLayout *layout, double x, double y,
                            const GdkRGBA *color);
// Whether the texture is of what is to be shown now; if not it is forgotten, and *of is what it must be of.
gboolean timeline_is_current(RuiTimeline *timeline, GdkTexture **texture, TimelinePicture *of, int height);
// One of what it must be of: `draw` sets its pixels, which are clear at first, each 0xAARRGGBB.
GdkTexture *timeline_draw_texture(RuiTimeline *timeline, const TimelinePicture *of,
                                  void (*draw)(RuiTimeline *timeline, guint32 *pixels));

// timeline-lanes.c: a strip for each kind of events that there is.
guint timeline_count_strips(RuiTimeline *timeline);
gboolean timeline_get_strip(RuiTimeline *timeline, int y, RwTrack *ret_track);

// timeline-threads.c: a row for each thread, and those of the compared run below.
typedef struct {
    const RwRunIndex *index;
    const RwThreadRows *rows;
    int top; // where the first one in sight is drawn
    guint first, end; // numbers of those in sight
    gboolean compared;
} TimelineThreads;

// Of this run, or of the compared one; false: there is none.
gboolean timeline_get_threads(RuiTimeline *timeline, gboolean compared, TimelineThreads *ret);
// The row at a place, names included; NULL: none.
const RwThreadRow *timeline_get_thread_at(RuiTimeline *timeline, double y, TimelineThreads *ret_of,
                                          guint *ret_number);
void timeline_set_threads(RuiTimeline *timeline, gboolean threads);
guint timeline_get_thread_hue(RuiTimeline *timeline, const TimelineThreads *of,
                              guint number); // for rui_hue()
void timeline_refresh_threads(RuiTimeline *timeline); // another compared run, or it is loaded now
void timeline_choose_thread(RuiTimeline *timeline, guint number); // and selects its process
gboolean timeline_choose_next_thread(RuiTimeline *timeline, gboolean down);
int timeline_measure_threads(RuiTimeline *timeline); // width of the names
void timeline_snapshot_threads(RuiTimeline *timeline, GtkSnapshot *snapshot);
GtkWidget *timeline_choice_new(RuiTimeline *timeline);

// timeline-thread-draw.c
void timeline_draw_threads(RuiTimeline *timeline, guint32 *pixels);

// timeline-thread-words.c
char *timeline_dup_thread(const RwThreadRow *row); // "worker 40/43 server"
char *timeline_dup_thread_state(const RwThreadRows *rows, const RwThreadRow *row, guint64 time);
char *timeline_dup_thread_tooltip(RuiTimeline *timeline, double x, double y);
// Who has the CPU at the playhead, and what the chosen thread does.
char *timeline_dup_threads_text(RuiTimeline *timeline);

void timeline_snapshot_overview(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_rows(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_lanes(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_phases(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_axis(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_selection(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_marks(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_playhead(RuiTimeline *timeline, GtkSnapshot *snapshot);
void timeline_snapshot_chevrons(RuiTimeline *timeline, GtkSnapshot *snapshot);

// The arrow at an edge to what is out of sight that way.
gboolean timeline_find_chevron(RuiTimeline *timeline, double x, double y, TimelineChevron *ret);
gboolean timeline_get_chevron(RuiTimeline *timeline, TimelineChevron chevron, GdkRectangle *ret);
void timeline_follow_chevron(RuiTimeline *timeline, TimelineChevron chevron);
char *timeline_dup_chevron(RuiTimeline *timeline, TimelineChevron chevron);

void timeline_add_controllers(RuiTimeline *timeline);
void timeline_add_keys(RuiTimeline *timeline);
void timeline_add_menu(RuiTimeline *timeline);
