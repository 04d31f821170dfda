// SPDX-License-Identifier: MIT
//
// Every way in which a run gets into a window, and out of it: an address, a drop, a file chooser, a second
// rewind-app. What goes wrong is said, and leaves the store as it was.
#include "harness.h"

#include "server.h"
#include "settings.h"

#include <glib/gstdio.h>

static Server server;

static gboolean is_on(App *app, const char *page)
{
    return !strcmp(rui_window_get_page(app->window), page);
}

static gboolean is_settled(App *app)
{
    return is_on(app, "problem") || (is_on(app, "run") && rui_view_get_index(app_get_view(app)));
}

static void wait_for_run(App *app)
{
    wait_for(is_settled(app));
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "run");
    app_wait_idle(app);
}

static void wait_for_problem(App *app, const char *words)
{
    wait_for(is_on(app, "problem"));
    if (!strstr(rui_window_get_problem(app->window), words))
        g_error("\"%s\" is not in: %s", words, rui_window_get_problem(app->window));
    app_wait_idle(app);
}

static const char *get_open_ref(App *app)
{
    return rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app))));
}

static guint count_windows(App *app)
{
    guint count = 0;
    for (GList *node = gtk_application_get_windows(GTK_APPLICATION(app->application)); node;
         node = node->next)
        count += RUI_IS_WINDOW(node->data);
    return count;
}

static guint count_entries(const char *folder)
{
    g_autofree char *path = g_build_filename(harness_get_home(), folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    guint count = 0;
    while (dir && (name = g_dir_read_name(dir)))
        count += strcmp(name, ".lock") != 0;
    return count;
}

static char *open_story(App *app)
{
    char *id = fixture_add_run(harness_get_home(), "make", "story", 0);
    app_open(app, id);
    return id;
}

static void click_button(App *app, const char *action)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), action, NULL);
    app_wait_idle(app);
}

// ---- An address ----

static void open_url(App *app, const char *place)
{
    g_autofree char *url = g_strconcat(server.secure, place, NULL);
    const char *const arguments[] = {"rewind-app", url, NULL};
    g_assert_cmpint(app_command_line(app, arguments, NULL, NULL), ==, 0);
}

static void set_up_url(App *app, gconstpointer data)
{
    g_autofree char *cache = g_build_filename(harness_get_home(), "cache", NULL);
    g_assert_true(rw_remove_tree(cache, NULL));
    app_set_up(app, data);
    server_trust(&server, TRUE);
}

static void test_url(App *app, gconstpointer data)
{
    open_url(app, "/run.rwd");
    g_assert_true(is_on(app, "opening"));
    wait_for_run(app);
    g_assert_cmpuint(count_entries("runs"), ==, 1);
    g_assert_cmpuint(count_entries("cache"), ==, 0); // the download is of no more use
    g_assert_cmpuint(count_windows(app), ==, 1);
}

static void answer_location(App *app, const char *text)
{
    app_press(app, "ctrl+l");
    AdwMessageDialog *dialog = harness_find_window(ADW_TYPE_MESSAGE_DIALOG);
    g_assert_nonnull(dialog);
    gtk_editable_set_text(GTK_EDITABLE(adw_message_dialog_get_extra_child(dialog)), text);
    g_assert_true(adw_message_dialog_get_response_enabled(dialog, "ok") == (*text != 0));
    adw_message_dialog_response(dialog, *text ? "ok" : "cancel");
    app_wait_idle(app);
}

static void test_url_dialog(App *app, gconstpointer data)
{
    g_autofree char *url = g_strconcat("  ", server.secure, "/redirect\n", NULL);
    answer_location(app, "");
    g_assert_true(is_on(app, "start"));
    answer_location(app, "rewind.example/run");
    g_assert_true(is_on(app, "start"));
    g_assert_true(app_says(app, "https://"));
    answer_location(app, url); // as it was pasted
    wait_for_run(app);
}

// What cannot be had: the server's reason, and the address, never the name of a file in the cache.
static void refuse_url(App *app, const char *place, const char *words)
{
    g_autofree char *said = g_strconcat(server.secure, place, ": ", words, NULL);
    open_url(app, place);
    wait_for_problem(app, said);
    g_assert_false(gtk_widget_get_mapped(app->window->go_back)); // there is no run to go back to
    g_assert_cmpuint(count_entries("runs"), ==, 0);
    g_assert_cmpuint(count_entries("cache"), ==, 0);
    click_button(app, "win.home");
    g_assert_true(is_on(app, "start"));
}

