// SPDX-License-Identifier: MIT
#pragma once

#include "rui-record-window.h"
#include "rw-session.h"

#include <adwaita.h>

// From now on it is noted soon after each change, so that the session's end, or a crash, loses nothing.
void desktop_keep_windows(GtkApplication *application, GSettings *settings); // settings: or NULL
// Notes in the settings (or NULL) which runs the windows show, and where in them they are: the app
// quits. Windows that go from then on were open.
void desktop_note_windows(GtkApplication *application, GSettings *settings);
// Opens what was noted, once, as far as it is still there; how many windows that are.
guint desktop_restore_windows(GtkApplication *application, RwSession *session, GSettings *settings);
// What a new run's form had when it was recorded, for the next one: its job, memory and time limit.
void desktop_note_form(GSettings *settings, RuiRecordWindow *form); // settings: or NULL
void desktop_restore_form(GSettings *settings, RuiRecordWindow *form);
