// SPDX-License-Identifier: MIT
//
// A new run: root, command, options; then its log as it comes, and cancel.
#pragma once

#include "rw-session-work.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define RUI_TYPE_RECORD_WINDOW (rui_record_window_get_type())
G_DECLARE_FINAL_TYPE(RuiRecordWindow, rui_record_window, RUI, RECORD_WINDOW, AdwWindow)

// Signals: "started", there is work; "recorded" (char *ref).
GtkWidget *rui_record_window_new(RwSession *session, GtkWindow *parent);
typedef struct {
    guint memory; // MiB
    guint timeout; // seconds; 0: none
    gboolean keyframes;
} RuiRecordOptions;

// What the form starts with.
void rui_record_window_set_options(RuiRecordWindow *window, RuiRecordOptions options);
RuiRecordOptions rui_record_window_get_options(RuiRecordWindow *window);
// As if it were typed, for tests and for doing a run again with other options.
void rui_record_window_set_job(RuiRecordWindow *window, const char *root, const char *command);
void rui_record_window_set_cwd(RuiRecordWindow *window, const char *cwd); // the same
// The job of a recorded run, to be recorded again: with all of its inputs, but what disturbed it and what
// the form says otherwise.
void rui_record_window_set_again(RuiRecordWindow *window, const RwManifest *manifest);
// What its rows have, to be there again in the next one: root, command, working folder, variables.
#define RUI_RECORD_FORM "(ssss)"
GVariant *rui_record_window_save(RuiRecordWindow *window); // floating
void rui_record_window_restore(RuiRecordWindow *window, GVariant *saved);
void rui_record_window_start(RuiRecordWindow *window); // as if Record were pressed
char *rui_record_window_dup_command(RuiRecordWindow *window);
const char *rui_record_window_get_root(RuiRecordWindow *window);
RwSessionWork *rui_record_window_get_work(RuiRecordWindow *window); // or NULL
char *rui_record_window_dup_log(RuiRecordWindow *window);
const char *rui_record_window_get_problem(RuiRecordWindow *window);

G_END_DECLS
