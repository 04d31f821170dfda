// SPDX-License-Identifier: MIT
//
// What stands beside a run: matches of a search, bookmarks, and the log's lines in parts.
#include "harness.h"

#include "rui-cell.h"
#include "rui-log-model.h"
#include "rw-session-bookmarks.h"
#include "timeline-private.h"

// ---- Search ----

static void on_typed(GtkSearchEntry *entry, gpointer typed)
{
    *(gboolean *)typed = strcmp(gtk_editable_get_text(GTK_EDITABLE(entry)), "job") == 0;
}

static void type_job(App *app)
{
    gboolean typed = FALSE; // what is asked before is of a part of it
    GtkWidget *entry =
        gtk_widget_get_ancestor(gtk_window_get_focus(GTK_WINDOW(app->window)), GTK_TYPE_SEARCH_ENTRY);
    gulong id = g_signal_connect(entry, "search-changed", G_CALLBACK(on_typed), &typed);
    app_type(app, "job");
    wait_for(typed);
    g_signal_handler_disconnect(entry, id);
    wait_for(*rui_search_pane_get_count(app->window->search));
}

// A chip shows the matches of its kind alone; the overview has a tick for each place.
static void check_kinds(App *app)
{
    RuiSearchPane *search = app->window->search;
    GListModel *rows = rui_virtual_list_get_model(harness_find_list(GTK_WIDGET(search)));
    const GArray *places = rui_search_pane_get_places(search),
                 *marks = app->window->timeline->marks[RUI_MARK_HIT];
    guint all = g_list_model_get_n_items(rows), sum = 0;
    g_assert_cmpuint(all, ==, 3);
    for (guint kind = 0; kind < RW_HIT_KINDS; kind++) {
        GtkToggleButton *chip = rui_search_pane_get_chip(search, kind);
        gboolean there = gtk_widget_get_visible(gtk_widget_get_parent(GTK_WIDGET(chip)));
        gtk_toggle_button_set_active(chip, TRUE);
        sum += there ? g_list_model_get_n_items(rows) : 0;
        gtk_toggle_button_set_active(chip, FALSE);
    }
    g_assert_cmpuint(sum, ==, all);
    g_assert_cmpuint(g_list_model_get_n_items(rows), ==, all);
    g_assert_cmpuint(places->len, ==, 3);
    g_assert_cmpmem(places->data, places->len * sizeof(guint64), marks->data, marks->len * sizeof(guint64));
}

static void test_search(App *app, gconstpointer data)
{
    app_open_story(app);
    app_go_to(app, 0);
    app_press(app, "ctrl+f");
    g_assert_true(rui_search_pane_is_open(app->window->search));
    type_job(app);
    g_assert_cmpstr(rui_search_pane_get_count(app->window->search), ==, "3 matches");
    app_take_picture(app, GTK_WINDOW(app->window), "search");
    app_press(app, "Return");
    g_assert_cmpuint(app_get_step(app), ==, 4);
    app_press(app, "Return");
    g_assert_cmpuint(app_get_step(app), ==, 9);
    app_press(app, "shift+Return");
    g_assert_cmpuint(app_get_step(app), ==, 4);
    check_kinds(app);
    rui_search_pane_set_text(app->window->search, "not in it");
    wait_for(!strcmp(rui_search_pane_get_count(app->window->search), "No matches"));
    g_assert_cmpuint(rui_search_pane_get_places(app->window->search)->len, ==, 0);
    app_press(app, "Escape");
    g_assert_false(rui_search_pane_is_open(app->window->search));
    g_assert_cmpuint(app_get_step(app), ==, 4); // the place stays
    app_press(app, "slash");
    g_assert_true(rui_search_pane_is_open(app->window->search));
}

// In a small window the names of files can be read beside the matches, and the lists are as they were
// afterwards.
static void test_search_room(App *app, gconstpointer data)
{
    int minimum;
    app_open_story(app);
    app_resize(app, 960, 600);
    GtkWidget *files = GTK_WIDGET(app->window->files);
    int width = gtk_widget_get_width(files);
    app_press(app, "ctrl+f");
    app_wait_idle(app);
    g_assert_cmpint(gtk_widget_get_width(files), >=, 200);
    gtk_widget_measure(GTK_WIDGET(app->window->stack), GTK_ORIENTATION_VERTICAL, 960, &minimum, NULL, NULL,
                       NULL);
    g_assert_cmpint(minimum, <=, 600 - 47); // below the header bar
    app_take_picture(app, GTK_WINDOW(app->window), "search-small");
    app_press(app, "Escape");
    app_wait_idle(app);
    g_assert_cmpint(gtk_widget_get_width(files), ==, width);
    app_resize(app, 1180, 760);
}

