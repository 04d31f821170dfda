// SPDX-License-Identifier: MIT
//
// The window of a run, on made-up runs: nothing is executed.
#include "harness.h"

#include "rui-cell.h"
#include "rui-log-model.h"
#include "rui-row.h"
#include "story.h"

// ---- The start page ----

static void test_start(App *app, gconstpointer data)
{
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "start");
    app_take_picture(app, GTK_WINDOW(app->window), "start-empty");
    g_autofree char *id = harness_add_story(0);
    GListModel *rows = rui_run_list_get_rows(rui_start_page_get_list(app->window->start));
    wait_for(g_list_model_get_n_items(rows) == 2); // a heading and the run
    rui_run_list_select(rui_start_page_get_list(app->window->start), 1);
    gtk_widget_activate_action(GTK_WIDGET(rui_start_page_get_list(app->window->start)), "runs.open", NULL);
    wait_for(rui_view_get_index(app_get_view(app)));
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "run");
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.home", NULL);
    app_wait_idle(app);
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "start");
    app_take_picture(app, GTK_WINDOW(app->window), "start");
}

static void test_unknown_run(App *app, gconstpointer data)
{
    rui_window_open_run(app->window, "nowhere", NULL, RUI_NO_STEP);
    wait_for(!strcmp(rui_window_get_page(app->window), "problem"));
    g_assert_nonnull(strstr(rui_window_get_problem(app->window), "nowhere"));
}

static void test_damaged_file(App *app, gconstpointer data)
{
    g_autofree char *path = g_build_filename(harness_get_home(), "broken.rwd", NULL);
    g_assert_true(g_file_set_contents(path, "this is no run", -1, NULL));
    rui_window_open_location(app->window, path, NULL, RUI_NO_STEP);
    wait_for(!strcmp(rui_window_get_page(app->window), "problem"));
    g_assert_nonnull(rui_window_get_problem(app->window));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "damaged-file");
}

// The twins that come with the app, side by side.
static void test_example(App *app, gconstpointer data)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.example", NULL);
    wait_for(rui_view_get_index(app_get_view(app)) && rui_view_get_compared(app_get_view(app)));
    RwSessionRun *failing = rui_view_get_run(app_get_view(app));
    RwSessionRun *passing = rui_view_get_compared(app_get_view(app));
    g_assert_cmpint(rw_run_item_get_verdict(rw_session_run_get_item(failing)), ==, RW_VERDICT_FAILED);
    g_assert_cmpint(rw_run_item_get_verdict(rw_session_run_get_item(passing)), ==, RW_VERDICT_PASSED);
    app_wait_idle(app);
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(app->window->tabs), ==, "compare");
    app_take_picture(app, GTK_WINDOW(app->window), "example");
}

// ---- The playhead ----

static void test_opens_at_failure(App *app, gconstpointer data)
{
    app_open_story(app);
    const RwRunIndex *index = rui_view_get_index(app_get_view(app));
    g_assert_cmpuint(app_get_step(app), ==, rw_run_index_get_failure(index));
}

static void test_keys(App *app, gconstpointer data)
{
    app_open_story(app);
    guint64 failure = app_get_step(app);
    app_press(app, "Home");
    g_assert_cmpuint(app_get_step(app), ==, 0);
    app_press(app, "shift+Right");
    g_assert_cmpuint(app_get_step(app), ==, 1);
    app_press(app, "shift+Left");
    g_assert_cmpuint(app_get_step(app), ==, 0);
    app_press(app, "Right");
    wait_for(app_get_step(app) == 1);
    app_press(app, "End");
    g_assert_cmpuint(app_get_step(app), ==, STORY_STEPS);
    app_press(app, "Left");
    wait_for(app_get_step(app) == STORY_STEPS - 1);
    app_press(app, "f");
    g_assert_cmpuint(app_get_step(app), ==, failure);
    app_press(app, "alt+Left");
    g_assert_cmpuint(app_get_step(app), ==, STORY_STEPS - 1);
    app_press(app, "alt+Right");
    g_assert_cmpuint(app_get_step(app), ==, failure);
}

