// SPDX-License-Identifier: MIT
//
// Who was held where, in the app, is what the command says of the same run: with lines, without them, of
// one that is late. $REWIND_EXAMPLE is the bank's root filesystem, $REWIND_LATE the one of a job with a
// time-out of its own, $REWIND_APP the program that the command is asked of.
#include "harness.h"

#include "rui-run-row.h"
#include "rui-words.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>

// ---- What the command says ----

static JsonObject *parse_last_line(const char *output)
{
    g_autofree char *text = g_strchomp(g_strdup(output));
    const char *last = strrchr(text, '\n');
    g_autoptr(GError) error = NULL;
    g_autoptr(JsonNode) node = json_from_string(last ? last + 1 : text, &error);
    g_assert_no_error(error);
    return json_object_ref(json_node_get_object(node));
}

static JsonObject *ask_command(GStrvBuilder *words)
{
    g_auto(GStrv) argv = g_strv_builder_end(words);
    g_autofree char *output = NULL;
    g_autoptr(GError) error = NULL;
    g_assert_true(g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, &error));
    return parse_last_line(output);
}

static JsonObject *check_and_keep(const char *root, const char *const *more)
{
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_strv_builder_add_many(words, g_getenv("REWIND_APP"), "--batch", "check", "--json", "--root", root,
                            NULL);
    g_strv_builder_addv(words, (const char **)more);
    return ask_command(words);
}

// What it found is forgotten, so that the app has to find it.
static JsonObject *check(const char *root, const char *const *more)
{
    JsonObject *answer = check_and_keep(root, more);
    static const char *const which[] = {"failing", "passing"};
    for (gsize i = 0; i < G_N_ELEMENTS(which); i++) {
        g_autofree char *path =
            g_build_filename(harness_get_home(), "runs", json_object_get_string_member(answer, which[i]),
                             "sides.json", NULL);
        g_remove(path);
    }
    return answer;
}

static JsonObject *show_where(const char *ref)
{
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_strv_builder_add_many(words, g_getenv("REWIND_APP"), "--batch", "show", "--where", "--json", ref,
                            NULL);
    return ask_command(words);
}

static JsonObject *get_hold(JsonObject *answer, guint i)
{
    JsonArray *holds = json_object_get_array_member(answer, "holds");
    return i < json_array_get_length(holds) ? json_array_get_object_element(holds, i) : NULL;
}

static const char *get_text(JsonObject *hold, const char *side, const char *member)
{
    return json_object_get_string_member(json_object_get_object_member(hold, side), member);
}

static gboolean is_behind(JsonObject *hold, const char *side)
{
    return json_object_get_boolean_member(json_object_get_object_member(hold, side), "behind");
}

// The lines that the app makes of a hold until somebody has passed something, which has not ended by that.
static char *dup_lines(JsonObject *hold)
{
    return g_strdup_printf("held: %s %s %s\nuntil: %s %s %s", get_text(hold, "held", "who"),
                           is_behind(hold, "held") ? "after" : "before", get_text(hold, "held", "what"),
                           get_text(hold, "until", "who"),
                           is_behind(hold, "until") ? "had passed" : "began",
                           get_text(hold, "until", "what"));
}

// Both commands say the same of each hold.
static void same_words(JsonObject *checked, const char *ref)
{
    g_autoptr(JsonObject) shown = show_where(ref);
    JsonObject *one, *other;
    guint i = 0;
    for (; (one = get_hold(checked, i)) && (other = get_hold(shown, i)); i++)
        for (guint side = 0; side < 2; side++) {
            const char *name = side ? "until" : "held";
            if (!json_object_has_member(one, name))
                continue;
            g_assert_cmpstr(get_text(one, name, "who"), ==, get_text(other, name, "who"));
            g_assert_cmpstr(get_text(one, name, "what"), ==, get_text(other, name, "what"));
        }
    g_assert_cmpuint(i, >, 0);
    g_assert_cmpuint(i, ==, json_array_get_length(json_object_get_array_member(checked, "holds")));
}

// ---- What the app says ----

static void wait_for_sides(App *app)
{
    wait_for(rw_session_run_get_sides(rui_view_get_run(app_get_view(app))));
    app_wait_idle(app);
}

static char *dup_hash(const char *ref, const char *name)
{
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", ref, name, NULL);
    g_autofree char *bytes = NULL;
    gsize length;
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, length);
}

static const char *get_subtitle(App *app)
{
    return adw_window_title_get_subtitle(app->window->title);
}

// At the step where it begins, in the title, among the runs.
static void said_of_run(App *app, JsonObject *hold, const char *lines)
{
    rui_view_set_step(app_get_view(app), (guint64)json_object_get_int_member(hold, "step"));
    app_show_tab(app, "moment");
    wait_for(app_says(app, lines));
    g_assert_nonnull(strstr(get_subtitle(app), get_text(hold, "held", "who")));
    app_show_tab(app, "runs");
    g_assert_true(app_says(app, get_text(hold, "held", "who")));
}

