// SPDX-License-Identifier: MIT
//
// Explain, in the app, finds what `check` finds of the same job: from a run that passes, from one that
// fails; of a job that never fails; cancelled, closed. $REWIND_EXAMPLE is the bank's root filesystem,
// $REWIND_APP the program that the command is asked of.
#include "harness.h"

#include "check-words.h"
#include "rui-run-row.h"

#include <json-glib/json-glib.h>

static void record(App *app, const char *command)
{
    app_record(app_fill_form(app, g_getenv("REWIND_EXAMPLE"), command, "/src"));
    wait_for(rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
}

static RwSessionWork *start(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.explain", NULL);
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    g_assert_nonnull(work);
    g_assert_true(rw_session_work_is_running(work));
    return work;
}

static const RwExplanation *explain(App *app)
{
    RwSessionWork *work = start(app);
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    g_assert_nonnull(rw_session_work_get_explanation(work));
    return rw_session_work_get_explanation(work);
}

// ---- What the command says ----

static JsonObject *check(const char *const *command)
{
    const char *argv[] = {g_getenv("REWIND_APP"),
                          "--batch",
                          "check",
                          "--json",
                          "--root",
                          g_getenv("REWIND_EXAMPLE"),
                          "--cwd",
                          "/src",
                          "--",
                          command[0],
                          command[1],
                          NULL};
    g_autofree char *output = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_true(
        g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, &error));
    g_strchomp(output);
    const char *last = strrchr(output, '\n');
    g_autoptr(JsonNode) node = json_from_string(last ? last + 1 : output, &error);
    g_assert_no_error(error);
    return json_object_ref(json_node_get_object(node));
}

static const char *get_side(JsonObject *answer, const char *side, const char *member)
{
    JsonArray *holds = json_object_get_array_member(answer, "holds");
    g_assert_cmpuint(json_array_get_length(holds), >, 0);
    JsonObject *hold = json_array_get_object_element(holds, json_array_get_length(holds) - 1);
    return json_object_get_string_member(json_object_get_object_member(hold, side), member);
}

// The same two runs, step, counts; and the same words for both sides, in sight.
static void same_answer(App *app, const RwExplanation *found)
{
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    static const char *const command[] = {"make", "check"};
    g_autoptr(JsonObject) said = check(command);
    g_assert_cmpstr(found->failing, ==, json_object_get_string_member(said, "failing"));
    g_assert_cmpstr(found->passing, ==, json_object_get_string_member(said, "passing"));
    g_assert_cmpuint(found->step, ==, (guint64)json_object_get_int_member(said, "deciding_step"));
    g_assert_cmpuint(found->tried, ==, (guint64)json_object_get_int_member(said, "perturbed"));
    g_assert_cmpuint(rw_session_work_get_cells(work)->len, ==, found->tried);
    g_assert_cmpuint(rw_session_work_get_failed(work), ==,
                     (guint)json_object_get_int_member(said, "failing_schedules"));
    wait_for(rw_session_get_sides(rw_session_work_get_session(work), found->failing));
    app_wait_idle(app);
    g_assert_true(app_says(app, get_side(said, "held", "who")));
    g_assert_true(app_says(app, get_side(said, "held", "what")));
    g_assert_true(app_says(app, get_side(said, "until", "what")));
}

// Both are open where they part, the failing one first.
static void is_shown(App *app, const RwExplanation *found)
{
    wait_for(rui_view_get_comparison(app_get_view(app)) && rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
    RwSessionRun *run = rui_view_get_run(app_get_view(app)),
                 *other = rui_view_get_compared(app_get_view(app));
    g_assert_cmpstr(rw_run_item_get_ref(rw_session_run_get_item(run)), ==, found->failing);
    g_assert_cmpstr(rw_run_item_get_ref(rw_session_run_get_item(other)), ==, found->passing);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, found->step);
}

static const char *get_tab(App *app)
{
    return adw_view_stack_get_visible_child_name(app->window->tabs);
}

// A cell that differs can be opened; the others are not kept.
static void are_kept(App *app)
{
    const GPtrArray *cells = rw_session_work_get_cells(rui_check_pane_get_work(app->window->check));
    for (guint i = 0; i < cells->len; i++) {
        const RwCheckCell *cell = cells->pdata[i];
        g_assert_cmpint(cell->ref != NULL, ==, cell->state == RW_CELL_DIFFERS);
    }
}

