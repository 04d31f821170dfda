// SPDX-License-Identifier: MIT
#include "harness.h"

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>
#include <libintl.h>

static char *home;

const char *harness_get_home(void)
{
    return home;
}

// With $LANGUAGE: from the build folder.
static void use_catalogues(void)
{
    const char *locales = g_getenv("REWIND_LOCALES");
    if (!locales)
        return;
    bindtextdomain(GETTEXT_PACKAGE, locales);
    bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
    textdomain(GETTEXT_PACKAGE);
}

int harness_main(int *argc, char ***argv, void (*add_tests)(void))
{
    g_setenv("GTK_A11Y", "test", TRUE);
    g_setenv("GSK_RENDERER", "cairo", FALSE);
    g_setenv("GSETTINGS_BACKEND", "memory", TRUE);
    g_setenv("ADW_DISABLE_PORTAL", "1", TRUE);
    g_setenv("GTK_USE_PORTAL", "0", TRUE);
    g_setenv("GDK_BACKEND", "x11", TRUE);
    g_setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:", TRUE); // no bus: every test is an instance of its own
    home = g_dir_make_tmp("rewind-ui-XXXXXX", NULL);
    g_setenv("REWIND_HOME", home, TRUE);
    g_test_init(argc, argv, NULL);
    use_catalogues();
    if (!gtk_init_check()) {
        g_printerr("no display\n");
        return 77;
    }
    g_object_set(gtk_settings_get_default(), "gtk-enable-animations", FALSE, NULL);
    add_tests();
    int status = g_test_run();
    rw_remove_tree(home, NULL);
    return status;
}

// ---- The app ----

void harness_empty_store(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *runs = g_build_filename(home, "runs", NULL);
    g_assert_true(rw_remove_tree(runs, &error));
    g_autoptr(RwStore) store = rw_store_open(NULL, &error);
    g_assert_no_error(error);
}

// Off the window: GTK 4.8 would ask a window that is gone for a tooltip's place.
static void put_pointer_away(App *app)
{
    Display *display = gdk_x11_display_get_xdisplay(gtk_widget_get_display(GTK_WIDGET(app->window)));
    XTestFakeMotionEvent(display, -1, DisplayWidth(display, 0) - 2, DisplayHeight(display, 0) - 2,
                         CurrentTime);
    XSync(display, False);
}

static void take_window(App *app, RuiWindow *window)
{
    app->window = window;
    g_object_add_weak_pointer(G_OBJECT(app->window), (gpointer *)&app->window);
}

static void show_window(App *app)
{
    g_assert_nonnull(rui_application_get_session(app->application));
    take_window(app, rui_application_open(app->application, NULL, NULL, RUI_NO_STEP));
    wait_for(rw_session_is_loaded(rui_application_get_session(app->application)));
    wait_for(gtk_widget_get_mapped(GTK_WIDGET(app->window)));
    put_pointer_away(app);
    app_wait_idle(app);
}

void app_set_up(App *app, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    if (!data)
        harness_empty_store();
    app->application = rui_application_new();
    g_application_set_flags(G_APPLICATION(app->application),
                            G_APPLICATION_HANDLES_COMMAND_LINE | G_APPLICATION_NON_UNIQUE);
    g_assert_true(g_application_register(G_APPLICATION(app->application), NULL, &error));
    g_assert_no_error(error);
    show_window(app);
}

static void destroy_windows(App *app)
{
    window_end_tour(app->window); // a pop-over has the pointer as long as it is open
    app_wait_idle(app);
    put_pointer_away(app);
    app_wait_idle(app);
    if (g_test_failed())
        app_take_picture(app, GTK_WINDOW(app->window), "failed");
    for (GtkWindow *window; (window = harness_find_window(GTK_TYPE_WINDOW));)
        gtk_window_destroy(window);
    while (g_main_context_iteration(NULL, FALSE))
        continue;
    g_assert_null(app->window);
}

static guint count_in_store(void)
{
    g_autofree char *runs = g_build_filename(home, "runs", NULL);
    g_autoptr(GDir) dir = g_dir_open(runs, 0, NULL);
    guint count = 0;
    for (const char *name; dir && (name = g_dir_read_name(dir));)
        if (strcmp(name, ".lock"))
            count++; // what is being removed, too
    return count;
}

// What a window deleted goes for good with it, in a worker thread: until then the next test's runs, of the
// same ids, could go instead.
static void wait_for_store(App *app)
{
    GListModel *runs = rw_session_get_runs(rui_application_get_session(app->application));
    wait_for(count_in_store() == g_list_model_get_n_items(runs));
}

void app_tear_down(App *app, gconstpointer data)
{
    destroy_windows(app);
    wait_for_store(app);
    g_clear_object(&app->application);
}

// ---- The app with its main loop ----

typedef struct {
    App app;
    void (*body)(App *app);
} Running;

static gboolean on_running(gpointer data)
{
    Running *running = data;
    show_window(&running->app);
    running->body(&running->app);
    destroy_windows(&running->app);
    return G_SOURCE_REMOVE;
}

void harness_run_app(void (*body)(App *app))
{
    Running running = {.app = {.application = rui_application_new()}, .body = body};
    GApplication *application = G_APPLICATION(running.app.application);
    harness_empty_store();
    g_idle_add(on_running, &running);
    g_assert_cmpint(g_application_run(application, 0, NULL), ==, 0);
    g_assert_finalize_object(application);
}

