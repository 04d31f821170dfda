// SPDX-License-Identifier: MIT
//
// Ctrl+F in a text that is shown: of a file, of the source; elsewhere it is the window's own search.
// $REWIND_EXAMPLE is the bank's root filesystem.
#include "harness.h"

#include "file-page-private.h"
#include "source-page-private.h"
#include "source-side-private.h"

static void record(App *app)
{
    app_record(app_fill_form(app, g_getenv("REWIND_EXAMPLE"), "./bank", "/src"));
    wait_for(rui_view_get_index(app_get_view(app)));
    app_wait_idle(app);
}

static void open_file(App *app, const char *path)
{
    app_show_tab(app, "file");
    rui_view_set_path(app_get_view(app), path);
    wait_for(!strcmp(rui_file_page_get_state(app->window->file), "text"));
    wait_for(rui_text_fill_is_done(app->window->file->fill));
    app_wait_idle(app);
}

static char *dup_text(GtkSourceView *view, gboolean selected)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
    GtkTextIter start, end;
    if (selected)
        gtk_text_buffer_get_selection_bounds(buffer, &start, &end);
    else
        gtk_text_buffer_get_bounds(buffer, &start, &end);
    return gtk_text_buffer_get_text(buffer, &start, &end, FALSE);
}

static guint count_in(GtkSourceView *view, const char *word)
{
    g_autofree char *text = dup_text(view, FALSE), *lower = g_utf8_strdown(text, -1);
    guint count = 0;
    for (const char *at = lower; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

static gboolean is_selected(GtkSourceView *view, const char *word)
{
    g_autofree char *selected = dup_text(view, TRUE), *lower = g_utf8_strdown(selected, -1);
    return !strcmp(lower, word);
}

static gboolean is_in_sight(GtkSourceView *view)
{
    GtkTextBuffer *buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(view));
    GtkTextIter iter;
    GdkRectangle sight, place;
    gtk_text_buffer_get_iter_at_mark(buffer, &iter, gtk_text_buffer_get_insert(buffer));
    gtk_text_view_get_visible_rect(GTK_TEXT_VIEW(view), &sight);
    gtk_text_view_get_iter_location(GTK_TEXT_VIEW(view), &iter, &place);
    return place.y >= sight.y && place.y + place.height <= sight.y + sight.height;
}

static void wait_match(RuiFindBar *bar, GtkSourceView *view, guint match, guint count)
{
    g_autofree char *wanted = g_strdup_printf("%u of %u", match, count);
    wait_for(!strcmp(rui_find_bar_get_count(bar), wanted));
    wait_for(is_selected(view, "balance") && is_in_sight(view));
}

// Opens it by the key, with the focus in the text, and looks for a word.
static guint look_for_balance(App *app, RuiFindBar *bar, GtkSourceView *view)
{
    guint count = count_in(view, "balance");
    g_assert_cmpuint(count, >=, 3);
    gtk_widget_grab_focus(GTK_WIDGET(view));
    app_press(app, "ctrl+f");
    wait_for(rui_find_bar_is_open(bar));
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(app->window->search)));
    gtk_editable_set_text(rui_find_bar_get_entry(bar), "");
    app_type(app, "balance");
    wait_for(!strcmp(gtk_editable_get_text(rui_find_bar_get_entry(bar)), "balance"));
    wait_for(strstr(rui_find_bar_get_count(bar), " of "));
    return count;
}

static void go_through(App *app, RuiFindBar *bar, GtkSourceView *view, guint count)
{
    guint first = (guint)atoi(rui_find_bar_get_count(bar)), next = first % count + 1;
    wait_match(bar, view, first, count);
    app_press(app, "Return");
    wait_match(bar, view, next, count);
    app_press(app, "shift+Return");
    wait_match(bar, view, first, count);
    for (guint i = 0; i < count; i++) { // all the way round
        guint before = (first + count - 2 - i % count) % count + 1;
        app_press(app, "shift+Return");
        wait_match(bar, view, before, count);
    }
    gtk_widget_activate_action(GTK_WIDGET(rui_find_bar_get_entry(bar)), "find.next", NULL);
    wait_match(bar, view, next, count);
}

// ---- In a file ----

static void test_file(App *app, gconstpointer data)
{
    record(app);
    open_file(app, "/src/bank.c");
    RuiFindBar *bar = app->window->file->find;
    GtkSourceView *view = app->window->file->text;
    guint count = look_for_balance(app, bar, view);
    go_through(app, bar, view, count);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "find");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_FORCE_DARK);
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "find-dark");
    adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
    // The key again: it is there already.
    app_press(app, "ctrl+f");
    app_wait_idle(app);
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(app->window->search)));
    // What is nowhere is said, and one that is there again found.
    gtk_editable_set_text(rui_find_bar_get_entry(bar), "balanceX");
    wait_for(!strcmp(rui_find_bar_get_count(bar), "No matches"));
    gtk_editable_set_text(rui_find_bar_get_entry(bar), "BALANCE");
    wait_for(strstr(rui_find_bar_get_count(bar), " of "));
    app_press(app, "Escape");
    wait_for(!rui_find_bar_is_open(bar));
    wait_for(gtk_window_get_focus(GTK_WINDOW(app->window)) == GTK_WIDGET(view));
    g_assert_true(is_selected(view, "balance")); // that was found
    // Another text in its place, while it is open.
    app_press(app, "ctrl+f");
    wait_for(rui_find_bar_is_open(bar));
    g_assert_cmpstr(gtk_editable_get_text(rui_find_bar_get_entry(bar)), ==, "balance"); // what was selected
    open_file(app, "/src/Makefile");
    wait_for(!strcmp(rui_find_bar_get_count(bar), "1 match"));
}

// ---- In the source ----

static void test_source(App *app, gconstpointer data)
{
    record(app);
    app_show_tab(app, "source");
    RuiSourceSide *side = app->window->source->here;
    wait_for(!strcmp(rui_source_side_get_state(side), "text"));
    app_wait_idle(app);
    guint count = look_for_balance(app, side->find, GTK_SOURCE_VIEW(side->text));
    go_through(app, side->find, GTK_SOURCE_VIEW(side->text), count);
    app_take_picture(app, GTK_WINDOW(app->window), "find-source");
    app_press(app, "Escape");
    wait_for(!rui_find_bar_is_open(side->find));
}

// ---- Elsewhere ----

static void test_elsewhere(App *app, gconstpointer data)
{
    record(app);
    open_file(app, "/src/bank.c");
    gtk_widget_grab_focus(GTK_WIDGET(app->window->timeline));
    app_press(app, "ctrl+f");
    wait_for(gtk_widget_get_visible(GTK_WIDGET(app->window->search)));
    g_assert_false(rui_find_bar_is_open(app->window->file->find));
    app_press(app, "Escape");
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/find/file", test_file}, {"/find/source", test_source}, {"/find/elsewhere", test_elsewhere}};
    for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
