// SPDX-License-Identifier: MIT
//
// A window: the start page, or a run.
#pragma once

#include "rui-view.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define RUI_TYPE_WINDOW (rui_window_get_type())
G_DECLARE_FINAL_TYPE(RuiWindow, rui_window, RUI, WINDOW, AdwApplicationWindow)

#define RUI_NO_STEP G_MAXUINT64

RuiWindow *rui_window_new(GtkApplication *application, RwSession *session, GSettings *settings);

// Whether it names a .rwd file, by path or URL, and no run of the store.
gboolean rui_is_location(const char *text);

// Opens a run in this window, by what names one on a command line. compare: another, or NULL. step:
// RUI_NO_STEP goes to the failure, or to the end.
void rui_window_open_run(RuiWindow *window, const char *run, const char *compare, guint64 step);
// A .rwd file, by path or https URL: imported, then opened.
void rui_window_open_location(RuiWindow *window, const char *location, const char *compare, guint64 step);
// Makes it the compared run of the one that is open.
void rui_window_compare(RuiWindow *window, const char *run);
gboolean rui_window_is_empty(RuiWindow *window); // shows the start page
void rui_window_search_runs(RuiWindow *window, const char *words); // on the start page
RuiView *rui_window_get_view(RuiWindow *window);
const char *rui_window_get_page(RuiWindow *window); // "start", "opening", "problem", "run"
void rui_window_show_tab(RuiWindow *window, const char *tab); // of the run, once it is open
const char *rui_window_get_problem(RuiWindow *window); // what "problem" says
void rui_window_toast(RuiWindow *window, const char *text);

G_END_DECLS
