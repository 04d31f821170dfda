// SPDX-License-Identifier: MIT
//
// What was open when the app ended is open again at its next start: runs, playheads, tabs, sizes.
#include "harness.h"

static const char *const nothing[] = {"rewind-app", NULL};

static guint count_windows(App *app)
{
    return g_list_length(gtk_application_get_windows(GTK_APPLICATION(app->application)));
}

static void quit(App *app)
{
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "quit", NULL);
    wait_for(!count_windows(app));
}

static gboolean shows(RuiWindow *window, const char *id)
{
    RwSessionRun *run = rui_view_get_run(rui_window_get_view(window));
    return run && rw_session_run_get_loaded(run) &&
           !strcmp(rw_run_item_get_id(rw_session_run_get_item(run)), id);
}

static RuiWindow *find(App *app, const char *id)
{
    GList *windows = gtk_application_get_windows(GTK_APPLICATION(app->application));
    for (GList *node = windows; node; node = node->next)
        if (RUI_IS_WINDOW(node->data) && shows(node->data, id))
            return node->data;
    return NULL;
}

// The harness takes care of one.
static void take(App *app, RuiWindow *window)
{
    app->window = window;
    g_object_add_weak_pointer(G_OBJECT(window), (gpointer *)&app->window);
}

static void start(App *app)
{
    g_assert_cmpint(app_command_line(app, nothing, NULL, NULL), ==, 0);
    take(app, RUI_WINDOW(gtk_application_get_windows(GTK_APPLICATION(app->application))->data));
}

static void set_up_two(App *app, char **one, char **two)
{
    *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    *two = fixture_add_run(harness_get_home(), "make", "story", 1);
    app_open(app, *one);
    rui_view_set_step(rui_window_get_view(app->window), 7);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "file");
    gtk_window_set_default_size(GTK_WINDOW(app->window), 1010, 710);
    RuiWindow *other = rui_application_open(app->application, *two, *one, 9);
    wait_for(shows(other, *two) && rui_view_get_comparison(rui_window_get_view(other)));
    adw_view_stack_set_visible_child_name(other->tabs, "compare");
    app_wait_idle(app);
}

static void test_restored(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    int width, height;
    set_up_two(app, &one, &two);
    quit(app);
    start(app);
    g_assert_cmpuint(count_windows(app), ==, 2);
    wait_for(find(app, one) && find(app, two));
    app_wait_idle(app);
    RuiWindow *first = find(app, one), *second = find(app, two);
    g_assert_cmpuint(rui_view_get_step(rui_window_get_view(first)), ==, 7);
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(first->tabs), ==, "file");
    gtk_window_get_default_size(GTK_WINDOW(first), &width, &height);
    g_assert_cmpint(width, ==, 1010);
    g_assert_cmpint(height, ==, 710);
    wait_for(rui_view_get_comparison(rui_window_get_view(second)));
    g_assert_cmpuint(rui_view_get_step(rui_window_get_view(second)), ==, 9);
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(second->tabs), ==, "compare");
}

// It is left out, and so is the other one's comparison with it.
static void test_gone(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    set_up_two(app, &one, &two);
    quit(app);
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", one, NULL);
    g_assert_true(rw_remove_tree(path, NULL));
    start(app);
    g_assert_cmpuint(count_windows(app), ==, 1);
    wait_for(find(app, two));
    app_wait_idle(app);
    g_assert_null(rui_view_get_compared(rui_window_get_view(app->window)));
}

// Once; and not when nobody wants it.
static void test_not(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    g_autoptr(GSettings) settings = g_object_ref(app->window->settings);
    set_up_two(app, &one, &two);
    g_settings_set_boolean(settings, "restore-windows", FALSE);
    quit(app);
    start(app);
    g_assert_cmpuint(count_windows(app), ==, 1);
    g_assert_true(rui_window_is_empty(app->window));
    g_settings_reset(settings, "restore-windows");
    gtk_window_close(GTK_WINDOW(app->window));
    wait_for(!app->window);
    start(app);
    g_assert_cmpuint(count_windows(app), ==, 1);
    g_assert_true(rui_window_is_empty(app->window));
}

// Who asks for a run gets that one.
static void test_asked(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    set_up_two(app, &one, &two);
    quit(app);
    const char *const arguments[] = {"rewind-app", one, NULL};
    g_assert_cmpint(app_command_line(app, arguments, NULL, NULL), ==, 0);
    take(app, RUI_WINDOW(gtk_application_get_windows(GTK_APPLICATION(app->application))->data));
    wait_for(find(app, one));
    g_assert_cmpuint(count_windows(app), ==, 1);
}

static gboolean is_noted(GSettings *settings, guint count, const char *text)
{
    g_autoptr(GVariant) windows = g_settings_get_value(settings, "windows");
    g_autofree char *printed = g_variant_print(windows, FALSE);
    return g_variant_n_children(windows) == count && strstr(printed, text);
}

// Nobody quits: the session ends, or the app does. What is open is known by then, and what was closed.
static void test_kept(App *app, gconstpointer data)
{
    g_autofree char *one = NULL, *two = NULL;
    g_autoptr(GSettings) settings = g_object_ref(app->window->settings);
    set_up_two(app, &one, &two);
    wait_for(is_noted(settings, 2, one) && is_noted(settings, 2, two));
    rui_view_set_step(rui_window_get_view(app->window), 8);
    wait_for(is_noted(settings, 2, " 8, "));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", "runs");
    wait_for(is_noted(settings, 2, "'runs'"));
    gtk_window_close(GTK_WINDOW(find(app, two)));
    wait_for(count_windows(app) == 1);
    g_assert_true(is_noted(settings, 1, one));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/restore/restored", test_restored}, {"/restore/gone", test_gone}, {"/restore/not", test_not},
        {"/restore/asked", test_asked},       {"/restore/kept", test_kept},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
