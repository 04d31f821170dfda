// SPDX-License-Identifier: MIT
#pragma once

#include <adwaita.h>

// The app's settings; NULL when their schema is nowhere: then nothing is remembered.
GSettings *desktop_settings_new(void);

// What is tried and recorded unless somebody says otherwise.
typedef struct {
    guint schedules, threads; // of a check; threads 0: one a core
    guint memory, timeout; // MiB; seconds, 0 for none
    guint notify; // seconds: of what took longer the desktop tells
    gboolean keyframes;
} DesktopDefaults;

DesktopDefaults desktop_get_defaults(GSettings *settings); // settings: or NULL
void desktop_follow_scheme(GSettings *settings);
// The folder with the program's translations.
char *desktop_dup_locales(void);
// preferences.c
void desktop_show_preferences(GtkWindow *parent, GSettings *settings);
// A file of the example, failing.rwd or passing.rwd; NULL when it is nowhere.
char *desktop_dup_example(const char *name);
