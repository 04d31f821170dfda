// SPDX-License-Identifier: MIT
//
// The timeline's threads: of the bank, recorded for real ($REWIND_EXAMPLES), what the command says of the
// same run ($REWIND); of a big run, that a look costs what is in sight.
#include "harness.h"

#include "rui-compare-links.h"
#include "rui-words.h"
#include "rw-event.h"
#include "timeline-private.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>
#include <math.h>

static void show_threads(App *app)
{
    if (!app->window->timeline->threads)
        app_press(app, "t");
    wait_for(app->window->timeline->threads);
    app_wait_idle(app);
}

static void open_bank(App *app)
{
    app_open_example(app);
    show_threads(app);
}

static TimelineThreads get_threads(App *app, gboolean compared)
{
    TimelineThreads of;
    g_assert_true(timeline_get_threads(app->window->timeline, compared, &of));
    return of;
}

static double get_y(App *app, const TimelineThreads *of, guint number)
{
    return of->top + (number - of->first + 0.5) * app->window->timeline->metrics.row;
}

// The first bar of a state of the rows in sight; false: none has one.
static gboolean find_bar(const TimelineThreads *of, RwThreadState state, guint *ret_row, guint *ret_bar)
{
    for (*ret_row = of->first; *ret_row < of->end; (*ret_row)++) {
        const RwThreadRow *row = rw_thread_rows_get(of->rows, *ret_row);
        for (*ret_bar = 0; *ret_bar < row->n_bars; (*ret_bar)++)
            if (row->bars[*ret_bar].state == state)
                return TRUE;
    }
    return FALSE;
}

// Where its middle is drawn.
static double get_bar_x(App *app, const TimelineThreads *of, guint row_number, guint bar)
{
    const RwThreadRow *row = rw_thread_rows_get(of->rows, row_number);
    double from = rw_run_index_find_place(of->index, row->bars[bar].from);
    double until = rw_run_index_find_place(of->index, rw_thread_row_get_end(row, bar));
    return timeline_to_x(app->window->timeline, (from + until) / 2);
}

static char *dup_tooltip(App *app, const TimelineThreads *of, guint row, guint bar)
{
    double x = get_bar_x(app, of, row, bar);
    return timeline_dup_tooltip(app->window->timeline, (int)x, (int)get_y(app, of, row));
}

static void assert_value(App *app, const char *text)
{
    gtk_test_accessible_assert_property(app->window->timeline, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text);
}

// ---- The bank ----

// Both tellers of both runs are in sight, whoever else there is.
static void check_rows(App *app, const TimelineThreads *of)
{
    guint32 pid = rw_thread_rows_get(of->rows, 0)->pid;
    g_assert_cmpuint(of->end - of->first, ==, 3);
    for (guint i = 0; i < 3; i++) {
        const RwThreadRow *row = rw_thread_rows_get(of->rows, i);
        g_autofree char *name = timeline_dup_thread(row);
        g_assert_cmpuint(row->pid, ==, pid);
        g_assert_cmpstr(row->name, ==, "bank");
        g_assert_true(g_str_has_prefix(name, "bank "));
    }
    g_assert_cmpuint(rw_thread_rows_count(of->rows), >, 3);
}

static void test_bank(App *app, gconstpointer data)
{
    guint row = 0, bar = 0;
    open_bank(app);
    TimelineThreads own = get_threads(app, FALSE), other = get_threads(app, TRUE);
    check_rows(app, &own);
    check_rows(app, &other);
    app_take_picture(app, GTK_WINDOW(app->window), "threads");
    // One teller is held in the run that fails, and nobody in the other.
    g_assert_true(find_bar(&own, RW_THREAD_HELD, &row, &bar));
    rui_view_set_range(app_get_view(app), 300, 345);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "threads-hold");
    const RwThreadBar *held = &rw_thread_rows_get(own.rows, row)->bars[bar];
    g_autofree char *taker = timeline_dup_thread(rw_thread_rows_get(own.rows, held->other));
    g_autofree char *words = g_strdup_printf(_("held by the schedule, %s got the CPU"), taker);
    g_autofree char *tooltip = dup_tooltip(app, &own, row, bar);
    g_assert_nonnull(strstr(tooltip, words));
    g_assert_nonnull(strstr(tooltip, "\n"));
    g_assert_cmpuint(rw_thread_rows_get(own.rows, held->other)->pid, ==,
                     rw_thread_rows_get(own.rows, 0)->pid);
    g_assert_false(find_bar(&other, RW_THREAD_HELD, &row, &bar));
    // Who waits says in which call, and whose row it is.
    g_assert_true(find_bar(&other, RW_THREAD_BLOCKED, &row, &bar));
    g_autofree char *waits = dup_tooltip(app, &other, row, bar);
    g_autofree char *futex = g_strdup_printf(_("waits in %s"), "futex");
    g_assert_true(g_str_has_prefix(waits, _("Compared run")));
    g_assert_nonnull(strstr(waits, futex));
}

