// SPDX-License-Identifier: MIT
#include "app-watch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    double wall, cpu; // ms
} Instant;

// The poll function that GLib calls has no data, and this program has one main loop.
static struct {
    GPollFunc poll;
    GdkFrameClock *clock;
    WatchSeries series[WATCH_KINDS];
    Instant woken, frame, shown;
    gboolean has_frame;
} watch;

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static Instant now(void)
{
    return (Instant){read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_THREAD_CPUTIME_ID)};
}

static void note(WatchKind kind, Instant since, Instant until)
{
    double wall = until.wall - since.wall, cpu = until.cpu - since.cpu;
    g_array_append_val(watch.series[kind].wall, wall);
    g_array_append_val(watch.series[kind].cpu, cpu);
}

static gint watched_poll(GPollFD *fds, guint count, gint timeout)
{
    Instant before = now();
    if (watch.woken.wall > 0) {
        note(WATCH_ROUND, watch.woken, before);
        if (!watch.has_frame)
            note(WATCH_REQUEST, watch.woken, before);
    }
    gint ready = watch.poll(fds, count, timeout);
    watch.woken = now();
    watch.has_frame = FALSE;
    return ready;
}

static void on_begin(GdkFrameClock *clock)
{
    watch.frame = now();
    watch.has_frame = TRUE;
}

static void on_end(GdkFrameClock *clock)
{
    Instant end = now();
    if (!watch.has_frame) // it began before it was watched
        return;
    note(WATCH_FRAME, watch.frame, end);
    if (watch.shown.wall > 0)
        note(WATCH_GAP, watch.shown, end);
    watch.shown = end;
}

void watch_start(GtkWidget *window)
{
    for (guint i = 0; i < WATCH_KINDS; i++)
        watch.series[i] = (WatchSeries){g_array_new(FALSE, FALSE, sizeof(double)),
                                        g_array_new(FALSE, FALSE, sizeof(double))};
    watch.clock = g_object_ref(gtk_widget_get_frame_clock(window));
    g_signal_connect(watch.clock, "before-paint", G_CALLBACK(on_begin), NULL);
    g_signal_connect(watch.clock, "after-paint", G_CALLBACK(on_end), NULL);
    watch.poll = g_main_context_get_poll_func(NULL);
    g_main_context_set_poll_func(NULL, watched_poll);
}

void watch_stop(void)
{
    g_main_context_set_poll_func(NULL, watch.poll);
    g_signal_handlers_disconnect_by_func(watch.clock, on_begin, NULL);
    g_signal_handlers_disconnect_by_func(watch.clock, on_end, NULL);
    g_clear_object(&watch.clock);
    for (guint i = 0; i < WATCH_KINDS; i++) {
        g_array_unref(watch.series[i].wall);
        g_array_unref(watch.series[i].cpu);
    }
}

void watch_clear(void)
{
    for (guint i = 0; i < WATCH_KINDS; i++) {
        g_array_set_size(watch.series[i].wall, 0);
        g_array_set_size(watch.series[i].cpu, 0);
    }
    watch.woken = watch.shown = (Instant){0};
}

const WatchSeries *watch_get(WatchKind kind)
{
    return &watch.series[kind];
}

static int compare(gconstpointer a, gconstpointer b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double watch_percentile(const GArray *values, double fraction)
{
    if (!values->len)
        return 0;
    g_autofree double *sorted = g_memdup2(values->data, values->len * sizeof(double));
    qsort(sorted, values->len, sizeof(double), compare);
    return sorted[(guint)((values->len - 1) * fraction + 0.5)];
}

double watch_memory(const char *field)
{
    g_autofree char *status = NULL;
    if (!g_file_get_contents("/proc/self/status", &status, NULL, NULL))
        return 0;
    const char *line = strstr(status, field);
    return line ? g_ascii_strtod(line + strlen(field) + 1, NULL) / 1024 : 0;
}
