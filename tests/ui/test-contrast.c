// SPDX-License-Identifier: MIT
//
// Whether one can read it: each page's texts, icons and bars, light and dark, with the example's two runs
// ($REWIND_EXAMPLES) side by side.
#include "harness.h"

#include "check-cell.h"

static void check_window(App *app, GtkWindow *window, const char *page)
{
    static const struct {
        const char *name;
        AdwColorScheme scheme;
    } styles[] = {{"light", ADW_COLOR_SCHEME_FORCE_LIGHT}, {"dark", ADW_COLOR_SCHEME_FORCE_DARK}};
    for (guint i = 0; i < G_N_ELEMENTS(styles); i++) {
        g_autofree char *name = g_strdup_printf("contrast-%s-%s", page, styles[i].name);
        adw_style_manager_set_color_scheme(adw_style_manager_get_default(), styles[i].scheme);
        app_wait_idle(app);
        app_check_contrast(app, window, name);
    }
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_LIGHT);
    app_wait_idle(app);
}

static void check_page(App *app, const char *page)
{
    check_window(app, GTK_WINDOW(app->window), page);
}

static void test_empty(App *app, gconstpointer data)
{
    check_page(app, "empty");
}

static void test_start(App *app, gconstpointer data)
{
    g_free(fixture_add_run(harness_get_home(), "make", "story", 0));
    g_free(fixture_add_big_run(harness_get_home(), 1, 40));
    g_free(harness_import_example("failing.rwd"));
    wait_for(g_list_model_get_n_items(rw_session_get_runs(rui_application_get_session(app->application))) ==
             3);
    app_wait_idle(app);
    check_page(app, "start");
}

static void test_tabs(App *app, gconstpointer data)
{
    app_open_example(app);
    static const char *const names[] = {"moment", "source", "compare", "file", "runs"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        app_show_tab(app, names[i]);
        check_page(app, names[i]);
    }
}

static void test_threads(App *app, gconstpointer data)
{
    app_open_example(app);
    app_press(app, "t");
    app_wait_idle(app);
    check_page(app, "threads");
}

static void test_search(App *app, gconstpointer data)
{
    app_open_example(app);
    app_press(app, "ctrl+f");
    app_type(app, "write");
    app_wait_idle(app);
    check_page(app, "search");
}

static void test_new_run(App *app, gconstpointer data)
{
    RuiRecordWindow *form = app_fill_form(app, "/nowhere", "make check", "src");
    app_wait_idle(app);
    check_window(app, GTK_WINDOW(form), "new-run");
    gtk_window_destroy(GTK_WINDOW(form));
}

static void test_preferences(App *app, gconstpointer data)
{
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "preferences", NULL);
    wait_for(harness_find_window(ADW_TYPE_PREFERENCES_WINDOW));
    app_wait_idle(app);
    check_window(app, harness_find_window(ADW_TYPE_PREFERENCES_WINDOW), "preferences");
}

// One of each outcome.
static void test_cells(App *app, gconstpointer data)
{
    const RwEnd passed = {RW_END_POWEROFF, true, 0}, failed = {RW_END_POWEROFF, true, 2 << 8};
    const RwEnd stalled = {RW_END_STALLED, false, 0};
    const RwCheckCell cells[] = {
        {7, RW_CELL_SAME, (char *)"x", failed},   {8, RW_CELL_DIFFERS, (char *)"x", failed},
        {9, RW_CELL_SAME, (char *)"x", passed},   {10, RW_CELL_DIFFERS, (char *)"x", passed},
        {11, RW_CELL_SAME, (char *)"x", stalled}, {12, RW_CELL_DIFFERS, (char *)"x", stalled},
    };
    GtkWidget *window = gtk_window_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    for (guint i = 0; i < G_N_ELEMENTS(cells); i++) {
        GtkWidget *button = check_cell_new((guint)cells[i].schedule);
        check_cell_show(button, &cells[i], 0.5, NULL);
        gtk_box_append(GTK_BOX(box), button);
    }
    gtk_window_set_child(GTK_WINDOW(window), box);
    gtk_window_present(GTK_WINDOW(window));
    wait_for(gtk_widget_get_mapped(window));
    check_window(app, GTK_WINDOW(window), "cells");
    gtk_window_destroy(GTK_WINDOW(window));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/contrast/empty", test_empty},
        {"/contrast/start", test_start},
        {"/contrast/tabs", test_tabs},
        {"/contrast/threads", test_threads},
        {"/contrast/search", test_search},
        {"/contrast/new-run", test_new_run},
        {"/contrast/preferences", test_preferences},
        {"/contrast/cells", test_cells},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