static void test_url_refused(App *app, gconstpointer data)
{
    refuse_url(app, "/nothing.rwd", "not on the server (404");
    refuse_url(app, "/garbage", "not an exported run");
    refuse_url(app, "/plain", "the server sends elsewhere: only https is used");
    server_trust(&server, FALSE);
    refuse_url(app, "/run.rwd", "no secure connection: ");
    g_assert_cmpuint(count_windows(app), ==, 1);
}

static void test_url_cut(App *app, gconstpointer data)
{
    open_url(app, "/cut");
    wait_for_problem(app, "the connection ended after");
    g_assert_cmpuint(count_entries("runs"), ==, 0);
    app_take_picture(app, GTK_WINDOW(app->window), "url-cut");
    click_button(app, "win.home");
    open_url(app, "/cut"); // goes on with what has come
    wait_for_run(app);
    g_assert_cmpuint(count_entries("cache"), ==, 0);
}

// Half of it has come, and no more comes. Returns what loads it.
static RwSessionWork *start_slow(App *app)
{
    g_autofree char *url = g_strconcat(server.secure, "/slow", NULL);
    rui_window_open_location(app->window, url, NULL, RUI_NO_STEP);
    wait_for(app_says(app, "%"));
    g_assert_nonnull(app->window->importing);
    return g_object_ref(app->window->importing);
}

static void wait_cancelled(RwSessionWork *work)
{
    wait_for(!rw_session_work_is_running(work));
    g_assert_null(rw_session_work_get_problem(work));
    g_assert_null(rw_session_work_get_result(work));
}

static void test_url_cancel(App *app, gconstpointer data)
{
    g_autoptr(RwSessionWork) work = start_slow(app);
    app_take_picture(app, GTK_WINDOW(app->window), "url-loading");
    click_button(app, "win.cancel-opening");
    g_assert_true(is_on(app, "start"));
    wait_cancelled(work);
    g_assert_true(is_on(app, "start"));
    g_assert_cmpuint(count_entries("runs"), ==, 0);
    open_url(app, "/run.rwd");
    wait_for_run(app);
}

// The run that was open is there again.
static void test_url_cancel_in_run(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    rui_view_set_step(app_get_view(app), 7);
    g_autoptr(RwSessionWork) work = start_slow(app);
    click_button(app, "win.cancel-opening");
    wait_cancelled(work);
    g_assert_true(is_on(app, "run"));
    g_assert_cmpstr(get_open_ref(app), ==, id);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 7);
    g_assert_cmpuint(count_entries("runs"), ==, 1);
}

static void test_url_close(App *app, gconstpointer data)
{
    g_autoptr(RwSessionWork) work = start_slow(app);
    app_change_window(app);
    wait_cancelled(work);
}

// Another run that is opened meanwhile is the one that is meant.
static void test_url_overtaken(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autoptr(RwSessionWork) work = start_slow(app);
    app_open(app, id);
    wait_cancelled(work);
    g_assert_cmpstr(get_open_ref(app), ==, id);
}

// ---- A drop ----

// As a file manager offers them.
static GdkContentProvider *offer(const char *const *paths)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (; *paths; paths++) {
        g_autofree char *uri = g_filename_to_uri(*paths, NULL, NULL);
        g_string_append_printf(list, "%s\r\n", uri);
    }
    g_autoptr(GBytes) bytes = g_bytes_new(list->str, list->len);
    return gdk_content_provider_new_for_bytes("text/uri-list", bytes);
}

static void test_drop(App *app, gconstpointer data)
{
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    const char *const paths[] = {failing, NULL};
    g_autoptr(GdkContentProvider) content = offer(paths);
    app_drop(app, content, TRUE);
    wait_for_run(app);
    g_assert_cmpuint(count_windows(app), ==, 1);
}

static void test_drop_on_run(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    const char *const paths[] = {failing, NULL};
    g_autoptr(GdkContentProvider) content = offer(paths);
    app_drop(app, content, TRUE);
    wait_for(strcmp(get_open_ref(app), id));
    wait_for_run(app);
    g_assert_cmpuint(count_windows(app), ==, 1);
}

static gboolean all_windows_have_runs(App *app)
{
    for (GList *node = gtk_application_get_windows(GTK_APPLICATION(app->application)); node;
         node = node->next)
        if (strcmp(rui_window_get_page(node->data), "run"))
            return FALSE;
    return TRUE;
}

