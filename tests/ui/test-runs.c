// SPDX-License-Identifier: MIT
//
// The tree of runs: what folds, what stays folded, what is put away because it ended as others did.
#include "harness.h"

#include "rui-run-row.h"

#define FORKS 64

static RuiRunList *get_list(App *app)
{
    return app->window->runs;
}

static guint count_rows(App *app)
{
    return g_list_model_get_n_items(rui_run_list_get_rows(get_list(app)));
}

static RuiRunRow *dup_row(App *app, guint position)
{
    g_autoptr(GtkTreeListRow) place = g_list_model_get_item(rui_run_list_get_rows(get_list(app)), position);
    return place ? gtk_tree_list_row_get_item(place) : NULL;
}

static gboolean is_of(RuiRunRow *row, const char *id)
{
    return row && rui_run_row_get_kind(row) == RUI_RUN_ROW_RUN &&
           !strcmp(rw_run_item_get_id(rui_run_row_get_item(row)), id);
}

static guint find(App *app, const char *id)
{
    for (guint i = 0; i < count_rows(app); i++) {
        g_autoptr(RuiRunRow) row = dup_row(app, i);
        if (is_of(row, id))
            return i;
    }
    return GTK_INVALID_LIST_POSITION;
}

static guint get_depth(App *app, guint position)
{
    g_autoptr(GtkTreeListRow) place = g_list_model_get_item(rui_run_list_get_rows(get_list(app)), position);
    return gtk_tree_list_row_get_depth(place);
}

static void fold(App *app, guint position, gboolean folded)
{
    g_autoptr(GtkTreeListRow) place = g_list_model_get_item(rui_run_list_get_rows(get_list(app)), position);
    g_assert_true(gtk_tree_list_row_is_expandable(place));
    gtk_tree_list_row_set_expanded(place, !folded);
}

static char *add_parent(void)
{
    return fixture_add_run(harness_get_home(), "make", "story", 0);
}

static char *add_fork(const char *parent, guint64 schedule, int status)
{
    return fixture_add_fork(harness_get_home(), parent, 5, schedule, status);
}

// Another process removes it.
static void remove_elsewhere(const char *id)
{
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", id, NULL);
    g_assert_true(rw_remove_tree(path, NULL));
}

static void show_runs(App *app, const char *id)
{
    app_open(app, id);
    app_show_tab(app, "runs");
}

static GtkWidget *find_label(GtkWidget *widget, const char *text)
{
    GtkWidget *found = NULL;
    if (GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), text))
        return gtk_widget_get_mapped(widget) ? widget : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_label(child, text);
    return found;
}

static gboolean has_label(GtkWidget *widget, const char *text)
{
    return find_label(widget, text) != NULL;
}

// ---- Runs that ended alike ----

static gboolean is_check(App *app, guint position, guint count, guint failed)
{
    g_autoptr(RuiRunRow) row = dup_row(app, position);
    return row && rui_run_row_get_kind(row) == RUI_RUN_ROW_CHECK && rui_run_row_get_count(row) == count &&
           rui_run_row_get_failed(row) == failed;
}

// A check of 64 schedules, three of which fail, is one row that unfolds: those that failed come first.
static void test_check(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    for (guint i = 1; i <= FORKS; i++)
        g_free(add_fork(parent, i, i == 5 || i == 20 || i == 40 ? 2 : 0));
    show_runs(app, parent);
    wait_for(count_rows(app) == 2);
    app_wait_idle(app);
    g_assert_true(is_check(app, 1, FORKS, 3));
    g_assert_true(has_label(GTK_WIDGET(get_list(app)), "Check from step 5: 64 schedules, 3 failed"));
    app_take_picture(app, GTK_WINDOW(app->window), "runs-check");
    fold(app, 1, FALSE);
    g_assert_cmpuint(count_rows(app), ==, 2 + 3 + 3 + 1); // what failed, some that passed, the others
    for (guint i = 2; i < 5; i++) {
        g_autoptr(RuiRunRow) row = dup_row(app, i);
        g_assert_cmpint(rw_run_item_get_verdict(rui_run_row_get_item(row)), ==, RW_VERDICT_FAILED);
    }
    app_wait_idle(app);
    g_assert_true(has_label(GTK_WIDGET(get_list(app)), "58 more that passed"));
    app_take_picture(app, GTK_WINDOW(app->window), "runs-alike");
    // It stays unfolded when another run comes; what ended alike folds out, too.
    fold(app, 8, FALSE);
    g_assert_cmpuint(count_rows(app), ==, 9 + 58);
    g_free(add_fork(parent, 100, 0));
    wait_for(count_rows(app) == 9 + 59);
    g_assert_true(is_check(app, 1, FORKS + 1, 3));
    // Deleting a row deletes what is below it, and nothing else.
    fold(app, 8, TRUE);
    rui_run_list_select(get_list(app), 8);
    g_assert_null(rui_run_list_get_selected(get_list(app)));
    gtk_widget_activate_action(GTK_WIDGET(get_list(app)), "runs.delete", NULL);
    g_assert_cmpuint(count_rows(app), ==, 8);
    wait_for(app_says(app, "59 runs deleted"));
    wait_for(g_list_model_get_n_items(rw_session_get_runs(rui_application_get_session(app->application))) ==
             7);
    wait_for(count_rows(app) == 8);
}

