// SPDX-License-Identifier: MIT
//
// The long lists of a window, in the log and the files of a long run: rows in sight, keys, clicks, focus,
// and what stays where it is when items come and go.
#include "harness.h"

#include "rui-cell.h"
#include "rui-row.h"

#define LINES 1000 // that the loud run writes at each step

static void go_to(App *app, guint64 step)
{
    rui_view_set_step(app_get_view(app), step);
    app_wait_idle(app);
}

static GtkAdjustment *get_scroll(RuiVirtualList *list)
{
    return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(list));
}

static guint count_rows(RuiVirtualList *list)
{
    guint count = 0;
    for (GtkWidget *row = gtk_widget_get_first_child(GTK_WIDGET(list)); row;
         row = gtk_widget_get_next_sibling(row))
        count++;
    return count;
}

static guint count_in_sight(RuiVirtualList *list)
{
    guint count = 0;
    for (guint i = 0; i < g_list_model_get_n_items(rui_virtual_list_get_model(list)); i++)
        count += rui_virtual_list_get_content(list, i) != NULL;
    return count;
}

static guint count_selected(RuiVirtualList *list)
{
    return (guint)gtk_bitset_get_size(rui_virtual_list_get_selected(list));
}

static gboolean is_to_come(RuiVirtualList *list, guint position)
{
    GtkWidget *content = rui_virtual_list_get_content(list, position);
    return content && gtk_widget_has_css_class(content, "to-come");
}

// The log of a run that writes a thousand lines at each step, after three of them.
static RuiVirtualList *open_loud(App *app)
{
    g_autofree char *id = fixture_add_loud_run(harness_get_home(), TRUE);
    app_open(app, id);
    go_to(app, 3);
    RuiVirtualList *list = harness_find_list(GTK_WIDGET(app->window->log));
    g_assert_cmpuint(g_list_model_get_n_items(rui_virtual_list_get_model(list)), >, 100 * LINES);
    g_assert_cmpuint(rui_log_pane_get_written(app->window->log), ==, 3 * LINES);
    return list;
}

static int get_row_height(RuiVirtualList *list)
{
    return (int)gtk_adjustment_get_step_increment(get_scroll(list));
}

static void click_row(App *app, RuiVirtualList *list, guint position)
{
    double y = (position + 0.5) * get_row_height(list) - gtk_adjustment_get_value(get_scroll(list));
    app_click(app, GTK_WIDGET(list), 30, y, 1);
}

// ---- Rows ----

static void test_rows_in_sight(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    guint fit = (guint)(gtk_widget_get_height(GTK_WIDGET(list)) / get_row_height(list));
    g_assert_cmpuint(fit, >, 3);
    g_assert_cmpuint(count_in_sight(list), >=, fit);
    g_assert_cmpuint(count_in_sight(list), <=, fit + 2);
    g_assert_nonnull(rui_virtual_list_get_content(list, 3 * LINES - 1)); // it follows the playhead
    g_assert_null(rui_virtual_list_get_content(list, 0));
    gtk_adjustment_set_value(get_scroll(list), 0);
    app_wait_idle(app);
    g_assert_nonnull(rui_virtual_list_get_content(list, 0));
    g_assert_null(rui_virtual_list_get_content(list, 3 * LINES - 1));
    guint rows = count_rows(list);
    for (guint i = 0; i <= 10; i++) {
        gtk_adjustment_set_value(get_scroll(list), gtk_adjustment_get_upper(get_scroll(list)) * i / 10);
        app_wait_idle(app);
        g_assert_cmpuint(count_in_sight(list), >=, fit);
    }
    g_assert_cmpuint(count_rows(list), <=, rows + 2);
    go_to(app, 0);
    g_assert_true(is_to_come(list, 0));
}

// The last line that was written stays in sight when there is less room for it.
static void test_playhead_stays(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    int height = gtk_widget_get_height(GTK_WIDGET(list));
    gtk_paned_set_position(app->window->left, height * 2 / 3);
    wait_for(gtk_widget_get_height(GTK_WIDGET(list)) < height);
    app_wait_idle(app);
    g_assert_nonnull(rui_virtual_list_get_content(list, 3 * LINES - 1));
    g_assert_false(is_to_come(list, 3 * LINES - 1));
}

