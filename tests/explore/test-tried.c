// SPDX-License-Identifier: MIT
//
// What a check that was cancelled knows of its schedules: kept as it was, gone when it is forgotten, and as
// none where the file is of anybody.
#include "rw-file.h"
#include "rw-tried.h"

#include <glib/gstdio.h>

typedef struct {
    char *home, *dir, *file; // dir: of schedule 0's run
    RwStore *store;
    RwInputs *inputs; // of schedule 0
} Fixture;

static RwInputs *inputs_new(uint64_t schedule)
{
    char *argv[] = {(char *)"make", (char *)"check", NULL};
    RwInputs *inputs = rw_inputs_new();
    g_free(inputs->guest_hash);
    g_free(inputs->image_hash);
    inputs->guest_hash = g_strnfill(64, '1');
    inputs->image_hash = g_strnfill(64, '2');
    g_strfreev(inputs->argv);
    inputs->argv = g_strdupv(argv);
    inputs->seed = schedule; // another run
    return inputs;
}

static void set_up(Fixture *fixture, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    char id[RW_RUN_ID_SIZE];
    fixture->home = g_dir_make_tmp("rewind-tried-XXXXXX", &error);
    g_assert_no_error(error);
    fixture->store = rw_store_open(fixture->home, &error);
    g_assert_no_error(error);
    fixture->inputs = inputs_new(0);
    rw_inputs_id(fixture->inputs, id);
    fixture->dir = g_build_filename(rw_store_get_runs_dir(fixture->store), id, NULL);
    fixture->file = g_build_filename(fixture->dir, "tried.json", NULL);
    g_assert_true(rw_mkdir(fixture->dir, &error));
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
    g_clear_pointer(&fixture->store, rw_store_free);
    g_assert_true(rw_remove_tree(fixture->home, NULL));
    rw_inputs_free(fixture->inputs);
    g_free(fixture->home);
    g_free(fixture->dir);
    g_free(fixture->file);
}

static RwEnd end_of(uint64_t schedule)
{
    RwEnd end = {.kind = schedule % 3 ? RW_END_POWEROFF : RW_END_STALLED,
                 .job_exited = schedule % 3 != 0,
                 .job_status = (int)(schedule % 3) << 8,
                 .steps = 100 + schedule,
                 .icount = (1ull << 40) + schedule,
                 .tsc = 7 * schedule};
    memset(end.outputs, (int)schedule, sizeof end.outputs);
    if (!end.job_exited)
        g_strlcpy(end.where, "in \"futex()\"", sizeof end.where);
    return end;
}

static void put(RwTried *tried, uint64_t schedule)
{
    g_autoptr(RwInputs) inputs = inputs_new(schedule);
    RwEnd end = end_of(schedule);
    rw_tried_put(tried, inputs, &end);
}

static bool has(RwTried *tried, uint64_t schedule)
{
    g_autoptr(RwInputs) inputs = inputs_new(schedule);
    RwEnd end, wanted = end_of(schedule);
    if (!rw_tried_find(tried, inputs, &end))
        return false;
    g_assert_true(rw_end_same(&end, &wanted));
    g_assert_cmpuint(end.steps, ==, wanted.steps);
    g_assert_cmpuint(end.icount, ==, wanted.icount);
    g_assert_cmpuint(end.tsc, ==, wanted.tsc);
    g_assert_cmpstr(end.where, ==, wanted.where);
    return true;
}

static void save_some(Fixture *fixture)
{
    g_autoptr(RwTried) tried = rw_tried_new(fixture->store, fixture->inputs);
    for (uint64_t schedule = 1; schedule <= 40; schedule++)
        put(tried, schedule);
    rw_tried_save(tried, true);
}

static void test_kept(Fixture *fixture, gconstpointer data)
{
    save_some(fixture);
    g_autoptr(RwTried) tried = rw_tried_new(fixture->store, fixture->inputs);
    g_assert_cmpuint(rw_tried_count(tried), ==, 40);
    for (uint64_t schedule = 1; schedule <= 40; schedule++)
        g_assert_true(has(tried, schedule));
    g_assert_false(has(tried, 41));
    put(tried, 41);
    rw_tried_save(tried, true);
    g_autoptr(RwTried) again = rw_tried_new(fixture->store, fixture->inputs);
    g_assert_true(has(again, 41));
    // Of another job nothing is known.
    g_autoptr(RwInputs) other = inputs_new(1000);
    g_autoptr(RwTried) none = rw_tried_new(fixture->store, other);
    g_assert_cmpuint(rw_tried_count(none), ==, 0);
    rw_tried_forget(again);
    g_assert_false(g_file_test(fixture->file, G_FILE_TEST_EXISTS));
    g_autoptr(RwTried) gone = rw_tried_new(fixture->store, fixture->inputs);
    g_assert_cmpuint(rw_tried_count(gone), ==, 0);
}

