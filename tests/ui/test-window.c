// SPDX-License-Identifier: MIT
//
// The window of a run, on made-up runs: nothing is executed.
#include "harness.h"

#include "story.h"

static RuiView *get_view(App *app)
{
    return rui_window_get_view(app->window);
}

static void open_story(App *app)
{
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 0);
    app_open(app, id);
}

static void test_start(App *app, gconstpointer data)
{
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "start");
    app_take_picture(app, GTK_WINDOW(app->window), "start-empty");
    g_autofree char *id = fixture_add_run(harness_get_home(), "make", "story", 0);
    GListModel *rows = rui_run_list_get_rows(rui_start_page_get_list(app->window->start));
    wait_for(g_list_model_get_n_items(rows) == 2); // a heading and the run
    app_wait_idle(app);
    app_take_picture(app, GTK_WINDOW(app->window), "start");
}

static void test_opens_at_failure(App *app, gconstpointer data)
{
    open_story(app);
    const RwRunIndex *index = rui_view_get_index(get_view(app));
    g_assert_cmpuint(rui_view_get_step(get_view(app)), ==, rw_run_index_get_failure(index));
    app_take_picture(app, GTK_WINDOW(app->window), "run");
}

static void add_tests(void)
{
    static const struct {
        const char *path;
        void (*test)(App *app, gconstpointer data);
    } tests[] = {
        {"/window/start", test_start},
        {"/window/opens-at-failure", test_opens_at_failure},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add(tests[i].path, App, NULL, app_set_up, tests[i].test, app_tear_down);
}

int main(int argc, char **argv)
{
    return harness_main(&argc, &argv, add_tests);
}
