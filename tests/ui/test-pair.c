// SPDX-License-Identifier: MIT
//
// Two runs side by side: which of them is opened, what is in sight, what follows the playhead.
#include "harness.h"

#include "compare-line.h"
#include "rui-cell.h"
#include "story.h"

static const char *get_ref(RwSessionRun *run)
{
    return rw_run_item_get_ref(rw_session_run_get_item(run));
}

static RuiVirtualList *get_list(App *app)
{
    return harness_find_list(GTK_WIDGET(app->window->compare));
}

// Two builds that part in the middle.
static void open_builds(App *app)
{
    g_autofree char *one = fixture_add_build_run(harness_get_home(), 0, 4000);
    g_autofree char *two = fixture_add_build_run(harness_get_home(), 2000, 4000);
    app_open(app, one);
    rui_window_compare(app->window, two);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_wait_idle(app);
}

// ---- Which one is opened ----

static gboolean select_in_list(App *app, const char *id)
{
    GListModel *rows = rui_run_list_get_rows(app->window->runs);
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        rui_run_list_select(app->window->runs, i);
        RwRunItem *item = rui_run_list_get_selected(app->window->runs);
        if (item && !strcmp(rw_run_item_get_id(item), id))
            return TRUE;
    }
    return FALSE;
}

// Lists are filled while the window goes on.
static void choose_in_list(App *app, const char *id)
{
    app_show_tab(app, "runs");
    wait_for(select_in_list(app, id));
}

// From the run that passed: the one that fails is opened at its failure, the other one beside it.
static void test_failing_first(App *app, gconstpointer data)
{
    g_autofree char *failing = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *passing = fixture_add_fork(harness_get_home(), failing, 4, 1, 0);
    app_open(app, passing);
    choose_in_list(app, failing);
    gtk_widget_activate_action(GTK_WIDGET(app->window->runs), "runs.compare", NULL);
    wait_for(rui_view_get_comparison(app_get_view(app)) && rui_view_get_index(app_get_view(app)));
    g_assert_cmpstr(get_ref(rui_view_get_run(app_get_view(app))), ==, failing);
    g_assert_cmpstr(get_ref(rui_view_get_compared(app_get_view(app))), ==, passing);
    guint64 failure = rw_run_index_get_failure(rui_view_get_index(app_get_view(app)));
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, failure);
    app_press(app, "Home");
    app_press(app, "f");
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, failure);
    app_take_picture(app, GTK_WINDOW(app->window), "pair");
}

// The failing one stays where it is, and so do two that ended alike.
static void test_stays(App *app, gconstpointer data)
{
    g_autofree char *failing = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *passing = fixture_add_fork(harness_get_home(), failing, 4, 1, 0);
    g_autofree char *other = fixture_add_fork(harness_get_home(), failing, 4, 2, 1);
    app_open(app, failing);
    rui_view_set_step(app_get_view(app), 3);
    const char *const others[] = {passing, other};
    for (guint i = 0; i < 2; i++) {
        choose_in_list(app, others[i]);
        gtk_widget_activate_action(GTK_WIDGET(app->window->runs), "runs.compare", NULL);
        wait_for(rui_view_get_compared(app_get_view(app)) &&
                 !strcmp(get_ref(rui_view_get_compared(app_get_view(app))), others[i]));
        g_assert_cmpstr(get_ref(rui_view_get_run(app_get_view(app))), ==, failing);
        g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 3);
    }
}

// One that is opened meanwhile is not compared with what was asked for before it.
static void test_overtaken(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *two = fixture_add_run(harness_get_home(), "make", "story", 1);
    g_autofree char *three = fixture_add_run(harness_get_home(), "other", "story", 2);
    app_open(app, one);
    rui_window_compare(app->window, two);
    app_open(app, three);
    g_assert_null(rui_view_get_compared(app_get_view(app)));
    g_assert_cmpstr(get_ref(rui_view_get_run(app_get_view(app))), ==, three);
}

// Of two that are asked for the last one counts, however much longer the first one takes.
static void test_last_counts(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *large = fixture_add_build_run(harness_get_home(), 7, 200000);
    g_autofree char *small = fixture_add_run(harness_get_home(), "make", "story", 1);
    app_open(app, one);
    rui_window_compare(app->window, large);
    rui_window_compare(app->window, small);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    g_assert_cmpstr(get_ref(rui_view_get_compared(app_get_view(app))), ==, small);
    g_autoptr(RwSessionRun) opened = fixture_open_run(rui_application_get_session(app->application), large);
    app_wait_idle(app);
    g_assert_cmpstr(get_ref(rui_view_get_compared(app_get_view(app))), ==, small);
}