// Where the schedules part the held one had the CPU; by keys each thread says what it does there.
static void test_deciding(App *app, gconstpointer data)
{
    guint row = 0, bar = 0;
    open_bank(app);
    TimelineThreads own = get_threads(app, FALSE);
    g_assert_true(find_bar(&own, RW_THREAD_HELD, &row, &bar));
    const RwThreadRow *held = rw_thread_rows_get(own.rows, row);
    guint64 step = (guint64)rw_run_index_find_place(own.index, held->bars[bar].from);
    g_assert_cmpuint(step, ==,
                     rw_session_comparison_get_schedules_step(rui_view_get_comparison(app_get_view(app))));
    rui_view_set_step(app_get_view(app), step);
    g_autofree char *number = rui_dup_number(step), *name = timeline_dup_thread(held);
    g_autofree char *running = g_strdup_printf(_("%s has the CPU"), name);
    g_autofree char *value = g_strdup_printf(_("Step %s: %s"), number, running);
    assert_value(app, value);
    // A step on it does not have it any more.
    rui_view_set_step(app_get_view(app), step + 1);
    gtk_widget_grab_focus(GTK_WIDGET(app->window->timeline));
    for (guint i = 0; i <= row; i++)
        app_press(app, "Down");
    wait_for(app->window->timeline->thread == row);
    const RwThreadRow *taker = rw_thread_rows_get(own.rows, held->bars[bar].other);
    g_autofree char *next = rui_dup_number(step + 1), *other = timeline_dup_thread(taker);
    g_autofree char *runs = g_strdup_printf(_("%s has the CPU"), other);
    g_autofree char *state = g_strdup_printf(_("held by the schedule, %s got the CPU"), other);
    g_autofree char *both = g_strdup_printf(_("%s; %s: %s"), runs, name, state);
    g_autofree char *said = g_strdup_printf(_("Step %s: %s"), next, both);
    assert_value(app, said);
    // Its process alone is looked at then, as with a row of processes.
    g_assert_cmpuint(rui_view_get_process(app_get_view(app))->pid, ==, held->pid);
    app_press(app, "Escape");
    wait_for(!rui_view_get_process(app_get_view(app)));
    g_assert_cmpuint(app->window->timeline->thread, ==, RW_NO_THREAD);
}

// A bar takes the playhead there, a name chooses its thread.
static void test_pointer(App *app, gconstpointer data)
{
    guint row = 0, bar = 0;
    open_bank(app);
    RuiTimeline *timeline = app->window->timeline;
    TimelineThreads own = get_threads(app, FALSE);
    g_assert_true(find_bar(&own, RW_THREAD_HELD, &row, &bar));
    double x = get_bar_x(app, &own, row, bar), y = get_y(app, &own, row);
    guint64 step = (guint64)timeline_to_step(timeline, x);
    app_click(app, GTK_WIDGET(timeline), x, y, 1);
    wait_for(ABS((gint64)rui_view_get_step(app_get_view(app)) - (gint64)step) <= 1);
    g_assert_null(rui_view_get_process(app_get_view(app)));
    app_click(app, GTK_WIDGET(timeline), 20, y, 1);
    wait_for(timeline->thread == row);
    g_assert_nonnull(rui_view_get_process(app_get_view(app)));
    g_assert_cmpuint(ABS((gint64)rui_view_get_step(app_get_view(app)) - (gint64)step), <=, 1);
    timeline_scroll_rows(timeline, 100);
    g_assert_cmpuint(timeline->first_row + 3, ==, timeline_count_rows(timeline));
}

// ---- As the command says ----

static guint64 get_tsc(JsonObject *turn, const char *which)
{
    return (guint64)json_object_get_int_member(json_object_get_object_member(turn, which), "tsc");
}

static RwThreadState get_state_after(const char *left)
{
    if (!strcmp(left, "sleep"))
        return RW_THREAD_BLOCKED;
    if (!strcmp(left, "hold") || !strcmp(left, "stall"))
        return RW_THREAD_HELD;
    return !strcmp(left, "end") || !strcmp(left, "run-end") ? RW_THREAD_AWAY : RW_THREAD_READY;
}

