// SPDX-License-Identifier: MIT
//
// The start page: a row a job with how its last runs ended, the search, recording a job again.
#include "harness.h"

#include "rui-result-dots.h"
#include "rui-run-row.h"
#include "rw-twin.h"

static RuiRunList *get_list(App *app)
{
    return rui_start_page_get_list(app->window->start);
}

static guint count_rows(App *app)
{
    return g_list_model_get_n_items(rui_run_list_get_rows(get_list(app)));
}

static guint count_runs(App *app)
{
    return g_list_model_get_n_items(rw_session_get_runs(rui_application_get_session(app->application)));
}

// The first widget of that type that can be seen, below or in `widget`; label: that it has, or NULL.
static GtkWidget *find(GtkWidget *widget, GType type, const char *label)
{
    gboolean fits = G_TYPE_CHECK_INSTANCE_TYPE(widget, type) && gtk_widget_get_mapped(widget);
    GtkWidget *found =
        fits && (!label || !g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), label)) ? widget : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find(child, type, label);
    return found;
}

static RuiResultDots *find_dots(App *app)
{
    return RUI_RESULT_DOTS(find(GTK_WIDGET(get_list(app)), RUI_TYPE_RESULT_DOTS, NULL));
}

static char *add(const char *command, guint64 schedule)
{
    return fixture_add_run(harness_get_home(), command, NULL, schedule);
}

// Two jobs: of one a run and three forks of it, two of which failed.
static void add_jobs(App *app)
{
    g_autofree char *other = add("cargo test", 0), *parent = add("make", 0);
    for (guint i = 1; i <= 3; i++)
        g_free(fixture_add_fork(harness_get_home(), parent, 5, i, i < 3 ? 2 : 0));
    wait_for(count_runs(app) == 5);
    app_wait_idle(app);
    for (guint i = 0; i < count_rows(app);
         i++) { // the job that came first was unfolded, being the only one
        g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rui_run_list_get_rows(get_list(app)), i);
        gtk_tree_list_row_set_expanded(row, FALSE);
    }
    g_assert_cmpuint(count_rows(app), ==, 2);
}

static void search(App *app, const char *words)
{
    rui_start_page_search(app->window->start, words);
    app_wait_idle(app);
}

// ---- Jobs ----

static gboolean says_results(App *app, const char *text)
{
    const char *own = rui_result_dots_get_text(find_dots(app));
    return own && strstr(own, text);
}

static void test_jobs(App *app, gconstpointer data)
{
    add_jobs(app);
    search(app, "make");
    wait_for(app_says(app, "4 runs · 3 failed"));
    g_assert_nonnull(find_dots(app));
    g_assert_true(says_results(app, "1 passed, 3 failed"));
    search(app, "");
    wait_for(count_rows(app) == 2); // folded as they were
    app_take_picture(app, GTK_WINDOW(app->window), "jobs");
}

// Each way of ending has a colour and a shape of its own; where there is little room the last ones are
// shown.
static void test_dots(App *app, gconstpointer data)
{
    g_autofree char *id = add("make", 0);
    wait_for(count_rows(app) == 2);
    app_wait_idle(app);
    RwVerdict many[RUI_RESULTS_MAX + 5];
    for (guint i = 0; i < G_N_ELEMENTS(many); i++)
        many[i] = i < 10 ? RW_VERDICT_FAILED : RW_VERDICT_PASSED;
    rui_result_dots_set(find_dots(app), many, G_N_ELEMENTS(many));
    g_assert_cmpstr(rui_result_dots_get_text(find_dots(app)), ==, "The last runs: 15 passed, 5 failed");
    int minimum, natural;
    gtk_widget_measure(GTK_WIDGET(find_dots(app)), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL,
                       NULL);
    g_assert_cmpint(minimum, <, natural / 4);
    RwVerdict each[] = {RW_VERDICT_FAILED, RW_VERDICT_UNKNOWN, RW_VERDICT_PASSED};
    rui_result_dots_set(find_dots(app), each, 3);
    g_assert_cmpstr(rui_result_dots_get_text(find_dots(app)), ==, "The last runs: 1 passed, 1 failed");
    app_wait_idle(app);
}

// ---- The search ----

static void test_search(App *app, gconstpointer data)
{
    add_jobs(app);
    app_press(app, "ctrl+f");
    app_type(app, "cargo");
    wait_for(count_rows(app) == 2 && app_says(app, "cargo test"));
    search(app, "failed");
    wait_for(count_rows(app) == 6); // both headings, and all but one
    search(app, "FAILED rust");
    wait_for(app_says(app, "No Results Found"));
    g_assert_cmpuint(count_rows(app), ==, 0);
    app_take_picture(app, GTK_WINDOW(app->window), "jobs-nothing");
    app_press(app, "Escape");
    wait_for(count_rows(app) == 2 && !app_says(app, "No Results Found"));
    search(app, "schedule 3");
    wait_for(count_rows(app) == 2);
    // A run that comes while it is searched for is found, too.
    search(app, "cargo");
    wait_for(count_rows(app) == 2);
    g_autofree char *more = add("cargo test", 4);
    wait_for(count_rows(app) == 3);
}

