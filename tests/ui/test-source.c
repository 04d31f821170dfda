// SPDX-License-Identifier: MIT
//
// The source tab: the lines are those that the command says of the same thread at the same step; what is
// missing is said; what a guest puts in the place of its sources does no harm. $REWIND_EXAMPLE is the
// bank's root filesystem, $REWIND_THUMBNAILS that of a program of Python's, $REWIND_APP the program that
// the command is asked of.
#include "harness.h"

#include "rui-log-model.h"
#include "source-page-private.h"
#include "source-side-private.h"
#include "source-values.h"

#include <glib/gi18n.h>
#include <json-glib/json-glib.h>

static RuiSourcePage *get_page(App *app)
{
    return app->window->source;
}

static void record(App *app, const char *root, const char *command)
{
    app_record(app_fill_form(app, g_getenv(root), command, "/src"));
    wait_for(rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
}

// The step of the first line of output with that in it, of those after the line with `after`, or NULL.
static guint64 find_line(App *app, const char *after, const char *text)
{
    GListModel *lines = rui_log_pane_get_lines(app->window->log);
    gboolean begun = !after;
    rui_view_set_step(app_get_view(app), rui_view_get_steps(app_get_view(app)));
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
    rui_view_set_step(app_get_view(app), step);
    return wait_source(app);
}

static gboolean has_line_in_sight(RuiSourceSide *side)
{
    GtkTextView *view = GTK_TEXT_VIEW(side->text);
    GtkTextIter iter;
    GdkRectangle sight, place;
    gtk_text_buffer_get_iter_at_line(gtk_text_view_get_buffer(view), &iter,
                                     (int)rui_source_text_get_line(side->text) - 1);
    gtk_text_view_get_visible_rect(view, &sight);
    gtk_text_view_get_iter_location(view, &iter, &place);
    return place.y >= sight.y && place.y + place.height <= sight.y + sight.height;
}

static gboolean is_line_in_sight(App *app)
{
    return has_line_in_sight(source_page_get_active(get_page(app)));
}

// ---- What the command says ----

// Of that thread at that step "book_balance 57" for each function with a line, from the innermost one.
static char *ask_command(RwSessionRun *run, guint64 step, const char *tid, const char *list)
{
    const char *ref = rw_run_item_get_ref(rw_session_run_get_item(run));
    g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, step), *output = NULL;
    const char *argv[] = {
        g_getenv("REWIND_APP"), "--batch", "where", "--json", "--tid", tid, ref, number, NULL};
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
    GtkStringList *rows =
        GTK_STRING_LIST(gtk_drop_down_get_model(rui_source_page_get_threads(get_page(app))));
    const char *text = gtk_string_list_get_string(rows, row), *slash = text ? strchr(text, '/') : NULL;
    if (!slash || !g_str_has_prefix(text, program))
        return NULL;
    return g_strndup(slash + 1, strspn(slash + 1, "0123456789"));
}

// Each of the threads of the program is where the command says of the run; how many these are.
static guint check_threads_of(App *app, RwSessionRun *run, guint64 step, const char *program,
                              const char *file, const char *list)
{
    GtkDropDown *threads = rui_source_page_get_threads(get_page(app));
    guint count = g_list_model_get_n_items(gtk_drop_down_get_model(threads)), checked = 0;
    for (guint i = 1; i < count; i++) {
        g_autofree char *tid = dup_tid(app, i, program);
        if (!tid)
            continue;
        gtk_drop_down_set_selected(threads, i);
        const char *state = wait_source(app);
        g_autofree char *said = ask_command(run, step, tid, list);
        if (strcmp(state, "text")) { // one that has only begun
            g_assert_null(strstr(said, file));
            continue;
        }
        g_autofree char *place =
            g_strdup_printf("\n%s:%u\n", file, rui_source_page_get_line(get_page(app)));
        g_test_message("thread %s: %s", tid, place + 1);
        g_assert_nonnull(strstr(said, place));
        checked++;
    }
    gtk_drop_down_set_selected(threads, 0);
    wait_source(app);
    return checked;
}

static guint check_threads(App *app, guint64 step, const char *program, const char *file, const char *list)
{
    return check_threads_of(app, rui_view_get_run(app_get_view(app)), step, program, file, list);
}