static void check_turn(const RwThreadRows *rows, JsonObject *turn)
{
    guint64 from = get_tsc(turn, "from"), to = get_tsc(turn, "to");
    guint32 tid = (guint32)json_object_get_int_member(turn, "tid");
    guint32 running = rw_thread_rows_find_running(rows, (from + to) / 2);
    if (!tid) {
        g_assert_cmpuint(running, ==, RW_NO_THREAD);
        return;
    }
    const RwThreadRow *row = rw_thread_rows_get(rows, running);
    g_assert_cmpuint(row->tid, ==, tid);
    g_assert_cmpuint(row->pid, ==, json_object_get_int_member(turn, "pid"));
    guint bar = rw_thread_row_find(row, 0, (from + to) / 2);
    g_assert_cmpint(row->bars[bar].state, ==, RW_THREAD_RUNS);
    g_assert_cmpuint(row->bars[bar].from, ==, from);
    g_assert_cmpuint(rw_thread_row_get_end(row, bar), ==, to);
    const RwThreadBar *next = &row->bars[bar + 1];
    const char *left = json_object_get_string_member(turn, "left");
    const char *call = json_object_get_string_member_with_default(turn, "call", NULL);
    g_assert_cmpint(next->state, ==, get_state_after(left));
    if (next->state == RW_THREAD_BLOCKED && call)
        g_assert_cmpstr(rw_system_call_name((unsigned)next->call), ==, call);
    if (!json_object_has_member(turn, "waker") || !json_object_get_int_member(turn, "waker"))
        return;
    const RwThreadBar *woken = &row->bars[bar - 1];
    g_assert_cmpint(woken->cause, ==, RW_CAUSE_WOKEN);
    g_assert_cmpuint(woken->from, ==, get_tsc(turn, "woken_at"));
    g_assert_cmpuint(rw_thread_rows_get(rows, woken->other)->tid, ==,
                     json_object_get_int_member(turn, "waker"));
}

static void test_command(App *app, gconstpointer data)
{
    g_autofree char *failing = harness_import_example("failing.rwd"), *said = NULL;
    const char *argv[] = {g_getenv("REWIND"), "threads", failing, "--json", NULL};
    app_open(app, failing);
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &said, NULL, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(g_strchomp(said), "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), >, 10);
    for (guint i = 0; lines[i]; i++) {
        g_autoptr(JsonNode) node = json_from_string(lines[i], NULL);
        check_turn(rw_run_index_get_threads(rui_view_get_index(app_get_view(app))),
                   json_node_get_object(node));
    }
}

// ---- Which rows ----

static GtkWidget *get_button(App *app, gboolean threads)
{
    GtkWidget *first = gtk_widget_get_first_child(app->window->timeline->choice);
    return threads ? gtk_widget_get_next_sibling(first) : first;
}

// By key, button and setting, which the next window has too.
static void test_choice(App *app, gconstpointer data)
{
    RuiTimeline *timeline = app->window->timeline;
    open_bank(app);
    g_assert_true(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(get_button(app, TRUE))));
    g_assert_true(g_settings_get_boolean(app->window->settings, "threads"));
    app_press(app, "t");
    wait_for(!timeline->threads);
    g_assert_true(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(get_button(app, FALSE))));
    GtkWidget *button = get_button(app, TRUE);
    app_wait_idle(app);
    app_click(app, button, gtk_widget_get_width(button) / 2, gtk_widget_get_height(button) / 2, 1);
    wait_for(timeline->threads);
    app_change_window(app);
    g_assert_true(app->window->timeline->threads);
    gtk_widget_activate_action(GTK_WIDGET(app->window->timeline), "timeline.threads", NULL);
    g_assert_false(app->window->timeline->threads);
    g_assert_false(g_settings_get_boolean(app->window->settings, "threads"));
}

// ---- Colours ----

