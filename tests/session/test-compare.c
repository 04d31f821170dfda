// SPDX-License-Identifier: MIT
//
// The app's comparison of two runs says what the command's does. REWIND is the command, DATA the folder of
// the example runs.
#include "fixture.h"

#include <json-glib/json-glib.h>
#include <stdlib.h>

#define LINES "400" // as many as the app shows of each

// ---- The command ----

static char *run_command(Fixture *fixture, const char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "REWIND_HOME", fixture->home, true);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    char *out = NULL;
    g_ptr_array_add(words, getenv("REWIND"));
    for (guint i = 0; argv[i]; i++)
        g_ptr_array_add(words, (gpointer)argv[i]);
    g_ptr_array_add(words, NULL);
    g_spawn_sync(NULL, (char **)words->pdata, env, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, NULL, &error);
    g_assert_no_error(error);
    return out;
}

static JsonNode *compare_by_command(Fixture *fixture, const char *left, const char *right)
{
    g_autoptr(GError) error = NULL;
    const char *argv[] = {"compare", "--json", "--lines", LINES, left, right, NULL};
    g_autofree char *out = run_command(fixture, argv);
    JsonNode *node = json_from_string(out, &error);
    g_assert_no_error(error);
    return node;
}

// The lines of one side, each as "322 22/23 write(1, …)".
static GPtrArray *get_lines(JsonObject *object, const char *run)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    JsonArray *array = json_object_get_array_member(object, "lines");
    for (guint i = 0; i < json_array_get_length(array); i++) {
        JsonObject *line = json_array_get_object_element(array, i);
        if (strcmp(json_object_get_string_member(line, "run"), run))
            continue;
        g_ptr_array_add(lines, g_strdup_printf("%s %d/%d %s", json_object_get_string_member(line, "place"),
                                               (int)json_object_get_int_member(line, "pid"),
                                               (int)json_object_get_int_member(line, "tid"),
                                               json_object_get_string_member(line, "text")));
    }
    return lines;
}

static guint64 get_first_step(JsonObject *object, const char *run, RwSessionRun *otherwise)
{
    JsonArray *array = json_object_get_array_member(object, "lines");
    for (guint i = 0; i < json_array_get_length(array); i++) {
        JsonObject *line = json_array_get_object_element(array, i);
        if (!strcmp(json_object_get_string_member(line, "run"), run))
            return (guint64)json_object_get_int_member(line, "step");
    }
    return rw_session_run_get_steps(otherwise);
}

// ---- The app ----

static void add_row(GPtrArray *rows, RwEventItem *item)
{
    if (item)
        g_ptr_array_add(rows, g_strdup_printf("%s %u/%u %s", rw_event_item_get_place(item),
                                              rw_event_item_get_pid(item), rw_event_item_get_tid(item),
                                              rw_event_item_get_text(item)));
}

static GPtrArray *get_rows(RwSessionComparison *comparison, guint from, guint until, RwEventSide side)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);
    for (guint i = from; i < until; i++) {
        g_autoptr(RwEventPair) pair = g_list_model_get_item(rw_session_comparison_get_pairs(comparison), i);
        const char *left = rw_event_pair_get_program(pair, RW_EVENT_LEFT);
        const char *right = rw_event_pair_get_program(pair, RW_EVENT_RIGHT);
        g_assert_true((left && *left) == (rw_event_pair_get_event(pair, RW_EVENT_LEFT) != NULL));
        g_assert_true((right && *right) == (rw_event_pair_get_event(pair, RW_EVENT_RIGHT) != NULL));
        add_row(rows, rw_event_pair_get_event(pair, side));
    }
    return rows;
}

static void assert_same(GPtrArray *wanted, GPtrArray *got)
{
    for (guint i = 0; i < MIN(wanted->len, got->len); i++)
        g_assert_cmpstr(got->pdata[i], ==, wanted->pdata[i]);
    g_assert_cmpuint(got->len, ==, wanted->len);
}

static void assert_rows(RwSessionComparison *comparison, JsonObject *object)
{
    guint context = rw_session_comparison_get_context(comparison);
    guint count = g_list_model_get_n_items(rw_session_comparison_get_pairs(comparison));
    g_autoptr(GPtrArray) both = get_lines(object, "both");
    g_autoptr(GPtrArray) left = get_lines(object, "left"), right = get_lines(object, "right");
    g_assert_cmpuint(context, >=, both->len);
    g_autoptr(GPtrArray) before = get_rows(comparison, context - both->len, context, RW_EVENT_LEFT);
    g_autoptr(GPtrArray) here = get_rows(comparison, context, count, RW_EVENT_LEFT);
    g_autoptr(GPtrArray) there = get_rows(comparison, context, count, RW_EVENT_RIGHT);
    assert_same(both, before);
    assert_same(left, here);
    assert_same(right, there);
}

