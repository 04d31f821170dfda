// SPDX-License-Identifier: MIT
//
// The source tab: the lines are those that the command says of the same thread at the same step; what is missing is
// said; what a guest puts in the place of its sources does no harm. $REWIND_EXAMPLE is the bank's root filesystem,
// $REWIND_THUMBNAILS that of a program of Python's, $REWIND_APP the program that the command is asked of.
#include "harness.h"

#include "rui-log-model.h"
#include "rui-record-window.h"
#include "source-values.h"

#include <json-glib/json-glib.h>

static RuiView *get_view(App *app)
{
    return rui_window_get_view(app->window);
}

static RuiSourcePage *get_page(App *app)
{
    return app->window->source;
}

static void record(App *app, const char *root, const char *command)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.new-run", NULL);
    app_wait_idle(app);
    RuiRecordWindow *window = harness_find_window(RUI_TYPE_RECORD_WINDOW);
    rui_record_window_set_job(window, g_getenv(root), command);
    rui_record_window_set_cwd(window, "/src");
    gtk_widget_activate_action(GTK_WIDGET(window), "record.start", NULL);
    wait_for(!harness_find_window(RUI_TYPE_RECORD_WINDOW) || rui_record_window_get_problem(window));
    g_assert_null(harness_find_window(RUI_TYPE_RECORD_WINDOW));
    wait_for(rui_view_get_index(get_view(app)));
    app_wait_idle(app);
}

// The step of the first line of output with that in it, of those after the line with `after`, or NULL.
static guint64 find_line(App *app, const char *after, const char *text)
{
    GListModel *lines = rui_log_pane_get_lines(app->window->log);
    gboolean begun = !after;
    rui_view_set_step(get_view(app), rui_view_get_steps(get_view(app)));
    app_wait_idle(app);
    for (guint i = 0; i < g_list_model_get_n_items(lines); i++) {
        g_autoptr(RuiLine) line = g_list_model_get_item(lines, i);
        RwLine content;
        rui_line_get(line, &content);
        g_autofree char *words = g_strndup(content.bytes, content.length);
        if (begun && strstr(words, text))
            return content.step;
        begun = begun || strstr(words, after);
    }
    g_error("no line \"%s\"", text);
}

static const char *wait_source(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "source");
    wait_for(gtk_widget_get_mapped(GTK_WIDGET(get_page(app))));
    wait_for(strcmp(rui_source_page_get_state(get_page(app)), "busy"));
    return rui_source_page_get_state(get_page(app));
}

static const char *go_to(App *app, guint64 step)
{
    rui_view_set_step(get_view(app), step);
    return wait_source(app);
}

// ---- What the command says ----

// Of that thread at that step "book_balance 57" for each function with a line, from the innermost one.
static char *ask_command(App *app, guint64 step, const char *tid, const char *list)
{
    const char *ref = rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(get_view(app))));
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, step), *output = NULL;
    const char *argv[] = {g_getenv("REWIND_APP"), "--batch", "where", "--json", "--tid", tid, ref, number, NULL};
    GString *lines = g_string_new("\n");
    g_assert_true(
        g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, NULL));
    g_autoptr(JsonNode) node = json_from_string(output, NULL);
    g_assert_nonnull(node);
    JsonObject *thread = json_node_get_object(node);
    JsonArray *frames =
        json_object_has_member(thread, list) ? json_object_get_array_member(thread, list) : NULL;
    for (guint i = 0; frames && i < json_array_get_length(frames); i++) {
        JsonObject *frame = json_array_get_object_element(frames, i);
        if (json_object_has_member(frame, "line"))
            g_string_append_printf(lines, "%s:%" G_GINT64_FORMAT "\n",
                                   json_object_get_string_member_with_default(frame, "file", ""),
                                   json_object_get_int_member(frame, "line"));
    }
    return g_string_free(lines, FALSE);
}

// The thread's number in a row of the list, "bank 22/24, waits"; owned, NULL: it is of another program.
static char *dup_tid(App *app, guint row, const char *program)
{
    GtkStringList *rows = GTK_STRING_LIST(gtk_drop_down_get_model(rui_source_page_get_threads(get_page(app))));
    const char *text = gtk_string_list_get_string(rows, row), *slash = text ? strchr(text, '/') : NULL;
    if (!slash || !g_str_has_prefix(text, program))
        return NULL;
    return g_strndup(slash + 1, strspn(slash + 1, "0123456789"));
}