// As one of the two that were found, in the list of runs.
static void is_starred(App *app, const char *ref)
{
    GListModel *rows = rui_run_list_get_rows(app->window->runs);
    gboolean found = FALSE;
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(GtkTreeListRow) place = g_list_model_get_item(rows, i);
        g_autoptr(RuiRunRow) row = gtk_tree_list_row_get_item(place);
        found |= !strcmp(rw_run_item_get_ref(rui_run_row_get_item(row)), ref) && rui_run_row_is_twin(row);
    }
    g_assert_true(found);
}

static void test_bank(App *app, gconstpointer data)
{
    record(app, "make check");
    const RwExplanation *found = explain(app);
    g_assert_nonnull(found->failing);
    g_assert_true(found->passes);
    is_shown(app, found);
    same_answer(app, found);
    g_assert_cmpstr(get_tab(app), ==, "runs");
    app_take_picture(app, GTK_WINDOW(app->window), "explained");
    are_kept(app);
    is_starred(app, found->failing);
    is_starred(app, found->passing);
    // Both runs once more, now with their ledgers in sight.
    rui_view_set_step(app_get_view(app), 0);
    gtk_widget_activate_action(GTK_WIDGET(app->window->check), "check.answer", NULL);
    wait_for(rui_view_get_step(app_get_view(app)) == found->step);
    is_shown(app, found);
    g_assert_cmpstr(get_tab(app), ==, "compare");
    // From the failing run, which has a schedule: the job's own answer again.
    g_autofree char *failing = g_strdup(found->failing), *passing = g_strdup(found->passing);
    const RwExplanation *again = explain(app);
    g_assert_cmpstr(again->failing, ==, failing);
    g_assert_cmpstr(again->passing, ==, passing);
}

// ---- Nothing to be found ----

static void test_passes(App *app, gconstpointer data)
{
    record(app, "true");
    const RwExplanation *found = explain(app);
    g_assert_null(found->failing);
    g_assert_false(found->fails_alike);
    g_assert_false(found->cancelled);
    app_wait_idle(app);
    g_assert_true(app_says(app, "ended in the same way"));
}

static void test_fails_alike(App *app, gconstpointer data)
{
    record(app, "false");
    const RwExplanation *found = explain(app);
    g_assert_null(found->failing);
    g_assert_true(found->fails_alike);
    app_wait_idle(app);
    g_assert_true(app_says(app, "not their order"));
}

// ---- In the middle ----

static void wait_for_some(RwSessionWork *work, guint count)
{
    wait_for(rw_session_work_get_done(work) >= count || !rw_session_work_is_running(work));
    g_assert_true(rw_session_work_is_running(work));
}

// NULL: it is not in sight.
static GtkWidget *get_resume(App *app)
{
    GtkWidget *button = GTK_WIDGET(
        gtk_widget_get_template_child(GTK_WIDGET(app->window->check), RUI_TYPE_CHECK_PANE, "resume"));
    return gtk_widget_get_mapped(button) ? button : NULL;
}

// After so many schedules. What it was is said, and that it can go on.
static void cancel_after(App *app, guint count)
{
    RwSessionWork *work = start(app);
    wait_for_some(work, count);
    gtk_widget_activate_action(GTK_WIDGET(app->window->check), "check.cancel", NULL);
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    g_assert_true(rw_session_work_get_explanation(work)->cancelled);
    app_wait_idle(app);
    g_autofree char *said = g_strdup_printf("Cancelled after %u orders: ", rw_session_work_get_done(work));
    g_assert_true(app_says(app, said));
    g_assert_true(app_says(app, "Resume goes on from there"));
}

// By its button; at least so many schedules are not executed again.
static const RwExplanation *resume(App *app, guint least)
{
    RwSessionWork *before = rui_check_pane_get_work(app->window->check);
    GtkWidget *button = get_resume(app);
    g_assert_nonnull(button);
    g_signal_emit_by_name(button, "clicked");
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    g_assert_true(work != before && rw_session_work_is_running(work));
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    g_test_message("%u of %u were known", rw_session_work_get_known(work), rw_session_work_get_done(work));
    g_assert_cmpuint(rw_session_work_get_known(work), >=, least);
    g_assert_cmpuint(rw_session_work_get_known(work), <, rw_session_work_get_done(work));
    g_assert_null(get_resume(app));
    return rw_session_work_get_explanation(work);
}

