// SPDX-License-Identifier: MIT
#include "app-drag.h"

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>

#define RATE 125 // a second, as an ordinary mouse reports

typedef struct {
    const char *display;
    int left, right, y; // of the screen
    guint count;
    gint done;
} Drag;

static void move(Display *display, const Drag *drag, guint i)
{
    double phase = (double)(i * 2 % (drag->count * 2)) / drag->count; // there and back
    double part = phase < 1 ? phase : 2 - phase;
    XTestFakeMotionEvent(display, -1, drag->left + (int)((drag->right - drag->left) * part), drag->y,
                         CurrentTime);
    XSync(display, False);
}

static gpointer drag_in_thread(gpointer data)
{
    Drag *drag = data;
    Display *display = XOpenDisplay(drag->display);
    gint64 start = g_get_monotonic_time();
    move(display, drag, 0);
    XTestFakeButtonEvent(display, 1, True, CurrentTime);
    for (guint i = 1; i <= drag->count; i++) {
        gint64 wait = start + (gint64)i * G_USEC_PER_SEC / RATE - g_get_monotonic_time();
        if (wait > 0)
            g_usleep((gulong)wait);
        move(display, drag, i);
    }
    XTestFakeButtonEvent(display, 1, False, CurrentTime);
    XSync(display, False);
    XCloseDisplay(display);
    g_atomic_int_set(&drag->done, 1);
    g_main_context_wakeup(NULL);
    return NULL;
}

static Drag place(App *app, GtkWidget *widget, double seconds)
{
    GdkDisplay *display = gtk_widget_get_display(widget);
    Display *xdisplay = gdk_x11_display_get_xdisplay(display);
    Window xid = gdk_x11_surface_get_xid(gtk_native_get_surface(GTK_NATIVE(app->window)));
    graphene_point_t left, right;
    double dx, dy;
    int x, y;
    Window child;
    float width = (float)gtk_widget_get_width(widget);
    gtk_native_get_surface_transform(GTK_NATIVE(app->window), &dx, &dy);
    g_assert_true(gtk_widget_compute_point(widget, GTK_WIDGET(app->window),
                                           &GRAPHENE_POINT_INIT(width * 0.2f, 40), &left));
    g_assert_true(gtk_widget_compute_point(widget, GTK_WIDGET(app->window),
                                           &GRAPHENE_POINT_INIT(width * 0.98f, 40), &right));
    XTranslateCoordinates(xdisplay, xid, DefaultRootWindow(xdisplay), 0, 0, &x, &y, &child);
    return (Drag){.display = gdk_display_get_name(display),
                  .left = x + (int)(left.x + dx),
                  .right = x + (int)(right.x + dx),
                  .y = y + (int)(left.y + dy),
                  .count = (guint)(seconds * RATE)};
}

static void on_step(guint *positions)
{
    (*positions)++;
}

guint drag_across(App *app, GtkWidget *widget, double seconds)
{
    Drag drag = place(app, widget, seconds);
    RuiView *view = rui_window_get_view(app->window);
    guint positions = 0;
    gulong handler = g_signal_connect_swapped(view, "notify::step", G_CALLBACK(on_step), &positions);
    GThread *thread = g_thread_new("drag", drag_in_thread, &drag);
    while (!g_atomic_int_get(&drag.done))
        g_main_context_iteration(NULL, TRUE);
    g_thread_join(thread);
    g_signal_handler_disconnect(view, handler);
    return positions;
}
