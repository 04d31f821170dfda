// SPDX-License-Identifier: MIT
#pragma once

#include "rui-find-bar.h"
#include "rui-request.h"
#include "rui-source-side.h"
#include "rui-text-fill.h"

#include <adwaita.h>

struct _RuiSourceSide {
    GtkBox parent_instance;
    // template
    GtkToggleButton *title;
    GtkLabel *name, *place;
    GtkLabel *ended;
    GtkStack *stack;
    AdwStatusPage *problem;
    RuiSourceText *text;
    RuiFindBar *find;
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
    RwPosition at; // where `elsewhere`: in place of the playhead's as long as that is at the step `at_head`
    guint64 at_head;
    gboolean elsewhere, other;
    gboolean waiting; // for an answer
    guint answers; // that were shown
};

// source-side-show.c
void source_side_show(RuiSourceSide *side, RwSource *source); // takes it
void source_side_show_error(RuiSourceSide *side, const char *message);
void source_side_show_nothing(RuiSourceSide *side);
void source_side_show_title(RuiSourceSide *side, guint64 step); // of its run, at that step