// Of a line as long as the whole log the beginning is shown.
static void test_endless_line(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_loud_run(harness_get_home(), FALSE);
    app_open(app, id);
    go_to(app, LOUD_STEPS / 2);
    RuiVirtualList *list = harness_find_list(GTK_WIDGET(app->window->log));
    g_assert_cmpuint(g_list_model_get_n_items(rui_virtual_list_get_model(list)), ==, 1);
    const char *text = rui_cell_get_text(RUI_CELL(rui_virtual_list_get_content(list, 0)));
    g_assert_true(g_str_has_prefix(text, "----"));
    g_assert_true(g_str_has_suffix(text, "-…"));
    g_assert_cmpuint(strlen(text), <, 5000);
}

// A list is named by its purpose, a row by what it shows.
static void test_accessible(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    GtkWidget *content = rui_virtual_list_get_content(list, 3 * LINES - 1);
    GtkWidget *row = gtk_widget_get_parent(content);
    gtk_test_accessible_assert_role(GTK_ACCESSIBLE(list), GTK_ACCESSIBLE_ROLE_LIST);
    gtk_test_accessible_assert_role(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_ROLE_LIST_ITEM);
    gtk_test_accessible_assert_role(GTK_ACCESSIBLE(content), GTK_ACCESSIBLE_ROLE_LABEL);
    gtk_test_accessible_assert_property(GTK_ACCESSIBLE(content), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                        rui_cell_get_text(RUI_CELL(content)));
    gtk_test_accessible_assert_relation(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_RELATION_POS_IN_SET, 3 * LINES);
    gtk_test_accessible_assert_relation(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_RELATION_SET_SIZE,
                                        (int)g_list_model_get_n_items(rui_virtual_list_get_model(list)));
}

// ---- Keys and clicks ----

static void test_keys(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    guint last = 3 * LINES - 1;
    click_row(app, list, last);
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, last);
    GtkWidget *row = gtk_widget_get_parent(rui_virtual_list_get_content(list, last));
    g_assert_true(gtk_widget_has_focus(row));
    app_press(app, "Up");
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, last - 1);
    g_assert_cmpuint(count_selected(list), ==, 1);
    app_press(app, "Home"); // the list's, while it has the focus
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, 0);
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 3);
    row = gtk_widget_get_parent(rui_virtual_list_get_content(list, 0));
    g_assert_true(gtk_widget_has_focus(row));
    app_press(app, "Down");
    app_press(app, "Page_Down");
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), >, 4);
    app_press(app, "Page_Up");
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, 1);
    app_press(app, "End");
    last = g_list_model_get_n_items(rui_virtual_list_get_model(list)) - 1;
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, last);
    app_press(app, "Down"); // there is no further one
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, last);
    app_press(app, "Home");
    app_press(app, "Return");
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, 1);
}

static void test_selection(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    guint last = 3 * LINES - 1;
    click_row(app, list, last - 1);
    app_press(app, "shift+Up");
    app_press(app, "shift+Up");
    g_assert_cmpuint(count_selected(list), ==, 3);
    app_press(app, "shift+Down");
    g_assert_cmpuint(count_selected(list), ==, 2);
    g_autofree char *two = rui_log_pane_dup_text(app->window->log);
    g_assert_cmpuint(strlen(two), ==, 2 * 64);
    app_press(app, "ctrl+a");
    g_assert_cmpuint(count_selected(list), ==, g_list_model_get_n_items(rui_virtual_list_get_model(list)));
    GtkWidget *row = gtk_widget_get_parent(rui_virtual_list_get_content(list, last - 1));
    g_assert_true(gtk_widget_get_state_flags(row) & GTK_STATE_FLAG_SELECTED);
    click_row(app, list, last - 1);
    g_assert_cmpuint(count_selected(list), ==, 1);
    go_to(app, 2); // what is selected is to come now, and stays so
    g_assert_cmpuint(count_selected(list), ==, 1);
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, last - 1);
    rui_virtual_list_unselect_all(list);
    g_autofree char *all = rui_log_pane_dup_text(app->window->log);
    g_assert_cmpuint(strlen(all), ==, 2 * LINES * 64);
}

