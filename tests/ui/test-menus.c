// SPDX-License-Identifier: MIT
//
// Menus and what they leave behind: rows that stay pressed, tooltips over them. And the tour, which is a
// pop-over too.
#include "harness.h"

static void open_runs(App *app)
{
    for (guint i = 0; i < 3; i++)
        g_free(fixture_add_run(harness_get_home(), "make", "story", i));
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 3);
    app_open(app, id);
    app_show_tab(app, "runs");
    wait_for(g_list_model_get_n_items(rui_run_list_get_rows(app->window->runs)) == 4);
    app_wait_idle(app);
}

static guint count_state(GtkWidget *widget, GtkStateFlags state)
{
    guint count = (gtk_widget_get_state_flags(widget) & state) != 0;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        count += count_state(child, state);
    return count;
}

static GtkWidget *find_type(GtkWidget *widget, GType type)
{
    GtkWidget *found = g_type_is_a(G_OBJECT_TYPE(widget), type) ? widget : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_type(child, type);
    return found;
}

static void open_menu(App *app, int y)
{
    app_click(app, GTK_WIDGET(app->window->runs), 80, y, GDK_BUTTON_SECONDARY);
    wait_for(gtk_widget_get_mapped(rui_run_list_get_menu(app->window->runs)));
}

static void close_menu(App *app)
{
    app_press(app, "Escape");
    wait_for(!gtk_widget_get_mapped(rui_run_list_get_menu(app->window->runs)));
    app_wait_idle(app);
}

static void test_no_row_stays_pressed(App *app, gconstpointer data)
{
    open_runs(app);
    for (int y = 20; y < 130; y += 50) {
        open_menu(app, y);
        close_menu(app);
        g_assert_cmpuint(count_state(GTK_WIDGET(app->window->runs), GTK_STATE_FLAG_ACTIVE), ==, 0);
    }
    g_assert_nonnull(rui_run_list_get_selected(app->window->runs));
}

// An entry that is chosen by keys leaves the keyboard at the row, not at what comes first in the window.
static void test_keyboard_comes_back(App *app, gconstpointer data)
{
    open_runs(app);
    open_menu(app, 60);
    app_press(app, "Down");
    app_press(app, "Down");
    app_press(app, "Down"); // Open, Compare, Copy ID
    app_press(app, "Return");
    wait_for(!gtk_widget_get_mapped(rui_run_list_get_menu(app->window->runs)));
    app_wait_idle(app);
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(app->window));
    g_assert_nonnull(focus);
    g_assert_true(gtk_widget_is_ancestor(focus, GTK_WIDGET(app->window->runs)));
}

// Entries say which keys do the same.
static void test_keys_beside_entries(App *app, gconstpointer data)
{
    open_runs(app);
    app_press(app, "F10");
    app_wait_idle(app);
    g_assert_true(app_says(app, "Ctrl+O"));
    g_assert_true(app_says(app, "F1"));
    app_take_picture(app, GTK_WINDOW(app->window), "menu");
    app_press(app, "Escape");
    app_wait_idle(app);
    g_assert_false(app_says(app, "Ctrl+O"));
}

static guint count_tooltips(GtkWidget *widget)
{
    guint count = gtk_widget_get_has_tooltip(widget);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        count += count_tooltips(child);
    return count;
}

static void test_no_tooltip_over_menu(App *app, gconstpointer data)
{
    open_runs(app);
    GtkWidget *window = GTK_WIDGET(app->window);
    guint before = count_tooltips(window);
    g_assert_cmpuint(before, >, 10);
    open_menu(app, 60);
    g_assert_cmpuint(count_tooltips(window), ==, 0);
    close_menu(app);
    g_assert_cmpuint(count_tooltips(window), ==, before);
    app_press(app, "F10"); // the main menu
    GtkWidget *popover = find_type(window, GTK_TYPE_POPOVER_MENU);
    g_assert_nonnull(popover);
    g_assert_cmpuint(count_tooltips(window), ==, 0);
    app_press(app, "Escape");
    app_wait_idle(app);
    g_assert_cmpuint(count_tooltips(window), ==, before);
}

