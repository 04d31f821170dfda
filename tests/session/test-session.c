// SPDX-License-Identifier: MIT
//
// The store as a list, and one run as a window asks about it.
#include "fixture.h"
#include "rw-session-bookmarks.h"
#include "story.h"

#include <glib/gstdio.h>

static guint count_runs(Fixture *fixture)
{
    return g_list_model_get_n_items(rw_session_get_runs(fixture->session));
}

static RwSessionRun *open_run(Fixture *fixture, const char *ref)
{
    return fixture_open_run(fixture->session, ref);
}

static RwSessionRun *open_story(Fixture *fixture)
{
    g_autofree char *id = fixture_add_run(fixture->home, "make", NULL, 0);
    return open_run(fixture, id);
}

// ---- The list ----

static void test_list_follows(Fixture *fixture, gconstpointer data)
{
    g_assert_cmpuint(count_runs(fixture), ==, 0);
    g_autofree char *id = fixture_add_run(fixture->home, "make", "first", 0);
    wait_for(count_runs(fixture) == 1);
    RwRunItem *item = rw_session_find(fixture->session, id);
    g_assert_nonnull(item);
    g_assert_cmpstr(rw_run_item_get_title(item), ==, "first");
    g_assert_cmpstr(rw_run_item_get_command(item), ==, "make check");
    const RwEnd *end = rw_run_item_get_end(item);
    g_assert_true(end && end->job_exited && end->job_status == 2 << 8);
    g_assert_cmpint(rw_run_item_get_verdict(item), ==, RW_VERDICT_FAILED);
    g_assert_cmpuint(rw_run_item_get_steps(item), ==, STORY_STEPS);
    g_autofree char *other = fixture_add_run(fixture->home, "make", NULL, 7);
    wait_for(count_runs(fixture) == 2);
    RwRunItem *second = rw_session_find(fixture->session, other);
    g_assert_cmpstr(rw_run_item_get_job(second), ==, rw_run_item_get_job(item));
    const RwSchedule *schedule = rw_run_item_get_schedule(second);
    g_assert_true(schedule && schedule->n_windows == 1 && schedule->windows[0].number == 7);
}