// Beside the run without its last hold.
static void said_of_parting(App *app, const char *passing, const char *lines)
{
    g_autofree char *here = g_strconcat("Here:\n", lines, NULL),
                    *there = g_strconcat("There:\n", lines, NULL);
    rui_window_compare(app->window, passing);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_wait_idle(app);
    g_assert_nonnull(strstr(rui_compare_page_get_summary(app->window->compare), here));
    app_take_picture(app, GTK_WINDOW(app->window), "sides-compare");
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.swap", NULL);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_wait_idle(app);
    g_assert_nonnull(strstr(rui_compare_page_get_summary(app->window->compare), there));
}

static const char *const make_check[] = {"--cwd", "/src", "--", "make", "check", NULL};

// A hold of two sides, the last one.
static JsonObject *get_deciding(JsonObject *answer)
{
    JsonArray *holds = json_object_get_array_member(answer, "holds");
    g_assert_cmpuint(json_array_get_length(holds), >, 0);
    JsonObject *hold = json_array_get_object_element(holds, json_array_get_length(holds) - 1);
    g_assert_true(json_object_has_member(hold, "until"));
    return hold;
}

static void find_and_open(App *app, const char *root)
{
    g_autoptr(JsonObject) answer = check(root, make_check);
    JsonObject *hold = get_deciding(answer);
    const char *failing = json_object_get_string_member(answer, "failing");
    g_autofree char *lines = dup_lines(hold), *before = dup_hash(failing, "trace");
    g_autofree char *manifest = dup_hash(failing, "manifest.json");
    g_test_message("%s", lines);
    same_words(answer, failing);
    app_open(app, failing);
    g_assert_true(rw_session_run_get_sides(rui_view_get_run(app_get_view(app))) ||
                  strstr(get_subtitle(app), "task 1."));
    wait_for_sides(app);
    said_of_run(app, hold, lines);
    app_show_tab(app, "moment");
    app_take_picture(app, GTK_WINDOW(app->window), "sides-moment");
    said_of_parting(app, json_object_get_string_member(answer, "passing"), lines);
    g_autofree char *after = dup_hash(failing, "trace"), *same = dup_hash(failing, "manifest.json");
    g_assert_cmpstr(before, ==, after);
    g_assert_cmpstr(manifest, ==, same);
}

static void test_bank(App *app, gconstpointer data)
{
    find_and_open(app, g_getenv("REWIND_EXAMPLE"));
    g_assert_true(app_says(app, "thread "));
}

// Without debug information and names.
static void test_stripped(App *app, gconstpointer data)
{
    g_autofree char *root = g_build_filename(harness_get_home(), "stripped", NULL);
    g_autofree char *script =
        g_strdup_printf("mkdir '%s' && tar -C '%s' -xf '%s' && strip -p '%s/src/bank'", root, root,
                        g_getenv("REWIND_EXAMPLE"), root);
    int status = -1;
    g_autofree char *command = g_strdup_printf("sh -c \"%s\"", script);
    g_assert_true(g_spawn_command_line_sync(command, NULL, NULL, &status, NULL));
    g_assert_cmpint(status, ==, 0);
    find_and_open(app, root);
}

static void test_late(App *app, gconstpointer data)
{
    static const char *const more[] = {"--strategy", "late", "--schedules", "32", "--", "/src/late", NULL};
    g_autoptr(JsonObject) answer = check(g_getenv("REWIND_LATE"), more);
    JsonObject *hold = get_hold(answer, 0);
    const char *failing = json_object_get_string_member(answer, "failing");
    g_assert_true(json_object_get_boolean_member(answer, "late"));
    g_autofree char *line =
        g_strdup_printf("%s was %.3g ms late %s %s", get_text(hold, "held", "who"),
                        (double)json_object_get_int_member(hold, "late_ns") / 1e6,
                        is_behind(hold, "held") ? "after" : "before", get_text(hold, "held", "what"));
    g_test_message("%s", line);
    same_words(answer, failing);
    app_open(app, failing);
    wait_for_sides(app);
    said_of_run(app, hold, line);
}

// ---- Cells ----

static const RwCheckCell *get_cell(App *app, guint i)
{
    return rw_session_work_get_cells(rui_check_pane_get_work(app->window->check))->pdata[i];
}

// A cell that ended unlike the run, with holds that somebody passed something for.
static guint find_held(App *app)
{
    RwSession *session = rui_application_get_session(app->application);
    for (guint i = 0; i < rw_session_work_get_cells(rui_check_pane_get_work(app->window->check))->len;
         i++) {
        RwRunItem *item = rw_session_find(session, get_cell(app, i)->ref);
        const RwSchedule *schedule = rw_run_item_get_schedule(item);
        if (get_cell(app, i)->state == RW_CELL_DIFFERS && schedule->n_holds == 1 &&
            schedule->holds[0].until == RW_UNTIL_PASSED)
            return i;
    }
    g_error("no such cell");
}