// Four forks are no check; forks at another step are another one.
static void test_which_check(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    for (guint i = 1; i <= 4; i++)
        g_free(add_fork(parent, i, 0));
    show_runs(app, parent);
    wait_for(count_rows(app) == 5);
    for (guint i = 5; i <= 6; i++)
        g_free(add_fork(parent, i, 2));
    for (guint i = 1; i <= 5; i++)
        g_free(fixture_add_fork(harness_get_home(), parent, 7, i, 0));
    wait_for(count_rows(app) == 3 && is_check(app, 1, 6, 2) && is_check(app, 2, 5, 0));
}

// However many there are: the row of the run that is open is in sight when the tab is shown.
static void test_current_in_sight(App *app, gconstpointer data)
{
    g_autofree char *oldest = NULL;
    for (guint i = 0; i < 40; i++) {
        g_autofree char *command = g_strdup_printf("make part-%u", i);
        char *id = fixture_add_run(harness_get_home(), command, "story", i);
        if (!oldest)
            oldest = id;
        else
            g_free(id);
    }
    show_runs(app, oldest);
    wait_for(find(app, oldest) != GTK_INVALID_LIST_POSITION);
    app_wait_idle(app);
    GtkWidget *list = GTK_WIDGET(get_list(app)), *label = find_label(list, "open here");
    graphene_rect_t place;
    g_assert_nonnull(label);
    g_assert_true(gtk_widget_compute_bounds(label, list, &place));
    g_assert_cmpfloat(place.origin.y, >=, 0);
    g_assert_cmpfloat(place.origin.y + place.size.height, <=, gtk_widget_get_height(list));
}

// The run that is open is never put away, and all above it is unfolded.
static void test_current(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    g_autofree char *last = NULL;
    for (guint i = 1; i <= 12; i++) {
        g_free(last);
        last = add_fork(parent, i, 0);
    }
    show_runs(app, parent);
    wait_for(count_rows(app) == 2); // it and the check
    g_assert_cmpuint(find(app, last), ==, GTK_INVALID_LIST_POSITION);
    fold(app, 0, TRUE);
    app_open(app, last);
    wait_for(count_rows(app) == 3); // it is beside the check, which has it, too
    g_assert_true(is_check(app, 1, 12, 0));
    guint position = find(app, last);
    g_autoptr(RuiRunRow) row = dup_row(app, position), was = dup_row(app, 0);
    g_assert_true(is_of(row, last));
    g_assert_true(rui_run_row_is_current(row));
    g_assert_false(rui_run_row_is_current(was));
    app_wait_idle(app);
    g_assert_true(has_label(GTK_WIDGET(get_list(app)), "open here"));
    // It can be folded away again, and stays away.
    fold(app, 0, TRUE);
    g_free(fixture_add_run(harness_get_home(), "make", "story", 9));
    wait_for(count_rows(app) == 2);
    g_assert_cmpuint(find(app, last), ==, GTK_INVALID_LIST_POSITION);
}

// ---- Folding ----

static void test_keys(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    for (guint i = 1; i <= 9; i++)
        g_free(add_fork(parent, i, 0));
    show_runs(app, parent);
    wait_for(count_rows(app) == 2);
    app_wait_idle(app);
    guint64 step = rui_view_get_step(rui_window_get_view(app->window));
    app_click(app, GTK_WIDGET(get_list(app)), 120, 20, GDK_BUTTON_PRIMARY);
    app_press(app, "End");
    app_press(app, "Right");
    g_assert_cmpuint(count_rows(app), ==, 2 + 4);
    app_press(app, "Left");
    g_assert_cmpuint(count_rows(app), ==, 2);
    app_press(app, "space");
    g_assert_cmpuint(count_rows(app), ==, 2 + 4);
    app_press(app, "space");
    g_assert_cmpuint(count_rows(app), ==, 2);
    app_press(app, "Left"); // to what it is below of
    RwRunItem *selected = rui_run_list_get_selected(get_list(app));
    g_assert_nonnull(selected);
    g_assert_cmpstr(rw_run_item_get_id(selected), ==, parent);
    app_press(app, "Left");
    g_assert_cmpuint(count_rows(app), ==, 1);
    app_press(app, "shift+Right");
    g_assert_cmpuint(count_rows(app), ==, 2);
    g_assert_cmpuint(rui_view_get_step(rui_window_get_view(app->window)), ==, step);
    app_press(app, "Down");
    app_press(app, "Right");
    app_press(app, "Down");
    app_press(app, "Return");
    wait_for(strcmp(
        rw_run_item_get_id(rw_session_run_get_item(rui_view_get_run(rui_window_get_view(app->window)))),
        parent));
}