// ---- What is in sight ----

static gboolean is_in_sight(App *app, guint position)
{
    RuiVirtualList *list = get_list(app);
    GtkWidget *row = rui_virtual_list_get_content(list, position);
    graphene_rect_t bounds;
    return row && gtk_widget_compute_bounds(row, GTK_WIDGET(list), &bounds) && bounds.origin.y >= -1 &&
           bounds.origin.y + bounds.size.height <= gtk_widget_get_height(GTK_WIDGET(list)) + 1;
}

static void test_difference_in_sight(App *app, gconstpointer data)
{
    app_resize(app, 960, 600);
    open_builds(app);
    guint first = rw_session_comparison_get_context(rui_view_get_comparison(app_get_view(app)));
    g_assert_cmpuint(first, >, 0);
    wait_for(is_in_sight(app, first));
    g_assert_true(gtk_widget_has_css_class(
        gtk_widget_get_first_child(rui_virtual_list_get_content(get_list(app), first)), "differs"));
    g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(get_list(app))), >=, 100); // whatever the summary says
    app_take_picture(app, GTK_WINDOW(app->window), "pair-small");
}

static guint64 get_left_step(App *app, guint position)
{
    GListModel *pairs = rw_session_comparison_get_pairs(rui_view_get_comparison(app_get_view(app)));
    g_autoptr(RwEventPair) pair = g_list_model_get_item(pairs, position);
    RwEventItem *left = pair ? rw_event_pair_get_event(pair, RW_EVENT_LEFT) : NULL;
    return left ? rw_event_item_get_step(left) : 0;
}

static gboolean has_tone(App *app, guint position, RwEventSide side, const char *tone)
{
    GtkWidget *row = rui_virtual_list_get_content(get_list(app), position);
    GtkWidget *widget = row ? gtk_widget_get_first_child(row) : NULL;
    if (widget && side == RW_EVENT_RIGHT)
        widget = gtk_widget_get_next_sibling(widget);
    return widget && gtk_widget_has_css_class(widget, tone);
}

// What the failing run alone did is red and what the passing one alone did is green; what both did in
// another order is linked and has neither colour.
static void test_ledgers(App *app, gconstpointer data)
{
    g_autofree char *passing = fixture_add_turns_run(harness_get_home(), false);
    g_autofree char *failing = fixture_add_turns_run(harness_get_home(), true);
    app_resize(app, 1180, 900); // all rows are in sight
    app_open(app, failing);
    rui_window_compare(app->window, passing);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_wait_idle(app);
    RwSessionComparison *comparison = rui_view_get_comparison(app_get_view(app));
    GListModel *pairs = rw_session_comparison_get_pairs(comparison);
    guint first = rw_session_comparison_get_context(comparison), moved = 0, alone = 0;
    wait_for(is_in_sight(app, first));
    for (guint i = 0; i < g_list_model_get_n_items(pairs); i++) {
        g_autoptr(RwEventPair) pair = g_list_model_get_item(pairs, i);
        for (RwEventSide side = RW_EVENT_LEFT; side <= RW_EVENT_RIGHT; side++) {
            if (!rui_virtual_list_get_content(get_list(app), i) || !rw_event_pair_get_event(pair, side))
                continue;
            gboolean elsewhere = rw_event_pair_get_elsewhere(pair, side) != RW_EVENT_NOWHERE;
            gboolean differs = !elsewhere && !rw_event_pair_is_same(pair);
            g_assert_true(has_tone(app, i, side, "moved") == elsewhere);
            g_assert_true(has_tone(app, i, side, side == RW_EVENT_LEFT ? "fails" : "passes") == differs);
            g_assert_false(has_tone(app, i, side, side == RW_EVENT_LEFT ? "passes" : "fails"));
            moved += elsewhere;
            alone += differs;
        }
    }
    g_assert_cmpuint(moved, ==, 4);
    g_assert_cmpuint(alone, ==, 2);
    wait_for(rui_compare_page_get_linked(app->window->compare) == 2);
    app_take_picture(app, GTK_WINDOW(app->window), "pair-ledgers");
    app_resize(app, 1180, 760);
}

