// SPDX-License-Identifier: MIT
//
// The form of a new run: what is wrong with a row is said below it, while it is written; what was recorded
// last is there again, what was recorded before is offered.
#include "harness.h"

#include "record-note.h"
#include "record-window-private.h"
#include "rui-suggestions.h"

static RuiRecordWindow *open_form(App *app)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.new-run", NULL);
    RuiRecordWindow *form = harness_find_window(RUI_TYPE_RECORD_WINDOW);
    g_assert_nonnull(form);
    wait_for(gtk_widget_get_mapped(GTK_WIDGET(form)));
    app_wait_idle(app);
    return form;
}

static gboolean has_note(gpointer row, const char *words)
{
    const char *note = record_note_get(GTK_WIDGET(row));
    return note && strstr(note, words);
}

static gboolean may_start(RuiRecordWindow *form)
{
    return gtk_widget_get_sensitive(GTK_WIDGET(form->start));
}

static GtkWidget *get_row(GtkSpinButton *spin)
{
    return gtk_widget_get_ancestor(GTK_WIDGET(spin), GTK_TYPE_LIST_BOX_ROW);
}

// ---- What is wrong ----

static void test_words(App *app, gconstpointer data)
{
    RuiRecordWindow *form = open_form(app);
    g_assert_null(record_note_get(GTK_WIDGET(form->command))); // nobody has written anything
    rui_record_window_set_job(form, "/nowhere/root.tar", "make 'check");
    g_assert_true(has_note(form->command, "quotation mark"));
    g_assert_false(may_start(form));
    wait_for(has_note(form->root, "no such file"));
    gtk_editable_set_text(form->command, "");
    g_assert_true(has_note(form->command, "what is to be run"));
    gtk_editable_set_text(form->cwd, "src");
    gtk_editable_set_text(form->env, "A=1 B");
    g_assert_true(has_note(form->cwd, "begins with /"));
    g_assert_true(has_note(form->env, "“B”"));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(form), "new-run-notes");
    rui_record_window_set_job(form, harness_get_home(), "make check");
    g_assert_false(may_start(form));
    gtk_editable_set_text(form->cwd, "/src");
    gtk_editable_set_text(form->env, "A=1 B=2");
    g_assert_true(may_start(form));
    app_wait_idle(app);
    GtkWidget *const rows[] = {GTK_WIDGET(form->root), GTK_WIDGET(form->command), GTK_WIDGET(form->cwd),
                               GTK_WIDGET(form->env)};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        wait_for(!record_note_get(rows[i]));
        g_assert_false(gtk_widget_has_css_class(rows[i], "error"));
    }
}

static void test_numbers(App *app, gconstpointer data)
{
    RuiRecordWindow *form = open_form(app);
    rui_record_window_set_job(form, harness_get_home(), "true");
    g_assert_true(may_start(form));
    gtk_editable_set_text(GTK_EDITABLE(form->memory), "99999");
    g_assert_true(has_note(get_row(form->memory), "from 64 to"));
    g_assert_false(may_start(form));
    gtk_editable_set_text(GTK_EDITABLE(form->memory), "much");
    g_assert_true(has_note(get_row(form->memory), "from 64 to"));
    gtk_editable_set_text(GTK_EDITABLE(form->memory), "512");
    g_assert_null(record_note_get(get_row(form->memory)));
    g_assert_true(may_start(form));
}

// What only recording finds is said at the row, too.
static void test_at_row(App *app, gconstpointer data)
{
    RuiRecordWindow *form = open_form(app);
    rui_record_window_set_job(form, "/nowhere/root.tar", "true");
    wait_for(has_note(form->root, "no such file"));
    rui_record_window_start(form);
    wait_for(rui_record_window_get_problem(form));
    app_wait_idle(app);
    g_assert_nonnull(record_note_get(GTK_WIDGET(form->root)));
    g_assert_false(gtk_info_bar_get_revealed(form->banner));
    g_assert_true(record_show_at_row(form, "--cwd /x: not in the root"));
    g_assert_true(has_note(form->cwd, "/x: not in the root"));
    g_assert_true(record_show_at_row(form, "true: not found in the root"));
    g_assert_true(has_note(form->command, "not found in the root"));
    g_assert_false(record_show_at_row(form, "the disk is full"));
}

// ---- What was used before ----