static guint64 get_number(JsonObject *object, const char *member)
{
    return json_object_has_member(object, member) ? (guint64)json_object_get_int_member(object, member) : 0;
}

// What both did in another order leads there and back, and is by the same thread.
static guint assert_moved(RwSessionComparison *comparison)
{
    GListModel *pairs = rw_session_comparison_get_pairs(comparison);
    guint moved = 0;
    for (guint i = 0; i < g_list_model_get_n_items(pairs); i++) {
        g_autoptr(RwEventPair) pair = g_list_model_get_item(pairs, i);
        guint there = rw_event_pair_get_elsewhere(pair, RW_EVENT_LEFT);
        if (there == RW_EVENT_NOWHERE)
            continue;
        g_autoptr(RwEventPair) other = g_list_model_get_item(pairs, there);
        RwEventItem *here = rw_event_pair_get_event(pair, RW_EVENT_LEFT);
        RwEventItem *twin = rw_event_pair_get_event(other, RW_EVENT_RIGHT);
        g_assert_false(rw_event_pair_is_same(pair) || rw_event_pair_is_same(other));
        g_assert_cmpuint(rw_event_pair_get_elsewhere(other, RW_EVENT_RIGHT), ==, i);
        g_assert_cmpuint(rw_event_pair_get_thread(pair, RW_EVENT_LEFT), ==,
                         rw_event_pair_get_thread(other, RW_EVENT_RIGHT));
        g_assert_cmpuint(rw_event_item_get_type_number(here), ==, rw_event_item_get_type_number(twin));
        moved++;
    }
    return moved;
}

// Returns what the app has.
static RwSessionComparison *assert_agree(Fixture *fixture, const char *left, const char *right)
{
    g_autoptr(JsonNode) node = compare_by_command(fixture, left, right);
    JsonObject *object = json_node_get_object(node);
    g_autoptr(RwSessionRun) a = fixture_open_run(fixture->session, left);
    g_autoptr(RwSessionRun) b = fixture_open_run(fixture->session, right);
    RwSessionComparison *comparison = fixture_compare(a, b);
    bool same = json_object_get_boolean_member(object, "same");
    g_assert_true(rw_session_comparison_is_identical(comparison) == same);
    g_assert_cmpuint(rw_session_comparison_get_shared(comparison), ==, get_number(object, "shared"));
    g_assert_cmpuint(rw_session_comparison_get_schedules_step(comparison), ==,
                     get_number(object, "parting_step"));
    g_assert_cmpuint(rw_session_comparison_get_left_step(comparison), ==,
                     same ? 0 : get_first_step(object, "left", a));
    g_assert_cmpuint(rw_session_comparison_get_right_step(comparison), ==,
                     same ? 0 : get_first_step(object, "right", b));
    assert_rows(comparison, object);
    assert_moved(comparison);
    return comparison;
}

// ---- Runs ----

// Processes have other numbers in the other run and are the same all the same.
static void test_shifted(Fixture *fixture, gconstpointer data)
{
    g_autofree char *one = fixture_add_build_run(fixture->home, 0, 30000);
    g_autofree char *same = fixture_add_shifted_run(fixture->home, 0, 30000);
    g_autofree char *other = fixture_add_shifted_run(fixture->home, 20000, 30000);
    g_autoptr(RwSessionComparison) equal = assert_agree(fixture, one, same);
    g_assert_true(rw_session_comparison_is_identical(equal));
    g_assert_null(rw_session_comparison_get_left_program(equal));
    g_autoptr(RwSessionComparison) parted = assert_agree(fixture, one, other);
    g_assert_false(rw_session_comparison_is_identical(parted));
    g_assert_cmpuint(rw_session_comparison_get_shared(parted), >, 1000);
    g_assert_true(g_str_has_prefix(rw_session_comparison_get_left_program(parted), "cc -O2 -c /src/"));
}