// A window each; what is no run is left out.
static void test_drop_several(App *app, gconstpointer data)
{
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    g_autofree char *passing = desktop_dup_example("passing.rwd");
    const char *const paths[] = {"/etc/passwd", failing, passing, NULL};
    g_autoptr(GdkContentProvider) content = offer(paths);
    app_drop(app, content, TRUE);
    wait_for(count_windows(app) == 2 && all_windows_have_runs(app));
    wait_for_run(app);
    g_assert_cmpuint(count_entries("runs"), ==, 2);
}

static void test_drop_nothing_of_use(App *app, gconstpointer data)
{
    const char *const paths[] = {"/etc/passwd", NULL};
    g_autofree char *id = open_story(app);
    g_autoptr(GdkContentProvider) other = offer(paths);
    app_drop(app, other, TRUE);
    wait_for(app_says(app, ".rwd"));
    g_assert_true(is_on(app, "run"));
    g_autoptr(GBytes) bytes = g_bytes_new_static("failing.rwd", 11);
    g_autoptr(GdkContentProvider) text = gdk_content_provider_new_for_bytes("text/plain", bytes);
    app_drop(app, text, FALSE);
    g_assert_true(is_on(app, "run"));
    g_assert_cmpstr(get_open_ref(app), ==, id);
}

// A damaged file, and one that no path leads to: the run that is open can be gone back to.
static void test_drop_damaged(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    g_autofree char *path = g_build_filename(harness_get_home(), "broken.rwd", NULL);
    const char *const paths[] = {path, NULL};
    g_assert_true(g_file_set_contents(path, "this is no run", -1, NULL));
    g_autoptr(GdkContentProvider) content = offer(paths);
    app_drop(app, content, TRUE);
    wait_for_problem(app, path);
    g_assert_true(gtk_widget_get_mapped(app->window->go_back));
    app_take_picture(app, GTK_WINDOW(app->window), "drop-damaged");
    app_click(app, app->window->go_back, 20, 10, GDK_BUTTON_PRIMARY);
    wait_for(is_on(app, "run"));
    g_assert_cmpstr(get_open_ref(app), ==, id);
    g_assert_cmpuint(count_entries("runs"), ==, 1);
}

static gboolean emit_drop(App *app, const char *uri)
{
    g_autoptr(GFile) file = g_file_new_for_uri(uri);
    GValue value = G_VALUE_INIT;
    gboolean taken = TRUE;
    g_value_init(&value, GDK_TYPE_FILE_LIST);
    g_value_take_boxed(&value, g_slist_prepend(NULL, g_object_ref(file)));
    g_signal_emit_by_name(app_find_drop_target(app), "drop", &value, 10.0, 10.0, &taken);
    g_value_unset(&value);
    return taken;
}

static void test_drop_from_elsewhere(App *app, gconstpointer data)
{
    g_assert_false(emit_drop(app, "sftp://rewind.example/run.rwd"));
    g_assert_false(emit_drop(app, "file:///etc/passwd"));
    g_assert_true(is_on(app, "start"));
    g_assert_true(emit_drop(app, "file:///nowhere/run.rwd"));
    wait_for_problem(app, "/nowhere/run.rwd: ");
}

// ---- A file chooser ----

static GtkFileChooser *find_chooser(void)
{
    return harness_find_window(GTK_TYPE_FILE_CHOOSER_DIALOG);
}

static gboolean has_chosen(GFile *file)
{
    g_autoptr(GFile) chosen = gtk_file_chooser_get_file(find_chooser());
    return chosen && g_file_equal(chosen, file);
}

static void respond(App *app, int response)
{
    GtkDialog *dialog = GTK_DIALOG(find_chooser());
    GtkWidget *button = gtk_dialog_get_widget_for_response(dialog, response);
    g_assert_nonnull(button);
    wait_for(gtk_widget_is_sensitive(button));
    gtk_widget_activate(button);
}

// The chooser that is open: that file, then its button; path NULL: cancel.
static void choose(App *app, const char *path)
{
    wait_for(find_chooser() && gtk_widget_get_mapped(GTK_WIDGET(find_chooser())));
    app_wait_idle(app);
    if (path) {
        g_autoptr(GFile) file = g_file_new_for_path(path);
        g_assert_true(gtk_file_chooser_set_file(find_chooser(), file, NULL));
        wait_for(has_chosen(file));
    }
    respond(app, path ? GTK_RESPONSE_ACCEPT : GTK_RESPONSE_CANCEL);
    wait_for(!find_chooser() || !gtk_widget_get_mapped(GTK_WIDGET(find_chooser())));
    app_wait_idle(app);
}

