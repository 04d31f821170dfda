// SPDX-License-Identifier: MIT
//
// Runs as results of the desktop's search, asked for as a shell asks: over a session bus, by another
// program's connection. $REWIND_SEARCH_PROVIDER is the file that tells the shell of it.
#include "harness.h"

static GDBusConnection *shell;
static char *bus_name, *object_path;

static void read_file(void)
{
    g_autoptr(GKeyFile) file = g_key_file_new();
    g_autoptr(GError) error = NULL;
    g_key_file_load_from_file(file, g_getenv("REWIND_SEARCH_PROVIDER"), G_KEY_FILE_NONE, &error);
    g_assert_no_error(error);
    bus_name = g_key_file_get_string(file, "Shell Search Provider", "BusName", NULL);
    object_path = g_key_file_get_string(file, "Shell Search Provider", "ObjectPath", NULL);
    g_assert_true(bus_name && object_path);
    g_assert_cmpint(g_key_file_get_integer(file, "Shell Search Provider", "Version", NULL), ==, 2);
}

static void on_answered(GObject *source, GAsyncResult *result, gpointer data)
{
    *(GAsyncResult **)data = g_object_ref(result);
}

static GVariant *call(const char *method, GVariant *parameters)
{
    g_autoptr(GAsyncResult) result = NULL;
    g_autoptr(GError) error = NULL;
    g_dbus_connection_call(shell, bus_name, object_path, "org.gnome.Shell.SearchProvider2", method,
                           parameters, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_answered, &result);
    wait_for(result);
    GVariant *answer = g_dbus_connection_call_finish(shell, result, &error);
    g_assert_no_error(error);
    return answer;
}

static char *find(const char *terms)
{
    g_auto(GStrv) words = g_strsplit(terms, " ", -1);
    g_autoptr(GVariant) answer = call("GetInitialResultSet", g_variant_new("(^as)", words));
    g_auto(GStrv) results = NULL;
    g_variant_get(answer, "(^as)", &results);
    return g_strjoinv(" ", results);
}

static void finds(const char *terms, const char *wanted)
{
    g_autofree char *found = find(terms);
    g_assert_cmpstr(found, ==, wanted);
}

static void describes(const char *id)
{
    const char *const ids[] = {id, "0123456789abcdef", NULL};
    g_autoptr(GVariant) answer = call("GetResultMetas", g_variant_new("(^as)", ids));
    g_autoptr(GVariant) metas = g_variant_get_child_value(answer, 0);
    g_assert_cmpuint(g_variant_n_children(metas), ==, 1); // no such run
    g_autoptr(GVariant) meta = g_variant_get_child_value(metas, 0);
    const char *text;
    g_assert_true(g_variant_lookup(meta, "id", "&s", &text));
    g_assert_cmpstr(text, ==, id);
    g_assert_true(g_variant_lookup(meta, "name", "&s", &text));
    g_assert_nonnull(strstr(text, "Story"));
    g_assert_true(g_variant_lookup(meta, "description", "&s", &text));
    g_assert_nonnull(strstr(text, "schedule 1"));
    g_autoptr(GVariant) icon = g_variant_lookup_value(meta, "icon", NULL);
    g_autoptr(GIcon) read = g_icon_deserialize(icon);
    g_assert_nonnull(read);
}

static void activate(const char *id)
{
    const char *const terms[] = {"story", NULL};
    g_autoptr(GVariant) answer = call("ActivateResult", g_variant_new("(s^asu)", id, terms, 0));
}

static gboolean shows(App *app, const char *id)
{
    RwSessionRun *run = rui_view_get_run(rui_window_get_view(app->window));
    return run && rw_session_run_get_loaded(run) &&
           !strcmp(rw_run_item_get_id(rw_session_run_get_item(run)), id);
}

static guint count_windows(App *app)
{
    return g_list_length(gtk_application_get_windows(GTK_APPLICATION(app->application)));
}

static void body(App *app)
{
    RwSession *session = rui_application_get_session(app->application);
    g_autofree char *make = fixture_add_run(harness_get_home(), "make", NULL, 0);
    wait_for(g_list_model_get_n_items(rw_session_get_runs(session)) == 1);
    g_autofree char *story = fixture_add_run(harness_get_home(), "cargo", "Story", 1);
    wait_for(g_list_model_get_n_items(rw_session_get_runs(session)) == 2);
    g_autofree char *begin = g_strndup(story, 6), *words = g_strdup_printf("CARGO %s", begin);
    finds("make", make);
    finds("sTory", story);
    finds("cargo check", story);
    finds("cargo make", "");
    finds(begin, story);
    finds(words, story);
    finds(begin + 1, ""); // the middle of an id says nothing
    finds("", ""); // a term that everything has, of no length
    const char *const before[] = {make, story, NULL}, *const terms[] = {"story", NULL};
    g_autoptr(GVariant) answer = call("GetSubsearchResultSet", g_variant_new("(^as^as)", before, terms));
    g_autofree char *printed = g_variant_print(answer, FALSE);
    g_assert_nonnull(strstr(printed, story));
    g_assert_null(strstr(printed, make));
    describes(story);
    activate(story);
    wait_for(shows(app, story));
    g_assert_cmpuint(count_windows(app), ==, 1);
    activate("https://localhost/nothing.rwd"); // not for others to ask
    activate("/etc");
    app_wait_idle(app);
    g_assert_cmpuint(count_windows(app), ==, 1);
    g_assert_true(shows(app, story));
    g_autoptr(GVariant) none = call("LaunchSearch", g_variant_new("(^asu)", terms, 0));
    g_assert_cmpuint(count_windows(app), ==, 2);
    // The new window has the words, and what has them.
    RuiWindow *other = RUI_WINDOW(gtk_application_get_active_window(GTK_APPLICATION(app->application)));
    g_assert_true(other != app->window && rui_window_is_empty(other));
    g_assert_cmpstr(rui_start_page_get_words(other->start), ==, "story");
    GListModel *rows = rui_run_list_get_rows(rui_start_page_get_list(other->start));
    wait_for(g_list_model_get_n_items(rows) == 2); // the heading and the run
}

static void test_search(void)
{
    g_autoptr(GTestDBus) bus = g_test_dbus_new(G_TEST_DBUS_NONE);
    g_autoptr(GError) error = NULL;
    read_file();
    g_test_dbus_up(bus);
    shell = g_dbus_connection_new_for_address_sync(g_test_dbus_get_bus_address(bus),
                                                   G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
                                                       G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                   NULL, NULL, &error);
    g_assert_no_error(error);
    harness_run_app(body);
    g_clear_object(&shell);
    g_free(bus_name);
    g_free(object_path);
    g_test_dbus_down(bus);
}

static void add_tests(void)
{
    g_test_add_func("/search-provider", test_search);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