// The row of the playhead is marked and comes into sight with it.
static void test_follows(App *app, gconstpointer data)
{
    open_builds(app);
    guint last = 0;
    for (guint i = 0; i < 200; i++)
        if (get_left_step(app, i))
            last = i;
    g_assert_cmpuint(last, >, 100);
    g_assert_false(is_in_sight(app, last));
    rui_view_set_step(app_get_view(app), get_left_step(app, last));
    wait_for(is_in_sight(app, rui_compare_page_get_here(app->window->compare)));
    guint here = rui_compare_page_get_here(app->window->compare);
    g_assert_cmpuint(get_left_step(app, here), ==, get_left_step(app, last));
    g_assert_true(gtk_widget_has_css_class(rui_virtual_list_get_content(get_list(app), here), "here"));
    rui_view_set_step(app_get_view(app), 0);
    g_assert_cmpuint(rui_compare_page_get_here(app->window->compare), ==, GTK_INVALID_LIST_POSITION);
    app_wait_idle(app);
    GtkWidget *row = rui_virtual_list_get_content(get_list(app), here);
    g_assert_false(row && gtk_widget_has_css_class(row, "here"));
}

// ---- In one column ----

static GObject *dup_item(App *app, guint position)
{
    return g_list_model_get_item(rui_virtual_list_get_model(get_list(app)), position);
}

static gboolean is_one_column(App *app)
{
    g_autoptr(GObject) item = dup_item(app, 0);
    return COMPARE_IS_LINE(item);
}

static const char *get_first_text(App *app, guint position)
{
    GtkWidget *row = rui_virtual_list_get_content(get_list(app), position);
    g_assert_nonnull(row);
    GtkWidget *side = gtk_widget_get_first_child(row);
    g_assert_false(gtk_widget_get_visible(gtk_widget_get_next_sibling(side)));
    return rui_cell_get_text(RUI_CELL(gtk_widget_get_first_child(side)));
}

// As narrow as the pane gets: a word says whose event it is, both sides of each difference are one over the
// other, and nothing is left out. With room there are two columns again.
static void test_narrow(App *app, gconstpointer data)
{
    app_resize(app, 1180, 760);
    open_builds(app);
    app_show_tab(app, "compare");
    g_assert_false(is_one_column(app));
    RwSessionComparison *comparison = rui_view_get_comparison(app_get_view(app));
    GListModel *pairs = rw_session_comparison_get_pairs(comparison);
    guint first = rw_session_comparison_get_context(comparison), rows = g_list_model_get_n_items(pairs);
    app_resize(app, 960, 600);
    gtk_paned_set_position(app->window->split, 2000);
    wait_for(is_one_column(app));
    app_wait_idle(app);
    int width = gtk_widget_get_width(GTK_WIDGET(app->window->compare));
    g_test_message("%d pixels", width);
    g_assert_cmpint(width, <, 400);
    guint both = 0, here = 0, there = 0, last = 0, lines = 0;
    for (;; lines++) {
        g_autoptr(GObject) item = dup_item(app, lines);
        if (!item)
            break;
        CompareLine *line = COMPARE_LINE(item);
        both += compare_line_is_both(line);
        here += !compare_line_is_both(line) && compare_line_get_side(line) == RW_EVENT_LEFT;
        there += compare_line_get_side(line) == RW_EVENT_RIGHT;
        g_assert_true(compare_line_get_row(line) == last || compare_line_get_row(line) == last + 1);
        last = compare_line_get_row(line);
    }
    g_assert_cmpuint(last, ==, rows - 1);
    g_assert_cmpuint(both, >=, first);
    g_assert_true(here && there && both + here + there == lines);
    guint position = compare_lines_find(rui_virtual_list_get_model(get_list(app)), first);
    g_assert_cmpuint(position, ==, first); // what is before it is once there
    wait_for(is_in_sight(app, position));
    g_assert_true(g_str_has_prefix(get_first_text(app, position - 1), "Both · "));
    g_assert_true(g_str_has_prefix(get_first_text(app, position), "Here · "));
    g_assert_true(g_str_has_prefix(get_first_text(app, position + 1), "There · "));
    g_assert_true(app_says(app, "Here: "));
    g_assert_true(app_says(app, "There: "));
    g_assert_cmpuint(rui_compare_page_get_linked(app->window->compare), ==, 0);
    app_take_picture(app, GTK_WINDOW(app->window), "pair-narrow");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "pair-narrow-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
    // A row goes to its step, whichever run's it is; the playhead's is marked and followed.
    guint64 step = get_left_step(app, first);
    rui_view_set_step(app_get_view(app), 0);
    g_signal_emit_by_name(get_list(app), "activate", position);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, step);
    wait_for(g_str_has_prefix(get_first_text(app, position), "▸ Here · "));
    app_resize(app, 1180, 760);
    gtk_paned_set_position(app->window->split, 400);
    wait_for(!is_one_column(app));
    app_wait_idle(app);
    g_assert_cmpuint(rui_compare_page_get_here(app->window->compare), ==, first);
    wait_for(is_in_sight(app, first));
}