// Enter goes to what was found, and opens it from there.
static void test_search_by_keyboard(App *app, gconstpointer data)
{
    add_jobs(app);
    app_press(app, "ctrl+f");
    app_type(app, "cargo");
    app_press(app, "Return");
    app_wait_idle(app);
    g_assert_cmpuint(count_rows(app), ==, 2);
    app_press(app, "Down");
    app_press(app, "Return");
    wait_for(!strcmp(rui_window_get_page(app->window), "run"));
}

// ---- Record Again ----

// This one's root is nowhere any more: that is said in the form, which has the job.
static void test_record_again(App *app, gconstpointer data)
{
    g_autofree char *id = add("make", 3);
    wait_for(count_rows(app) == 2);
    app_wait_idle(app);
    GtkWidget *again = find(GTK_WIDGET(get_list(app)), GTK_TYPE_BUTTON, "Record Again");
    g_assert_nonnull(again);
    g_signal_emit_by_name(again, "clicked");
    wait_for(harness_find_window(RUI_TYPE_RECORD_WINDOW));
    RuiRecordWindow *form = harness_find_window(RUI_TYPE_RECORD_WINDOW);
    g_autofree char *command = rui_record_window_dup_command(form);
    g_assert_cmpstr(command, ==, "make check");
    wait_for(!rui_record_window_get_work(form));
    app_wait_idle(app);
    gtk_window_destroy(GTK_WINDOW(form));
}

// ---- Open Failing ----

// Only where one failed: the last one that did.
static void test_open_failing(App *app, gconstpointer data)
{
    g_autofree char *parent = add("make", 0);
    wait_for(count_rows(app) == 2);
    app_wait_idle(app);
    g_assert_nonnull(find(GTK_WIDGET(get_list(app)), GTK_TYPE_BUTTON, "Open Failing"));
    g_autofree char *fork = fixture_add_fork(harness_get_home(), parent, 5, 7, 3);
    wait_for(count_rows(app) == 3);
    app_wait_idle(app);
    g_signal_emit_by_name(find(GTK_WIDGET(get_list(app)), GTK_TYPE_BUTTON, "Open Failing"), "clicked");
    wait_for(!strcmp(rui_window_get_page(app->window), "run"));
    RwRunItem *item = rw_session_run_get_item(rui_view_get_run(rui_window_get_view(app->window)));
    g_assert_cmpstr(rw_run_item_get_id(item), ==, fork);
}

// ---- Check ----

// The job's latest run is opened, and what decides how the job ends is looked for.
static void test_check(App *app, gconstpointer data)
{
    g_autofree char *first = add("make", 0), *latest = add("make", 7);
    wait_for(count_runs(app) == 2);
    app_wait_idle(app);
    GtkWidget *check = find(GTK_WIDGET(get_list(app)), GTK_TYPE_BUTTON, "Check");
    g_assert_nonnull(check);
    g_signal_emit_by_name(check, "clicked");
    wait_for(rui_check_pane_get_work(app->window->check));
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    g_assert_true(rw_session_work_explains(work));
    RwRunItem *item = rw_session_run_get_item(rw_session_work_get_run(work));
    g_assert_cmpstr(rw_run_item_get_ref(item), ==, latest);
    g_assert_true(rw_session_work_get_run(work) == rui_view_get_run(app_get_view(app)));
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "run");
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(app->window->tabs), ==, "runs");
    wait_for(!rw_session_work_is_running(work)); // there is nothing to execute it with
    g_assert_nonnull(rw_session_work_get_problem(work));
    app_wait_idle(app);
    // A run that is opened by itself is not checked.
    rui_check_pane_set_work(app->window->check, NULL, NULL);
    app_open(app, first);
    g_assert_null(rui_check_pane_get_work(app->window->check));
}

// ---- Twins ----

static RuiRunRow *dup_row(App *app, guint position)
{
    g_autoptr(GtkTreeListRow) row = g_list_model_get_item(rui_run_list_get_rows(get_list(app)), position);
    return gtk_tree_list_row_get_item(row);
}

static guint count_stars(GtkWidget *widget)
{
    gboolean star = GTK_IS_IMAGE(widget) && gtk_widget_get_mapped(widget) &&
                    !g_strcmp0(gtk_image_get_icon_name(GTK_IMAGE(widget)), "starred-symbolic");
    guint count = star ? 1 : 0;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        count += count_stars(child);
    return count;
}