static void check_problem(App *app, guint64 step, const char *wanted)
{
    g_assert_cmpstr(go_to(app, step), ==, "problem");
    g_autofree char *problem = rui_source_page_dup_problem(get_page(app));
    g_test_message("%s", problem);
    g_assert_nonnull(strstr(problem, wanted));
}

// ---- The bank ----

static void test_bank(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "make check");
    guint64 step = find_line(app, NULL, "reports a deposit");
    rui_view_set_step(app_get_view(app), step);
    gint64 start = g_get_monotonic_time();
    gtk_window_set_focus(GTK_WINDOW(app->window), NULL);
    app_press(app, "s");
    g_assert_cmpstr(wait_source(app), ==, "text");
    g_test_message("far from the first look: at rest after %" G_GINT64_FORMAT " ms",
                   (g_get_monotonic_time() - start) / 1000);
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
        g_test_message("step %u on: at rest after %" G_GINT64_FORMAT " ms", i,
                       (g_get_monotonic_time() - start) / 1000);
    }
    // A playhead that moves on is not followed until it rests; what is shown then is of where it is.
    guint before = rui_source_page_get_answers(get_page(app));
    for (guint i = 0; i < 40; i++) {
        rui_view_set_step(app_get_view(app), step + i % 7);
        g_usleep(5000);
        while (g_main_context_iteration(NULL, FALSE))
            ;
    }
    go_to(app, step);
    g_assert_cmpuint(rui_source_page_get_answers(get_page(app)) - before, <=, 3);
    g_assert_cmpuint(check_threads(app, step, "bank", "/src/bank.c", "frames"), >=, 2);
    // One that was chosen stays so where it has not begun.
    GtkDropDown *threads = rui_source_page_get_threads(get_page(app));
    gtk_drop_down_set_selected(threads, g_list_model_get_n_items(gtk_drop_down_get_model(threads)) - 1);
    g_assert_cmpstr(wait_source(app), ==, "text");
    guint64 began = rw_run_index_get_job_start(rui_view_get_index(app_get_view(app))) + 1;
    check_problem(app, began, "This Thread Is Not There");
    gtk_drop_down_set_selected(threads, 0);
    wait_source(app);
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
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), <=, step);
    g_autofree char *line = rui_source_page_dup_line(get_page(app));
    g_test_message("%s: %s", rui_source_page_get_written(get_page(app)), line);
    g_assert_nonnull(strstr(line, "balance = after"));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-written");
    gtk_widget_activate_action(GTK_WIDGET(get_page(app)), "source.written", "s", "no_such_thing");
    wait_for(strstr(rui_source_page_get_written(get_page(app)), "no such variable"));
}

// ---- The first look ----

// Where a run that is opened stands at first its source is known before anybody asks for it.
static void check_first(App *app, const char *wanted)
{
    wait_for(rui_source_page_get_answers(get_page(app)));
    guint answers = rui_source_page_get_answers(get_page(app));
    g_assert_false(gtk_widget_get_mapped(GTK_WIDGET(get_page(app))));
    gint64 start = g_get_monotonic_time();
    g_assert_cmpstr(wait_source(app), ==, wanted);
    g_test_message("at rest %" G_GINT64_FORMAT " ms after the tab was asked for",
                   (g_get_monotonic_time() - start) / 1000);
    g_assert_cmpuint(rui_source_page_get_answers(get_page(app)), ==, answers);
    if (!strcmp(wanted, "text"))
        wait_for(is_line_in_sight(app));
}

// As a user opens it, in a program that has not looked into it so far.
static void open_again(App *app)
{
    g_autofree char *ref =
        g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))));
    app_change_window(app);
    gint64 start = g_get_monotonic_time();
    app_open(app, ref);
    guint64 opened = g_get_monotonic_time() - start;
    wait_for(rui_source_page_get_answers(get_page(app)));
    g_test_message("opened after %" G_GUINT64_FORMAT " ms, its source known after %" G_GINT64_FORMAT " ms",
                   opened / 1000, (g_get_monotonic_time() - start) / 1000);
}