static void test_stays_folded(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    g_autofree char *fork = add_fork(parent, 1, 0);
    g_autofree char *other = fixture_add_run(harness_get_home(), "make", "story", 3);
    show_runs(app, other);
    wait_for(count_rows(app) == 3);
    fold(app, find(app, parent), TRUE);
    g_assert_cmpuint(count_rows(app), ==, 2);
    g_autofree char *more = add_fork(parent, 2, 2);
    g_autofree char *third = fixture_add_run(harness_get_home(), "make", "story", 4);
    wait_for(find(app, third) != GTK_INVALID_LIST_POSITION);
    g_assert_cmpuint(count_rows(app), ==, 3);
    fold(app, find(app, parent), FALSE);
    g_assert_cmpuint(count_rows(app), ==, 5);
    g_assert_cmpuint(find(app, more), !=, GTK_INVALID_LIST_POSITION);
}

static void test_removed_elsewhere(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    g_autofree char *one = add_fork(parent, 1, 0), *two = add_fork(parent, 2, 0);
    show_runs(app, parent);
    wait_for(count_rows(app) == 3);
    remove_elsewhere(one);
    wait_for(count_rows(app) == 2);
    g_assert_cmpuint(find(app, two), ==, 1);
    remove_elsewhere(parent); // its fork takes its place
    wait_for(count_rows(app) == 1);
    g_assert_cmpuint(find(app, two), ==, 0);
    g_assert_cmpuint(get_depth(app, 0), ==, 0);
}

// A run that has no forks gets one: it stays selected, and the fork is seen.
static void test_first_fork(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    show_runs(app, parent);
    wait_for(count_rows(app) == 1);
    rui_run_list_select(get_list(app), 0);
    g_autofree char *fork = add_fork(parent, 7, 2);
    wait_for(count_rows(app) == 2);
    g_assert_cmpuint(find(app, fork), ==, 1);
    g_assert_cmpuint(get_depth(app, 1), ==, 1);
    RwRunItem *selected = rui_run_list_get_selected(get_list(app));
    g_assert_nonnull(selected);
    g_assert_cmpstr(rw_run_item_get_id(selected), ==, parent);
    app_wait_idle(app);
    g_assert_true(has_label(GTK_WIDGET(get_list(app)), "fork at step 5, schedule 7"));
}

// A run that says it is a fork of itself is shown as any other.
static void test_own_parent(App *app, gconstpointer data)
{
    g_autofree char *parent = add_parent();
    g_autofree char *id = add_fork(parent, 1, 0);
    remove_elsewhere(id);
    g_autofree char *again = add_fork(id, 1, 0);
    g_assert_cmpstr(id, ==, again);
    show_runs(app, parent);
    wait_for(find(app, id) != GTK_INVALID_LIST_POSITION);
    g_assert_cmpuint(count_rows(app), ==, 2);
}

// ---- The start page ----

static void test_headings(App *app, gconstpointer data)
{
    g_autofree char *one = add_parent();
    g_autofree char *two = fixture_add_big_run(harness_get_home(), 1, 40);
    RuiRunList *list = rui_start_page_get_list(app->window->start);
    GListModel *rows = rui_run_list_get_rows(list);
    // Of several jobs each is one row at first; one that is unfolded stays so when another one comes.
    wait_for(g_list_model_get_n_items(rows) >= 2);
    app_wait_idle(app);
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(GtkTreeListRow) place = g_list_model_get_item(rows, i);
        if (gtk_tree_list_row_is_expandable(place))
            gtk_tree_list_row_set_expanded(place, TRUE);
    }
    g_assert_cmpuint(g_list_model_get_n_items(rows), ==, 4);
    app_wait_idle(app);
    // Activating a heading folds it; no run opens.
    GtkWidget *view = gtk_widget_get_first_child(GTK_WIDGET(list));
    while (!GTK_IS_LIST_VIEW(view))
        view = gtk_widget_get_first_child(view);
    g_signal_emit_by_name(view, "activate", 0);
    g_assert_cmpuint(g_list_model_get_n_items(rows), ==, 3);
    app_wait_idle(app);
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "start");
    g_autofree char *three = fixture_add_run(harness_get_home(), "make", "story", 2);
    wait_for(has_label(GTK_WIDGET(list), "2 runs"));
    g_assert_cmpuint(g_list_model_get_n_items(rows), ==, 4); // the other's runs, and both headings
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/runs/check", test_check},
        {"/runs/which-check", test_which_check},
        {"/runs/current", test_current},
        {"/runs/current-in-sight", test_current_in_sight},
        {"/runs/keys", test_keys},
        {"/runs/stays-folded", test_stays_folded},
        {"/runs/removed-elsewhere", test_removed_elsewhere},
        {"/runs/first-fork", test_first_fork},
        {"/runs/own-parent", test_own_parent},
        {"/runs/headings", test_headings},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
