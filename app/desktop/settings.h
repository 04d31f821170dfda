// SPDX-License-Identifier: MIT
#pragma once

#include <adwaita.h>

// The app's settings; NULL when their schema is nowhere: then nothing is remembered.
GSettings *desktop_settings_new(void);
void desktop_follow_scheme(GSettings *settings);
void desktop_show_preferences(GtkWindow *parent, GSettings *settings);
// A file of the example, failing.rwd or passing.rwd; NULL when it is nowhere.
char *desktop_dup_example(const char *name);
