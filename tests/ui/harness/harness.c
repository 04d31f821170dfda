// SPDX-License-Identifier: MIT
#include "harness.h"

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
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

// ---- Keys and pointer ----

static Display *get_display(App *app)
{
    return gdk_x11_display_get_xdisplay(gtk_widget_get_display(GTK_WIDGET(app->window)));
}

static Window get_xid(App *app)
{
    return gdk_x11_surface_get_xid(gtk_native_get_surface(GTK_NATIVE(app->window)));
}

// There is no window manager to give it the focus.
static void focus(App *app)
{
    Display *display = get_display(app);
    XSetInputFocus(display, get_xid(app), RevertToParent, CurrentTime);
    XSync(display, False);
    wait_for(gtk_window_is_active(GTK_WINDOW(app->window)));
}

static gboolean is_any_active(void)
{
    GListModel *all = gtk_window_get_toplevels();
    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWindow) window = g_list_model_get_item(all, i);
        if (gtk_window_is_active(window))
            return TRUE;
    }
    return FALSE;
}

void app_look_away(App *app)
{
    Display *display = get_display(app);
    XSetInputFocus(display, None, RevertToNone, CurrentTime);
    XSync(display, False);
    wait_for(!is_any_active());
}

static void press(Display *display, KeySym key, gboolean down)
{
    XTestFakeKeyEvent(display, XKeysymToKeycode(display, key), down, CurrentTime);
}

static void press_keys(App *app, const char *keys)
{
    static const struct {
        const char *name;
        KeySym key;
    } modifiers[] = {{"shift", XK_Shift_L}, {"ctrl", XK_Control_L}, {"alt", XK_Alt_L}};
    g_auto(GStrv) parts = g_strsplit(keys, "+", -1);
    guint last = g_strv_length(parts) - 1;
    Display *display = get_display(app);
    focus(app);
    for (guint i = 0; i < last; i++)
        for (guint m = 0; m < G_N_ELEMENTS(modifiers); m++)
            if (!strcmp(parts[i], modifiers[m].name))
                press(display, modifiers[m].key, TRUE);
    KeySym key = XStringToKeysym(parts[last]);
    g_assert_cmpuint(key, !=, NoSymbol);
    press(display, key, TRUE);
    press(display, key, FALSE);
    for (guint i = last; i-- > 0;)
        for (guint m = 0; m < G_N_ELEMENTS(modifiers); m++)
            if (!strcmp(parts[i], modifiers[m].name))
                press(display, modifiers[m].key, FALSE);
    XSync(display, False);
}

static void on_released(GtkEventController *controller, guint keyval, guint keycode, GdkModifierType state,
                        guint *released)
{
    ++*released;
}

static gboolean on_late(gpointer late)
{
    *(gboolean *)late = TRUE;
    return G_SOURCE_REMOVE;
}

// Until the window has seen as many keys released; a dialog that a key opened may get the rest.
static void wait_released(const guint *released, guint count)
{
    gboolean late = FALSE;
    guint source = g_timeout_add(1000, on_late, &late);
    while (*released < count && !late)
        g_main_context_iteration(NULL, TRUE);
    if (!late)
        g_source_remove(source);
}

void app_press(App *app, const char *keys)
{
    guint released = 0;
    GtkEventController *watch = gtk_event_controller_key_new();
    gtk_event_controller_set_propagation_phase(watch, GTK_PHASE_CAPTURE);
    g_signal_connect(watch, "key-released", G_CALLBACK(on_released), &released);
    gtk_widget_add_controller(GTK_WIDGET(app->window), watch);
    press_keys(app, keys);
    g_auto(GStrv) parts = g_strsplit(keys, "+", -1);
    wait_released(&released, g_strv_length(parts));
    gtk_widget_remove_controller(GTK_WIDGET(app->window), watch);
    app_wait_idle(app);
}

void app_type(App *app, const char *text)
{
    for (const char *c = text; *c; c++) {
        char name[2] = {*c, 0};
        app_press(app, *c == ' ' ? "space" : name);
    }
}