// ---- When it cannot be ----

static void damage(const char *id)
{
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", id, "trace", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GFile) file = g_file_new_for_path(path);
    g_autoptr(GFileIOStream) stream = g_file_open_readwrite(file, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(GFileInfo) info = g_file_query_info(file, G_FILE_ATTRIBUTE_STANDARD_SIZE, 0, NULL, NULL);
    g_autofree char *zeros = g_malloc0(512);
    g_assert_true(
        g_seekable_seek(G_SEEKABLE(stream), g_file_info_get_size(info) / 2, G_SEEK_SET, NULL, NULL));
    g_assert_true(g_output_stream_write_all(g_io_stream_get_output_stream(G_IO_STREAM(stream)), zeros, 512,
                                            NULL, NULL, NULL));
}

// A trace that is damaged after it was opened: said, and not waited for.
static void test_error(App *app, gconstpointer data)
{
    gboolean busy;
    g_autofree char *one = fixture_add_build_run(harness_get_home(), 0, 200000);
    g_autofree char *two = fixture_add_build_run(harness_get_home(), 190000, 200000);
    app_open(app, one);
    damage(two);
    rui_window_compare(app->window, two);
    wait_for(rui_view_get_compare_problem(app_get_view(app)));
    g_assert_null(rui_view_get_comparison(app_get_view(app)));
    g_assert_cmpstr(rui_compare_page_get_state(app->window->compare), ==, "problem");
    g_object_get(app_get_view(app), "busy", &busy, NULL);
    g_assert_false(busy);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.stop-comparing", NULL);
    g_assert_null(rui_view_get_compare_problem(app_get_view(app)));
    g_assert_cmpstr(rui_compare_page_get_state(app->window->compare), ==, "none");
}

// ---- Whom Previous and Next follow ----

static guint get_remembered(App *app)
{
    return g_settings_get_uint(app->window->settings, "stop-kind");
}

// A process that was chosen is followed in its run; nobody else's choice changes.
static void test_followed_process(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *two = fixture_add_run(harness_get_home(), "other", "story", 1);
    g_settings_reset(app->window->settings, "stop-kind");
    app_open(app, one);
    rui_view_set_step(app_get_view(app), 9);
    GListModel *rows = rui_process_pane_get_rows(app->window->processes);
    wait_for(g_list_model_get_n_items(rows) > 1);
    g_signal_emit_by_name(harness_find_list(GTK_WIDGET(app->window->processes)), "activate", 1);
    g_assert_cmpint(rui_view_get_stop_kind(app_get_view(app)), ==, RW_STOP_PROCESS);
    app_wait_idle(app);
    g_assert_cmpuint(get_remembered(app), ==, RW_STOP_EVENT);
    app_open(app, two);
    g_assert_cmpint(rui_view_get_stop_kind(app_get_view(app)), ==, RW_STOP_EVENT);
    g_assert_cmpuint(get_remembered(app), ==, RW_STOP_EVENT);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/pair/failing-first", test_failing_first},
        {"/pair/stays", test_stays},
        {"/pair/overtaken", test_overtaken},
        {"/pair/last-counts", test_last_counts},
        {"/pair/difference-in-sight", test_difference_in_sight},
        {"/pair/ledgers", test_ledgers},
        {"/pair/follows", test_follows},
        {"/pair/narrow", test_narrow},
        {"/pair/error", test_error},
        {"/pair/followed-process", test_followed_process},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