void app_change_window(App *app)
{
    RuiWindow *other = rui_application_open(app->application, NULL, NULL, RUI_NO_STEP);
    g_assert_true(other != app->window);
    gtk_window_close(GTK_WINDOW(app->window));
    wait_for(!app->window);
    take_window(app, other);
}

static gboolean is_shown(App *app, const char *run)
{
    RwSessionRun *open = rui_view_get_run(rui_window_get_view(app->window));
    return open && !strcmp(rui_window_get_page(app->window), "run") && rw_session_run_get_loaded(open) &&
           !strcmp(rw_run_item_get_ref(rw_session_run_get_item(open)), run);
}

void app_open(App *app, const char *run)
{
    rui_window_open_run(app->window, run, NULL, RUI_NO_STEP);
    wait_for(is_shown(app, run) || !strcmp(rui_window_get_page(app->window), "problem"));
    g_assert_cmpstr(rui_window_get_page(app->window), ==, "run");
    app_wait_idle(app);
}

RuiView *app_get_view(App *app)
{
    return rui_window_get_view(app->window);
}

guint64 app_get_step(App *app)
{
    return rui_view_get_step(app_get_view(app));
}

void app_go_to(App *app, guint64 step)
{
    rui_view_set_step(app_get_view(app), step);
    app_wait_idle(app);
}

void app_show_tab(App *app, const char *name)
{
    gtk_widget_activate_action(GTK_WIDGET(app->window), "win.show-tab", "s", name);
    app_wait_idle(app);
    g_assert_cmpstr(adw_view_stack_get_visible_child_name(app->window->tabs), ==, name);
}

void app_resize(App *app, int width, int height)
{
    gtk_window_set_default_size(GTK_WINDOW(app->window), width, height);
    // The allocation is without the border that a window has where nobody manages windows.
    wait_for(ABS(gtk_widget_get_width(GTK_WIDGET(app->window)) - width) <= 12);
    app_wait_idle(app);
}

// ---- Runs ----

char *harness_add_story(guint64 schedule)
{
    return fixture_add_run(home, "make", "story", schedule);
}

void app_open_story(App *app)
{
    g_autofree char *id = harness_add_story(0);
    app_open(app, id);
}

char *harness_import_example(const char *name)
{
    g_autofree char *path = g_build_filename(g_getenv("REWIND_EXAMPLES"), name, NULL);
    const char *argv[] = {g_getenv("REWIND"), "import", path, NULL};
    g_autofree char *said = NULL;
    int status;
    g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, 0, NULL, NULL, &said, NULL, &status, NULL));
    g_assert_cmpint(status, ==, 0);
    return g_strndup(said, strcspn(said, " "));
}

void app_open_example(App *app)
{
    g_autofree char *passing = harness_import_example("passing.rwd");
    g_autofree char *failing = harness_import_example("failing.rwd");
    app_open(app, failing);
    rui_window_compare(app->window, passing);
    wait_for(rui_view_get_comparison(app_get_view(app)));
    wait_for(rw_session_run_get_index(rui_view_get_compared(app_get_view(app))));
    app_wait_idle(app);
}

// ---- Waiting ----

static gboolean on_quiet(gpointer data)
{
    *(gboolean *)data = TRUE;
    return G_SOURCE_REMOVE;
}

// Two frames and everything of lower priority: layouts, answers of worker threads that were on their way.
void app_wait_idle(App *app)
{
    for (guint i = 0; i < 3; i++) {
        gboolean quiet = FALSE;
        gtk_widget_queue_draw(GTK_WIDGET(app->window));
        g_timeout_add_full(G_PRIORITY_LOW, 30, on_quiet, &quiet, NULL);
        while (!quiet)
            g_main_context_iteration(NULL, TRUE);
    }
}

RuiVirtualList *harness_find_list(GtkWidget *widget)
{
    RuiVirtualList *list = RUI_IS_VIRTUAL_LIST(widget) ? RUI_VIRTUAL_LIST(widget) : NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !list;
         child = gtk_widget_get_next_sibling(child))
        list = harness_find_list(child);
    return list;
}

gpointer harness_find_window(GType type)
{
    GListModel *windows = gtk_window_get_toplevels();
    for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
        g_autoptr(GtkWindow) window = g_list_model_get_item(windows, i);
        if (g_type_is_a(G_OBJECT_TYPE(window), type))
            return window;
    }
    return NULL;
}

static gboolean says(GtkWidget *widget, const char *text)
{
    if (!gtk_widget_get_mapped(widget))
        return FALSE;
    if (GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), text))
        return TRUE;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        if (says(child, text))
            return TRUE;
    return FALSE;
}

gboolean app_says(App *app, const char *text)
{
    return says(GTK_WIDGET(app->window), text);
}

int app_command_line(App *app, const char *const *arguments, const char *option, const char *value)
{
    GVariantDict options;
    g_variant_dict_init(&options, NULL);
    if (option)
        g_variant_dict_insert(&options, option, "s", value);
    g_autoptr(GApplicationCommandLine) line = g_object_new(G_TYPE_APPLICATION_COMMAND_LINE, "arguments",
                                                           g_variant_new_bytestring_array(arguments, -1),
                                                           "options", g_variant_dict_end(&options), NULL);
    return G_APPLICATION_GET_CLASS(app->application)->command_line(G_APPLICATION(app->application), line);
}