static void test_choose_file(App *app, gconstpointer data)
{
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    app_press(app, "ctrl+o");
    choose(app, NULL);
    g_assert_true(is_on(app, "start"));
    app_press(app, "ctrl+o");
    choose(app, failing);
    wait_for_run(app);
    g_assert_null(app->window->chooser);
}

// Where the next export goes to.
static void choose_target(App *app, const char *folder, const char *name, gboolean replayable)
{
    g_autoptr(GFile) dir = g_file_new_for_path(folder);
    g_autoptr(GFile) file = g_file_get_child(dir, name);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.export", NULL);
    wait_for(find_chooser() && gtk_widget_get_mapped(GTK_WIDGET(find_chooser())));
    app_wait_idle(app);
    g_assert_true(gtk_file_chooser_set_current_folder(find_chooser(), dir, NULL));
    gtk_file_chooser_set_current_name(find_chooser(), name);
    gtk_file_chooser_set_choice(find_chooser(), "replayable", replayable ? "true" : "false");
    wait_for(has_chosen(file));
    app_wait_idle(app);
    respond(app, GTK_RESPONSE_ACCEPT);
}

static void test_export(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    g_autofree char *path = g_build_filename(harness_get_home(), "out.rwd", NULL);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.export", NULL);
    choose(app, NULL);
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    choose_target(app, harness_get_home(), "out.rwd", FALSE);
    wait_for(app_says(app, "Exported"));
    // Into an empty store.
    app_tear_down(app, NULL);
    app_set_up(app, NULL);
    rui_window_open_location(app->window, path, NULL, 5);
    wait_for_run(app);
    g_assert_cmpstr(get_open_ref(app), ==, id);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 5);
    g_assert_cmpint(g_unlink(path), ==, 0);
}

// What replaying takes is asked for: there is no guest.
static void test_export_replayable(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    g_autofree char *path = g_build_filename(harness_get_home(), "all.rwd", NULL);
    choose_target(app, harness_get_home(), "all.rwd", TRUE);
    wait_for(app_says(app, "/nowhere: no vmlinux in it"));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void test_export_unwritable(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    choose_target(app, "/proc", "out.rwd", FALSE); // nobody can, not even root
    wait_for(app_says(app, "cannot create /proc/out.rwd"));
    g_assert_true(is_on(app, "run"));
}

static GtkWidget *find_question(void)
{
    return harness_find_window(GTK_TYPE_MESSAGE_DIALOG);
}

// The chooser asks before a file is replaced.
static void test_export_replace(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app), *text = NULL, *there = NULL;
    g_autofree char *path = g_build_filename(harness_get_home(), "old.rwd", NULL);
    g_assert_true(g_file_set_contents(path, "old", -1, NULL));
    choose_target(app, harness_get_home(), "old.rwd", FALSE);
    wait_for(find_question());
    gtk_dialog_response(GTK_DIALOG(find_question()), GTK_RESPONSE_CANCEL);
    wait_for(!find_question());
    choose(app, NULL);
    g_assert_true(g_file_get_contents(path, &there, NULL, NULL));
    g_assert_cmpstr(there, ==, "old");
    choose_target(app, harness_get_home(), "old.rwd", FALSE);
    wait_for(find_question());
    gtk_dialog_response(GTK_DIALOG(find_question()), GTK_RESPONSE_ACCEPT);
    wait_for(app_says(app, "Exported"));
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    g_assert_cmpstr(text, !=, "old");
    g_assert_cmpint(g_unlink(path), ==, 0);
}

static void test_export_and_close(App *app, gconstpointer data)
{
    g_autofree char *id = open_story(app);
    g_autofree char *path = g_build_filename(harness_get_home(), "late.rwd", NULL);
    window_export_to(app->window, rui_view_get_run(app_get_view(app)), path, FALSE);
    app_change_window(app);
    wait_for(g_file_test(path, G_FILE_TEST_IS_REGULAR));
    g_assert_cmpint(g_unlink(path), ==, 0);
}

static RuiRecordWindow *find_record_window(void)
{
    return harness_find_window(RUI_TYPE_RECORD_WINDOW);
}

static void check_root(const char *wanted)
{
    g_assert_cmpstr(rui_record_window_get_root(find_record_window()), ==, wanted);
}

