// SPDX-License-Identifier: MIT
//
// The app on a run of a million events: time to the first picture, frames and the main loop while the
// playhead is dragged with each tab open, memory. Figures only: nothing here passes or fails by time.
#include "app-drag.h"
#include "app-watch.h"

#include <stdio.h>
#include <stdlib.h>

#define DRAG_SECONDS 3.0

static guint64 event_count = 1000000;
static const char *program;

// In a process of its own, so that its memory is not the app's.
static char *make_run(guint64 part_at)
{
    g_autofree char *events = g_strdup_printf("%" G_GUINT64_FORMAT, event_count);
    g_autofree char *part = g_strdup_printf("%" G_GUINT64_FORMAT, part_at);
    const char *argv[] = {program, "--make", harness_get_home(), events, part, NULL};
    char *id = NULL;
    g_autoptr(GError) error = NULL;
    gint status;
    g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &id, NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_cmpint(status, ==, 0);
    return g_strstrip(id);
}

static double get_ms(void)
{
    return (double)g_get_monotonic_time() / 1000;
}

// ---- Printing ----

static void print_head(const char *what)
{
    printf("\n| %s | positions | frames | frame CPU ms: median | 95 %% | max | frame ms: median | 95 %% | "
           "max | gap ms: 95 %% | "
           "max | request CPU ms: max | ms: max | blocked ms: max "
           "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
           what);
}

static void print_row(const char *what, guint positions)
{
    const WatchSeries *frame = watch_get(WATCH_FRAME), *gap = watch_get(WATCH_GAP);
    const WatchSeries *request = watch_get(WATCH_REQUEST), *round = watch_get(WATCH_ROUND);
    printf(
        "| %s | %u | %u | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
        what, positions, frame->wall->len, watch_percentile(frame->cpu, 0.5),
        watch_percentile(frame->cpu, 0.95), watch_percentile(frame->cpu, 1),
        watch_percentile(frame->wall, 0.5), watch_percentile(frame->wall, 0.95),
        watch_percentile(frame->wall, 1), watch_percentile(gap->wall, 0.95), watch_percentile(gap->wall, 1),
        watch_percentile(request->cpu, 1), watch_percentile(request->wall, 1),
        watch_percentile(round->wall, 1));
    fflush(stdout);
}

// ---- Opening ----

typedef struct {
    App *app;
    double first, lanes; // ms, 0 until then
} Opening;

static void on_painted(GdkFrameClock *clock, Opening *opening)
{
    if (strcmp(rui_window_get_page(opening->app->window), "run"))
        return;
    if (!opening->first)
        opening->first = get_ms();
    if (!opening->lanes && rui_view_get_index(rui_window_get_view(opening->app->window)))
        opening->lanes = get_ms();
}

static void measure_opening(App *app, const char *id)
{
    Opening opening = {.app = app};
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(app->window));
    gulong handler = g_signal_connect(clock, "after-paint", G_CALLBACK(on_painted), &opening);
    watch_clear();
    double start = get_ms();
    rui_window_open_run(app->window, id, NULL, RUI_NO_STEP);
    while (!opening.lanes)
        g_main_context_iteration(NULL, TRUE);
    g_signal_handler_disconnect(clock, handler);
    printf("opened to first picture: %.0f ms; to a picture with everything: %.0f ms\n",
           opening.first - start, opening.lanes - start);
    print_head("opening");
    print_row("open", 0);
}

// ---- Dragging ----

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    return G_SOURCE_CONTINUE;
}

// As many frames as GTK's own clock gives when there is nothing to draw.
static void measure_clock(App *app)
{
    guint tick = gtk_widget_add_tick_callback(GTK_WIDGET(app->window), on_tick, NULL, NULL);
    watch_clear();
    double until = get_ms() + DRAG_SECONDS * 1000;
    while (get_ms() < until)
        g_main_context_iteration(NULL, TRUE);
    print_row("frames alone", 0);
    gtk_widget_remove_tick_callback(GTK_WIDGET(app->window), tick);
}

static void show_tab(App *app, const char *tab)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", tab);
    app_wait_idle(app);
}

static void measure_drag(App *app, const char *what)
{
    watch_clear();
    guint positions = drag_across(app, GTK_WIDGET(app->window->timeline), DRAG_SECONDS);
    print_row(what, positions);
    app_wait_idle(app);
}