// ---- Bookmarks ----

static GArray *dup_bookmarks(App *app)
{
    return rui_bookmarks_dup_steps(app->window->bookmarks);
}

static gboolean has_note(App *app, guint64 step, const char *note)
{
    gboolean found = FALSE;
    g_autoptr(GPtrArray) bookmarks =
        rw_session_run_dup_bookmarks(rui_view_get_run(app_get_view(app)), NULL);
    for (guint i = 0; bookmarks && i < bookmarks->len; i++) {
        const RwBookmark *bookmark = bookmarks->pdata[i];
        found |= bookmark->step == step && !strcmp(bookmark->note, note);
    }
    return found;
}

static GtkWidget *find_button(GtkWidget *widget, const char *icon)
{
    GtkWidget *found = NULL;
    if (GTK_IS_BUTTON(widget) && !g_strcmp0(gtk_button_get_icon_name(GTK_BUTTON(widget)), icon))
        return widget;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_button(child, icon);
    return found;
}

static void test_bookmarks(App *app, gconstpointer data)
{
    g_autofree char *id = harness_add_story(0);
    app_open(app, id);
    app_go_to(app, 9);
    app_press(app, "b");
    wait_for(gtk_widget_get_mapped(GTK_WIDGET(app->window->bookmarks)));
    // Its note is written at once.
    app_wait_idle(app);
    app_type(app, "here");
    app_press(app, "Return");
    wait_for(has_note(app, 9, "here"));
    app_take_picture(app, GTK_WINDOW(app->window), "bookmark-note");
    app_press(app, "Escape");
    wait_for(!gtk_widget_get_mapped(GTK_WIDGET(app->window->bookmarks)));
    rui_bookmarks_set_note(app->window->bookmarks, 9, "here it <goes> wrong");
    rui_bookmarks_set_note(app->window->bookmarks, 12, "");
    rui_bookmarks_remove(app->window->bookmarks, 12);
    // The button of one goes there and the list is away.
    app_go_to(app, 3);
    gtk_menu_button_popup(app->window->bookmark_button);
    app_wait_idle(app);
    GtkWidget *go = find_button(GTK_WIDGET(app->window->bookmarks), "go-jump-symbolic");
    app_click(app, go, 5, 5, 1);
    wait_for(app_get_step(app) == 9);
    wait_for(!gtk_widget_get_mapped(GTK_WIDGET(app->window->bookmarks)));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "bookmarks");
    // In an app that starts after this one.
    app_tear_down(app, NULL);
    app_set_up(app, "keep the store");
    app_open(app, id);
    g_autoptr(GArray) steps = dup_bookmarks(app);
    g_assert_cmpuint(steps->len, ==, 1);
    g_assert_cmpuint(g_array_index(steps, guint64, 0), ==, 9);
}

static void test_damaged_bookmarks(App *app, gconstpointer data)
{
    g_autofree char *id = harness_add_story(0);
    g_autofree char *path = g_build_filename(harness_get_home(), "runs", id, "bookmarks.json", NULL);
    g_assert_true(g_file_set_contents(path, "[", -1, NULL));
    app_open(app, id);
    g_assert_nonnull(rui_bookmarks_get_problem(app->window->bookmarks));
}

// ---- The log's lines in parts ----

static RuiVirtualList *get_list(App *app)
{
    return harness_find_list(GTK_WIDGET(app->window->log));
}

static const char *get_text(App *app, guint position)
{
    GtkWidget *content = rui_virtual_list_get_content(get_list(app), position);
    return content ? rui_cell_get_text(RUI_CELL(content)) : NULL;
}

static guint count_rows(App *app)
{
    return g_list_model_get_n_items(rui_log_pane_get_lines(app->window->log));
}