static void test_choose_root(App *app, gconstpointer data)
{
    g_autofree char *tar = desktop_dup_example("failing.rwd"); // any file
    g_autofree char *folder = g_path_get_dirname(tar);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.new-run", NULL);
    wait_for(find_record_window() && gtk_widget_get_mapped(GTK_WIDGET(find_record_window())));
    app_wait_idle(app);
    GtkWidget *record = GTK_WIDGET(find_record_window());
    gtk_widget_activate_action(record, "record.choose-file", NULL);
    choose(app, NULL);
    check_root("");
    gtk_widget_activate_action(record, "record.choose-file", NULL);
    choose(app, tar);
    check_root(tar);
    gtk_widget_activate_action(record, "record.choose-folder", NULL);
    choose(app, folder);
    check_root(folder);
    gtk_widget_activate_action(record, "record.choose-folder", NULL);
    choose(app, NULL);
    check_root(folder);
    gtk_widget_activate_action(record, "record.cancel", NULL);
    wait_for(!find_record_window());
}

// ---- A second rewind-app ----

static void on_second_exit(GObject *source, GAsyncResult *result, gpointer data)
{
    GSubprocess *process = G_SUBPROCESS(source);
    g_assert_true(g_subprocess_wait_finish(process, result, NULL));
    *(int *)data = g_subprocess_get_exit_status(process);
}

// Run in the example's folder; its exit status.
static int run_second(const char *argument, const char *option)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDERR_SILENCE);
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    g_autofree char *dir = g_path_get_dirname(failing);
    int status = -1;
    g_subprocess_launcher_set_cwd(launcher, dir);
    g_autoptr(GSubprocess) process =
        g_subprocess_launcher_spawn(launcher, &error, g_getenv("REWIND_APP"), argument, option, NULL);
    g_assert_no_error(error);
    g_subprocess_wait_async(process, NULL, on_second_exit, &status);
    wait_for(status >= 0);
    return status;
}

// It asks the one that runs, which opens a second window, and ends.
static void second(App *app)
{
    g_assert_false(g_application_get_is_remote(G_APPLICATION(app->application)));
    g_autofree char *id = open_story(app);
    g_assert_cmpint(run_second("failing.rwd", "--step=5"), ==, 0);
    g_assert_cmpuint(count_windows(app), ==, 2);
    wait_for(all_windows_have_runs(app));
    g_assert_cmpstr(get_open_ref(app), ==, id);
    g_assert_cmpint(run_second(id, "--step=7"), ==, 0); // the window that has it
    g_assert_cmpuint(count_windows(app), ==, 2);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 7);
    g_assert_cmpint(run_second(id, "--step=seven"), ==, 1);
    g_assert_cmpuint(count_windows(app), ==, 2);
}

static void test_second(void)
{
    g_autoptr(GTestDBus) bus = g_test_dbus_new(G_TEST_DBUS_NONE);
    g_test_dbus_up(bus);
    harness_run_app(second);
    g_test_dbus_down(bus);
    g_setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE);
}

static void start_server(void)
{
    g_autofree char *failing = desktop_dup_example("failing.rwd");
    g_assert_nonnull(failing);
    server_start(&server, failing);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/opening/url/command-line", test_url},
        {"/opening/url/dialog", test_url_dialog},
        {"/opening/url/refused", test_url_refused},
        {"/opening/url/cut", test_url_cut},
        {"/opening/url/cancel", test_url_cancel},
        {"/opening/url/cancel-in-run", test_url_cancel_in_run},
        {"/opening/url/close", test_url_close},
        {"/opening/url/overtaken", test_url_overtaken},
        {"/opening/drop/one", test_drop},
        {"/opening/drop/on-run", test_drop_on_run},
        {"/opening/drop/several", test_drop_several},
        {"/opening/drop/nothing-of-use", test_drop_nothing_of_use},
        {"/opening/drop/damaged", test_drop_damaged},
        {"/opening/drop/from-elsewhere", test_drop_from_elsewhere},
        {"/opening/choose/file", test_choose_file},
        {"/opening/choose/export", test_export},
        {"/opening/choose/export-replayable", test_export_replayable},
        {"/opening/choose/export-unwritable", test_export_unwritable},
        {"/opening/choose/export-replace", test_export_replace},
        {"/opening/choose/export-and-close", test_export_and_close},
        {"/opening/choose/root", test_choose_root},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, set_up_url, tests[i].test, app_tear_down);
    g_test_add_func("/opening/second", test_second);
    start_server();
}

int main(int argc, char **argv)
{
    g_setenv("REWIND_GUEST_DIR", "/nowhere", TRUE);
    int status = harness_main(&argc, &argv, add_tests);
    if (server.process)
        server_stop(&server);
    return status;
}
