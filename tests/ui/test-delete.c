// SPDX-License-Identifier: MIT
//
// Deleting runs: the rows vanish at once, the runs when it can be undone no more, or never.
#include "harness.h"

#include "rui-run-row.h"

static guint count_runs(App *app)
{
    return g_list_model_get_n_items(rw_session_get_runs(rui_application_get_session(app->application)));
}

static gboolean is_kept(const char *id)
{
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", id, NULL);
    return g_file_test(path, G_FILE_TEST_IS_DIR);
}

static GtkWidget *find_button(GtkWidget *widget, const char *label)
{
    const char *own = GTK_IS_BUTTON(widget) && gtk_widget_get_mapped(widget)
                          ? gtk_button_get_label(GTK_BUTTON(widget))
                          : NULL;
    GtkWidget *found = own && !strcmp(own, label) ? widget : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_button(child, label);
    return found;
}

static GtkWidget *find_undo(App *app)
{
    return find_button(GTK_WIDGET(app->window), "_Undo");
}

// The row of the run in the start page's list is deleted; its toast is there.
static void delete_run(App *app, const char *id)
{
    RuiRunList *list = rui_start_page_get_list(app->window->start);
    GListModel *rows = rui_run_list_get_rows(list);
    for (guint i = 0; i < g_list_model_get_n_items(rows); i++) {
        rui_run_list_select(list, i);
        RwRunItem *item = rui_run_list_get_selected(list);
        if (item && !strcmp(rw_run_item_get_id(item), id))
            break;
    }
    RwRunItem *item = rui_run_list_get_selected(list);
    g_assert_nonnull(item);
    g_assert_cmpstr(rw_run_item_get_id(item), ==, id);
    guint before = count_runs(app);
    gtk_widget_activate_action(GTK_WIDGET(list), "runs.delete", NULL);
    g_assert_cmpuint(count_runs(app), ==, before - 1);
}

static void add_two(App *app, char **one, char **two)
{
    *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    *two = fixture_add_run(harness_get_home(), "make", "story", 1);
    wait_for(count_runs(app) == 2);
    app_wait_idle(app);
}

static void test_undo(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    delete_run(app, one);
    wait_for(find_undo(app));
    app_wait_idle(app);
    g_assert_true(app_says(app, "1 run deleted"));
    app_take_picture(app, GTK_WINDOW(app->window), "deleted");
    g_assert_true(is_kept(one));
    g_signal_emit_by_name(find_undo(app), "clicked");
    wait_for(count_runs(app) == 2);
    wait_for(!find_undo(app));
    g_assert_true(is_kept(one));
    // By the keyboard alone; of two the later one.
    delete_run(app, one);
    wait_for(find_undo(app));
    app_press(app, "ctrl+z");
    wait_for(count_runs(app) == 2);
    g_assert_true(is_kept(one));
}

static void test_for_good(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    delete_run(app, one);
    wait_for(find_undo(app));
    wait_for(!is_kept(one)); // with its toast
    g_assert_cmpuint(count_runs(app), ==, 1);
    app_press(app, "ctrl+z"); // nothing comes back
    app_wait_idle(app);
    g_assert_cmpuint(count_runs(app), ==, 1);
    g_assert_true(is_kept(two));
}

// By a key, the row that is selected.
static void test_key(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    app_click(app, GTK_WIDGET(rui_start_page_get_list(app->window->start)), 80, 60, GDK_BUTTON_PRIMARY);
    app_wait_idle(app);
    g_assert_nonnull(rui_run_list_get_selected(rui_start_page_get_list(app->window->start)));
    app_press(app, "Delete");
    wait_for(count_runs(app) == 1);
    wait_for(find_undo(app));
}

static void test_close(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    app_open(app, two); // a window with a run: another one can be opened
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "runs");
    wait_for(g_list_model_get_n_items(rui_run_list_get_rows(app->window->runs)) == 2);
    for (guint i = 0; i < 2; i++) {
        rui_run_list_select(app->window->runs, i);
        if (!strcmp(rw_run_item_get_id(rui_run_list_get_selected(app->window->runs)), one))
            break;
    }
    gtk_widget_activate_action(GTK_WIDGET(app->window->runs), "runs.delete", NULL);
    g_assert_cmpuint(count_runs(app), ==, 1);
    wait_for(find_undo(app));
    g_assert_true(is_kept(one));
    app_change_window(app);
    wait_for(!is_kept(one));
    g_assert_true(is_kept(two));
}

// What is in use stays, and that is said at once.
static void test_in_use(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    app_open(app, one);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.home", NULL);
    app_wait_idle(app);
    delete_run(app, one);
    wait_for(harness_find_window(ADW_TYPE_MESSAGE_DIALOG));
    wait_for(count_runs(app) == 2);
    g_assert_null(find_undo(app));
    g_assert_true(is_kept(one));
    gtk_window_destroy(harness_find_window(ADW_TYPE_MESSAGE_DIALOG));
}

// Ctrl+Z is a text's own where one is written.
static void test_texts_keep_key(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    app_open(app, two);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.home", NULL);
    app_wait_idle(app);
    delete_run(app, one);
    wait_for(find_undo(app));
    app_open(app, two);
    app_press(app, "ctrl+f");
    app_press(app, "ctrl+z");
    app_wait_idle(app);
    g_assert_cmpuint(count_runs(app), ==, 1);
}

static void quit(App *app)
{
    g_autofree char *one = NULL, *two = NULL;
    add_two(app, &one, &two);
    delete_run(app, one);
    wait_for(find_undo(app));
    g_object_set_data_full(G_OBJECT(app->application), "deleted", g_steal_pointer(&one), g_free);
    g_object_set_data_full(G_OBJECT(app->application), "kept", g_steal_pointer(&two), g_free);
}

static void check_quit(GApplication *application, gpointer data)
{
    g_assert_false(is_kept(g_object_get_data(G_OBJECT(application), "deleted")));
    g_assert_true(is_kept(g_object_get_data(G_OBJECT(application), "kept")));
    *(gboolean *)data = TRUE;
}

static gboolean checked;

static void quit_body(App *app)
{
    g_signal_connect(app->application, "shutdown", G_CALLBACK(check_quit), &checked);
    quit(app); // then the harness closes its windows, and the app ends
}

static void test_quit(void)
{
    g_autoptr(GTestDBus) bus = g_test_dbus_new(G_TEST_DBUS_NONE);
    g_test_dbus_up(bus);
    harness_run_app(quit_body);
    g_test_dbus_down(bus);
    g_setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE);
    g_assert_true(checked);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/delete/undo", test_undo},     {"/delete/for-good", test_for_good},
        {"/delete/key", test_key},       {"/delete/close", test_close},
        {"/delete/in-use", test_in_use}, {"/delete/texts-keep-key", test_texts_keep_key},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
    g_test_add_func("/delete/quit", test_quit);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