static void test_phases(App *app, gconstpointer data)
{
    app_open_story(app);
    const RwRunIndex *index = rui_view_get_index(app_get_view(app));
    app_press(app, "Home");
    app_press(app, "Page_Down");
    g_assert_cmpuint(app_get_step(app), ==, rw_run_index_get_job_start(index));
    app_press(app, "Page_Up");
    g_assert_cmpuint(app_get_step(app), ==, 0);
}

static void test_zoom(App *app, gconstpointer data)
{
    double from, until, all;
    app_open_story(app);
    rui_view_get_range(app_get_view(app), &from, &all);
    app_press(app, "minus"); // nothing is further out
    rui_view_get_range(app_get_view(app), &from, &until);
    g_assert_cmpfloat(until - from, ==, all);
    app_press(app, "equal");
    rui_view_get_range(app_get_view(app), &from, &until);
    g_assert_cmpfloat(until - from, <, all);
    app_press(app, "End"); // the range follows
    rui_view_get_range(app_get_view(app), &from, &until);
    g_assert_cmpfloat(until, ==, all);
    app_press(app, "0");
    rui_view_get_range(app_get_view(app), &from, &until);
    g_assert_cmpfloat(until - from, ==, all);
}

static void test_drag(App *app, gconstpointer data)
{
    app_open_story(app);
    guint64 before = app_get_step(app);
    double from = rui_timeline_get_x(app->window->timeline, 3);
    double to = rui_timeline_get_x(app->window->timeline, 14);
    app_drag(app, GTK_WIDGET(app->window->timeline), from, 40, to);
    wait_for(app_get_step(app) == 14);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.back",
                               NULL); // one way back for the whole drag
    g_assert_cmpuint(app_get_step(app), ==, before);
}

static void test_playhead_menu(App *app, gconstpointer data)
{
    app_open_story(app);
    gtk_widget_grab_focus(GTK_WIDGET(app->window->timeline));
    app_press(app, "shift+F10");
    GtkWidget *menu = gtk_widget_get_last_child(GTK_WIDGET(app->window->timeline));
    g_assert_true(GTK_IS_POPOVER_MENU(menu));
    wait_for(gtk_widget_get_mapped(menu));
    gtk_popover_popdown(GTK_POPOVER(menu));
    gtk_widget_activate_action(menu, "win.bookmark", NULL);
    g_autoptr(GArray) steps = rui_bookmarks_dup_steps(app->window->bookmarks);
    g_assert_cmpuint(steps->len, ==, 1);
}

static void test_go_to(App *app, gconstpointer data)
{
    app_open_story(app);
    app_press(app, "g");
    AdwMessageDialog *dialog = harness_find_window(ADW_TYPE_MESSAGE_DIALOG);
    g_assert_nonnull(dialog);
    GtkWidget *entry = adw_message_dialog_get_extra_child(dialog);
    gtk_editable_set_text(GTK_EDITABLE(entry), "7");
    adw_message_dialog_response(dialog, "ok");
    app_wait_idle(app);
    g_assert_cmpuint(app_get_step(app), ==, 7);
}

static void test_stop_kinds(App *app, gconstpointer data)
{
    app_open_story(app);
    app_go_to(app, 1);
    rui_view_set_stop_kind(app_get_view(app), RW_STOP_LOG);
    app_press(app, "Right");
    wait_for(app_get_step(app) == 9);
    rui_view_set_stop_kind(app_get_view(app), RW_STOP_EVENT);
    app_press(app, "Right");
    wait_for(app_get_step(app) == 10);
}

// ---- What follows it ----

static void test_panes_follow(App *app, gconstpointer data)
{
    app_open_story(app);
    RuiLogPane *log = app->window->log;
    GListModel *procs = rui_process_pane_get_rows(app->window->processes);
    GListModel *files = rui_file_list_get_rows(app->window->files);
    app_go_to(app, 8);
    g_assert_cmpuint(g_list_model_get_n_items(rui_log_pane_get_lines(log)), ==, 1); // to come
    g_assert_cmpuint(rui_log_pane_get_written(log), ==, 0);
    app_go_to(app, 9);
    g_assert_cmpuint(rui_log_pane_get_written(log), ==, 1);
    wait_for(g_list_model_get_n_items(procs) == 4);
    g_assert_cmpuint(g_list_model_get_n_items(files), ==, 0);
    app_go_to(app, STORY_STEPS);
    wait_for(g_list_model_get_n_items(procs) == 1); // init
    wait_for(g_list_model_get_n_items(files) == 3);
    g_autofree char *text = rui_log_pane_dup_text(app->window->log);
    g_assert_cmpstr(text, ==, "job \"0\" done\n");
}

