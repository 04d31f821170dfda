// SPDX-License-Identifier: MIT
#pragma once

#include "rui-record-window.h"

struct _RuiRecordWindow {
    AdwWindow parent_instance;
    // template
    GtkStack *stack;
    GtkEditable *root, *command, *cwd, *env, *name;
    GtkSpinButton *schedule, *seed, *memory, *timeout;
    GtkSwitch *keyframes;
    GtkButton *start;
    GtkSpinner *spinner;
    GtkLabel *status;
    GtkTextView *log;
    GtkScrolledWindow *scroller;
    GtkInfoBar *banner;
    GtkLabel *banner_text;
    // owned
    RwSession *session;
    RwSessionWork *work;
    GString *tail; // of a line that goes on
    gsize shown; // bytes
    RwManifest *again; // of the run whose job it is, or NULL
    char *problem; // why the last recording failed, or NULL
    GtkNativeDialog *chooser;
    GCancellable *looking; // for the root
    guint look; // timeout after which it is looked for, 0: none
    gboolean touched; // the command was written
};

// record-form.c
void record_class_install_form(GtkWidgetClass *class);
void record_add_form(RuiRecordWindow *window); // what its rows do
void record_dispose_form(RuiRecordWindow *window);
void record_update_form(RuiRecordWindow *window); // whether it can be recorded
void record_offer_earlier(RuiRecordWindow *window); // what the session's runs had
// Says a message of the command line at the row that it is about; FALSE: at none of them.
gboolean record_show_at_row(RuiRecordWindow *window, const char *message);
RwJobRequest *record_make_request(RuiRecordWindow *window, GError **error); // NULL: an error