// Each of the threads of the program is where the command says; how many these are.
static guint check_threads(App *app, guint64 step, const char *program, const char *file, const char *list)
{
    GtkDropDown *threads = rui_source_page_get_threads(get_page(app));
    guint count = g_list_model_get_n_items(gtk_drop_down_get_model(threads)), checked = 0;
    for (guint i = 1; i < count; i++) {
        g_autofree char *tid = dup_tid(app, i, program);
        if (!tid)
            continue;
        gtk_drop_down_set_selected(threads, i);
        const char *state = wait_source(app);
        g_autofree char *said = ask_command(app, step, tid, list);
        if (strcmp(state, "text")) { // one that has only begun
            g_assert_null(strstr(said, file));
            continue;
        }
        g_autofree char *place = g_strdup_printf("\n%s:%u\n", file, rui_source_page_get_line(get_page(app)));
        g_test_message("thread %s: %s", tid, place + 1);
        g_assert_nonnull(strstr(said, place));
        checked++;
    }
    gtk_drop_down_set_selected(threads, 0);
    wait_source(app);
    return checked;
}

// ---- The bank ----

static void test_bank(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "make check");
    guint64 step = find_line(app, NULL, "reports a deposit");
    rui_view_set_step(get_view(app), step);
    gtk_window_set_focus(GTK_WINDOW(app->window), NULL);
    app_press(app, "s");
    gint64 start = g_get_monotonic_time();
    g_assert_cmpstr(wait_source(app), ==, "text");
    g_test_message("the first source at rest after %" G_GINT64_FORMAT " ms", (g_get_monotonic_time() - start) / 1000);
    g_autofree char *frames = rui_source_page_dup_frames(get_page(app));
    g_assert_nonnull(strstr(frames, "deposit bank.c:"));
    g_assert_nonnull(strstr(frames, "of libraries")); // folded
    g_assert_null(strstr(frames, "clone"));
    g_autofree char *values = rui_source_page_dup_values(get_page(app));
    g_autofree char *variables = rui_source_page_dup_variables(get_page(app));
    g_test_message("values %s; variables %s", values, variables);
    g_assert_nonnull(strstr(variables, "line "));
    g_assert_nonnull(strstr(values, "length = "));
    g_assert_cmpuint(check_threads(app, step, "bank", "/src/bank.c", "frames"), >=, 2);
    // Both tellers, and who waits for them.
    guint64 both = find_line(app, NULL, "Bert");
    g_assert_cmpstr(go_to(app, both), ==, "text");
    g_assert_cmpuint(check_threads(app, both, "bank", "/src/bank.c", "frames"), >=, 2);
    g_assert_cmpstr(go_to(app, step), ==, "text");
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source");
    // The next steps, which a machine near there answers.
    for (guint i = 1; i <= 5; i++) {
        start = g_get_monotonic_time();
        go_to(app, step + i);
        g_test_message("step %u on: at rest after %" G_GINT64_FORMAT " ms", i, (g_get_monotonic_time() - start) / 1000);
    }
    // A playhead that moves on is not followed until it rests; what is shown then is of where it is.
    guint before = rui_source_page_get_answers(get_page(app));
    for (guint i = 0; i < 40; i++) {
        rui_view_set_step(get_view(app), step + i % 7);
        g_usleep(5000);
        while (g_main_context_iteration(NULL, FALSE))
            ;
    }
    go_to(app, step);
    g_assert_cmpuint(rui_source_page_get_answers(get_page(app)) - before, <=, 3);
    g_assert_cmpuint(check_threads(app, step, "bank", "/src/bank.c", "frames"), >=, 2);
    // The job is not there so far.
    g_assert_cmpstr(go_to(app, 3), ==, "problem");
    g_autofree char *early = rui_source_page_dup_problem(get_page(app));
    g_assert_nonnull(strstr(early, "The job starts with step"));
}

// Who wrote the variable of the frame: the playhead goes there, to the line that writes it.
static void test_written(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "make check");
    guint64 step = find_line(app, NULL, "books");
    g_assert_cmpstr(go_to(app, step), ==, "text");
    gtk_widget_activate_action(GTK_WIDGET(get_page(app)), "source.written", "s", "balance");
    wait_for(rui_source_page_get_written(get_page(app)) &&
             strstr(rui_source_page_get_written(get_page(app)), "written here"));
    g_assert_cmpstr(wait_source(app), ==, "text");
    g_assert_cmpuint(rui_view_get_step(get_view(app)), <=, step);
    g_autofree char *line = rui_source_page_dup_line(get_page(app));
    g_test_message("%s: %s", rui_source_page_get_written(get_page(app)), line);
    g_assert_nonnull(strstr(line, "balance = after"));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-written");
    gtk_widget_activate_action(GTK_WIDGET(get_page(app)), "source.written", "s", "no_such_thing");
    wait_for(strstr(rui_source_page_get_written(get_page(app)), "no such variable"));
}

// The step at which a file with that in its path was made.
static guint64 find_file(App *app, const char *text)
{
    RwSessionRun *run = rui_view_get_run(get_view(app));
    g_autoptr(GAsyncResult) result = NULL;
    rw_session_run_list_files_async(run, rui_view_get_steps(get_view(app)), NULL, on_result, &result);
    wait_for(result);
    g_autoptr(GArray) files = rw_session_run_list_files_finish(run, result, NULL);
    for (guint i = 0; i < files->len; i++)
        if (strstr(g_array_index(files, RwFileRow, i).path, text))
            return g_array_index(files, RwFileRow, i).step;
    g_error("no file \"%s\"", text);
}