static void test_remembered(App *app, gconstpointer data)
{
    RuiRecordWindow *form = open_form(app);
    rui_record_window_set_job(form, "/nowhere/root.tar", "make 'a test'");
    rui_record_window_set_cwd(form, "/src");
    gtk_spin_button_set_value(form->memory, 512);
    rui_record_window_start(form);
    wait_for(rui_record_window_get_problem(form));
    gtk_window_destroy(GTK_WINDOW(form));
    form = open_form(app);
    g_autofree char *command = rui_record_window_dup_command(form);
    g_assert_cmpstr(rui_record_window_get_root(form), ==, "/nowhere/root.tar");
    g_assert_cmpstr(command, ==, "make 'a test'");
    g_assert_cmpstr(gtk_editable_get_text(form->cwd), ==, "/src");
    g_assert_cmpuint(rui_record_window_get_options(form).memory, ==, 512);
    g_settings_reset(app->window->settings, "record-form");
    g_settings_reset(app->window->settings, "record-memory");
}

// Keys go to the form.
static App get_keys(App *app, RuiRecordWindow *form)
{
    return (App){app->application, (gpointer)form};
}

static void type(App *app, GtkEditable *row, const char *text)
{
    gtk_widget_grab_focus(GTK_WIDGET(row));
    app_type(app, text);
    app_wait_idle(app);
}

static void test_suggestions(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", NULL, 0);
    g_autofree char *two = fixture_add_run(harness_get_home(), "cargo", NULL, 1);
    wait_for(g_list_model_get_n_items(rw_session_get_runs(rui_application_get_session(app->application))) ==
             2);
    RuiRecordWindow *form = open_form(app);
    GtkWidget *row = GTK_WIDGET(form->command);
    App keys = get_keys(app, form);
    type(&keys, form->command, "mak");
    wait_for(rui_suggestions_get(row));
    g_assert_cmpuint(rui_suggestions_get(row)->len, ==, 1);
    g_assert_cmpstr(rui_suggestions_get(row)->pdata[0], ==, "make check");
    app_take_picture(app, GTK_WINDOW(form), "new-run-suggestions");
    // Escape puts them away, and nothing else.
    app_press(&keys, "Escape");
    wait_for(!rui_suggestions_get(row));
    g_assert_true(harness_find_window(RUI_TYPE_RECORD_WINDOW) == form);
    app_type(&keys, "e");
    wait_for(rui_suggestions_get(row));
    app_press(&keys, "Down");
    app_press(&keys, "Return");
    wait_for(!rui_suggestions_get(row));
    g_autofree char *command = rui_record_window_dup_command(form);
    g_assert_cmpstr(command, ==, "make check");
    // What nobody has typed before has none.
    app_type(&keys, "x");
    app_wait_idle(&keys);
    g_assert_null(rui_suggestions_get(row));
    type(&keys, form->root, "root");
    wait_for(rui_suggestions_get(GTK_WIDGET(form->root)));
    g_assert_cmpstr(rui_suggestions_get(GTK_WIDGET(form->root))->pdata[0], ==, "/nowhere/root.tar");
}

// ---- A job that was recorded ----

// What a form cannot show is recorded as it was, until somebody writes something else.
static void test_bytes(App *app, gconstpointer data)
{
    RuiRecordWindow *form = open_form(app);
    g_autoptr(RwInputs) inputs = rw_inputs_new();
    inputs->argv = g_strsplit("sh|-c|echo \xff", "|", -1);
    inputs->env = g_strsplit("A=\xfe|PATH=/bin", "|", -1);
    g_autoptr(RwManifest) manifest = rw_manifest_new(inputs, "bytes", "/nowhere/\xff");
    rui_record_window_set_again(form, manifest);
    g_assert_cmpstr(gtk_editable_get_text(form->command), ==, "sh -c 'echo \xef\xbf\xbd'");
    g_autoptr(RwJobRequest) request = record_make_request(form, NULL);
    g_assert_true(g_strv_equal((const char *const *)request->argv, (const char *const *)inputs->argv));
    g_assert_true(g_strv_contains((const char *const *)request->env, "A=\xfe"));
    g_assert_cmpstr(request->root, ==, "/nowhere/\xff");
    gtk_editable_set_text(form->env, "B=2");
    gtk_editable_set_text(form->command, "true");
    g_autoptr(RwJobRequest) other = record_make_request(form, NULL);
    g_assert_cmpstr(other->argv[0], ==, "true");
    g_assert_cmpstr(other->env[0], ==, "B=2");
    g_assert_null(other->env[1]);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/record/bytes", test_bytes},           {"/record/words", test_words},
        {"/record/numbers", test_numbers},       {"/record/at-row", test_at_row},
        {"/record/remembered", test_remembered}, {"/record/suggestions", test_suggestions},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