static void record_and_check(App *app)
{
    app_record(app_fill_form(app, g_getenv("REWIND_EXAMPLE"), "make check", "/src"));
    wait_for(rui_view_get_index(app_get_view(app)));
    rui_view_set_step(app_get_view(app), 0);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.check", "u", 32);
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    wait_for(!rw_session_work_is_running(work));
    app_wait_idle(app);
}

static void is_described(GtkWidget *cell, const char *lines)
{
    g_autofree char *problem = gtk_test_accessible_check_property(
        GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, lines);
    g_assert_cmpstr(problem, ==, NULL);
}

static void test_cells(App *app, gconstpointer data)
{
    record_and_check(app);
    RwSession *session = rui_application_get_session(app->application);
    for (guint i = 0; i < 32; i++)
        wait_for(rw_session_find(session, get_cell(app, i)->ref));
    guint index = find_held(app);
    g_autofree char *ref = g_strdup(get_cell(app, index)->ref);
    GtkWidget *cell = rui_check_pane_get_cell(app->window->check, index);
    g_assert_null(strstr(gtk_widget_get_tooltip_text(cell), "held: "));
    is_described(cell, "");
    // What is left for another one before it is known is not waited for.
    gtk_widget_grab_focus(rui_check_pane_get_cell(app->window->check, index ? 0 : 1));
    gtk_widget_grab_focus(cell);
    wait_for(rw_session_get_sides(session, ref));
    app_wait_idle(app);
    g_autoptr(JsonObject) shown = show_where(ref);
    g_autofree char *lines = dup_lines(get_deciding(shown));
    g_test_message("%s", lines);
    g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(cell), lines));
    is_described(cell, lines);
    app_take_picture(app, GTK_WINDOW(app->window), "sides-cells");
    // Closed while one is asked for.
    gtk_widget_grab_focus(rui_check_pane_get_cell(app->window->check, index ? 0 : 1));
    rui_check_pane_set_work(app->window->check, NULL, NULL);
    app_wait_idle(app);
}

// ---- What cannot be executed ----

static gboolean is_busy(App *app)
{
    gboolean busy;
    g_object_get(app_get_view(app), "busy", &busy, NULL);
    return busy;
}

// Its image and root are gone.
static JsonObject *check_and_lose(JsonObject *(*check_it)(const char *root, const char *const *more))
{
    g_autofree char *root = g_build_filename(harness_get_home(), "root.tar", NULL);
    g_autofree char *images = g_build_filename(harness_get_home(), "images", NULL);
    g_autoptr(GFile) from = g_file_new_for_path(g_getenv("REWIND_EXAMPLE")), to = g_file_new_for_path(root);
    g_assert_true(g_file_copy(from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
    JsonObject *answer = check_it(root, make_check);
    g_assert_true(rw_remove_tree(images, NULL));
    g_assert_true(g_file_delete(to, NULL, NULL));
    return answer;
}

// The words of before stay.
static void test_without_image(App *app, gconstpointer data)
{
    g_autoptr(JsonObject) answer = check_and_lose(check);
    app_open(app, json_object_get_string_member(answer, "failing"));
    wait_for(!is_busy(app));
    g_assert_null(rw_session_run_get_sides(rui_view_get_run(app_get_view(app))));
    g_assert_nonnull(strstr(get_subtitle(app), "task 1."));
    rui_view_set_step(app_get_view(app), (guint64)json_object_get_int_member(get_deciding(answer), "step"));
    app_show_tab(app, "moment");
    wait_for(app_says(app, " until task 1."));
}

// What the check found is kept beside the run.
static void test_kept(App *app, gconstpointer data)
{
    g_autoptr(JsonObject) answer = check_and_lose(check_and_keep);
    app_open(app, json_object_get_string_member(answer, "failing"));
    wait_for_sides(app);
    g_assert_null(strstr(get_subtitle(app), "task 1."));
    g_autofree char *lines = dup_lines(get_deciding(answer));
    wait_for(app_says(app, lines));
}

// Another run is opened at once, and the window goes while it is executed.
static void test_left(App *app, gconstpointer data)
{
    g_autoptr(JsonObject) answer = check(g_getenv("REWIND_EXAMPLE"), make_check);
    const char *failing = json_object_get_string_member(answer, "failing");
    const char *passing = json_object_get_string_member(answer, "passing");
    app_open(app, failing);
    app_open(app, passing);
    rui_window_compare(app->window, failing);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_change_window(app);
    app_open(app, failing);
    wait_for_sides(app);
    g_assert_null(strstr(get_subtitle(app), "task 1."));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/sides/bank", test_bank},
        {"/sides/stripped", test_stripped},
        {"/sides/late", test_late},
        {"/sides/cells", test_cells},
        {"/sides/without-image", test_without_image},
        {"/sides/left", test_left},
        {"/sides/kept", test_kept},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
