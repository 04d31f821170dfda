// SPDX-License-Identifier: MIT
//
// What is set in the preferences is what windows start with and what is executed.
#include "harness.h"

static const char *const keys[] = {"remember-stop-kind", "record-memory",   "record-timeout",
                                   "record-keyframes",   "check-schedules", "check-threads",
                                   "color-scheme",       "stop-kind",       "time-axis"};

static void reset(GSettings *settings)
{
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
        g_settings_reset(settings, keys[i]);
}

// The control of the row with that title.
static GtkWidget *find_control(GtkWidget *widget, const char *title)
{
    if (ADW_IS_ACTION_ROW(widget) &&
        !strcmp(adw_preferences_row_get_title(ADW_PREFERENCES_ROW(widget)), title))
        return ADW_IS_COMBO_ROW(widget) ? widget
                                        : adw_action_row_get_activatable_widget(ADW_ACTION_ROW(widget));
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_control(child, title);
    return found;
}

static GtkWidget *open_preferences(App *app)
{
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "preferences", NULL);
    app_wait_idle(app);
    GtkWidget *window = harness_find_window(ADW_TYPE_PREFERENCES_WINDOW);
    g_assert_nonnull(window);
    return window;
}

static void set_number(GtkWidget *window, const char *title, double value)
{
    GtkWidget *spin = find_control(window, title);
    g_assert_true(GTK_IS_SPIN_BUTTON(spin));
    gtk_test_accessible_assert_property(spin, GTK_ACCESSIBLE_PROPERTY_LABEL, title);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(spin), value);
}

static void set_switch(GtkWidget *window, const char *title, gboolean on)
{
    GtkWidget *control = find_control(window, title);
    g_assert_true(GTK_IS_SWITCH(control));
    gtk_switch_set_active(GTK_SWITCH(control), on);
}

static void test_window(App *app, gconstpointer data)
{
    GSettings *settings = app->window->settings;
    GtkWidget *window = open_preferences(app);
    app_take_picture(app, GTK_WINDOW(window), "preferences");
    set_number(window, "Memory, MiB", 512);
    set_number(window, "Time Limit, Seconds", 90);
    set_number(window, "Schedules", 12);
    set_number(window, "At Once", 3);
    set_switch(window, "Keyframes", FALSE);
    set_switch(window, "Remember What Previous and Next Stop At", FALSE);
    adw_combo_row_set_selected(ADW_COMBO_ROW(find_control(window, "Style")), 2);
    g_assert_cmpuint(g_settings_get_uint(settings, "record-memory"), ==, 512);
    g_assert_cmpuint(g_settings_get_uint(settings, "record-timeout"), ==, 90);
    g_assert_cmpuint(g_settings_get_uint(settings, "check-schedules"), ==, 12);
    g_assert_cmpuint(g_settings_get_uint(settings, "check-threads"), ==, 3);
    g_assert_false(g_settings_get_boolean(settings, "record-keyframes"));
    g_assert_false(g_settings_get_boolean(settings, "remember-stop-kind"));
    g_assert_cmpint(g_settings_get_enum(settings, "color-scheme"), ==, 2);
    g_assert_true(adw_style_manager_get_dark(adw_style_manager_get_default()));
    set_number(window, "Memory, MiB", 1e6); // no further than the schema lets it
    g_assert_cmpuint(g_settings_get_uint(settings, "record-memory"), ==, 3072);
    reset(settings);
    g_assert_cmpfloat(gtk_spin_button_get_value(GTK_SPIN_BUTTON(find_control(window, "Schedules"))), ==,
                      32);
    gtk_window_destroy(GTK_WINDOW(window));
}

static void test_new_run(App *app, gconstpointer data)
{
    GSettings *settings = app->window->settings;
    g_settings_set_uint(settings, "record-memory", 256);
    g_settings_set_uint(settings, "record-timeout", 40);
    g_settings_set_boolean(settings, "record-keyframes", FALSE);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.new-run", NULL);
    app_wait_idle(app);
    RuiRecordWindow *record = harness_find_window(RUI_TYPE_RECORD_WINDOW);
    g_assert_nonnull(record);
    RuiRecordOptions options = rui_record_window_get_options(record);
    g_assert_cmpuint(options.memory, ==, 256);
    g_assert_cmpuint(options.timeout, ==, 40);
    g_assert_false(options.keyframes);
    reset(settings);
}

// The key tries as many schedules as the preferences say, the menu as many as it says. There is no root
// here to execute: the cells are there nevertheless.
static void check_cells(App *app, guint expected)
{
    RwSessionWork *work = rui_check_pane_get_work(app->window->check);
    g_assert_nonnull(work);
    g_assert_cmpuint(rw_session_work_get_cells(work)->len, ==, expected);
    wait_for(!rw_session_work_is_running(work));
}

static void test_check(App *app, gconstpointer data)
{
    app_open_story(app);
    g_settings_set_uint(app->window->settings, "check-schedules", 12);
    app_press(app, "c");
    check_cells(app, 12);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.check", "u", 8);
    check_cells(app, 8);
    reset(app->window->settings);
}

static RwStopKind get_stop_kind(RuiWindow *window)
{
    return rui_view_get_stop_kind(rui_window_get_view(window));
}

static RuiWindow *open_another(App *app)
{
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "new-window", NULL);
    app_wait_idle(app);
    for (GList *node = gtk_application_get_windows(GTK_APPLICATION(app->application)); node;
         node = node->next)
        if (RUI_IS_WINDOW(node->data) && node->data != (gpointer)app->window)
            return node->data;
    g_assert_not_reached();
}

static void test_stop_kind(App *app, gconstpointer data)
{
    GSettings *settings = app->window->settings;
    rui_view_set_stop_kind(rui_window_get_view(app->window), RW_STOP_LIFE);
    RuiWindow *second = open_another(app);
    g_assert_cmpint(get_stop_kind(second), ==, RW_STOP_LIFE);
    gtk_window_destroy(GTK_WINDOW(second));
    g_settings_set_boolean(settings, "remember-stop-kind", FALSE);
    rui_view_set_stop_kind(rui_window_get_view(app->window), RW_STOP_LOG);
    RuiWindow *third = open_another(app);
    g_assert_cmpint(get_stop_kind(third), ==, RW_STOP_EVENT);
    g_assert_cmpuint(g_settings_get_uint(settings, "stop-kind"), ==, RW_STOP_LIFE);
    gtk_window_destroy(GTK_WINDOW(third));
    reset(settings);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/preferences/window", test_window},
        {"/preferences/new-run", test_new_run},
        {"/preferences/check", test_check},
        {"/preferences/stop-kind", test_stop_kind},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
