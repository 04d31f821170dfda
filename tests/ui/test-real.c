// SPDX-License-Identifier: MIT
//
// A real example from nothing to the end, in the app alone: record, check, open, see where the runs part,
// read a file at both sides of it, fork. $REWIND_EXAMPLE is its root filesystem.
#include "harness.h"

#include "rui-log-model.h"
#include "rui-row.h"

static const char *get_root(void)
{
    const char *root = g_getenv("REWIND_EXAMPLE");
    g_assert_nonnull(root);
    return root;
}

static void record_in(App *app, const char *command, const char *cwd)
{
    RuiRecordWindow *form = app_fill_form(app, get_root(), command, cwd);
    app_take_picture(app, GTK_WINDOW(form), "new-run");
    app_record(form);
    wait_for(rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
}

static void record(App *app, const char *command)
{
    record_in(app, command, "");
}

static guint count_done(App *app)
{
    return rw_session_work_get_done(rui_check_pane_get_work(app->window->check));
}

static const RwCheckCell *find_failing_cell(App *app)
{
    const GPtrArray *cells = rw_session_work_get_cells(rui_check_pane_get_work(app->window->check));
    for (guint i = 0; i < cells->len; i++)
        if (((const RwCheckCell *)cells->pdata[i])->state == RW_CELL_DIFFERS)
            return cells->pdata[i];
    return NULL;
}

static void check(App *app, guint count)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.check", "u", count);
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    g_assert_nonnull(work);
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    app_wait_idle(app);
}

static guint64 find_job_start(App *app)
{
    return rw_run_index_get_job_start(rui_view_get_index(app_get_view(app)));
}

// Who was held where is found, too.
static void wait_until_all_is_known(App *app)
{
    gboolean busy = TRUE;
    while (busy) {
        g_object_get(app_get_view(app), "busy", &busy, NULL);
        g_main_context_iteration(NULL, busy);
    }
}

// Record, check from the job's start, compare with what fails.
static void test_find_the_bug(App *app, gconstpointer data)
{
    record_in(app, "make check", "/src");
    RwRunItem *item = rw_session_run_get_item(rui_view_get_run(app_get_view(app)));
    g_autofree char *passing = g_strdup(rw_run_item_get_ref(item));
    g_assert_cmpint(rw_run_item_get_verdict(item), ==, RW_VERDICT_PASSED);
    rui_view_set_step(app_get_view(app), 0); // from the job's start, then
    check(app, 32);
    g_assert_cmpuint(count_done(app), ==, 32);
    const RwCheckCell *failing = find_failing_cell(app);
    g_assert_nonnull(failing);
    // Its runs are one row below the one that was checked.
    wait_for(g_list_model_get_n_items(rui_run_list_get_rows(app->window->runs)) == 2);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "check");
    // A cell opens the failing run at its failure, the passing one beside it.
    g_signal_emit_by_name(app->window->check, "compare", failing->ref);
    wait_for(rui_view_get_comparison(app_get_view(app)) && rui_view_get_index(app_get_view(app)));
    wait_until_all_is_known(app);
    RwSessionComparison *comparison = rui_view_get_comparison(app_get_view(app));
    g_assert_cmpuint(rw_session_comparison_get_left_step(comparison), >, 0);
    g_assert_cmpuint(rw_session_comparison_get_schedules_step(comparison), >, 0);
    RwSessionRun *beside = rui_view_get_compared(app_get_view(app));
    g_assert_cmpstr(rw_run_item_get_ref(rw_session_run_get_item(beside)), ==, passing);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==,
                     rw_run_index_get_failure(rui_view_get_index(app_get_view(app))));
    app_wait_idle(app);
    g_autofree char *ledger = rui_log_pane_dup_text(app->window->log);
    g_assert_nonnull(strstr(ledger, "MONEY IS MISSING"));
    app_take_picture(app, GTK_WINDOW(app->window), "failure");
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.divergence", NULL);
    app_wait_idle(app);
    g_autofree char *here = rui_log_pane_dup_text(app->window->log);
    app_take_picture(app, GTK_WINDOW(app->window), "divergence");
    // What only one of the two got where their schedules part.
    rui_view_set_step(app_get_view(app),
                      rw_session_comparison_get_schedules_step(rui_view_get_comparison(app_get_view(app))));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "moment");
    wait_for(gtk_widget_get_visible(GTK_WIDGET(rui_moment_page_get_difference(app->window->moment))));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "parting");
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.divergence", NULL);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.swap", NULL); // the other run at that point
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_wait_idle(app);
    g_autofree char *there = rui_log_pane_dup_text(app->window->log);
    g_assert_cmpstr(here, !=, there);
}

