// SPDX-License-Identifier: MIT
#pragma once

#include <glib.h>

// Which focused widgets keep a key.
typedef enum {
    OF_WINDOW, // none but terminals
    OF_LISTS,
    OF_TREES,
    OF_TEXTS, // those that are written in
    OF_FINDERS, // those that have "find.open": it goes there
    OF_NOBODY, // not even a terminal, which keeps all others
} WindowKeyOwner;

typedef struct {
    const char *group; // over it in the list, to be translated
    const char *trigger; // as gtk_shortcut_trigger_parse_string() takes it
    const char *action, *argument; // argument as GVariant text, or NULL. action NULL: another row has it
    const char *title; // to be translated; NULL: not listed
    WindowKeyOwner owner;
} WindowKey;

extern const WindowKey window_keys[]; // up to one without a trigger