static void test_first(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "./bank");
    open_again(app);
    check_first(app, "text");
    // What comes then is not asked for as long as nobody looks.
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "moment");
    guint answers = rui_source_page_get_answers(get_page(app));
    rui_view_set_step(app_get_view(app), rui_view_get_steps(app_get_view(app)) / 2);
    for (guint i = 0; i < 5; i++)
        app_wait_idle(app);
    g_assert_cmpuint(rui_source_page_get_answers(get_page(app)), ==, answers);
    record(app, "REWIND_THUMBNAILS", "python3 thumbnails.py");
    open_again(app);
    check_first(app, "text");
}

// The answer about a run that is not shown any more is none about the one that is.
static void test_overtaken(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "./bank");
    g_autofree char *bank =
        g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))));
    record(app, "REWIND_EXAMPLE", "true");
    g_autofree char *plain =
        g_strdup(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))));
    app_change_window(app);
    app_open(app, plain);
    wait_for(get_page(app)->here->asked_run);
    g_assert_cmpuint(rui_source_page_get_answers(get_page(app)), ==, 0);
    app_open(app, bank);
    wait_for(rui_source_page_get_answers(get_page(app)));
    g_assert_cmpstr(wait_source(app), ==, "text");
}

// ---- Behind the job's end ----

// The last line of its own that the last thread was in, as the command says, and that it is so.
static void test_ended(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "./bank");
    g_assert_cmpstr(go_to(app, rui_view_get_steps(app_get_view(app))), ==, "text");
    g_assert_true(app_says(app, "The job has ended"));
    const RwSource *source = get_page(app)->here->source;
    g_autofree char *tid = g_strdup_printf("%u", source->tid);
    g_autofree char *said =
        ask_command(rui_view_get_run(app_get_view(app)), source->position.step, tid, "frames");
    g_autofree char *place = g_strdup_printf("\n/src/bank.c:%u\n", rui_source_page_get_line(get_page(app)));
    g_test_message("step %" G_GUINT64_FORMAT "%s", source->position.step, place);
    g_assert_nonnull(strstr(said, place));
    wait_for(is_line_in_sight(app));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-ended");
    // Its functions can be gone through as anywhere.
    gtk_drop_down_set_selected(rui_source_page_get_threads(get_page(app)), 1);
    g_assert_cmpstr(wait_source(app), ==, "text");
    go_to(app, source->position.step);
    g_assert_false(app_says(app, "The job has ended"));
    // One that has no line of its own at all is told of, too.
    record(app, "REWIND_EXAMPLE", "true");
    check_problem(app, rui_view_get_steps(app_get_view(app)), "No Debug Information");
    g_assert_true(app_says(app, "The job has ended"));
}

// ---- The other run ----

// The same job under another schedule; owned.
static char *record_other(void)
{
    const char *argv[] = {
        g_getenv("REWIND_APP"),     "--batch", "run",  "-q", "--schedule", "3",     "--root",
        g_getenv("REWIND_EXAMPLE"), "--cwd",   "/src", "--", "make",       "check", NULL};
    const char *list[] = {g_getenv("REWIND_APP"), "--batch", "show", "--json", "@", NULL};
    g_autofree char *output = NULL;
    g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL);
    g_assert_true(
        g_spawn_sync(NULL, (char **)list, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, NULL));
    g_autoptr(JsonNode) node = json_from_string(output, NULL);
    g_assert_nonnull(node);
    return g_strdup(json_object_get_string_member(json_node_get_object(node), "id"));
}

static RuiSourceSide *choose_side(App *app, gboolean other)
{
    RuiSourceSide *side = other ? get_page(app)->other : get_page(app)->here;
    gtk_toggle_button_set_active(side->title, TRUE);
    wait_source(app);
    g_assert_true(source_page_get_active(get_page(app)) == side);
    return side;
}

static void assert_title(RuiSourceSide *side, const char *name, guint64 step)
{
    g_autofree char *place = g_strdup_printf("step %" G_GUINT64_FORMAT, step);
    g_assert_true(gtk_widget_get_mapped(GTK_WIDGET(side->title)));
    g_assert_true(g_str_has_prefix(gtk_label_get_text(side->name), name));
    g_assert_cmpstr(gtk_label_get_text(side->place), ==, place);
}

// Where a side is in the page.
static graphene_rect_t get_place(App *app, RuiSourceSide *side)
{
    graphene_rect_t place;
    g_assert_true(gtk_widget_compute_bounds(GTK_WIDGET(side), GTK_WIDGET(get_page(app)), &place));
    return place;
}

