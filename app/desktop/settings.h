// SPDX-License-Identifier: MIT
#pragma once

#include <adwaita.h>

// The app's settings; NULL when their schema is nowhere: then nothing is remembered.
GSettings *desktop_settings_new(void);
void desktop_follow_scheme(GSettings *settings);
// Icons of a program that is not installed.
void desktop_add_icons(void);
void desktop_show_preferences(GtkWindow *parent, GSettings *settings);
// The example run's .rwd file; NULL when it is nowhere.
char *desktop_dup_example(void);