// What was asked for, or a failure that says why not.
static void wait_file(App *app, const char *state)
{
    RuiFilePage *file = app->window->file;
    wait_for(!strcmp(rui_file_page_get_state(file), state) ||
             !strcmp(rui_file_page_get_state(file), "problem"));
    if (strcmp(rui_file_page_get_state(file), state))
        g_error("%s", rui_file_page_get_problem(file));
}

static void read_file(App *app, guint64 step, const char *path, const char *state)
{
    rui_view_set_step(app_get_view(app), step);
    rui_view_set_path(app_get_view(app), path);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "file");
    app_wait_idle(app);
    wait_file(app, state);
}

static void test_files(App *app, gconstpointer data)
{
    record(app,
           "sh -c 'echo one > /tmp/f; echo first; echo two > /tmp/f; echo second; rm /tmp/f; echo third'");
    GListModel *lines = rui_log_pane_get_lines(app->window->log);
    guint64 steps[3];
    for (guint i = 0; i < 3; i++) {
        g_autoptr(RuiLine) line = g_list_model_get_item(lines, i);
        RwLine text;
        rui_line_get(line, &text);
        steps[i] = text.step;
    }
    read_file(app, steps[0], "/tmp/f", "text");
    g_autofree char *one = rui_file_page_dup_text(app->window->file);
    g_assert_cmpstr(one, ==, "one\n");
    read_file(app, steps[1], "/tmp/f", "text");
    g_autofree char *two = rui_file_page_dup_text(app->window->file);
    g_assert_cmpstr(two, ==, "two\n");
    read_file(app, steps[2], "/tmp/f", "absent");
    read_file(app, steps[1], "/bin/busybox", "hex");
    app_take_picture(app, GTK_WINDOW(app->window), "hex");
    read_file(app, steps[1], "/src/bank.c", "text");
    app_take_picture(app, GTK_WINDOW(app->window), "file");
    read_file(app, steps[1], "/src", "folder");
    GListModel *rows = rui_file_page_get_folder(app->window->file);
    guint found = g_list_model_get_n_items(rows);
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(RuiRow) row = g_list_model_get_item(rows, i);
        if (!strcmp(((const RwFolderRow *)rui_row_get(row))->name, "bank.c"))
            found = i;
    }
    g_assert_cmpuint(found, <, g_list_model_get_n_items(rows));
    app_take_picture(app, GTK_WINDOW(app->window), "folder");
    // Into one of its files, and up again.
    g_signal_emit_by_name(harness_find_list(GTK_WIDGET(app->window->file)), "activate", found);
    wait_file(app, "text");
    g_assert_cmpstr(rui_view_get_path(app_get_view(app)), ==, "/src/bank.c");
    gtk_widget_activate_action(GTK_WIDGET(app->window->file), "file.up", NULL);
    wait_file(app, "folder");
    read_file(app, steps[1], "/dev/null", "problem"); // neither a file nor a folder
}