static gboolean is_beside(App *app)
{
    graphene_rect_t here = get_place(app, get_page(app)->here),
                    other = get_place(app, get_page(app)->other);
    g_assert_true(here.size.width > 0 && here.size.height > 60 && other.size.height > 60);
    if (other.origin.x >= here.origin.x + here.size.width) {
        g_assert_true(ABS(here.size.width - other.size.width) <= 1 && here.origin.y == other.origin.y);
        return TRUE;
    }
    g_assert_true(other.origin.x == here.origin.x && other.origin.y >= here.origin.y + here.size.height);
    return FALSE;
}

// Both runs' lines are there, each where the command says of that run at its own step, of every thread.
static void check_both(App *app, guint64 step, guint *checked, guint *apart)
{
    RuiSourceSide *here = choose_side(app, FALSE);
    g_assert_cmpstr(go_to(app, step), !=, "busy");
    step = rui_view_get_step(app_get_view(app)); // it may have fewer
    guint64 match = rw_session_comparison_match(rui_view_get_comparison(app_get_view(app)), step, true);
    RwSessionRun *compared = rui_view_get_compared(app_get_view(app));
    assert_title(here, "This run: ", step);
    assert_title(get_page(app)->other, "Compared run: ", match);
    g_assert_true(here->asked_run == rui_view_get_run(app_get_view(app)));
    g_assert_true(get_page(app)->other->asked_run == compared);
    g_assert_cmpuint(get_page(app)->other->asked.position.step, ==, match);
    *apart += match != step;
    *checked += check_threads(app, step, "bank", "/src/bank.c", "frames");
    choose_side(app, TRUE);
    *checked += check_threads_of(app, compared, match, "bank", "/src/bank.c", "frames");
    g_test_message("step %" G_GUINT64_FORMAT " is %" G_GUINT64_FORMAT " there", step, match);
}

// What wants more room than there is stands one over the other, whatever the language's letters take.
static void check_layout(App *app, guint64 step)
{
    go_to(app, step); // both have text there
    app_wait_idle(app);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 1800, 760);
    wait_for(is_beside(app));
    app_take_picture(app, GTK_WINDOW(app->window), "source-both-wide");
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    wait_for(!is_beside(app));
    wait_for(has_line_in_sight(get_page(app)->here) && has_line_in_sight(get_page(app)->other));
    app_take_picture(app, GTK_WINDOW(app->window), "source-both-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 1180, 760);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-both");
}

// Who wrote something in the compared run moves only its own side.
static void check_written_there(App *app)
{
    guint64 before = rui_view_get_step(app_get_view(app));
    choose_side(app, TRUE);
    gtk_widget_activate_action(GTK_WIDGET(get_page(app)), "source.written", "s", "balance");
    wait_for(rui_source_page_get_written(get_page(app)) &&
             !strstr(rui_source_page_get_written(get_page(app)), "Looking for"));
    wait_source(app);
    g_test_message("%s", rui_source_page_get_written(get_page(app)));
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, before);
    g_assert_cmpuint(get_page(app)->here->asked.position.step, ==, before);
}

static void test_other(App *app, gconstpointer data)
{
    record(app, "REWIND_EXAMPLE", "make check");
    g_autofree char *other = record_other();
    guint64 step = find_line(app, "Bert", "reports a deposit");
    g_assert_cmpstr(go_to(app, step), ==, "text");
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(get_page(app)->other))); // there is no other one
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(get_page(app)->here->title)));
    rui_window_compare(app->window, other);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    RwSessionRun *compared = rui_view_get_compared(app_get_view(app));
    g_assert_cmpstr(rw_run_item_get_id(rw_session_run_get_item(compared)), ==, other);
    guint64 steps[] = {step, step + 40,
                       rw_session_comparison_get_left_step(rui_view_get_comparison(app_get_view(app)))};
    guint checked = 0, apart = 0;
    for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
        check_both(app, steps[i], &checked, &apart);
    g_assert_cmpuint(checked, >=, 6);
    g_assert_cmpuint(apart, >, 0);
    check_layout(app, step);
    // Functions and variables are of the one that is looked at, by its title or by its text.
    g_assert_true(get_page(app)->shown == get_page(app)->other->source);
    gtk_widget_grab_focus(GTK_WIDGET(get_page(app)->here->text));
    wait_for(source_page_get_active(get_page(app)) == get_page(app)->here);
    g_assert_true(get_page(app)->shown == get_page(app)->here->source);
    check_written_there(app);
    // Both change places.
    RwSessionRun *run = rui_view_get_run(app_get_view(app));
    rui_view_swap(app_get_view(app));
    wait_for(rui_view_get_comparison(app_get_view(app)));
    wait_source(app);
    g_assert_true(get_page(app)->here->asked_run == compared && get_page(app)->other->asked_run == run);
    // Without a compared run there is nothing else to be shown.
    choose_side(app, TRUE);
    rui_view_set_compared(app_get_view(app), NULL);
    wait_source(app);
    g_assert_true(get_page(app)->shown && get_page(app)->shown == get_page(app)->here->source);
    g_assert_true(source_page_get_active(get_page(app)) == get_page(app)->here);
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(get_page(app)->other)));
}