static gboolean fits(App *app)
{
    GtkAdjustment *across = gtk_scrollable_get_hadjustment(GTK_SCROLLABLE(get_list(app)));
    return gtk_adjustment_get_upper(across) <= gtk_adjustment_get_page_size(across);
}

// A line as long as all that is shown of one: its parts are its text, none is cut off, and it is copied as
// a whole.
static void test_wrap(App *app, gconstpointer data)
{
    g_autofree char *id = fixture_add_loud_run(harness_get_home(), FALSE);
    app_open(app, id);
    app_go_to(app, LOUD_STEPS / 2);
    g_assert_cmpuint(count_rows(app), ==, 1);
    g_autofree char *whole = g_strdup(get_text(app, 0));
    g_assert_false(fits(app));
    gtk_toggle_button_set_active(rui_log_pane_get_wrap(app->window->log), TRUE);
    wait_for(count_rows(app) > 5);
    app_wait_idle(app);
    g_assert_true(fits(app));
    g_autoptr(GString) all = g_string_new(NULL);
    for (guint i = 0; i < count_rows(app); i++) {
        rui_virtual_list_scroll_to(get_list(app), i);
        app_wait_idle(app);
        g_string_append(all, get_text(app, i));
    }
    g_assert_true(g_str_has_prefix(whole, "----"));
    g_assert_cmpstr(all->str, ==, whole);
    app_take_picture(app, GTK_WINDOW(app->window), "log-wrap");
    g_autofree char *copied = rui_log_pane_dup_text(app->window->log);
    g_assert_cmpuint(strlen(copied), >, strlen(whole));
    g_assert_true(strchr(copied, '\n') == copied + strlen(copied) - 1);
    // Narrower: more parts.
    guint before = count_rows(app);
    gtk_paned_set_position(app->window->split, gtk_paned_get_position(app->window->split) - 120);
    wait_for(count_rows(app) > before);
    gtk_toggle_button_set_active(rui_log_pane_get_wrap(app->window->log), FALSE);
    g_assert_cmpuint(count_rows(app), ==, 1);
    app_wait_idle(app);
    g_assert_false(fits(app));
}

// Another window has it, too.
static void test_wrap_remembered(App *app, gconstpointer data)
{
    GtkToggleButton *wrap = rui_log_pane_get_wrap(app->window->log);
    app_open_story(app);
    g_assert_false(gtk_toggle_button_get_active(wrap));
    gtk_toggle_button_set_active(wrap, TRUE);
    app_change_window(app);
    wrap = rui_log_pane_get_wrap(app->window->log);
    g_assert_true(gtk_toggle_button_get_active(wrap));
    gtk_toggle_button_set_active(wrap, FALSE);
}

static void click_row(App *app, guint position, guint button)
{
    double top, height;
    g_assert_true(rui_virtual_list_get_place(get_list(app), position, &top, &height));
    app_click(app, GTK_WIDGET(get_list(app)), 40, top + height / 2, button);
}

// A click goes to where the line was written; its menu has what else one wants of it.
static void test_line(App *app, gconstpointer data)
{
    app_open_story(app);
    app_go_to(app, rui_view_get_steps(app_get_view(app)));
    g_autoptr(RuiLine) line = g_list_model_get_item(rui_log_pane_get_lines(app->window->log), 0);
    RwLine text;
    rui_line_get(line, &text);
    gtk_adjustment_set_value(gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(get_list(app))), 0);
    app_wait_idle(app);
    click_row(app, 0, 1);
    g_assert_cmpuint(app_get_step(app), ==, text.step);
    g_assert_null(rui_view_get_process(app_get_view(app)));
    click_row(app, 0, 3);
    app_take_picture(app, GTK_WINDOW(app->window), "log-menu");
    gtk_widget_activate_action(GTK_WIDGET(app->window->log), "log.process", NULL);
    g_assert_nonnull(rui_view_get_process(app_get_view(app)));
    g_assert_cmpuint(rui_view_get_process(app_get_view(app))->pid, ==, text.pid);
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/beside/search", test_search},       {"/beside/search-room", test_search_room},
        {"/beside/bookmarks", test_bookmarks}, {"/beside/damaged-bookmarks", test_damaged_bookmarks},
        {"/beside/wrap", test_wrap},           {"/beside/wrap-remembered", test_wrap_remembered},
        {"/beside/line", test_line},
    };
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
