// SPDX-License-Identifier: MIT
//
// Real windows on a display of their own: an app without a bus, waiting, keys and the pointer as a server
// sends them, pictures. Every GTK warning ends a test.
#pragma once

#include "rui-application.h"
#include "rui-record-window.h"
#include "rui-virtual-list.h"
#include "window-private.h"

#include "fixture.h"

// A whole test run: g_test_init(), GTK, a fresh store as $REWIND_HOME. Returns 77 without a display.
int harness_main(int *argc, char ***argv, void (*add_tests)(void));
const char *harness_get_home(void);
void harness_empty_store(void);

typedef struct {
    RuiApplication *application;
    RuiWindow *window;
} App;

// An app with one window at its start page, its store empty but for what was put there.
void app_set_up(App *app, gconstpointer data);
void app_tear_down(App *app, gconstpointer data);
// The same for an app that is the only one on its bus, with the main loop that its program has.
void harness_run_app(void (*body)(App *app));

// Opens the run and waits until all of it is there.
void app_open(App *app, const char *run);
RuiView *app_get_view(App *app); // the window's; borrowed
guint64 app_get_step(App *app);
void app_go_to(App *app, guint64 step);
void app_show_tab(App *app, const char *name); // of the run's page
void app_resize(App *app, int width, int height);

// The story of tests/run as a run of `make`, under that schedule. Returns its id.
char *harness_add_story(guint64 schedule);
void app_open_story(App *app);
// A run of $REWIND_EXAMPLES, imported by the command. Returns its id.
char *harness_import_example(const char *name);
void app_open_example(App *app); // the failing one beside the passing one
// The window goes, and another one is there in its place.
void app_change_window(App *app);
void app_wait_idle(App *app); // until nothing is drawn or asked any more

// The form of a new run, filled in; its window stays until app_record().
RuiRecordWindow *app_fill_form(App *app, const char *root, const char *command, const char *cwd);
// Records what the form says, and waits for the end. A job that cannot be recorded fails the test.
void app_record(RuiRecordWindow *form);

// A window of that type that is open, or NULL; borrowed. Dialogs are no windows of the application.
gpointer harness_find_window(GType type);
// The first long list within a widget, or NULL; borrowed.
RuiVirtualList *harness_find_list(GtkWidget *widget);

// Whether one of its labels that can be seen has that in it; a toast's is one.
gboolean app_says(App *app, const char *text);
// What `rewind-app ARGUMENTS`, with that option or NULL, asks of the instance that runs; its exit status.
int app_command_line(App *app, const char *const *arguments, const char *option, const char *value);

// Keys and the pointer through the X server, to the window that has the focus.
void app_press(App *app, const char *keys); // "Right", "shift+Right", "ctrl+f", "alt+Left"
void app_type(App *app, const char *text); // letters and digits
void app_click(App *app, GtkWidget *widget, double x, double y, guint button);
void app_look_away(App *app); // no window has the focus
void harness_get_origin(GtkWidget *widget, double x, double y, int *ret_x, int *ret_y); // on the screen
void app_drag(App *app, GtkWidget *widget, double from_x, double y, double to_x);

// Drags it from another window and lets it fall onto this one. wanted: whether the window takes such
// things.
void app_drop(App *app, GdkContentProvider *content, gboolean wanted);
// Drags from there into another window; the files that arrive (GdkFileList).
GdkFileList *app_drag_out(App *app, GtkWidget *widget, double x, double y);
GtkDropTarget *app_find_drop_target(App *app); // borrowed

// A PNG of the window in the build folder, or where $REWIND_SCREENSHOTS says.
void app_take_picture(App *app, GtkWindow *window, const char *name);

// What a window draws now; owned. Its size in pixels.
GskRenderNode *harness_take_node(GtkWindow *window, int *ret_width, int *ret_height);
// Fails the test where a text has less than 4.5:1 to its ground, or an icon or a bar less than 3:1, and
// says which.
void app_check_contrast(App *app, GtkWindow *window, const char *name);