// Lines that say that something is wrong are counted, and shown alone; what is to come is dimmed.
static void test_log_chips(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_turns_run(harness_get_home(), TRUE);
    app_open(app, id);
    GtkToggleButton *errors = rui_log_pane_get_errors(app->window->log);
    GListModel *lines = rui_log_pane_get_lines(app->window->log);
    wait_for(gtk_widget_get_visible(GTK_WIDGET(errors)));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(errors)), ==, "1 error");
    g_assert_cmpuint(g_list_model_get_n_items(lines), ==, 5);
    app_go_to(app, 6);
    RuiVirtualList *list = harness_find_list(GTK_WIDGET(app->window->log));
    for (guint i = 0; i < 5; i++)
        g_assert_true(gtk_widget_has_css_class(rui_virtual_list_get_content(list, i), "to-come") ==
                      (i > 1));
    app_take_picture(app, GTK_WINDOW(app->window), "log-chips");
    gtk_toggle_button_set_active(errors, TRUE);
    g_assert_cmpuint(g_list_model_get_n_items(lines), ==, 1);
    g_autoptr(RuiLine) line = g_list_model_get_item(lines, 0);
    RwLine content;
    rui_line_get(line, &content);
    g_assert_cmpmem(content.bytes, content.length, "wrong: failed", 13);
    gtk_toggle_button_set_active(errors, FALSE);
    g_assert_cmpuint(g_list_model_get_n_items(lines), ==, 5);
}

static void test_moment(App *app, gconstpointer data)
{
    app_open_story(app);
    app_show_tab(app, "moment");
    app_go_to(app, 10);
    wait_for(strstr(rui_moment_page_get_text(app->window->moment), "SIGSEGV"));
    app_take_picture(app, GTK_WINDOW(app->window), "run");
    app_go_to(app, 0);
    wait_for(!*rui_moment_page_get_text(app->window->moment));
}

// ---- Two runs ----

static void compare(App *app, const char *ref)
{
    rui_window_compare(app->window, ref);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    app_wait_idle(app);
}

// Every row that is in sight says whose each of its events is.
static void check_programs(App *app, RwSessionComparison *comparison)
{
    GListModel *pairs = rw_session_comparison_get_pairs(comparison);
    RuiVirtualList *list = harness_find_list(GTK_WIDGET(app->window->compare));
    guint seen = 0;
    for (guint i = 0; i < g_list_model_get_n_items(pairs); i++) {
        g_autoptr(RwEventPair) pair = g_list_model_get_item(pairs, i);
        GtkWidget *row = rui_virtual_list_get_content(list, i);
        if (!row)
            continue;
        const char *const programs[] = {rw_event_pair_get_program(pair, RW_EVENT_LEFT),
                                        rw_event_pair_get_program(pair, RW_EVENT_RIGHT)};
        GtkWidget *side = gtk_widget_get_first_child(row);
        for (guint k = 0; k < 2; k++, side = gtk_widget_get_next_sibling(side)) {
            const char *who = rui_cell_get_text(RUI_CELL(gtk_widget_get_first_child(side)));
            if (programs[k])
                g_assert_true(*programs[k] && g_str_has_suffix(who, programs[k]));
            else
                g_assert_cmpstr(who, ==, "");
            seen++;
        }
    }
    g_assert_cmpuint(seen, >, 4);
}