// A file larger than what is shown at first: its first part, more of it, all of it as a file.
static void test_large_file(App *app, gconstpointer data)
{
    record(app, "sh -c 'yes 0123456 | head -n 1500000 > /tmp/big; echo done'");
    guint64 step = rui_view_get_steps(app_get_view(app));
    read_file(app, step, "/tmp/big", "text");
    g_assert_true(rui_file_page_has_more(app->window->file));
    g_autofree char *first = rui_file_page_dup_text(app->window->file);
    g_assert_cmpuint(strlen(first), ==, 8u << 20);
    app_take_picture(app, GTK_WINDOW(app->window), "large-file");
    gtk_widget_activate_action(GTK_WIDGET(app->window->file), "file.more", NULL);
    wait_for(!rui_file_page_has_more(app->window->file) &&
             !strcmp(rui_file_page_get_state(app->window->file), "text"));
    g_autofree char *all = rui_file_page_dup_text(app->window->file);
    g_assert_cmpuint(strlen(all), ==, 12000000);
    g_autofree char *path = g_build_filename(harness_get_home(), "big", NULL);
    g_autoptr(GFile) file = g_file_new_for_path(path);
    rui_file_page_save(app->window->file, file);
    wait_for(app_says(app, "Saved"));
    g_autofree char *saved = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &saved, &length, NULL));
    g_assert_cmpuint(length, ==, 12000000);
    g_assert_cmpstr(saved, ==, all);
}

static void test_fork(App *app, gconstpointer data)
{
    record(app, "make -C /src check");
    guint64 step = find_job_start(app) + 5;
    RwSessionRun *run = rui_view_get_run(app_get_view(app));
    g_autoptr(RwSessionWork) work = rw_session_fork(run, step, 7, (RwWorkOptions){.keyframes = TRUE});
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    const char *ref = rw_session_work_get_result(work);
    RwSession *session = rui_application_get_session(app->application);
    wait_for(rw_session_find(session, ref));
    RwRunItem *item = rw_session_find(session, ref);
    g_assert_cmpstr(rw_run_item_get_parent(item), ==, rw_run_item_get_id(rw_session_run_get_item(run)));
    g_assert_cmpuint(rw_run_item_get_parent_step(item), ==, step);
    // The list shows it below its parent.
    GListModel *rows = rui_run_list_get_rows(app->window->runs);
    wait_for(g_list_model_get_n_items(rows) == 2);
    g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rows, 1);
    g_assert_cmpuint(gtk_tree_list_row_get_depth(row), ==, 1);
}

static gboolean has_keyframes(const char *ref)
{
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", ref, "keyframes", NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

// What the preferences say of keyframes and checks is what is done.
static void test_preferences(App *app, gconstpointer data)
{
    GSettings *settings = app->window->settings;
    record(app, "make -C /src check");
    RwSessionRun *run = rui_view_get_run(app_get_view(app));
    g_assert_true(has_keyframes(rw_run_item_get_ref(rw_session_run_get_item(run))));
    g_settings_set_boolean(settings, "record-keyframes", FALSE);
    g_settings_set_uint(settings, "check-threads", 1);
    g_settings_set_uint(settings, "check-schedules", 3);
    check(app, 0);
    const GPtrArray *cells = rw_session_work_get_cells(rui_check_pane_get_work(app->window->check));
    g_assert_cmpuint(cells->len, ==, 3);
    for (guint i = 0; i < cells->len; i++)
        g_assert_cmpstr(((const RwCheckCell *)cells->pdata[i])->ref, !=, NULL);
    record(app, "make -C /src check other=1");
    run = rui_view_get_run(app_get_view(app));
    g_assert_false(has_keyframes(rw_run_item_get_ref(rw_session_run_get_item(run))));
    g_settings_reset(settings, "record-keyframes");
    g_settings_reset(settings, "check-threads");
    g_settings_reset(settings, "check-schedules");
}

static void test_cancel(App *app, gconstpointer data)
{
    RuiRecordWindow *window =
        app_fill_form(app, get_root(), "sh -c 'echo started; while :; do :; done'", "");
    gtk_widget_activate_action(GTK_WIDGET(window), "record.start", NULL);
    RwSessionWork *work = g_object_ref(rui_record_window_get_work(window));
    for (gboolean started = FALSE; !started;) {
        g_main_context_iteration(NULL, TRUE);
        g_autofree char *log = rui_record_window_dup_log(window);
        started = strstr(log, "started") != NULL;
    }
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(window), "recording");
    gtk_widget_activate_action(GTK_WIDGET(window), "record.cancel", NULL);
    wait_for(!rw_session_work_is_running(work));
    g_assert_null(harness_find_window(RUI_TYPE_RECORD_WINDOW));
    g_assert_null(rw_session_work_get_problem(work));
    g_assert_null(rw_session_work_get_result(work));
    g_object_unref(work);
    RwSession *session = rui_application_get_session(app->application);
    rw_session_refresh(session);
    wait_for(!rw_session_get_loading(session));
    g_assert_cmpuint(g_list_model_get_n_items(rw_session_get_runs(session)), ==, 0);
}