// The line of Python's, not the interpreter's own source, of both threads.
static void test_python(App *app, gconstpointer data)
{
    record(app, "REWIND_THUMBNAILS", "python3 thumbnails.py");
    guint64 step = find_file(app, "sun.png");
    g_assert_cmpstr(go_to(app, step), ==, "text");
    g_autofree char *line = rui_source_page_dup_line(get_page(app));
    g_test_message("%s", line);
    g_assert_nonnull(strstr(line, "open(os.path.join(directory, picture)"));
    g_autofree char *frames = rui_source_page_dup_frames(get_page(app));
    g_assert_true(g_str_has_prefix(frames, "store thumbnails.py:"));
    g_assert_nonnull(strstr(frames, "\nwork thumbnails.py:"));
    g_assert_cmpuint(check_threads(app, step, "python3", "/src/thumbnails.py", "python"), >=, 1);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-python");
    // Small and dark.
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
}

// ---- What is missing, and what is hostile ----

static void check_problem(App *app, guint64 step, const char *wanted)
{
    g_assert_cmpstr(go_to(app, step), ==, "problem");
    g_autofree char *problem = rui_source_page_dup_problem(get_page(app));
    g_test_message("%s", problem);
    g_assert_nonnull(strstr(problem, wanted));
}

static void test_missing(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE",
           "sh -c 'rm bank.c; mkdir bank.c; echo case-folder; ./bank; rmdir bank.c; ln -s bank.c bank.c; "
           "echo case-loop; ./bank; rm bank.c; cp /bin/busybox bank.c; echo case-binary; ./bank; "
           "yes 0123456 | head -c 52428800 > bank.c; echo case-large; ./bank; "
           "echo short > bank.c; echo case-short; ./bank; rm bank.c; echo case-none; ./bank'");
    // A program without debug information: the shell.
    check_problem(app, find_line(app, NULL, "case-large"), "No Debug Information");
    check_problem(app, find_line(app, "case-folder", "books"), "cannot be shown");
    check_problem(app, find_line(app, "case-loop", "books"), "cannot be shown");
    check_problem(app, find_line(app, "case-binary", "books"), "is no text");
    check_problem(app, find_line(app, "case-large", "books"), "cannot be shown");
    check_problem(app, find_line(app, "case-short", "books"), "has no line");
    check_problem(app, find_line(app, "case-none", "books"), "is not there at this step");
    g_autofree char *frames = rui_source_page_dup_frames(get_page(app));
    g_assert_nonnull(strstr(frames, "bank.c:")); // the functions are known all the same
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-missing");
}

// ---- Values ----

static char *dup_values(const char *text, guint line, const char *const *names)
{
    g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
    g_autoptr(GPtrArray) variables = g_ptr_array_new_with_free_func((GDestroyNotify)rw_variable_free);
    GString *all = g_string_new(NULL);
    for (guint i = 0; names[i]; i += 2) {
        RwVariable *variable = g_new0(RwVariable, 1);
        variable->name = g_strdup(names[i]);
        variable->value = g_strdup(names[i + 1]);
        g_ptr_array_add(variables, variable);
    }
    g_autoptr(GPtrArray) values = source_values_new(bytes, line, variables);
    for (guint i = 0; i < values->len; i++) {
        const SourceValue *value = values->pdata[i];
        g_string_append_printf(all, "%u: %s;", value->line, value->text);
    }
    return g_string_free(all, FALSE);
}

static void test_values(App *app, gconstpointer data)
{
    static const struct {
        const char *text;
        guint line;
        const char *names[7];
        const char *values;
    } cases[] = {
        {"int a = 1;\nint b = 2;\nuse(a);\n", 3, {"a", "1", "b", "2"}, "2: b = 2;3: a = 1;"},
        {"x->a = 1;\nuse(x.a, b == 1);\n", 2, {"a", "1", "b", "2"}, "2: b = 2;"}, // a member is another thing
        {"if (a == 1)\nuse(ab, ba);\n", 2, {"a", "1", "b", "2"}, ""}, // neither assigned nor named
        {"a += 1;\n++b;\nc <<= 1;\nuse();\n", 4, {"a", "1", "b", "2", "c", "3"}, "1: a = 1;2: b = 2;3: c = 3;"},
        {"use(a);\n", 1, {"a", "<optimized out>", "a", "7"}, ""}, // it is the first that is meant
        {"use(a);\n", 2, {"a", "1"}, ""}, // the text has no such line
        {"", 1, {"a", "1"}, ""},
        {"use(a);", G_MAXUINT32, {"a", "1"}, ""},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *values = dup_values(cases[i].text, cases[i].line, cases[i].names);
        g_assert_cmpstr(values, ==, cases[i].values);
    }
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/source/values", test_values}, {"/source/bank", test_bank},       {"/source/written", test_written},
        {"/source/python", test_python}, {"/source/missing", test_missing},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
