// SPDX-License-Identifier: MIT
#pragma once

#include "rui-source-page.h"
#include "rui-source-side.h"

struct _RuiSourcePage {
    GtkBox parent_instance;
    // template
    GtkDropDown *threads;
    GtkSpinner *spinner;
    GtkWidget *written;
    GtkLabel *written_text;
    GtkProgressBar *written_progress;
    GtkWidget *sides;
    RuiSourceSide *here, *other;
    GtkListBox *frames, *variables;
    // owned
    RuiView *view;
    RwSource *shown; // whose threads, functions and variables are there; or NULL
    gboolean unfolded, choosing; // choosing: the list of threads is being made
    // ---- Who wrote a variable ----
    GCancellable *writing; // NULL: nothing is looked for
    guint tick; // source id
    char *name;
};

// rui-source-page.c
RuiSourceSide *source_page_get_active(RuiSourcePage *page); // that is looked at
void source_page_update(RuiSourcePage *page);
// source-page-written.c
void source_page_find_written(GtkWidget *widget, const char *action, GVariant *parameter);
void source_page_stop_writing(RuiSourcePage *page); // what was found is not said any more, too