static void measure_tabs(App *app)
{
    static const char *const tabs[] = {"moment", "compare", "file", "runs"};
    print_head("dragging, tab");
    measure_clock(app);
    for (guint i = 0; i < G_N_ELEMENTS(tabs); i++) {
        show_tab(app, tabs[i]);
        measure_drag(app, tabs[i]);
    }
    show_tab(app, "moment");
    rui_log_pane_show_kernel(app->window->log, TRUE);
    measure_drag(app, "moment, kernel log");
    rui_log_pane_show_kernel(app->window->log, FALSE);
}

// ---- Other things that take a while ----

static void measure_zoom(App *app)
{
    watch_clear();
    for (guint i = 0; i < 40; i++) {
        gtk_widget_activate_action(GTK_WIDGET(app->window), "win.zoom", "b", i < 20);
        double until = get_ms() + 16;
        while (get_ms() < until)
            g_main_context_iteration(NULL, FALSE);
    }
    print_row("zoom in and out", 40);
}

static void measure_search(App *app, const char *text)
{
    double start = get_ms();
    watch_clear();
    rui_search_pane_open(app->window->search);
    rui_search_pane_set_text(app->window->search, text);
    wait_for(*rui_search_pane_get_count(app->window->search));
    double found = get_ms();
    app_wait_idle(app);
    g_autofree char *what = g_strdup_printf("search “%s”: %s in %.0f ms", text,
                                            rui_search_pane_get_count(app->window->search), found - start);
    print_row(what, 0);
    rui_search_pane_close(app->window->search);
}

static void measure_compare(App *app, const char *other)
{
    RuiView *view = rui_window_get_view(app->window);
    double start = get_ms();
    watch_clear();
    rui_window_compare(app->window, other);
    wait_for(rui_view_get_comparison(view));
    double compared = get_ms();
    show_tab(app, "compare");
    g_autofree char *what = g_strdup_printf("compare in %.0f ms", compared - start);
    print_row(what, 0);
    measure_drag(app, "drag, compared");
}

// A row a thread in the place of the processes.
static void measure_threads(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.threads", NULL);
    app_wait_idle(app);
    print_head("threads");
    measure_drag(app, "drag, threads");
    measure_zoom(app);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.threads", NULL);
    app_wait_idle(app);
}

static void measure(App *app, gconstpointer data)
{
    double start = get_ms();
    g_autofree char *id = make_run(0);
    printf("made up in %.1f s\n", (get_ms() - start) / 1000);
    g_autofree char *other = make_run(event_count / 2);
    wait_for(rw_session_find(rui_application_get_session(app->application), other));
    app_wait_idle(app);
    watch_start(GTK_WIDGET(app->window));
    double before = watch_memory("VmRSS");
    measure_opening(app, id);
    app_wait_idle(app);
    RwSessionRun *run = rui_view_get_run(rui_window_get_view(app->window));
    printf("\n%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " steps, window %d×%d\n",
           rw_session_run_get_events(run), rw_session_run_get_steps(run),
           gtk_widget_get_width(GTK_WIDGET(app->window)), gtk_widget_get_height(GTK_WIDGET(app->window)));
    double opened = watch_memory("VmRSS");
    measure_tabs(app);
    measure_threads(app);
    print_head("other");
    measure_zoom(app);
    measure_search(app, "unit77");
    measure_search(app, "nothing like this");
    double single = watch_memory("VmHWM");
    measure_compare(app, other);
    measure_threads(app);
    printf("\nmemory, MB: %.0f at the start page, %.0f opened, %.0f at most; %.0f with a second run "
           "compared\n",
           before, opened, single, watch_memory("VmHWM"));
    watch_stop();
}

static void add_tests(void)
{
    g_test_add("/app/bench", App, NULL, app_set_up, measure, app_tear_down);
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (argc == 5 && !strcmp(argv[1], "--make")) {
        g_autofree char *id = fixture_add_build_run(argv[2], g_ascii_strtoull(argv[4], NULL, 10),
                                                    g_ascii_strtoull(argv[3], NULL, 10));
        puts(id);
        return 0;
    }
    if (g_getenv("REWIND_BENCH_EVENTS"))
        event_count = g_ascii_strtoull(g_getenv("REWIND_BENCH_EVENTS"), NULL, 10);
    return harness_main(&argc, &argv, add_tests);
}
