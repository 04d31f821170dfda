// SPDX-License-Identifier: MIT
//
// What a run's window says of it without a click: what failed and with which words, where it parts from one
// that passed; and where its links go. $REWIND_EXAMPLES has the two runs of the example.
#include "harness.h"

#include "story.h"

#include <glib/gstdio.h>

static GtkWidget *get_strip(App *app)
{
    return GTK_WIDGET(app->window->story);
}

static gboolean has_label(GtkWidget *widget, const char *text)
{
    if (GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), text))
        return TRUE;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        if (has_label(child, text))
            return TRUE;
    return FALSE;
}

// The button that can be seen and has these words, or NULL.
static GtkWidget *find_button(GtkWidget *widget, const char *text)
{
    if (GTK_IS_BUTTON(widget) && gtk_widget_get_mapped(widget) && has_label(widget, text))
        return widget;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = find_button(child, text);
        if (found)
            return found;
    }
    return NULL;
}

static void open_run(App *app, const char *id)
{
    app_open(app, id);
    wait_for(gtk_widget_get_mapped(get_strip(app)));
    app_wait_idle(app);
}

// The example, without one click.
static void test_example(App *app, gconstpointer data)
{
    g_autofree char *passing = harness_import_example("passing.rwd");
    g_autofree char *failing = harness_import_example("failing.rwd");
    open_run(app, failing);
    g_assert_true(app_says(app, "./bank: exited with 1"));
    GtkWidget *words = find_button(get_strip(app), "MONEY IS MISSING");
    GtkWidget *parts = find_button(get_strip(app), "Parts from run");
    g_assert_nonnull(words);
    g_assert_nonnull(parts);
    gtk_test_accessible_assert_role(words, GTK_ACCESSIBLE_ROLE_BUTTON);
    // It can not be executed here: what was found is in the file.
    wait_for(find_button(get_strip(app), "bank.c:56"));
    g_assert_nonnull(find_button(get_strip(app), "bank.c:48"));
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "story");
    guint64 failure = rui_view_get_step(app_get_view(app));
    g_signal_emit_by_name(words, "clicked");
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), <, failure);
    g_signal_emit_by_name(parts, "clicked");
    wait_for(rui_view_get_comparison(app_get_view(app)));
    guint64 parting = rw_session_comparison_get_left_step(rui_view_get_comparison(app_get_view(app)));
    g_assert_cmpuint(rui_view_get_step(app_get_view(app)), ==, parting); // it is where `d` goes
    gtk_window_set_default_size(GTK_WINDOW(app->window), 960, 600);
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "story-small");
}

static void test_no_twin(App *app, gconstpointer data)
{
    g_autofree char *failing = fixture_add_run(harness_get_home(), "make", "story", 0);
    open_run(app, failing);
    g_assert_true(app_says(app, "./t: killed by SIGSEGV"));
    g_assert_nonnull(find_button(get_strip(app), "job \"0\" done"));
    g_assert_null(find_button(get_strip(app), "Parts from run"));
    g_assert_nonnull(find_button(get_strip(app), "Passing Order"));
}

// A build of many processes, of which the last one crashes.
static void test_build(App *app, gconstpointer data)
{
    g_autofree char *failing = fixture_add_build_run(harness_get_home(), 0, 20000);
    open_run(app, failing);
    g_assert_true(app_says(app, "./last: killed by SIGSEGV"));
    g_assert_nonnull(find_button(get_strip(app), "The job wrote last"));
}

// The failing run's id; of the run that passes, in which somebody is held, what was found of it is
// forgotten.
static char *check_turned(void)
{
    const char *argv[] = {g_getenv("REWIND_APP"),
                          "--batch",
                          "check",
                          "--root",
                          g_getenv("REWIND_EXAMPLE"),
                          "--",
                          "sh",
                          "-c",
                          "cat /tmp/f & p=$!; echo x > /tmp/f; wait $p && exit 3; true",
                          NULL};
    g_autofree char *said = NULL;
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &said,
                               NULL, NULL, NULL));
    g_autoptr(GRegex) regex =
        g_regex_new("^passing: run (\\w+),[^$]*^failing: run (\\w+),", G_REGEX_MULTILINE, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    g_test_message("%s", said);
    g_assert_true(g_regex_match(regex, said, 0, &match));
    g_autofree char *passing = g_match_info_fetch(match, 1);
    g_autofree char *kept = g_build_filename(harness_get_home(), "runs", passing, "sides.json", NULL);
    g_assert_cmpint(g_remove(kept), ==, 0);
    return g_match_info_fetch(match, 2);
}

// A job that fails as it is, and passes where somebody is held: the lines are those of the run that passes.
static void test_turned(App *app, gconstpointer data)
{
    g_autofree char *failing = check_turned();
    open_run(app, failing);
    g_assert_nonnull(find_button(get_strip(app), "Parts from run"));
    wait_for(find_button(get_strip(app), "held: "));
    g_assert_nonnull(find_button(get_strip(app), "until: "));
}

static void test_passing(App *app, gconstpointer data)
{
    g_autofree char *failing = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *passing = fixture_add_fork(harness_get_home(), failing, 4, 1, 0);
    open_run(app, passing);
    g_assert_true(app_says(app, "Passed · ran under 2 orders, 1 failed"));
    g_assert_null(find_button(get_strip(app), "Passing Order"));
}

// What is closed stays so for the next run, until it is asked for.
static void test_closed(App *app, gconstpointer data)
{
    g_autofree char *one = fixture_add_run(harness_get_home(), "make", "story", 0);
    g_autofree char *two = fixture_add_run(harness_get_home(), "make", "story", 1);
    open_run(app, one);
    rui_story_strip_set_shown(app->window->story, FALSE);
    g_assert_false(gtk_widget_get_visible(get_strip(app)));
    app_open(app, two);
    app_wait_idle(app);
    g_assert_false(gtk_widget_get_visible(get_strip(app)));
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.story", NULL);
    g_assert_true(gtk_widget_get_visible(get_strip(app)));
}

static void add_tests(void)
{
    g_test_add("/story/example", App, NULL, app_set_up, test_example, app_tear_down);
    g_test_add("/story/no-twin", App, NULL, app_set_up, test_no_twin, app_tear_down);
    g_test_add("/story/build", App, NULL, app_set_up, test_build, app_tear_down);
    g_test_add("/story/turned", App, NULL, app_set_up, test_turned, app_tear_down);
    g_test_add("/story/passing", App, NULL, app_set_up, test_passing, app_tear_down);
    g_test_add("/story/closed", App, NULL, app_set_up, test_closed, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