// ---- Looks ----

// Half as large again, in a small window: it stays narrow, and what is above the text is there in whole.
static void test_large_text(App *app, gconstpointer data)
{
    int dpi, minimum, natural;
    g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, NULL);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi * 3 / 2, NULL);
    record(app, "REWIND_EXAMPLE", "./bank");
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    go_to(app, rui_view_get_steps(app_get_view(app)));
    wait_for(is_line_in_sight(app));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-large-text");
    gtk_widget_measure(GTK_WIDGET(get_page(app)), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL,
                       NULL);
    g_assert_cmpint(minimum, <=, 400);
    g_assert_false(pango_layout_is_ellipsized(gtk_label_get_layout(get_page(app)->here->ended)));
    check_problem(app, 3, "");
    app_take_picture(app, GTK_WINDOW(app->window), "source-large-problem");
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi, NULL);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 1180, 760);
}

// The step at which a file with that in its path was made.
static guint64 find_file(App *app, const char *text)
{
    RwSessionRun *run = rui_view_get_run(app_get_view(app));
    g_autoptr(GAsyncResult) result = NULL;
    rw_session_run_list_files_async(run, rui_view_get_steps(app_get_view(app)), &RW_FILTER_NONE, NULL,
                                    on_result, &result);
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
    check_problem(app, find_line(app, "case-large", "books"), "more than 4 MiB are not shown here");
    check_problem(app, find_line(app, "case-short", "books"), "has no line");
    check_problem(app, find_line(app, "case-none", "books"), "is not there at this step");
    g_autofree char *frames = rui_source_page_dup_frames(get_page(app));
    g_assert_nonnull(strstr(frames, "bank.c:")); // the functions are known all the same
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "source-missing");
}

// A run whose image is not there: the list of threads has no thread, but words all the same.
static void test_unknown(App *app, gconstpointer data)
{
    app_open_story(app);
    g_assert_cmpstr(wait_source(app), ==, "problem");
    GtkDropDown *threads = rui_source_page_get_threads(get_page(app));
    GtkStringObject *chosen = gtk_drop_down_get_selected_item(threads);
    g_assert_cmpstr(gtk_string_object_get_string(chosen), ==, _("The thread at the playhead"));
    g_assert_cmpuint(g_list_model_get_n_items(gtk_drop_down_get_model(threads)), ==, 1);
    g_assert_false(gtk_widget_get_sensitive(GTK_WIDGET(threads)));
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
        {"x->a = 1;\nuse(x.a, b == 1);\n",
         2,
         {"a", "1", "b", "2"},
         "2: b = 2;"}, // a member is another thing
        {"if (a == 1)\nuse(ab, ba);\n", 2, {"a", "1", "b", "2"}, ""}, // neither assigned nor named
        {"a += 1;\n++b;\nc <<= 1;\nuse();\n",
         4,
         {"a", "1", "b", "2", "c", "3"},
         "1: a = 1;2: b = 2;3: c = 3;"},
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
        {"/source/values", test_values},
        {"/source/first", test_first},
        {"/source/overtaken", test_overtaken},
        {"/source/bank", test_bank},
        {"/source/ended", test_ended},
        {"/source/other", test_other},
        {"/source/written", test_written},
        {"/source/python", test_python},
        {"/source/missing", test_missing},
        {"/source/unknown", test_unknown},
        {"/source/fits/large-text", test_large_text},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
