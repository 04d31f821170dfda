// SPDX-License-Identifier: MIT
//
// Keys and the pointer.
#include "harness.h"

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>
#include <gdk/x11/gdkx.h>

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