static void test_tab_passes(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    click_row(app, list, 3 * LINES - 1);
    app_press(app, "Tab");
    g_assert_null(gtk_widget_get_focus_child(GTK_WIDGET(list)));
    app_press(app, "shift+Tab");
    g_assert_nonnull(gtk_widget_get_focus_child(GTK_WIDGET(list)));
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, 3 * LINES - 1);
}

// The focus stays with the line, in sight or not.
static void test_focus_stays(App *app, gconstpointer data)
{
    RuiVirtualList *list = open_loud(app);
    guint at = 3 * LINES - 2;
    click_row(app, list, at);
    go_to(app, 5);
    g_assert_null(rui_virtual_list_get_content(list, at));
    g_assert_cmpuint(rui_virtual_list_get_cursor(list), ==, at);
    g_assert_true(gtk_widget_has_focus(GTK_WIDGET(list)));
    app_press(app, "Up");
    GtkWidget *content = rui_virtual_list_get_content(list, at - 1);
    g_assert_nonnull(content);
    g_assert_true(gtk_widget_has_focus(gtk_widget_get_parent(content)));
}

// ---- Items that come above ----

static const char *get_path(RuiVirtualList *list, guint position)
{
    g_autoptr(RuiRow) row = g_list_model_get_item(rui_virtual_list_get_model(list), position);
    return ((const RwFileRow *)rui_row_get(row))->path;
}

static RuiVirtualList *open_files(App *app, guint64 *ret_step)
{
    g_autofree char *id = fixture_add_build_run(harness_get_home(), 0, 20000);
    app_open(app, id);
    RuiVirtualList *list = harness_find_list(GTK_WIDGET(app->window->files));
    *ret_step = rui_view_get_steps(app_get_view(app)) / 2;
    go_to(app, *ret_step);
    wait_for(g_list_model_get_n_items(rui_virtual_list_get_model(list)) > 50);
    app_wait_idle(app);
    return list;
}

static void test_cursor_stays(App *app, gconstpointer data)
{
    guint64 step;
    RuiVirtualList *list = open_files(app, &step);
    guint count = g_list_model_get_n_items(rui_virtual_list_get_model(list));
    rui_virtual_list_select(list, count - 1); // the oldest file: nothing writes it again
    app_wait_idle(app);
    g_autofree char *path = g_strdup(get_path(list, count - 1));
    GtkWidget *content = rui_virtual_list_get_content(list, count - 1);
    g_assert_nonnull(content);
    go_to(app, step + step / 4);
    wait_for(g_list_model_get_n_items(rui_virtual_list_get_model(list)) > count);
    app_wait_idle(app);
    guint cursor = rui_virtual_list_get_cursor(list);
    g_assert_cmpuint(cursor, >, count - 1);
    g_assert_cmpstr(get_path(list, cursor), ==, path);
    g_assert_nonnull(rui_virtual_list_get_content(list, cursor)); // still in sight
}

static void test_top_stays(App *app, gconstpointer data)
{
    guint64 step;
    RuiVirtualList *list = open_files(app, &step);
    g_assert_cmpfloat(gtk_adjustment_get_value(get_scroll(list)), ==, 0);
    go_to(app, step + step / 4);
    g_assert_cmpfloat(gtk_adjustment_get_value(get_scroll(list)), ==, 0); // the newest is in sight
    g_assert_nonnull(rui_virtual_list_get_content(list, 0));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/list/rows-in-sight", test_rows_in_sight},
        {"/list/end-stays", test_playhead_stays},
        {"/list/endless-line", test_endless_line},
        {"/list/accessible", test_accessible},
        {"/list/keys", test_keys},
        {"/list/selection", test_selection},
        {"/list/tab-passes", test_tab_passes},
        {"/list/focus-stays", test_focus_stays},
        {"/list/cursor-stays", test_cursor_stays},
        {"/list/top-stays", test_top_stays},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