// A run that was removed meanwhile does not come back.
static void test_removed(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwTried) tried = rw_tried_new(fixture->store, fixture->inputs);
    put(tried, 1);
    g_assert_true(rw_remove_tree(fixture->dir, NULL));
    rw_tried_save(tried, true);
    g_assert_false(g_file_test(fixture->dir, G_FILE_TEST_EXISTS));
    g_assert_true(has(tried, 1));
}

static guint count_of(Fixture *fixture, const char *text, gssize length)
{
    g_assert_true(g_file_set_contents(fixture->file, text, length, NULL));
    g_autoptr(RwTried) tried = rw_tried_new(fixture->store, fixture->inputs);
    return rw_tried_count(tried);
}

// `count` runs, with `member` as `value` in the last one.
static char *dup_file(guint count, const char *version, const char *member, const char *value)
{
    static const char *const members[][2] = {
        {"outputs", "\"0000000000000000000000000000000000000000000000000000000000000000\""},
        {"stop", "\"poweroff\""},
        {"job_status", "256"},
        {"steps", "5"},
        {"instructions", "6"},
        {"tsc", "7"},
        {"where", "\"\""}};
    GString *text = g_string_new("{\"format\":\"rewind-tried\",\"version\":");
    g_string_append_printf(text, "%s,\"runs\":[", version);
    for (guint i = 0; i < count; i++) {
        gboolean last = i + 1 == count;
        g_autofree char *id = g_strdup_printf("\"%016x\"", i);
        g_string_append_printf(text, "{\"id\":%s", last && !g_strcmp0(member, "id") ? value : id);
        for (gsize j = 0; j < G_N_ELEMENTS(members); j++)
            g_string_append_printf(text, ",\"%s\":%s", members[j][0],
                                   last && !g_strcmp0(member, members[j][0]) ? value : members[j][1]);
        g_string_append(text, last ? "}" : "},");
    }
    g_string_append(text, "]}");
    return g_string_free(text, FALSE);
}

static void test_hostile(Fixture *fixture, gconstpointer data)
{
    static const char *const wrong[][2] = {
        {"id", "\"0\""},
        {"id", "\"000000000000000G\""},
        {"id", "\"00000000000000000\""},
        {"id", "7"},
        {"outputs", "\"00\""},
        {"outputs", "null"},
        {"stop", "\"none\""},
        {"stop", "\"\""},
        {"stop", "{}"},
        {"job_status", "4294967296"},
        {"job_status", "\"0\""},
        {"steps", "-1"},
        {"steps", "\"18446744073709551615\""},
        {"instructions", "1125899906842625"}, // more than any run has: their sum stays a number
        {"instructions", "\"99999999999999999999\""},
        {"instructions", "1.5e300"},
        {"tsc", "[]"},
        {"where", "null"},
    };
    g_autofree char *good = dup_file(3, "1", NULL, NULL), *most = dup_file(4096, "1", NULL, NULL);
    g_autofree char *more = dup_file(4097, "1", NULL, NULL), *newer = dup_file(3, "2", NULL, NULL);
    g_autofree char *deep = g_strnfill(100000, '['), *large = g_strnfill(5 << 20, ' ');
    g_assert_cmpuint(count_of(fixture, good, -1), ==, 3);
    g_assert_cmpuint(count_of(fixture, most, -1), ==, 4096);
    g_assert_cmpuint(count_of(fixture, more, -1), ==, 0);
    g_assert_cmpuint(count_of(fixture, newer, -1), ==, 0);
    g_assert_cmpuint(count_of(fixture, "", 0), ==, 0);
    g_assert_cmpuint(count_of(fixture, "[]", -1), ==, 0);
    g_assert_cmpuint(count_of(fixture, deep, -1), ==, 0);
    g_assert_cmpuint(count_of(fixture, large, -1), ==, 0);
    for (gsize cut = 0; cut < strlen(good); cut++)
        g_assert_cmpuint(count_of(fixture, good, (gssize)cut), ==, 0);
    for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text = dup_file(3, "1", wrong[i][0], wrong[i][1]);
        g_test_message("%s: %s", wrong[i][0], wrong[i][1]);
        g_assert_cmpuint(count_of(fixture, text, -1), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/tried/kept", Fixture, NULL, set_up, test_kept, tear_down);
    g_test_add("/tried/removed", Fixture, NULL, set_up, test_removed, tear_down);
    g_test_add("/tried/hostile", Fixture, NULL, set_up, test_hostile, tear_down);
    return g_test_run();
}