// ---- The tour ----

static GtkWidget *find_button(GtkWidget *widget, const char *label)
{
    const char *own = GTK_IS_BUTTON(widget) ? gtk_button_get_label(GTK_BUTTON(widget)) : NULL;
    GtkWidget *found = own && !strcmp(own, label) ? widget : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = find_button(child, label);
    return found;
}

static GtkWidget *wait_for_stop(App *app, guint stop)
{
    wait_for(app->window->tour && gtk_widget_get_mapped(app->window->tour) &&
             app->window->tour_stop == stop && !app->window->tour_tick);
    app_wait_idle(app);
    return app->window->tour;
}

static void press(App *app, const char *label)
{
    GtkWidget *button = find_button(app->window->tour, label);
    g_assert_nonnull(button);
    g_signal_emit_by_name(button, "clicked");
}

// All of a stop can be seen, and it points at something of the window.
static void check_stop(App *app, GtkWidget *tour)
{
    GtkWidget *child = gtk_popover_get_child(GTK_POPOVER(tour));
    GdkRectangle place;
    int least, x, y, left, top;
    // What is measured has the margins in it, the height that it was given has not.
    int across = gtk_widget_get_margin_start(child) + gtk_widget_get_margin_end(child);
    int along = gtk_widget_get_margin_top(child) + gtk_widget_get_margin_bottom(child);
    gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width(child) + across, &least, NULL,
                       NULL, NULL);
    g_assert_cmpint(gtk_widget_get_height(child) + along, >=, least);
    harness_get_origin(child, 0, 0, &x, &y);
    harness_get_origin(child, gtk_widget_get_width(child), gtk_widget_get_height(child), &left, &top);
    g_assert_cmpint(x, >=, 0);
    g_assert_cmpint(y, >=, 0);
    g_assert_cmpint(left, <=, 1600);
    g_assert_cmpint(top, <=, 1000);
    g_assert_true(gtk_popover_get_pointing_to(GTK_POPOVER(tour), &place));
    g_assert_cmpint(place.width, >, 1);
    g_assert_cmpint(place.height, >, 1);
}

static void test_tour(App *app, gconstpointer data)
{
    open_runs(app);
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.tour", NULL);
    for (guint stop = 0; stop < 7; stop++) {
        check_stop(app, wait_for_stop(app, stop));
        if (stop == 3) { // back and on again
            press(app, "_Back");
            wait_for_stop(app, 2);
            press(app, "_Next");
            wait_for_stop(app, 3);
        }
        press(app, stop < 6 ? "_Next" : "_Done");
    }
    wait_for(!gtk_widget_get_mapped(app->window->tour));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.tour", NULL);
    wait_for_stop(app, 0);
    g_assert_null(find_button(app->window->tour, "_Back"));
    press(app, "_Skip");
    wait_for(!gtk_widget_get_mapped(app->window->tour));
}

// It is asked for before the page has a layout, as after opening the example.
static void test_tour_after_opening(App *app, gconstpointer data)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.example", NULL);
    wait_for(app->window->tour);
    check_stop(app, wait_for_stop(app, 0));
    GdkRectangle place;
    g_assert_true(gtk_popover_get_pointing_to(GTK_POPOVER(app->window->tour), &place));
    g_assert_cmpint(place.width, ==, gtk_widget_get_width(GTK_WIDGET(app->window->timeline)));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.home", NULL); // with its page it goes
    wait_for(!gtk_widget_get_mapped(app->window->tour));
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/menus/no-row-stays-pressed", test_no_row_stays_pressed},
        {"/menus/keyboard-comes-back", test_keyboard_comes_back},
        {"/menus/no-tooltip-over-menu", test_no_tooltip_over_menu},
        {"/menus/keys-beside-entries", test_keys_beside_entries},
        {"/menus/tour", test_tour},
        {"/menus/tour-after-opening", test_tour_after_opening},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