static void test_cancel_check(App *app, gconstpointer data)
{
    record(app, "make -C /src check");
    rui_view_set_step(app_get_view(app), find_job_start(app));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.check", "u", 64);
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    // It shows life; runs may be shorter than the time between two looks at them.
    gboolean alive = FALSE;
    while (rw_session_work_is_running(work) && !(alive && count_done(app))) {
        g_main_context_iteration(NULL, TRUE);
        for (guint i = 0; i < 64 && !alive; i++)
            alive = gtk_widget_has_css_class(rui_check_pane_get_cell(app->window->check, i), "running");
    }
    g_assert_true(alive);
    gtk_widget_activate_action(GTK_WIDGET(app->window->check), "check.cancel", NULL);
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    g_assert_cmpuint(count_done(app), >, 0);
    g_assert_cmpuint(count_done(app), <, 64);
    // What was finished is kept.
    RwSession *session = rui_application_get_session(app->application);
    const RwCheckCell *cell = rw_session_work_get_cells(work)->pdata[0];
    if (cell->ref)
        wait_for(rw_session_find(session, cell->ref));
}

static void test_no_such_root(App *app, gconstpointer data)
{
    RuiRecordWindow *window = app_fill_form(app, "/nowhere/root.tar", "true", "");
    gtk_widget_activate_action(GTK_WIDGET(window), "record.start", NULL);
    wait_for(rui_record_window_get_problem(window));
    g_assert_nonnull(strstr(rui_record_window_get_problem(window), "/nowhere/root.tar"));
}

static void empty_folder(const char *name)
{
    g_autofree char *path = g_build_filename(harness_get_home(), name, NULL);
    g_assert_true(rw_remove_tree(path, NULL));
}

// Through a file, into a store that has nothing: that it can be executed there came along, or did not.
static void move_run(App *app, gboolean replayable)
{
    record(app, "make -C /src check");
    g_autofree char *path = g_build_filename(harness_get_home(), "bank.rwd", NULL);
    g_autofree char *image = g_build_filename(harness_get_home(), "images", NULL);
    g_autofree char *ref =
        g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))));
    window_export_to(app->window, rui_view_get_run(app_get_view(app)), path, replayable);
    wait_for(app_says(app, "Exported"));
    app_tear_down(app, NULL);
    empty_folder("images");
    empty_folder("guests");
    app_set_up(app, NULL); // an empty store
    g_assert_null(rw_session_find(rui_application_get_session(app->application), ref));
    g_assert_true(rui_application_open(app->application, path, NULL, 3) == app->window);
    wait_for(rui_view_get_index(app_get_view(app)) || !strcmp(rui_window_get_page(app->window), "problem"));
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "run");
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 3);
    g_autoptr(GDir) images = g_dir_open(image, 0, NULL);
    g_assert_true((images && g_dir_read_name(images)) == replayable);
}

static void test_export_import(App *app, gconstpointer data)
{
    move_run(app, FALSE);
}

static void test_export_replayable(App *app, gconstpointer data)
{
    move_run(app, TRUE);
    g_autoptr(RwSessionWork) work = rw_session_fork(
        rui_view_get_run(app_get_view(app)), find_job_start(app), 7, (RwWorkOptions){.keyframes = TRUE});
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/real/find-the-bug", test_find_the_bug},   {"/real/files", test_files},
        {"/real/large-file", test_large_file},       {"/real/fork", test_fork},
        {"/real/preferences", test_preferences},     {"/real/cancel", test_cancel},
        {"/real/cancel-check", test_cancel_check},   {"/real/no-such-root", test_no_such_root},
        {"/real/export-import", test_export_import}, {"/real/export-replayable", test_export_replayable},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