void harness_get_origin(GtkWidget *widget, double x, double y, int *ret_x, int *ret_y)
{
    GtkNative *native = gtk_widget_get_native(widget);
    Display *display = gdk_x11_display_get_xdisplay(gtk_widget_get_display(widget));
    graphene_point_t at;
    double dx, dy;
    int root_x, root_y;
    Window child;
    gtk_native_get_surface_transform(native, &dx, &dy);
    g_assert_true(gtk_widget_compute_point(widget, GTK_WIDGET(native),
                                           &GRAPHENE_POINT_INIT((float)x, (float)y), &at));
    XTranslateCoordinates(display, gdk_x11_surface_get_xid(gtk_native_get_surface(native)),
                          DefaultRootWindow(display), 0, 0, &root_x, &root_y, &child);
    *ret_x = root_x + (int)(at.x + dx);
    *ret_y = root_y + (int)(at.y + dy);
}

void app_click(App *app, GtkWidget *widget, double x, double y, guint button)
{
    Display *display = get_display(app);
    int at_x, at_y;
    harness_get_origin(widget, x, y, &at_x, &at_y);
    focus(app);
    XTestFakeMotionEvent(display, -1, at_x, at_y, CurrentTime);
    XTestFakeButtonEvent(display, button, True, CurrentTime);
    XTestFakeButtonEvent(display, button, False, CurrentTime);
    XSync(display, False);
    app_wait_idle(app);
}

void app_drag(App *app, GtkWidget *widget, double from_x, double y, double to_x)
{
    Display *display = get_display(app);
    int start, end, at_y;
    harness_get_origin(widget, from_x, y, &start, &at_y);
    harness_get_origin(widget, to_x, y, &end, &at_y);
    focus(app);
    XTestFakeMotionEvent(display, -1, start, at_y, CurrentTime);
    XTestFakeButtonEvent(display, 1, True, CurrentTime);
    XSync(display, False);
    app_wait_idle(app);
    for (int i = 1; i <= 8; i++) {
        XTestFakeMotionEvent(display, -1, start + (end - start) * i / 8, at_y, CurrentTime);
        XSync(display, False);
        app_wait_idle(app);
    }
    XTestFakeButtonEvent(display, 1, False, CurrentTime);
    XSync(display, False);
    app_wait_idle(app);
}

// ---- Pictures ----

static GskRenderNode *take_node(GdkPaintable *paintable, int *width, int *height)
{
    GtkSnapshot *snapshot = gtk_snapshot_new();
    *width = gdk_paintable_get_intrinsic_width(paintable);
    *height = gdk_paintable_get_intrinsic_height(paintable);
    gdk_paintable_snapshot(paintable, GDK_SNAPSHOT(snapshot), *width, *height);
    return gtk_snapshot_free_to_node(snapshot);
}

GskRenderNode *harness_take_node(GtkWindow *window, int *ret_width, int *ret_height)
{
    g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(GTK_WIDGET(window));
    GskRenderNode *node;
    // There is nothing to draw while a layout is due.
    wait_for(node = take_node(paintable, ret_width, ret_height));
    return node;
}

void app_take_picture(App *app, GtkWindow *window, const char *name)
{
    const char *dir = g_getenv("REWIND_SCREENSHOTS");
    g_autofree char *file = g_strconcat(name, ".png", NULL);
    g_autofree char *path = g_build_filename(dir ? dir : ".", file, NULL);
    g_mkdir_with_parents(dir ? dir : ".", 0777);
    int width, height;
    g_autoptr(GskRenderNode) node = harness_take_node(window, &width, &height);
    GskRenderer *renderer = gtk_native_get_renderer(GTK_NATIVE(window));
    g_autoptr(GdkTexture) texture =
        gsk_renderer_render_texture(renderer, node, &GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height));
    g_assert_true(gdk_texture_save_to_png(texture, path));
}