static void keep_twin(const char *run, const char *twin)
{
    g_autofree char *dir = g_build_filename(harness_get_home(), "runs", run, NULL);
    rw_twin_save(dir, twin);
}

// Both have a star and come first, the failing one above the other, however many others ended alike.
static void test_twins(App *app, gconstpointer data)
{
    g_autofree char *parent = add("make", 0);
    char *forks[12];
    for (guint i = 0; i < G_N_ELEMENTS(forks); i++)
        forks[i] = fixture_add_fork(harness_get_home(), parent, 5, i + 1, i % 2 ? 2 : 0);
    wait_for(count_runs(app) == 13);
    app_wait_idle(app);
    g_assert_cmpuint(count_stars(GTK_WIDGET(get_list(app))), ==, 0);
    keep_twin(forks[9], forks[10]);
    keep_twin(forks[3], "0123456789abcdef"); // it is there no more
    rw_session_refresh(rui_application_get_session(app->application));
    wait_for(count_stars(GTK_WIDGET(get_list(app))) == 2);
    const char *wanted[] = {forks[9], forks[10]};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(RuiRunRow) row = dup_row(app, i + 2); // behind the heading and the parent
        g_assert_true(rui_run_row_is_twin(row));
        g_assert_cmpstr(rw_run_item_get_ref(rui_run_row_get_item(row)), ==, wanted[i]);
    }
    app_take_picture(app, GTK_WINDOW(app->window), "jobs-twins");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "jobs-twins-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
    // Another recording of one of them is not what was found.
    g_autofree char *again = g_strdup_printf("cp -r %s/runs/%s %s/runs/%s.differs", harness_get_home(),
                                             forks[9], harness_get_home(), forks[9]);
    g_assert_true(g_spawn_command_line_sync(again, NULL, NULL, NULL, NULL));
    rw_session_refresh(rui_application_get_session(app->application));
    wait_for(count_runs(app) == 14);
    app_wait_idle(app);
    g_assert_cmpuint(count_stars(GTK_WIDGET(get_list(app))), ==, 2);
    // What is written there by anybody makes no star.
    g_autofree char *file = g_build_filename(harness_get_home(), "runs", forks[9], "twin.json", NULL);
    static const char *const wrong[] = {"", "[]", "{\"format\":\"rewind-twin\",\"version\":1}",
                                        "{\"format\":\"rewind-twin\",\"version\":1,\"twin\":\"../../x\"}"};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        keep_twin(forks[9], forks[10]);
        rw_session_refresh(rui_application_get_session(app->application));
        wait_for(count_stars(GTK_WIDGET(get_list(app))) == 2);
        g_assert_true(g_file_set_contents(file, wrong[i], -1, NULL));
        rw_session_refresh(rui_application_get_session(app->application));
        wait_for(count_stars(GTK_WIDGET(get_list(app))) == 0);
    }
    for (guint i = 0; i < G_N_ELEMENTS(forks); i++)
        g_free(forks[i]);
}

static void test_none_failing(App *app, gconstpointer data)
{
    g_free(fixture_add_big_run(harness_get_home(), 1, 40));
    wait_for(count_rows(app) == 2);
    app_wait_idle(app);
    g_assert_null(find(GTK_WIDGET(get_list(app)), GTK_TYPE_BUTTON, "Open Failing"));
    g_assert_nonnull(find(GTK_WIDGET(get_list(app)), GTK_TYPE_BUTTON, "Record Again"));
}

// ---- Room ----

static void check_words(GtkWidget *widget)
{
    if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
        gtk_label_get_ellipsize(GTK_LABEL(widget)) == PANGO_ELLIPSIZE_NONE)
        g_assert_false(pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(widget))));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        check_words(child);
}

static void test_fits(App *app, gconstpointer data)
{
    int dpi, minimum;
    add_jobs(app);
    g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, NULL);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi * 3 / 2, NULL);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    wait_for(ABS(gtk_widget_get_width(GTK_WIDGET(app->window)) - 960) <= 12);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "jobs-large-text");
    check_words(GTK_WIDGET(app->window->start));
    gtk_widget_measure(GTK_WIDGET(app->window->start), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL,
                       NULL);
    g_assert_cmpint(minimum, <=, 960);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi, NULL);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/start/jobs", test_jobs},
        {"/start/dots", test_dots},
        {"/start/search", test_search},
        {"/start/search-by-keyboard", test_search_by_keyboard},
        {"/start/record-again", test_record_again},
        {"/start/open-failing", test_open_failing},
        {"/start/none-failing", test_none_failing},
        {"/start/check", test_check},
        {"/start/twins", test_twins},
        {"/start/fits", test_fits},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
