// SPDX-License-Identifier: MIT
//
// The cells of a check, the form of a new run, names of exported files: parts that need no machine.
#include "harness.h"

#include "rui-run-file.h"

#include "check-cell.h"
#include "record-words.h"
#include "story.h"

// ---- Cells ----

static void check_cell(const RwCheckCell *cell, double fraction, const char *classes, const char *says)
{
    static const char *const all[] = {"passed", "failed", "odd", "differs", "waiting", "running"};
    g_auto(GStrv) wanted = g_strsplit(classes, " ", -1);
    GtkWidget *button = g_object_ref_sink(check_cell_new(7));
    check_cell_show(button, &(RwCheckCell){7, RW_CELL_DIFFERS, (char *)"x", {RW_END_POWEROFF, true, 256}},
                    0, NULL);
    check_cell_show(button, cell, fraction, NULL); // nothing of before stays
    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        g_assert_cmpint(gtk_widget_has_css_class(button, all[i]), ==,
                        g_strv_contains((const char *const *)wanted, all[i]));
    g_assert_cmpstr(gtk_widget_get_tooltip_text(button), ==, says);
    g_assert_cmpint(gtk_widget_get_sensitive(button), ==, cell->ref != NULL);
    g_object_unref(button);
}

// Green is what passed and red what failed, whatever the run did that is checked.
static void test_cells(App *app, gconstpointer data)
{
    const RwEnd passed = {RW_END_POWEROFF, true, 0}, failed = {RW_END_POWEROFF, true, 2 << 8};
    const RwEnd stalled = {RW_END_STALLED, false, 0}, killed = {RW_END_POWEROFF, true, 11};
    check_cell(&(RwCheckCell){7, RW_CELL_SAME, (char *)"x", failed}, 0, "failed",
               "Schedule 7: exited with 2");
    check_cell(&(RwCheckCell){7, RW_CELL_DIFFERS, (char *)"x", passed}, 0, "passed differs",
               "Schedule 7: passed, unlike this run");
    check_cell(&(RwCheckCell){7, RW_CELL_SAME, (char *)"x", passed}, 0, "passed", "Schedule 7: passed");
    check_cell(&(RwCheckCell){7, RW_CELL_DIFFERS, (char *)"x", stalled}, 0, "odd differs",
               "Schedule 7: stalled, unlike this run");
    check_cell(&(RwCheckCell){7, RW_CELL_DIFFERS, (char *)"x", killed}, 0, "odd differs",
               "Schedule 7: killed by SIGSEGV, unlike this run");
    check_cell(&(RwCheckCell){7, RW_CELL_SAME, NULL, passed}, 0, "passed", "Schedule 7: passed; not kept");
    check_cell(&(RwCheckCell){.schedule = 7}, 0, "waiting", "Schedule 7: waiting");
    check_cell(&(RwCheckCell){.schedule = 7}, 0.4, "running", "Schedule 7: running, 40 %");
}

// ---- The form of a new run ----

static RuiRecordWindow *open_form(App *app)
{
    app_press(app, "ctrl+r");
    RuiRecordWindow *window = harness_find_window(RUI_TYPE_RECORD_WINDOW);
    g_assert_nonnull(window);
    wait_for(gtk_widget_get_mapped(GTK_WIDGET(window)));
    return window;
}

static gboolean has_focus_in(RuiRecordWindow *window, GType type)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    return focus && gtk_widget_get_ancestor(focus, type);
}

// One begins to type at once; Enter records.
static void test_form_keys(App *app, gconstpointer data)
{
    RuiRecordWindow *window = open_form(app);
    g_assert_true(has_focus_in(window, ADW_TYPE_ENTRY_ROW));
    g_assert_cmpstr(rui_record_window_get_root(window), ==, "");
    rui_record_window_set_job(window, "/nowhere/root.tar", "true");
    gtk_widget_activate_default(gtk_window_get_focus(GTK_WINDOW(window)));
    wait_for(rui_record_window_get_problem(window));
}