// Their first blocks have the same bytes.
static void test_twins(Fixture *fixture, gconstpointer data)
{
    g_autofree char *one = fixture_add_build_run(fixture->home, 0, 60000);
    g_autofree char *two = fixture_add_build_run(fixture->home, 50000, 60000);
    g_autofree char *short_one = fixture_add_build_run(fixture->home, 70000, 40000);
    g_autoptr(RwSessionComparison) late = assert_agree(fixture, one, two);
    g_assert_cmpuint(rw_session_comparison_get_shared(late), >, 10000);
    g_autoptr(RwSessionComparison) ended = assert_agree(fixture, one, short_one);
    g_assert_cmpstr(rw_session_comparison_get_right_program(ended), !=,
                    rw_session_comparison_get_left_program(ended));
    g_autoptr(RwSessionComparison) itself = assert_agree(fixture, two, two);
    g_assert_true(rw_session_comparison_is_identical(itself));
}

static void test_different_jobs(Fixture *fixture, gconstpointer data)
{
    g_autofree char *story = fixture_add_run(fixture->home, "make", NULL, 0);
    g_autofree char *chaos = fixture_add_big_run(fixture->home, 1, 900);
    g_autofree char *other = fixture_add_big_run(fixture->home, 2, 900);
    g_autoptr(RwSessionComparison) jobs = assert_agree(fixture, story, chaos);
    g_autoptr(RwSessionComparison) seeds = assert_agree(fixture, chaos, other);
    g_assert_false(rw_session_comparison_is_identical(seeds));
}

// The other goes on where it ends.
static void test_ended(Fixture *fixture, gconstpointer data)
{
    g_autofree char *one = fixture_add_big_run(fixture->home, 1, 600);
    g_autofree char *two = fixture_add_big_run(fixture->home, 1, 900);
    g_autoptr(RwSessionComparison) comparison = assert_agree(fixture, one, two);
    g_assert_cmpuint(rw_session_comparison_get_left_step(comparison), ==, 600);
    g_assert_null(rw_session_comparison_get_left_program(comparison));
    g_assert_nonnull(rw_session_comparison_get_right_program(comparison));
}

// Two threads one after the other, and the other way round: what the one wrote is as before, what the other
// one did has moved.
static void test_turns(Fixture *fixture, gconstpointer data)
{
    g_autofree char *passing = fixture_add_turns_run(fixture->home, false);
    g_autofree char *failing = fixture_add_turns_run(fixture->home, true);
    g_autoptr(RwSessionComparison) comparison = assert_agree(fixture, failing, passing);
    g_assert_cmpuint(assert_moved(comparison), ==, 2);
    g_autoptr(RwSessionComparison) itself = assert_agree(fixture, failing, failing);
    g_assert_cmpuint(assert_moved(itself), ==, 0);
}

static char *import_run(Fixture *fixture, const char *name)
{
    g_autofree char *path = g_build_filename(getenv("DATA"), name, NULL);
    const char *argv[] = {"import", path, NULL};
    g_autofree char *out = run_command(fixture, argv);
    return g_strndup(out, strcspn(out, " "));
}

// What `check` found of the bank.
static void test_bank(Fixture *fixture, gconstpointer data)
{
    g_autofree char *failing = import_run(fixture, "failing.rwd");
    g_autofree char *passing = import_run(fixture, "passing.rwd");
    g_autoptr(RwSessionComparison) comparison = assert_agree(fixture, failing, passing);
    guint64 decides = rw_session_comparison_get_schedules_step(comparison);
    g_assert_cmpuint(decides, >, 0);
    g_assert_cmpuint(rw_session_comparison_get_left_step(comparison), >, decides);
    g_assert_cmpstr(rw_session_comparison_get_left_program(comparison), ==, "./bank");
    g_assert_cmpstr(rw_session_comparison_get_right_program(comparison), ==, "./bank");
    g_autoptr(RwSessionComparison) swapped = assert_agree(fixture, passing, failing);
    g_assert_cmpuint(rw_session_comparison_get_right_step(swapped), ==,
                     rw_session_comparison_get_left_step(comparison));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*test)(Fixture *fixture, gconstpointer data);
    } tests[] = {
        {"/compare/shifted", test_shifted},
        {"/compare/twins", test_twins},
        {"/compare/different-jobs", test_different_jobs},
        {"/compare/ended", test_ended},
        {"/compare/turns", test_turns},
        {"/compare/bank", test_bank},
    };
    g_test_init(&argc, &argv, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, Fixture, NULL, fixture_set_up, tests[i].test, fixture_tear_down);
    return g_test_run();
}
