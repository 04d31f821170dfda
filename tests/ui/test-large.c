// SPDX-License-Identifier: MIT
//
// A window on a run of a hundred thousand events: what it reads and makes for a look does not grow with the
// run. Counts only; tests/bench/app.sh measures time. And that a warning of GTK ends a test.
#include "harness.h"

#include "index-private.h"
#include "rui-log-model.h"
#include "rui-row.h"

#define EVENTS 100000

static RuiLogModel *get_log(App *app)
{
    return RUI_LOG_MODEL(rui_log_pane_get_lines(app->window->log));
}

static guint64 get_last(App *app)
{
    return rui_view_get_steps(app_get_view(app));
}

static guint get_blocks_read(App *app)
{
    return rw_trace_get_blocks_read(rw_session_run_get_trace(rui_view_get_run(app_get_view(app))));
}

static void open_large(App *app)
{
    g_autofree char *id = fixture_add_build_run(harness_get_home(), 0, EVENTS);
    app_open(app, id);
    g_assert_cmpuint(rw_session_run_get_events(rui_view_get_run(app_get_view(app))), >=, EVENTS);
}

static void go_to(App *app, guint64 step)
{
    rui_view_set_step(app_get_view(app), step);
    app_wait_idle(app);
}

// ---- The log ----

static void test_log_is_lazy(App *app, gconstpointer data)
{
    open_large(app);
    RuiLogModel *log = get_log(app);
    const RwText *text = rw_run_index_get_text(rui_view_get_index(app_get_view(app)), RW_TEXT_OUTPUT);
    guint lines = rw_text_count_lines(text, G_MAXUINT64);
    g_assert_cmpuint(lines, >, 10000);
    go_to(app, 0);
    guint before = rui_log_model_get_made(log);
    g_assert_cmpuint(rui_log_model_get_written(log), ==, 0);
    go_to(app, get_last(app));
    g_assert_cmpuint(rui_log_model_get_written(log), ==, lines);
    go_to(app, get_last(app) / 2);
    g_assert_cmpuint(rui_log_model_get_written(log), ==, rw_text_count_lines(text, get_last(app) / 2));
    g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(log)), ==,
                     lines); // those to come are there, too
    g_assert_cmpuint(rui_log_model_get_made(log) - before, <, 2000);
}

// A line of the log goes on at a later step: its row is made anew.
static void test_log_line_goes_on(App *app, gconstpointer data)
{
    RwText *text = rw_text_new();
    g_autoptr(RuiLogModel) log = rui_log_model_new();
    rw_text_append(text, 1, 1, 1, "one\ntw", 6);
    rw_text_append(text, 5, 1, 1, "o\nthree", 7);
    rui_log_model_set_text(log, text);
    const char *const at_1[] = {"one", "tw"}, *const at_5[] = {"one", "two", "three"};
    const struct {
        guint64 step;
        const char *const *lines;
        guint count;
    } looks[] = {{1, at_1, 2}, {5, at_5, 3}, {1, at_1, 2}, {0, NULL, 0}, {5, at_5, 3}};
    for (guint i = 0; i < G_N_ELEMENTS(looks); i++) {
        g_assert_true(rui_log_model_set_step(log, looks[i].step));
        g_assert_false(rui_log_model_set_step(log, looks[i].step));
        g_assert_cmpuint(rui_log_model_get_written(log), ==, looks[i].count);
        g_assert_cmpuint(g_list_model_get_n_items(G_LIST_MODEL(log)), ==, 3);
        for (guint k = 0; k < looks[i].count; k++) {
            g_autoptr(RuiLine) row = g_list_model_get_item(G_LIST_MODEL(log), k);
            RwLine line;
            rui_line_get(row, &line);
            g_assert_cmpmem(line.bytes, line.length, looks[i].lines[k], strlen(looks[i].lines[k]));
            g_assert_false(rui_line_is_to_come(row));
        }
    }
    g_autoptr(RuiLine) last = g_list_model_get_item(G_LIST_MODEL(log), 2);
    rui_log_model_set_step(log, 1);
    g_autoptr(RuiLine) to_come = g_list_model_get_item(G_LIST_MODEL(log), 2);
    g_assert_true(rui_line_is_to_come(to_come) && !rui_line_is_to_come(last));
    rui_log_model_set_text(log, NULL);
    rw_text_free(text);
}

// Of more than is kept the pane says where it ends, and only from there on.
static void test_log_is_cut(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_loud_run(harness_get_home(), TRUE);
    app_open(app, id);
    const RwText *text = rw_run_index_get_text(rui_view_get_index(app_get_view(app)), RW_TEXT_OUTPUT);
    guint64 cut = rw_text_get_cut(text);
    g_assert_cmpuint(cut, >, RW_TEXT_MAX / 64000 - 1);
    g_assert_cmpuint(cut, <, LOUD_STEPS);
    g_assert_cmpuint(rw_text_count_lines(text, cut - 1), ==, (cut - 1) * 1000);
    g_assert_cmpuint(rw_text_count_lines(text, G_MAXUINT64), ==, (cut - 1) * 1000);
    go_to(app, cut - 1);
    g_assert_false(rui_log_pane_is_cut(app->window->log));
    go_to(app, cut);
    g_assert_true(rui_log_pane_is_cut(app->window->log));
    app_take_picture(app, GTK_WINDOW(app->window), "log-cut");
    go_to(app, 1);
    g_assert_false(rui_log_pane_is_cut(app->window->log));
}