static void test_compare(App *app, gconstpointer data)
{
    g_autofree char *one = harness_add_story(0);
    g_autofree char *two = harness_add_story(1);
    g_autofree char *other = fixture_add_big_run(harness_get_home(), 3, 40);
    app_open(app, one);
    compare(app, two);
    g_assert_nonnull(strstr(rui_compare_page_get_summary(app->window->compare), "did the same"));
    compare(app, other);
    RwSessionComparison *comparison = rui_view_get_comparison(app_get_view(app));
    guint64 parts = rw_session_comparison_get_left_step(comparison);
    g_assert_cmpuint(parts, >, 0);
    g_assert_nonnull(strstr(rui_compare_page_get_summary(app->window->compare),
                            rw_session_comparison_get_left_program(comparison)));
    app_wait_idle(app);
    check_programs(app, comparison);
    app_take_picture(app, GTK_WINDOW(app->window), "compare");
    app_go_to(app, STORY_STEPS);
    app_press(app, "d");
    g_assert_cmpuint(app_get_step(app), ==, parts);
    app_press(app, "x");
    wait_for(rui_view_get_comparison(app_get_view(app)));
    g_assert_cmpstr(rw_run_item_get_ref(rw_session_run_get_item(rui_view_get_run(app_get_view(app)))), ==,
                    other);
    app_press(app, "x");
    wait_for(rui_view_get_comparison(app_get_view(app)));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.stop-comparing", NULL);
    g_assert_null(rui_view_get_comparison(app_get_view(app)));
}

static void test_run_list(App *app, gconstpointer data)
{
    g_autofree char *one = harness_add_story(0);
    g_autofree char *two = harness_add_story(1);
    app_open(app, one);
    app_show_tab(app, "runs");
    GListModel *rows = rui_run_list_get_rows(app->window->runs);
    wait_for(g_list_model_get_n_items(rows) == 2);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "runs");
    rui_run_list_select(app->window->runs, 1);
    gtk_widget_activate_action(GTK_WIDGET(app->window->runs), "runs.compare", NULL);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.stop-comparing", NULL);
    app_wait_idle(app);
    gtk_widget_activate_action(GTK_WIDGET(app->window->runs), "runs.delete", NULL);
    g_assert_cmpuint(g_list_model_get_n_items(rows), ==, 1);
}

// The other button on a row: the row is selected and its menu opens.
static void test_row_menu(App *app, gconstpointer data)
{
    g_autofree char *one = harness_add_story(0);
    g_autofree char *two = harness_add_story(1);
    app_open(app, one);
    app_show_tab(app, "runs");
    wait_for(g_list_model_get_n_items(rui_run_list_get_rows(app->window->runs)) == 2);
    app_wait_idle(app);
    app_click(app, GTK_WIDGET(app->window->runs), 80, 60, GDK_BUTTON_SECONDARY);
    GtkWidget *menu = rui_run_list_get_menu(app->window->runs);
    wait_for(gtk_widget_get_mapped(menu));
    RwRunItem *selected = rui_run_list_get_selected(app->window->runs);
    g_assert_nonnull(selected);
    g_assert_cmpstr(rw_run_item_get_id(selected), ==, two);
    app_press(app, "Escape");
    wait_for(!gtk_widget_get_mapped(menu));
}

static void test_removed_while_open(App *app, gconstpointer data)
{
    app_open_story(app);
    g_autofree char *path = g_strdup(rw_session_run_get_path(rui_view_get_run(app_get_view(app))));
    g_assert_true(rw_remove_tree(path, NULL));
    wait_for(gtk_info_bar_get_revealed(app->window->banner));
    app_go_to(app, 9);
    wait_for(strstr(rui_moment_page_get_text(app->window->moment), "job"));
}

// ---- For everybody ----

static gboolean has_text(GtkWidget *widget)
{
    if (GTK_IS_LABEL(widget) && *gtk_label_get_text(GTK_LABEL(widget)))
        return TRUE;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        if (has_text(child))
            return TRUE;
    return FALSE;
}

// Every control that one can use has words: on it, or for assistive technology.
static guint check_names(GtkWidget *widget)
{
    guint count = 0;
    gboolean named =
        has_text(widget) ||
        gtk_test_accessible_has_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL) ||
        gtk_test_accessible_has_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
    gboolean control = GTK_IS_BUTTON(widget) || GTK_IS_ENTRY(widget) || GTK_IS_DROP_DOWN(widget) ||
                       GTK_IS_LIST_VIEW(widget) || GTK_IS_SEARCH_ENTRY(widget) || RUI_IS_TIMELINE(widget);
    gboolean ours = !gtk_widget_get_ancestor(widget, GTK_TYPE_WINDOW_CONTROLS) &&
                    !gtk_widget_get_ancestor(widget, GTK_TYPE_SEARCH_BAR) &&
                    !gtk_widget_get_ancestor(widget, GTK_TYPE_TREE_VIEW) && // a completion's, without heads
                    !gtk_widget_get_ancestor(widget, GTK_TYPE_MENU_BUTTON) &&
                    !gtk_widget_get_ancestor(widget, ADW_TYPE_SPLIT_BUTTON);
    if (control && ours && !named)
        g_error("%s has no name", G_OBJECT_TYPE_NAME(widget));
    count += control && ours;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        count += check_names(child);
    return count;
}