static void test_cancel(App *app, gconstpointer data)
{
    record(app, "make check");
    cancel_after(app, 6);
    app_take_picture(app, GTK_WINDOW(app->window), "explain-cancelled");
    // Then it finds what it would have found, as if it had never stopped.
    const RwExplanation *found = resume(app, 1);
    g_assert_nonnull(found->failing);
    is_shown(app, found);
    same_answer(app, found);
}

// Over batches and what is learned between them: the same schedules, none of them twice.
static void test_batches(App *app, gconstpointer data)
{
    static const char *const command[] = {"true", NULL};
    record(app, "true");
    cancel_after(app, 40);
    const RwExplanation *found = resume(app, 40);
    g_autoptr(JsonObject) said = check(command);
    g_assert_null(found->failing);
    g_assert_cmpuint(found->tried, ==, (guint64)json_object_get_int_member(said, "perturbed"));
    app_wait_idle(app);
    g_assert_true(app_says(app, "ended in the same way"));
    // What is finished begins anew.
    RwSessionWork *work = start(app);
    wait_for_some(work, 1);
    g_assert_cmpuint(rw_session_work_get_known(work), ==, 0);
    gtk_widget_activate_action(GTK_WIDGET(app->window->check), "check.cancel", NULL);
    wait_for(!rw_session_work_is_running(work));
}

static void test_close(App *app, gconstpointer data)
{
    record(app, "make check");
    g_autoptr(RwSessionWork) work = g_object_ref(start(app));
    g_autofree char *ref =
        g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))));
    wait_for_some(work, 6);
    app_change_window(app);
    wait_for(!rw_session_work_is_running(work));
    g_assert_cmpstr(rw_session_work_get_problem(work), ==, NULL);
    // Somebody else asks: it goes on from the file.
    app_open(app, ref);
    const RwExplanation *found = explain(app);
    g_assert_cmpuint(rw_session_work_get_known(rui_check_pane_get_work(app->window->check)), >, 0);
    is_shown(app, found);
    same_answer(app, found);
}

// A run that failed, of which none that passed is known, says above all how far the search has come.
static void test_strip(App *app, gconstpointer data)
{
    record(app, "false");
    wait_for(app_says(app, "Find a Passing Order"));
    cancel_after(app, 3);
    wait_for(app_says(app, "Resume Finding a Passing Order"));
    app_take_picture(app, GTK_WINDOW(app->window), "explain-strip");
}

// ---- Words ----

static void test_stages(App *app, gconstpointer data)
{
    static const char *const said[][2] = {
        {"narrowing: when within 14..349", "Narrowing: steps 14..349"},
        {"narrowing: what within 14..322", "Narrowing: steps 14..349 → 14..322"},
        {"narrowing: when within 14..322", "Narrowing: steps 14..349 → 14..322"},
        {"narrowing: what within 14..321", "Narrowing: steps 14..349 → 14..322 → 14..321"},
        {"narrowing: what within 20..321", "Narrowing: steps 14..322 → 14..321 → 20..321"},
        {"narrowing: leaving out of hold 2", "Narrowing…"},
        {"recording the two runs", "Recording the two runs…"},
        {"watching what the tasks meet on: 42 %", "Watching what the threads meet on: 42 %"},
        {"choosing what to try", "Choosing which orders to try…"},
        {"3 of 65 schedules, 0 differ", NULL},
        {NULL, NULL},
    };
    GString *trail = g_string_new(NULL);
    for (gsize i = 0; i < G_N_ELEMENTS(said); i++) {
        g_autofree char *text = check_dup_stage(said[i][0], trail);
        g_assert_cmpstr(text, ==, said[i][1]);
    }
    g_string_free(trail, TRUE);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/explain/stages", test_stages},           {"/explain/passes", test_passes},
        {"/explain/fails-alike", test_fails_alike}, {"/explain/bank", test_bank},
        {"/explain/cancel", test_cancel},           {"/explain/close", test_close},
        {"/explain/batches", test_batches},         {"/explain/strip", test_strip},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
