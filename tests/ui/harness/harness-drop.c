// SPDX-License-Identifier: MIT
//
// Something is dragged out of a small window beside the app's, through the X server.
#include "harness.h"

#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>

#define SOURCE_SIZE 120

typedef struct {
    App *app;
    Display *display;
    GtkWindow *window; // what is dragged comes from here
    GtkDropTarget *target;
    gboolean began, over, ended;
    GdkFileList *files; // that arrived
} Dragging;

static void on_begin(GtkDragSource *source, GdkDrag *drag, Dragging *dragging)
{
    dragging->began = TRUE;
}

static void on_end(GtkDragSource *source, GdkDrag *drag, gboolean delete, Dragging *dragging)
{
    dragging->ended = TRUE;
}

static void on_over(GtkDropTarget *target, GParamSpec *pspec, Dragging *dragging)
{
    dragging->over |= gtk_drop_target_get_current_drop(target) != NULL;
}

static void make_window(Dragging *dragging, GtkEventController *controller)
{
    dragging->window = GTK_WINDOW(gtk_window_new());
    gtk_window_set_decorated(dragging->window, FALSE);
    gtk_window_set_default_size(dragging->window, SOURCE_SIZE, SOURCE_SIZE);
    gtk_widget_add_controller(GTK_WIDGET(dragging->window), controller);
    gtk_window_present(dragging->window);
    wait_for(gtk_widget_get_mapped(GTK_WIDGET(dragging->window)));
    // In a corner that the app leaves free: nobody manages windows.
    XMoveWindow(dragging->display,
                gdk_x11_surface_get_xid(gtk_native_get_surface(GTK_NATIVE(dragging->window))),
                DisplayWidth(dragging->display, 0) - 2 * SOURCE_SIZE, SOURCE_SIZE);
    XSync(dragging->display, False);
    app_wait_idle(dragging->app);
}

static void make_source(Dragging *dragging, GdkContentProvider *content)
{
    GtkDragSource *source = gtk_drag_source_new();
    gtk_drag_source_set_content(source, content);
    g_signal_connect(source, "drag-begin", G_CALLBACK(on_begin), dragging);
    g_signal_connect(source, "drag-end", G_CALLBACK(on_end), dragging);
    make_window(dragging, GTK_EVENT_CONTROLLER(source));
}

static void move_to(Dragging *dragging, GtkWidget *widget, double x, double y)
{
    int at_x, at_y;
    harness_get_origin(widget, x, y, &at_x, &at_y);
    XTestFakeMotionEvent(dragging->display, -1, at_x, at_y, CurrentTime);
    XSync(dragging->display, False);
    app_wait_idle(dragging->app);
}

static void press(Dragging *dragging, gboolean down)
{
    XTestFakeButtonEvent(dragging->display, 1, down, CurrentTime);
    XSync(dragging->display, False);
    app_wait_idle(dragging->app);
}

GtkDropTarget *app_find_drop_target(App *app)
{
    g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(GTK_WIDGET(app->window));
    for (guint i = 0; i < g_list_model_get_n_items(controllers); i++) {
        g_autoptr(GObject) controller = g_list_model_get_item(controllers, i);
        if (GTK_IS_DROP_TARGET(controller))
            return GTK_DROP_TARGET(controller);
    }
    return NULL;
}

// The pointer goes there, and on it until the window, when it takes such things, has seen them come.
static void carry(Dragging *dragging, gboolean wanted)
{
    GtkWidget *source = GTK_WIDGET(dragging->window), *window = GTK_WIDGET(dragging->app->window);
    move_to(dragging, source, SOURCE_SIZE / 2, SOURCE_SIZE / 2);
    press(dragging, TRUE);
    for (int i = 1; !dragging->began && i < 8; i++)
        move_to(dragging, source, SOURCE_SIZE / 2 - 7 * i, SOURCE_SIZE / 2);
    wait_for(dragging->began);
    for (int i = 0; i < 4; i++)
        move_to(dragging, window, 500 + i, 400);
    if (wanted)
        wait_for(dragging->over);
    else
        g_assert_false(dragging->over);
    press(dragging, FALSE);
    wait_for(dragging->ended);
}

void app_drop(App *app, GdkContentProvider *content, gboolean wanted)
{
    Dragging dragging = {
        .app = app,
        .display = gdk_x11_display_get_xdisplay(gtk_widget_get_display(GTK_WIDGET(app->window))),
        .target = app_find_drop_target(app),
    };
    g_assert_nonnull(dragging.target);
    gulong handler =
        g_signal_connect(dragging.target, "notify::current-drop", G_CALLBACK(on_over), &dragging);
    make_source(&dragging, content);
    carry(&dragging, wanted);
    if (app->window)
        g_signal_handler_disconnect(dragging.target, handler);
    gtk_window_destroy(dragging.window);
    app_wait_idle(app);
}

// ---- Out of the app ----

static gboolean on_files(GtkDropTarget *target, const GValue *value, double x, double y, Dragging *dragging)
{
    dragging->files = g_value_dup_boxed(value);
    return TRUE;
}

GdkFileList *app_drag_out(App *app, GtkWidget *widget, double x, double y)
{
    Dragging dragging = {
        .app = app,
        .display = gdk_x11_display_get_xdisplay(gtk_widget_get_display(widget)),
    };
    dragging.target = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
    g_signal_connect(dragging.target, "drop", G_CALLBACK(on_files), &dragging);
    g_signal_connect(dragging.target, "notify::current-drop", G_CALLBACK(on_over), &dragging);
    make_window(&dragging, GTK_EVENT_CONTROLLER(dragging.target));
    move_to(&dragging, widget, x, y);
    press(&dragging, TRUE);
    for (int i = 1; i < 6; i++)
        move_to(&dragging, widget, x + 7 * i, y);
    for (int i = 0; i < 4; i++)
        move_to(&dragging, GTK_WIDGET(dragging.window), SOURCE_SIZE / 2 + i, SOURCE_SIZE / 2);
    wait_for(dragging.over);
    press(&dragging, FALSE);
    wait_for(dragging.files);
    gtk_window_destroy(dragging.window);
    app_wait_idle(app);
    return dragging.files;
}