static void test_names(App *app, gconstpointer data)
{
    app_open_story(app);
    app_go_to(app, STORY_STEPS);
    static const char *const tabs[] = {"moment", "compare", "file", "runs"};
    for (guint i = 0; i < G_N_ELEMENTS(tabs); i++)
        app_show_tab(app, tabs[i]);
    g_assert_cmpuint(check_names(GTK_WIDGET(app->window)), >, 20);
    g_assert_true(gtk_accessible_get_accessible_role(GTK_ACCESSIBLE(app->window->timeline)) ==
                  GTK_ACCESSIBLE_ROLE_SLIDER);
    gtk_test_accessible_assert_property(app->window->timeline, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW,
                                        (double)STORY_STEPS);
}

// ---- What is remembered ----

static void test_window_state(App *app, gconstpointer data)
{
    app_open_story(app);
    g_assert_nonnull(app->window->settings);
    rui_view_set_stop_kind(app_get_view(app), RW_STOP_LIFE);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 1000, 640);
    app_wait_idle(app);
    gtk_paned_set_position(app->window->split, 510);
    g_autoptr(GSettings) settings = g_object_ref(app->window->settings);
    gtk_window_close(GTK_WINDOW(app->window));
    wait_for(g_settings_get_int(settings, "window-width") == 1000);
    g_assert_cmpint(g_settings_get_int(settings, "window-height"), ==, 640);
    g_assert_cmpint(g_settings_get_int(settings, "split"), ==, 510);
    wait_for(!app->window);
    app->window = rui_application_open(app->application, NULL, NULL, RUI_NO_STEP);
    g_object_add_weak_pointer(G_OBJECT(app->window), (gpointer *)&app->window);
    int width, height;
    gtk_window_get_default_size(GTK_WINDOW(app->window), &width, &height);
    g_assert_cmpint(width, ==, 1000);
    g_assert_cmpint(height, ==, 640);
    g_assert_cmpint(rui_view_get_stop_kind(app_get_view(app)), ==, RW_STOP_LIFE);
    g_settings_reset(settings, "window-width");
    g_settings_reset(settings, "window-height");
    g_settings_reset(settings, "split");
    g_settings_reset(settings, "stop-kind");
}

// ---- Looks ----

static void set_scheme(AdwColorScheme scheme)
{
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), scheme);
}

// Of what one can press all words are there.
static void check_words(GtkWidget *widget)
{
    if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
        gtk_widget_get_ancestor(widget, GTK_TYPE_BUTTON) &&
        pango_layout_is_ellipsized(gtk_label_get_layout(GTK_LABEL(widget))))
        g_error("cut off: %s", gtk_label_get_text(GTK_LABEL(widget)));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        check_words(child);
}

static void check_fits(App *app, int width, int height)
{
    int minimum, natural;
    check_words(GTK_WIDGET(app->window));
    gtk_widget_measure(GTK_WIDGET(app->window->stack), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural,
                       NULL, NULL);
    g_assert_cmpint(minimum, <=, width);
    gtk_widget_measure(GTK_WIDGET(app->window->stack), GTK_ORIENTATION_VERTICAL, width, &minimum, &natural,
                       NULL, NULL);
    g_assert_cmpint(minimum, <=, height - 47); // below the header bar
}

static void test_small_and_dark(App *app, gconstpointer data)
{
    app_open_story(app);
    app_resize(app, 960, 600);
    check_fits(app, 960, 600);
    app_take_picture(app, GTK_WINDOW(app->window), "small");
    set_scheme(ADW_COLOR_SCHEME_FORCE_DARK);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "small-dark");
    set_scheme(ADW_COLOR_SCHEME_FORCE_LIGHT);
    app_resize(app, 1180, 760);
}

