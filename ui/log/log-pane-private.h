// SPDX-License-Identifier: MIT
#pragma once

#include "rui-log-model.h"
#include "rui-log-pane.h"
#include "rui-request.h"
#include "rui-virtual-list.h"

struct _RuiLogPane {
    GtkBox parent_instance;
    // template
    GtkLabel *title, *cut;
    GtkToggleButton *kernel, *errors, *warnings, *wrap;
    GtkStack *stack;
    RuiVirtualList *list;
    GtkPopover *menu;
    // owned
    RuiView *view;
    RwSessionRun *run; // whose text the model shows
    RuiLogModel *model;
    RuiRequest *request; // for the kinds of the lines
    RuiRequest *wrapping; // for the lines' parts
    RwLineKinds *kinds; // of the output's; NULL: not known yet
    guint64 missing; // the step from which on it is told that lines are, or 0
    guint columns; // of the parts that are shown, or asked for; 0: whole lines
};

// rui-log-pane.c
const RwText *log_pane_get_text(RuiLogPane *pane); // or NULL
void log_pane_follow(RuiLogPane *pane, gboolean again); // again: rows look different whatever the step

// log-wrap.c
void log_pane_set_up_wrap(RuiLogPane *pane);
void log_pane_update_wrap(RuiLogPane *pane); // there are other lines now

// log-menu.c: of a line.
void log_pane_class_add_menu(GtkWidgetClass *class);
void log_pane_set_up_menu(RuiLogPane *pane);