// The job of the run that is open, to be changed a little.
static void test_form_again(App *app, gconstpointer data)
{
    app_open_story(app);
    RuiRecordWindow *window = open_form(app);
    g_autofree char *command = rui_record_window_dup_command(window);
    g_assert_cmpstr(rui_record_window_get_root(window), ==, "/nowhere/root.tar");
    g_assert_true(g_str_has_prefix(command, "make"));
    g_assert_true(has_focus_in(window, ADW_TYPE_ENTRY_ROW));
}

static gboolean shows_form(GtkWidget *widget, const char *text)
{
    gboolean found = GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
                     strstr(gtk_label_get_text(GTK_LABEL(widget)), text);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = shows_form(child, text);
    return found;
}

// What is wrong is said in the form, which stays, in its own words.
static void test_form_problem(App *app, gconstpointer data)
{
    RuiRecordWindow *window = open_form(app);
    rui_record_window_set_job(window, "/nowhere/root.tar", "true");
    gtk_widget_activate_action(GTK_WIDGET(window), "record.start", NULL);
    wait_for(rui_record_window_get_problem(window));
    app_wait_idle(app);
    g_assert_true(shows_form(GTK_WIDGET(window), "No such file or directory"));
    g_assert_true(shows_form(GTK_WIDGET(window), "Working folder"));
    g_assert_null(strstr(rui_record_window_get_problem(window), "--"));
    app_take_picture(app, GTK_WINDOW(window), "new-run-problem");
}

static void test_form_words(App *app, gconstpointer data)
{
    g_autofree char *cwd = record_dup_problem("--cwd /nodir: not in the root");
    g_autofree char *other = record_dup_problem("the guest's kernel is not there");
    g_assert_cmpstr(cwd, ==, "Working folder: /nodir: not in the root");
    g_assert_cmpstr(other, ==, "the guest's kernel is not there");
    RwInputs *inputs = rw_inputs_new();
    inputs->argv = g_strsplit("sh|-c|echo 'a b'; exit|--jobs=4", "|", -1);
    inputs->env = rw_inputs_dup_default_env(0, FALSE);
    gboolean exact;
    g_autofree char *command = record_dup_command(inputs, &exact), *env = record_dup_env(inputs);
    g_auto(GStrv) again = NULL;
    g_assert_true(g_shell_parse_argv(command, NULL, &again, NULL));
    g_assert_true(g_strv_equal((const char *const *)again, (const char *const *)inputs->argv));
    g_assert_true(g_str_has_suffix(command, " --jobs=4"));
    g_assert_cmpstr(env, ==, "");
    g_assert_true(exact);
    rw_inputs_free(inputs);
}

// ---- Files ----

static void test_export_name(App *app, gconstpointer data)
{
    app_open_story(app);
    RwRunItem *item = rw_session_run_get_item(rui_view_get_run(rui_window_get_view(app->window)));
    g_autofree char *name = rui_dup_run_file_name(item);
    g_autofree char *wanted = g_strdup_printf("story-fails-%.8s.rwd", rw_run_item_get_id(item));
    g_assert_cmpstr(name, ==, wanted);
}

// With the run that it is compared with: two files, each a whole run.
static void test_export_pair(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *two = fixture_add_fork(harness_get_home(), one, 4, 1, 0);
    app_open(app, one);
    rui_window_compare(app->window, two);
    RuiView *view = rui_window_get_view(app->window);
    wait_for(rui_view_get_compared(view));
    RwSessionRun *other = rui_view_get_compared(view);
    g_autofree char *name = rui_dup_run_file_name(rw_session_run_get_item(other));
    g_assert_nonnull(strstr(name, "-passes-"));
    g_autofree char *path = g_build_filename(harness_get_home(), "pair.rwd", NULL);
    g_autofree char *beside = g_build_filename(harness_get_home(), name, NULL);
    window_export_to(app->window, rui_view_get_run(view), path, FALSE);
    window_export_pair(app->window, other, path, FALSE);
    wait_for(g_file_test(path, G_FILE_TEST_EXISTS) && g_file_test(beside, G_FILE_TEST_EXISTS));
    wait_for(app_says(app, "Exported"));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/cells/colours", test_cells},           {"/cells/form-keys", test_form_keys},
        {"/cells/form-again", test_form_again},   {"/cells/form-problem", test_form_problem},
        {"/cells/form-words", test_form_words},   {"/cells/export-name", test_export_name},
        {"/cells/export-pair", test_export_pair},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