// ---- The files ----

static void on_changed(GListModel *model, guint position, guint removed, guint added, guint *mirror)
{
    *mirror = *mirror - removed + added;
    g_assert_cmpuint(g_list_model_get_n_items(model), ==, *mirror);
    g_assert_cmpuint(position + added, <=, *mirror);
}

static void check_files(App *app)
{
    GListModel *files = rui_file_list_get_rows(app->window->files);
    guint64 last = rui_view_get_step(app_get_view(app));
    for (guint i = 0; i < g_list_model_get_n_items(files); i++) {
        g_autoptr(RuiRow) row = g_list_model_get_item(files, i);
        const RwFileRow *file = rui_row_get(row);
        g_assert_cmpuint(file->step, <=, last);
        last = file->step;
    }
}

static void test_files(App *app, gconstpointer data)
{
    open_large(app);
    GListModel *files = rui_file_list_get_rows(app->window->files);
    guint mirror = g_list_model_get_n_items(files);
    g_signal_connect(files, "items-changed", G_CALLBACK(on_changed), &mirror);
    go_to(app, 0);
    wait_for(mirror == 0);
    go_to(app, get_last(app));
    wait_for(mirror > 500);
    check_files(app);
    guint all = mirror;
    go_to(app, get_last(app) / 2);
    wait_for(mirror < all);
    check_files(app);
    g_signal_handlers_disconnect_by_func(files, on_changed, &mirror);
}

// ---- The trace ----

// Timeline, log, processes and files know all they need of a step.
static void test_panes_read_nothing(App *app, gconstpointer data)
{
    open_large(app);
    app_show_tab(app, "runs");
    guint before = get_blocks_read(app);
    for (guint i = 0; i < 20; i++)
        go_to(app, get_last(app) * i / 20);
    g_assert_cmpuint(get_blocks_read(app), ==, before);
}

// Of many steps that the playhead passes without a pause only the last is looked at.
static void test_left_behind(App *app, gconstpointer data)
{
    open_large(app);
    app_show_tab(app, "moment");
    guint before = get_blocks_read(app);
    for (guint i = 0; i <= 200; i++)
        rui_view_set_step(app_get_view(app), get_last(app) * i / 200);
    app_wait_idle(app);
    g_assert_cmpuint(get_blocks_read(app) - before, <=, 16);
    g_assert_cmpuint(get_blocks_read(app) - before, >=, 1);
}

// ---- At rest ----

static gboolean on_late(gpointer data)
{
    *(gboolean *)data = TRUE;
    return G_SOURCE_REMOVE;
}

static void on_frame(guint *frames)
{
    (*frames)++;
}

// The frames drawn in the next half second: thirty, if something moves all the time.
static guint count_frames(App *app)
{
    guint frames = 0;
    gboolean late = FALSE;
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(app->window));
    gulong handler = g_signal_connect_swapped(clock, "update", G_CALLBACK(on_frame), &frames);
    g_timeout_add(500, on_late, &late);
    while (!late)
        g_main_context_iteration(NULL, TRUE);
    g_signal_handler_disconnect(clock, handler);
    return frames;
}

// A window where nothing happens draws nothing, as soon as what it did last has ended: GTK's scrollbars
// fade out a second after the last change.
static void check_rest(App *app)
{
    app_wait_idle(app);
    guint frames = count_frames(app);
    for (guint i = 0; i < 6 && frames > 3; i++)
        frames = count_frames(app);
    g_assert_cmpuint(frames, <=, 3); // a cursor may blink
}

static void test_rests(App *app, gconstpointer data)
{
    check_rest(app); // the start page
    open_large(app);
    go_to(app, get_last(app) / 2);
    static const char *const tabs[] = {"moment", "compare", "file", "runs"};
    for (guint i = 0; i < G_N_ELEMENTS(tabs); i++) {
        app_show_tab(app, tabs[i]);
        check_rest(app);
    }
}

// ---- GTK's own complaints ----

static void test_criticals_are_fatal(App *app, gconstpointer data)
{
    if (g_test_subprocess()) {
        gtk_label_set_text(NULL, "");
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*gtk_label_set_text*");
}

static void test_warnings_are_fatal(App *app, gconstpointer data)
{
    if (g_test_subprocess()) {
        gtk_widget_activate_action(GTK_WIDGET(app->window), "win.no-such-action", NULL);
        g_autoptr(GtkWidget) label = g_object_ref_sink(gtk_label_new(NULL));
        gtk_label_set_markup(GTK_LABEL(label), "<b>");
        return;
    }
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*Failed to set text*");
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/large/log-is-lazy", test_log_is_lazy},
        {"/large/log-line-goes-on", test_log_line_goes_on},
        {"/large/log-is-cut", test_log_is_cut},
        {"/large/files", test_files},
        {"/large/panes-read-nothing", test_panes_read_nothing},
        {"/large/left-behind", test_left_behind},
        {"/large/rests", test_rests},
        {"/large/criticals-are-fatal", test_criticals_are_fatal},
        {"/large/warnings-are-fatal", test_warnings_are_fatal},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
