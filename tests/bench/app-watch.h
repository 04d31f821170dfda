// SPDX-License-Identifier: MIT
//
// What the main loop does with its time: how long one round of it takes, how long a frame takes to make.
#pragma once

#include <gtk/gtk.h>

typedef enum {
    WATCH_FRAME, // from the frame clock's first signal to its last
    WATCH_GAP, // from one frame to the next
    WATCH_REQUEST, // a round of the main loop without a frame
    WATCH_ROUND, // any round
    WATCH_KINDS,
} WatchKind;

typedef struct {
    GArray *wall, *cpu; // of double, ms; cpu is the main thread's own
} WatchSeries;

// One at a time: GLib's poll function has no data.
void watch_start(GtkWidget *window);
void watch_stop(void);
void watch_clear(void);
const WatchSeries *watch_get(WatchKind kind);
// fraction 0 to 1; 0 when nothing was measured.
double watch_percentile(const GArray *values, double fraction);

// MB, from /proc/self/status: "VmRSS", "VmHWM", "RssAnon".
double watch_memory(const char *field);