static void test_remove(Fixture *fixture, gconstpointer data)
{
    g_autofree char *id = fixture_add_run(fixture->home, "make", NULL, 0);
    wait_for(count_runs(fixture) == 1);
    RwSessionRun *run = open_run(fixture, id);
    g_autoptr(GAsyncResult) busy = NULL, asked = NULL, result = NULL;
    g_autoptr(GError) error = NULL;
    RwRunItem *item = rw_session_find(fixture->session, id);
    g_autoptr(GPtrArray) items = g_ptr_array_new();
    g_ptr_array_add(items, item);
    rw_session_remove_async(fixture->session, items, true, NULL, on_result, &busy);
    wait_for(busy);
    g_assert_false(rw_session_remove_finish(fixture->session, busy, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    g_clear_error(&error);
    RwSessionRun *watched = run;
    g_object_add_weak_pointer(G_OBJECT(run), (gpointer *)&watched);
    g_clear_object(&run);
    wait_for(!watched); // a worker thread may let go of it last
    rw_session_remove_async(fixture->session, items, true, NULL, on_result, &asked);
    wait_for(asked);
    g_assert_true(rw_session_remove_finish(fixture->session, asked, &error));
    g_assert_cmpuint(count_runs(fixture), ==, 1);
    rw_session_remove_async(fixture->session, items, false, NULL, on_result, &result);
    wait_for(result);
    g_assert_true(rw_session_remove_finish(fixture->session, result, &error));
    wait_for(count_runs(fixture) == 0);
}

static void list_again(Fixture *fixture)
{
    wait_for(!rw_session_get_loading(fixture->session));
    rw_session_refresh(fixture->session);
    wait_for(!rw_session_get_loading(fixture->session));
}

static bool is_kept(Fixture *fixture, const char *id)
{
    g_autofree char *path = g_build_filename(fixture->home, "runs", id, NULL);
    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

// What is put away is in no list and yet there; another recording of the same is another run.
static void test_put_away(Fixture *fixture, gconstpointer data)
{
    g_autofree char *id = fixture_add_run(fixture->home, "make", NULL, 0);
    g_autofree char *other = fixture_add_run(fixture->home, "make", NULL, 1);
    wait_for(count_runs(fixture) == 2);
    g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
    g_ptr_array_add(items, g_object_ref(rw_session_find(fixture->session, id)));
    rw_session_put_away(fixture->session, items);
    g_assert_cmpuint(count_runs(fixture), ==, 1);
    list_again(fixture);
    g_assert_cmpuint(count_runs(fixture), ==, 1);
    g_assert_true(is_kept(fixture, id));
    rw_session_take_back(fixture->session, items);
    wait_for(count_runs(fixture) == 2);
    // Two of which one is in use: none goes.
    g_ptr_array_add(items, g_object_ref(rw_session_find(fixture->session, other)));
    g_autoptr(RwSessionRun) run = open_run(fixture, other);
    g_autoptr(GAsyncResult) busy = NULL;
    g_autoptr(GError) error = NULL;
    rw_session_put_away(fixture->session, items);
    g_assert_cmpuint(count_runs(fixture), ==, 0);
    rw_session_remove_async(fixture->session, items, false, NULL, on_result, &busy);
    wait_for(busy);
    g_assert_false(rw_session_remove_finish(fixture->session, busy, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_BUSY);
    g_assert_true(is_kept(fixture, id) && is_kept(fixture, other));
    rw_session_take_back(fixture->session, items);
    wait_for(count_runs(fixture) == 2);
}

static void test_damaged_run(Fixture *fixture, gconstpointer data)
{
    g_autofree char *id = fixture_add_run(fixture->home, "make", NULL, 0);
    g_autofree char *manifest = g_build_filename(fixture->home, "runs", id, "manifest.json", NULL);
    g_assert_true(g_file_set_contents(manifest, "{", -1, NULL));
    rw_session_refresh(fixture->session);
    wait_for(count_runs(fixture) == 1);
    RwRunItem *item = rw_session_find(fixture->session, id);
    g_assert_cmpint(rw_run_item_get_state(item), ==, RW_RUN_DAMAGED);
    g_assert_nonnull(rw_run_item_get_problem(item));
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    rw_session_open_run_async(fixture->session, id, NULL, on_result, &result);
    wait_for(result);
    g_assert_null(rw_session_open_run_finish(fixture->session, result, &error));
    g_assert_error(error, RW_ERROR, RW_ERROR_INVALID);
}

static void test_gone_while_open(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    g_autofree char *path = g_strdup(rw_session_run_get_path(run));
    wait_for(count_runs(fixture) == 1);
    g_assert_true(rw_session_run_get_present(run));
    g_assert_true(rw_remove_tree(path, NULL));
    wait_for(!rw_session_run_get_present(run));
    g_autoptr(GAsyncResult) result = NULL;
    rw_session_run_look_async(run, 5, NULL, on_result, &result);
    wait_for(result);
    g_autoptr(RwMoment) moment = rw_session_run_look_finish(run, result, NULL);
    g_assert_cmpuint(moment->events->len, ==, 1);
}

// One that goes before the list ever had it.
static void test_gone_before_listed(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    g_assert_true(rw_remove_tree(rw_session_run_get_path(run), NULL));
    wait_for(!rw_session_run_get_present(run));
}

// ---- The index ----

static void test_index(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    const RwRunIndex *index = rw_session_run_get_index(run);
    g_assert_cmpuint(rw_run_index_get_steps(index), ==, STORY_STEPS);
    guint64 start = rw_run_index_get_job_start(index), end = rw_run_index_get_job_end(index);
    g_assert_cmpuint(start, >, 0);
    g_assert_cmpuint(end, >, start);
    // The thread that crashed, not make's own exit.
    g_assert_cmpuint(rw_run_index_get_failure(index), >, start);
    g_assert_cmpuint(rw_run_index_get_failure(index), <, end - 3);
    g_assert_cmpuint(rw_run_index_count(index, RW_TRACK_OUTPUT, 0, STORY_STEPS + 1), ==, 1);
    g_assert_cmpuint(rw_run_index_count(index, RW_TRACK_SIGNAL, 0, STORY_STEPS + 1), ==, 2);
    g_assert_cmpuint(rw_run_index_count(index, RW_TRACK_SIGNAL, 0, 3), ==, 0);
    g_assert_cmpuint(rw_session_run_get_time(run, STORY_STEPS), ==, 18000);
    const GArray *phases = rw_run_index_get_phases(index);
    g_assert_cmpuint(phases->len, >=, 3);
    guint64 at = 0;
    for (guint i = 0; i < phases->len; i++) {
        const RwPhase *phase = &g_array_index(phases, RwPhase, i);
        g_assert_cmpuint(phase->from, ==, at);
        at = phase->until;
    }
    g_assert_cmpuint(at, ==, STORY_STEPS + 1);
}

static void test_lines(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    const RwText *text = rw_run_index_get_text(rw_session_run_get_index(run), RW_TEXT_OUTPUT);
    g_assert_cmpuint(rw_text_count_lines(text, G_MAXUINT64), ==, 1);
    RwLine line;
    rw_text_get_line(text, 0, G_MAXUINT64, &line);
    g_assert_cmpmem(line.bytes, line.length, "job \"0\" done", 12);
    g_assert_cmpuint(line.pid, ==, 34);
    g_assert_cmpuint(rw_text_count_lines(text, line.step), ==, 1);
    g_assert_cmpuint(rw_text_count_lines(text, line.step - 1), ==, 0);
}

// ---- Questions ----

static void test_look(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    g_autoptr(GAsyncResult) result = NULL;
    rw_session_run_look_async(run, STORY_STEPS - 1, NULL, on_result, &result);
    wait_for(result);
    g_autoptr(RwMoment) moment = rw_session_run_look_finish(run, result, NULL);
    g_assert_true(moment->known);
    g_assert_cmpuint(moment->info.step, ==, STORY_STEPS - 1);
    g_assert_nonnull(moment->before);
    g_assert_cmpuint(rw_event_item_get_step(moment->before), <, STORY_STEPS - 1);
}

static void test_procs(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    g_autoptr(GAsyncResult) result = NULL, early = NULL;
    rw_session_run_list_procs_async(run, 9, NULL, on_result, &result);
    wait_for(result);
    g_autoptr(GPtrArray) rows = rw_session_run_list_procs_finish(run, result, NULL);
    const char *const texts[] = {"/init", "make check", "./t", NULL};
    g_assert_cmpuint(rows->len, ==, G_N_ELEMENTS(texts));
    for (guint i = 0; i < rows->len; i++) {
        const RwProcRow *row = rows->pdata[i];
        g_assert_cmpstr(row->text, ==, texts[i]);
        g_assert_cmpuint(row->depth, ==, i);
    }
    // Before the exec the child is what its parent was.
    rw_session_run_list_procs_async(run, 6, NULL, on_result, &early);
    wait_for(early);
    g_autoptr(GPtrArray) before = rw_session_run_list_procs_finish(run, early, NULL);
    g_assert_cmpuint(before->len, ==, 3);
    g_assert_cmpstr(((RwProcRow *)before->pdata[2])->text, ==, "make check");
}

static void test_files(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    g_autoptr(GAsyncResult) result = NULL;
    rw_session_run_list_files_async(run, STORY_STEPS, &RW_FILTER_NONE, NULL, on_result, &result);
    wait_for(result);
    g_autoptr(GArray) rows = rw_session_run_list_files_finish(run, result, NULL);
    g_assert_cmpuint(rows->len, ==, 3); // the open failed
    g_assert_cmpstr(g_array_index(rows, RwFileRow, 0).path, ==, "/new");
    g_assert_cmpint(g_array_index(rows, RwFileRow, 0).kind, ==, RW_CHANGE_RENAMED);
    g_assert_cmpstr(g_array_index(rows, RwFileRow, 2).path, ==, "/a/b");
}

static guint64 find_stop(RwSessionRun *run, guint64 step, bool forward, RwStop stop)
{
    if (!stop.filter.until)
        stop.filter = RW_FILTER_NONE;
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    guint64 found = 0;
    rw_session_run_find_stop_async(run, step, forward, &stop, NULL, on_result, &result);
    wait_for(result);
    g_assert_true(rw_session_run_find_stop_finish(run, result, &found, &error));
    return found;
}

static void test_stops(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    RwStop log = {.kind = RW_STOP_LOG}, file = {.kind = RW_STOP_FILE, .path = "/a/b"};
    RwStop signal_ = {.kind = RW_STOP_KIND, .type = REWIND_RECORD_SIGNAL};
    RwStop thread = {.kind = RW_STOP_THREAD, .tid = 35};
    guint64 output = find_stop(run, 1, true, log);
    g_assert_cmpuint(output, >, 0);
    g_assert_cmpuint(find_stop(run, STORY_STEPS, false, log), ==, output);
    g_assert_cmpuint(find_stop(run, output, true, log), ==, 0);
    g_assert_cmpuint(find_stop(run, output, false, log), ==, 0);
    g_assert_cmpuint(find_stop(run, output, true, signal_), ==, output + 1);
    g_assert_cmpuint(find_stop(run, output, true, thread), ==, output + 1);
    g_assert_cmpuint(find_stop(run, 1, true, file), >, output);
    RwStop bookmark = {.kind = RW_STOP_BOOKMARK};
    g_assert_cmpuint(find_stop(run, 1, true, bookmark), ==, 0);
    g_assert_true(rw_session_run_set_bookmark(run, 5, "", NULL));
    g_assert_true(rw_session_run_set_bookmark(run, 7, "", NULL));
    g_assert_cmpuint(find_stop(run, 1, true, bookmark), ==, 5);
    g_assert_cmpuint(find_stop(run, 9, false, bookmark), ==, 7);
    g_assert_cmpuint(find_stop(run, 7, false, bookmark), ==, 5);
}

static void test_search(Fixture *fixture, gconstpointer data)
{
    g_autoptr(RwSessionRun) run = open_story(fixture);
    g_autoptr(GAsyncResult) first = NULL, second = NULL, third = NULL;
    rw_session_run_search_async(run, "JOB", NULL, on_result, &first);
    wait_for(first);
    g_autoptr(RwFound) jobs = rw_session_run_search_finish(run, first, NULL);
    g_assert_cmpuint(jobs->total, ==, 3); // the line, the job's start and end
    g_assert_cmpuint(jobs->hits->len, ==, 3);
    rw_session_run_search_async(run, "/a/b", NULL, on_result, &second);
    wait_for(second);
    g_autoptr(RwFound) paths = rw_session_run_search_finish(run, second, NULL);
    g_assert_cmpuint(paths->total, ==, 2);
    g_assert_cmpint(((RwHit *)paths->hits->pdata[0])->kind, ==, RW_HIT_FILE);
    rw_session_run_search_async(run, "nowhere in it", NULL, on_result, &third);
    wait_for(third);
    g_autoptr(RwFound) none = rw_session_run_search_finish(run, third, NULL);
    g_assert_cmpuint(none->total, ==, 0);
}

// A line that is as long as the whole log: what is kept of a match is what is around it.
static void test_search_in_endless_line(Fixture *fixture, gconstpointer data)
{
    g_autofree char *id = fixture_add_loud_run(fixture->home, false);
    g_autoptr(RwSessionRun) run = open_run(fixture, id);
    g_autoptr(GAsyncResult) result = NULL;
    rw_session_run_search_async(run, "-x-", NULL, on_result, &result);
    wait_for(result);
    g_autoptr(RwFound) found = rw_session_run_search_finish(run, result, NULL);
    g_assert_cmpuint(found->total, ==, 1);
    const RwHit *hit = found->hits->pdata[0];
    g_assert_true(g_str_has_prefix(hit->text, "…--"));
    g_assert_true(g_str_has_suffix(hit->text, "--…"));
    g_assert_nonnull(strstr(hit->text, "-x-"));
    g_assert_cmpuint(strlen(hit->text), <=, RW_HIT_MAX + 2 * strlen("…"));
}

static void test_search_cancelled(Fixture *fixture, gconstpointer data)
{
    g_autofree char *id = fixture_add_big_run(fixture->home, 1, 200000);
    g_autoptr(RwSessionRun) run = open_run(fixture, id);
    g_autoptr(GCancellable) cancellable = g_cancellable_new();
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    rw_session_run_search_async(run, "x", cancellable, on_result, &result);
    g_cancellable_cancel(cancellable);
    wait_for(result);
    g_assert_null(rw_session_run_search_finish(run, result, &error));
    g_assert_true(g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
                  g_error_matches(error, RW_ERROR, RW_ERROR_CANCELLED));
}

static void test_compare(Fixture *fixture, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(fixture->home, "make", NULL, 0);
    g_autofree char *two = fixture_add_run(fixture->home, "make", NULL, 1);
    g_autofree char *big = fixture_add_big_run(fixture->home, 1, 50);
    g_autoptr(RwSessionRun) a = open_run(fixture, one), b = open_run(fixture, two),
                            c = open_run(fixture, big);
    g_autoptr(RwSessionComparison) equal = fixture_compare(a, b);
    g_assert_true(rw_session_comparison_is_identical(equal));
    g_assert_cmpuint(rw_session_comparison_get_left_step(equal), ==, 0);
    g_assert_cmpuint(rw_session_comparison_match(equal, 7, true), ==, 7);
    g_autoptr(RwSessionComparison) other = fixture_compare(a, c);
    g_assert_false(rw_session_comparison_is_identical(other));
    g_assert_cmpuint(rw_session_comparison_get_left_step(other), >, 0);
    GListModel *pairs = rw_session_comparison_get_pairs(other);
    guint context = rw_session_comparison_get_context(other);
    g_assert_cmpuint(g_list_model_get_n_items(pairs), >, context);
    g_autoptr(RwEventPair) first = g_list_model_get_item(pairs, context);
    g_assert_false(rw_event_pair_is_same(first));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *path;
        void (*test)(Fixture *fixture, gconstpointer data);
    } tests[] = {
        {"/session/list-follows", test_list_follows},
        {"/session/remove", test_remove},
        {"/session/put-away", test_put_away},
        {"/session/damaged-run", test_damaged_run},
        {"/session/gone-while-open", test_gone_while_open},
        {"/session/gone-before-listed", test_gone_before_listed},
        {"/session/index", test_index},
        {"/session/lines", test_lines},
        {"/session/look", test_look},
        {"/session/procs", test_procs},
        {"/session/files", test_files},
        {"/session/stops", test_stops},
        {"/session/search", test_search},
        {"/session/search-in-endless-line", test_search_in_endless_line},
        {"/session/search-cancelled", test_search_cancelled},
        {"/session/compare", test_compare},
    };
    g_test_init(&argc, &argv, NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, Fixture, NULL, fixture_set_up, tests[i].test, fixture_tear_down);
    return g_test_run();
}