static void test_large_text(App *app, gconstpointer data)
{
    int dpi;
    g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, NULL);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi * 5 / 4, NULL);
    app_open_story(app);
    app_resize(app, 960, 600);
    app_take_picture(app, GTK_WINDOW(app->window), "large-text");
    check_fits(app, 960, 600);
    g_object_set(gtk_settings_get_default(), "gtk-xft-dpi", dpi, NULL);
    app_resize(app, 1180, 760);
}

static void test_windows_of_the_app(App *app, gconstpointer data)
{
    app_open_story(app);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.shortcuts", NULL);
    app_wait_idle(app);
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "preferences", NULL);
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "about", NULL);
    app_wait_idle(app);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.tour", NULL);
    app_wait_idle(app);
    g_action_group_activate_action(G_ACTION_GROUP(app->application), "new-window", NULL);
    app_wait_idle(app);
    GList *windows = gtk_application_get_windows(GTK_APPLICATION(app->application));
    guint count = 0;
    for (GList *node = windows; node; node = node->next)
        count += RUI_IS_WINDOW(node->data);
    g_assert_cmpuint(count, ==, 2);
    // A run that is open is not opened twice.
    RwRunItem *item = rw_session_run_get_item(rui_view_get_run(app_get_view(app)));
    g_assert_true(rui_application_open(app->application, rw_run_item_get_ref(item), NULL, 5) ==
                  app->window);
    g_assert_cmpuint(app_get_step(app), ==, 5);
}

// ---- The command line ----

static void test_command_line(App *app, gconstpointer data)
{
    g_autofree char *one = harness_add_story(0);
    g_autofree char *two = harness_add_story(1);
    const char *const run[] = {"rewind-app", one, NULL}, *const newest[] = {"rewind-app", "story", NULL};
    g_assert_cmpint(app_command_line(app, run, "step", "7"), ==, 0);
    wait_for(rui_view_get_index(app_get_view(app)));
    g_assert_cmpuint(app_get_step(app), ==, 7);
    g_assert_cmpint(app_command_line(app, run, "compare", two), ==, 0); // the window that has the run
    wait_for(rui_view_get_comparison(app_get_view(app)));
    // Another run, by name, in a window of its own.
    g_assert_cmpint(app_command_line(app, newest, NULL, NULL), ==, 0);
    wait_for(g_list_length(gtk_application_get_windows(GTK_APPLICATION(app->application))) == 2);
}

static void test_command_line_errors(App *app, gconstpointer data)
{
    const char *const two[] = {"rewind-app", "a", "b", NULL}, *const one[] = {"rewind-app", "a", NULL};
    g_assert_cmpint(app_command_line(app, two, NULL, NULL), ==, 1);
    g_assert_cmpint(app_command_line(app, one, "step", "seven"), ==, 1);
    g_assert_cmpint(app_command_line(app, one, "batch", ""), ==, 1);
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "start");
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/window/start", test_start},
        {"/window/unknown-run", test_unknown_run},
        {"/window/damaged-file", test_damaged_file},
        {"/window/example", test_example},
        {"/window/opens-at-failure", test_opens_at_failure},
        {"/window/keys", test_keys},
        {"/window/phases", test_phases},
        {"/window/zoom", test_zoom},
        {"/window/drag", test_drag},
        {"/window/playhead-menu", test_playhead_menu},
        {"/window/go-to", test_go_to},
        {"/window/stop-kinds", test_stop_kinds},
        {"/window/panes-follow", test_panes_follow},
        {"/window/log-chips", test_log_chips},
        {"/window/moment", test_moment},
        {"/window/compare", test_compare},
        {"/window/run-list", test_run_list},
        {"/window/row-menu", test_row_menu},
        {"/window/removed-while-open", test_removed_while_open},
        {"/window/names", test_names},
        {"/window/window-state", test_window_state},
        {"/window/fits/small-and-dark", test_small_and_dark},
        {"/window/fits/large-text", test_large_text},
        {"/window/windows-of-the-app", test_windows_of_the_app},
        {"/window/command-line", test_command_line},
        {"/window/command-line-errors", test_command_line_errors},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
