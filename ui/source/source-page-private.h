// SPDX-License-Identifier: MIT
#pragma once

#include "rui-request.h"
#include "rui-source-page.h"
#include "rui-source-text.h"
#include "rui-text-fill.h"
#include "rw-session-source.h"

#include <adwaita.h>

struct _RuiSourcePage {
    GtkBox parent_instance;
    // template
    GtkWidget *sides;
    GtkToggleButton *here, *other;
    GtkDropDown *threads;
    GtkSpinner *spinner;
    GtkLabel *ended;
    GtkWidget *written;
    GtkLabel *written_text;
    GtkProgressBar *written_progress;
    GtkStack *stack;
    AdwStatusPage *problem;
    RuiSourceText *text;
    GtkListBox *frames, *variables;
    // owned
    RuiView *view;
    RuiRequest *request;
    guint settle; // source id
    RwSessionRun *asked_run; // what was asked last
    RwSourcePlace asked;
    RwSource *source; // what is shown; or NULL
    GBytes *bytes; // that the text is of; or NULL
    RuiTextFill *fill; // or NULL
    guint32 tid; // that was chosen, 0: the playhead's
    guint frame; // that was chosen, of the place that is shown; or RW_SOURCE_ANY
    RwPosition at; // of `at_run`, in place of the playhead's as long as that is at the step `at_head`
    RwSessionRun *at_run; // borrowed, or NULL
    guint64 at_head;
    gboolean unfolded, choosing; // choosing: the list of threads is being made
    guint answers; // that were shown
    RwSessionRun
        *readied; // borrowed, to be compared only: that has had its first answer, or is asked for it
    GCancellable *readying; // of that question; or NULL
    // ---- Who wrote a variable ----
    GCancellable *writing; // NULL: nothing is looked for
    guint tick; // source id
    char *name;
};

// source-page-show.c
void source_page_show(RuiSourcePage *page, RwSource *source); // takes it
void source_page_show_error(RuiSourcePage *page, const char *message);
void source_page_update_frames(RuiSourcePage *page);
// rui-source-page.c
void source_page_update(RuiSourcePage *page);
// source-page-written.c
void source_page_find_written(GtkWidget *widget, const char *action, GVariant *parameter);
void source_page_stop_writing(RuiSourcePage *page); // what was found is not said any more, too
