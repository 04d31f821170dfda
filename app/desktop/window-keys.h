// SPDX-License-Identifier: MIT
#pragma once

#include <glib.h>

typedef struct {
    const char *group; // over it in the list, to be translated
    const char *trigger; // as gtk_shortcut_trigger_parse_string() takes it
    const char *action, *argument; // argument as GVariant text, or NULL
    const char *title; // to be translated; NULL: not listed
    gboolean of_lists; // a focused list keeps it
} WindowKey;

extern const WindowKey window_keys[]; // up to one without a trigger