static double to_linear(guint value)
{
    double part = value / 255.0;
    return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static double get_contrast(guint32 pixel, double ground)
{
    double light = 0.0722 * to_linear(pixel & 0xff) + 0.7152 * to_linear(pixel >> 8 & 0xff) +
                   0.2126 * to_linear(pixel >> 16 & 0xff);
    double other = to_linear((guint)(ground * 255));
    return (MAX(light, other) + 0.05) / (MIN(light, other) + 0.05);
}

// What is drawn whole; the edges of letters are not.
static void check_contrast(App *app, double ground)
{
    GdkTexture *texture = app->window->timeline->rows;
    int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
    g_autofree guint32 *pixels = g_new(guint32, (gsize)width * (gsize)height);
    gdk_texture_download(texture, (guchar *)pixels, (gsize)width * 4);
    guint seen = 0;
    for (gsize i = 0; i < (gsize)width * (gsize)height; i++)
        if (pixels[i] >> 24 == 0xff) {
            g_assert_cmpfloat(get_contrast(pixels[i], ground), >=, 3);
            seen++;
        }
    g_assert_cmpuint(seen, >, 1000);
}

static void test_contrast(App *app, gconstpointer data)
{
    open_bank(app);
    RuiTimeline *timeline = app->window->timeline;
    wait_for(timeline->rows && !timeline->rows_of.dark);
    check_contrast(app, 0.98);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    wait_for(timeline->rows && timeline->rows_of.dark);
    check_contrast(app, 0.142);
    app_take_picture(app, GTK_WINDOW(app->window), "threads-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_LIGHT);
    wait_for(timeline->rows && !timeline->rows_of.dark);
}

// ---- A big run ----

// The playhead costs a line: the picture stays, nothing is read. Another range is one picture more.
static void test_large(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_build_run(harness_get_home(), 0, 100000);
    RuiTimeline *timeline = app->window->timeline;
    app_open(app, id);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "runs");
    show_threads(app);
    wait_for(timeline->rows);
    g_assert_cmpuint(timeline_count_rows(timeline), >, 100);
    RwTrace *trace = rw_session_run_get_trace(rui_view_get_run(app_get_view(app)));
    guint read = rw_trace_get_blocks_read(trace);
    g_autoptr(GdkTexture) before = g_object_ref(timeline->rows);
    guint64 last = rui_view_get_steps(app_get_view(app));
    guint made = 0;
    for (guint i = 0; i < 20; i++) {
        rui_view_set_step(app_get_view(app), last * i / 20);
        app_wait_idle(app);
        made += timeline->rows != before;
        g_set_object(&before, timeline->rows);
    }
    g_assert_cmpuint(made, <=, 3); // for a style that changes with the window's focus
    g_assert_cmpuint(rw_trace_get_blocks_read(trace), ==, read);
    rui_view_set_range(app_get_view(app), (double)last / 3, (double)last / 2);
    wait_for(timeline->rows && timeline->rows != before);
    timeline_scroll_rows(timeline, 50);
    g_assert_cmpuint(timeline->first_row, ==, 50);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "threads-large");
}

static void set_up(App *app, gconstpointer data)
{
    app_set_up(app, data);
    g_settings_reset(app->window->settings, "threads");
}

static void tear_down(App *app, gconstpointer data)
{
    g_settings_reset(app->window->settings, "threads");
    app_tear_down(app, data);
}

// ---- Colours ----

static GtkWidget *find_links(GtkWidget *widget)
{
    GtkWidget *found = RUI_IS_COMPARE_LINKS(widget) ? widget : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_links(child);
    return found;
}

static guint get_row_hue(App *app, const TimelineThreads *of, guint32 tid)
{
    for (guint i = 0; i < rw_thread_rows_count(of->rows); i++)
        if (rw_thread_rows_get(of->rows, i)->tid == tid)
            return timeline_get_thread_hue(app->window->timeline, of, i);
    g_assert_not_reached();
}

// A thread has one colour: in the rows of both runs and beside its events in the comparison.
static void test_hues(App *app, gconstpointer data)
{
    open_bank(app);
    RuiCompareLinks *links = RUI_COMPARE_LINKS(find_links(GTK_WIDGET(app->window->compare)));
    TimelineThreads of[2] = {get_threads(app, FALSE), get_threads(app, TRUE)};
    GListModel *pairs = rw_session_comparison_get_pairs(rui_view_get_comparison(app_get_view(app)));
    g_autoptr(GHashTable) hues = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < g_list_model_get_n_items(pairs); i++) {
        g_autoptr(RwEventPair) pair = g_list_model_get_item(pairs, i);
        for (RwEventSide side = RW_EVENT_LEFT; side <= RW_EVENT_RIGHT; side++) {
            RwEventItem *event = rw_event_pair_get_event(pair, side);
            if (!event)
                continue;
            guint hue = rui_compare_links_get_hue(links, pair, side);
            g_assert_cmpuint(hue, ==, get_row_hue(app, &of[side], rw_event_item_get_tid(event)));
            g_hash_table_add(hues, GUINT_TO_POINTER(hue));
        }
        if (rw_event_pair_is_same(pair))
            g_assert_cmpuint(rui_compare_links_get_hue(links, pair, RW_EVENT_LEFT), ==,
                             rui_compare_links_get_hue(links, pair, RW_EVENT_RIGHT));
    }
    g_assert_cmpuint(g_hash_table_size(hues), >=, 3); // the bank's threads
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/threads/bank", test_bank},         {"/threads/deciding", test_deciding},
        {"/threads/pointer", test_pointer},   {"/threads/command", test_command},
        {"/threads/hues", test_hues},         {"/threads/choice", test_choice},
        {"/threads/contrast", test_contrast}, {"/threads/large", test_large},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, set_up, tests[i].test, tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
