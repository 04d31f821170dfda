// SPDX-License-Identifier: MIT
//
// A run's row is dragged out: what arrives is its .rwd file, made when it was dropped and not before.
#include "harness.h"

#include "rui-run-file.h"

static char *cache;

static char *dup_dragged(void)
{
    return g_build_filename(cache, "rewind", "dragged", NULL);
}

static guint count_dragged(void)
{
    g_autofree char *folder = dup_dragged();
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    guint count = 0;
    while (dir && g_dir_read_name(dir))
        count++;
    return count;
}

static void show_runs(App *app, const char *id)
{
    app_open(app, id);
    app_show_tab(app, "runs");
    wait_for(g_list_model_get_n_items(rui_run_list_get_rows(app->window->runs)) == 2);
    app_wait_idle(app);
}

static void test_out(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *two = fixture_add_run(harness_get_home(), "make", "story", 1);
    show_runs(app, one);
    // What an hour has passed over goes.
    g_autofree char *folder = dup_dragged(), *old = g_build_filename(folder, "12-abcdef", NULL);
    g_assert_cmpint(g_mkdir_with_parents(old, 0700), ==, 0);
    GdkFileList *files = app_drag_out(app, GTK_WIDGET(app->window->runs), 80, 60);
    g_autoptr(GSList) list = gdk_file_list_get_files(files);
    g_assert_cmpuint(g_slist_length(list), ==, 1);
    g_autofree char *path = g_file_get_path(list->data), *name = g_path_get_basename(path);
    g_autofree char *wanted = g_strdup_printf("story-fails-%.8s.rwd", two);
    g_assert_cmpstr(name, ==, wanted);
    g_assert_cmpuint(count_dragged(), ==, 1);
    g_assert_false(g_file_test(old, G_FILE_TEST_EXISTS));
    g_boxed_free(GDK_TYPE_FILE_LIST, files);
    // It is whole: with the store emptied it brings the run back.
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "run"); // the app does not take what it has
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.home", NULL);
    g_autofree char *run = g_build_filename(harness_get_home(), "runs", two, NULL);
    g_assert_true(rw_remove_tree(run, NULL));
    rui_window_open_location(app->window, path, NULL, RUI_NO_STEP);
    wait_for(!strcmp(rui_window_get_page(app->window), "run"));
    g_assert_true(g_file_test(run, G_FILE_TEST_IS_DIR));
    app_wait_idle(app);
}

static void on_written(GObject *source, GAsyncResult *result, gpointer data)
{
    *(GAsyncResult **)data = g_object_ref(result);
}

// What cannot be exported is an error and no file.
static void test_gone(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 0);
    RwSession *session = rui_application_get_session(app->application);
    wait_for(rw_session_find(session, id));
    guint before = count_dragged();
    g_autoptr(GdkContentProvider) content = rui_run_file_new(session, rw_session_find(session, id));
    g_autofree char *run = g_build_filename(harness_get_home(), "runs", id, NULL);
    g_assert_true(rw_remove_tree(run, NULL));
    g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable();
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    gdk_content_provider_write_mime_type_async(content, "text/uri-list", stream, G_PRIORITY_DEFAULT, NULL,
                                               on_written, &result);
    wait_for(result);
    g_assert_false(gdk_content_provider_write_mime_type_finish(content, result, &error));
    g_assert_nonnull(error);
    g_assert_cmpuint(count_dragged(), ==, before);
}

static void add_tests(void)
{
    g_test_add("/drag/out", App, NULL, app_set_up, test_out, app_tear_down);
    g_test_add("/drag/gone", App, NULL, app_set_up, test_gone, app_tear_down);
}

int main(int argc, char **argv)
{
    cache = g_dir_make_tmp("rewind-cache-XXXXXX", NULL);
    g_setenv("XDG_CACHE_HOME", cache, TRUE);
    int status = harness_main(&argc, &argv, add_tests);
    rw_remove_tree(cache, NULL);
    g_free(cache);
    return status;
}
