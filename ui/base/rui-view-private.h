// SPDX-License-Identifier: MIT
#pragma once

#include "rui-view.h"

struct _RuiView {
    GObject parent_instance;
    RwSessionRun *run, *compared;
    gulong loaded; // handler
    RwSessionComparison *comparison;
    GCancellable *comparing, *seeking;
    guint64 step;
    double from, until; // steps
    GArray *back, *ahead; // of guint64
    RwStop stop; // without its path
    char *path;
};

void rui_view_cancel(GCancellable **cancellable);
void rui_view_notify_busy(RuiView *view);
