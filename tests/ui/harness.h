// SPDX-License-Identifier: MIT
//
// Real windows on a display of their own: an app without a bus, waiting, keys and the pointer as a server
// sends them, pictures. Every GTK warning ends a test.
#pragma once

#include "rui-application.h"
#include "window-private.h"

#include "fixture.h"

// A whole test run: g_test_init(), GTK, a fresh store as $REWIND_HOME. Returns 77 without a display.
int harness_main(int *argc, char ***argv, void (*add_tests)(void));
const char *harness_get_home(void);

typedef struct {
    RuiApplication *application;
    RuiWindow *window;
} App;

// An app with one window at its start page, its store empty but for what was put there.
void app_set_up(App *app, gconstpointer data);
void app_tear_down(App *app, gconstpointer data);

// Opens the run and waits until all of it is there.
void app_open(App *app, const char *run);
void app_wait_idle(App *app); // until nothing is drawn or asked any more

// A window of that type that is open, or NULL; borrowed. Dialogs are no windows of the application.
gpointer harness_find_window(GType type);

// Keys and the pointer through the X server, to the window that has the focus.
void app_press(App *app, const char *keys); // "Right", "shift+Right", "ctrl+f", "alt+Left"
void app_type(App *app, const char *text); // letters and digits
void app_click(App *app, GtkWidget *widget, double x, double y, guint button);
void app_drag(App *app, GtkWidget *widget, double from_x, double y, double to_x);

// A PNG of the window in the build folder, or where $REWIND_SCREENSHOTS says.
void app_take_picture(App *app, GtkWindow *window, const char *name);
