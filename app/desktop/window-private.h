// SPDX-License-Identifier: MIT
#pragma once

#include "rui-bookmarks.h"
#include "rui-check-pane.h"
#include "rui-compare-page.h"
#include "rui-file-list.h"
#include "rui-file-page.h"
#include "rui-filter-bar.h"
#include "rui-log-pane.h"
#include "rui-moment-page.h"
#include "rui-process-pane.h"
#include "rui-run-list.h"
#include "rui-search-pane.h"
#include "rui-source-page.h"
#include "rui-start-page.h"
#include "rui-terminal-panel.h"
#include "rui-story-strip.h"
#include "rui-timeline.h"
#include "rui-transport.h"
#include "rui-window.h"

struct _RuiWindow {
    AdwApplicationWindow parent_instance;
    // template
    AdwToastOverlay *toasts;
    AdwWindowTitle *title;
    GtkWidget *home, *history, *search_button, *terminal_button;
    GtkMenuButton *bookmark_button;
    GtkInfoBar *banner;
    GtkLabel *banner_text, *opening_text;
    GtkSpinner *spinner;
    GtkStack *stack;
    RuiStartPage *start;
    AdwStatusPage *problem;
    GtkWidget *go_back;
    GtkWidget *run_page;
    RuiStoryStrip *story;
    RuiSearchPane *search;
    GtkProgressBar *progress;
    RuiTimeline *timeline;
    RuiFilterBar *filters;
    RuiTransport *transport;
    GtkPaned *split, *left, *lower, *stage; // stage: all of it over the terminals
    RuiTerminalPanel *terminals;
    RuiLogPane *log;
    RuiProcessPane *processes;
    RuiFileList *files;
    AdwViewStack *tabs;
    AdwViewSwitcher *switcher;
    RuiMomentPage *moment;
    RuiSourcePage *source;
    RuiRunList *runs;
    RuiCheckPane *check;
    RuiFilePage *file;
    RuiComparePage *compare;
    RuiBookmarks *bookmarks;
    // owned
    RwSession *session;
    GSettings *settings; // or NULL
    RuiView *view;
    GCancellable *opening, *comparing; // a run that is opened: to be shown, to be compared with
    RwSessionWork *importing;
    GtkNativeDialog *chooser;
    GtkWidget *tour; // the pop-over of its stop, a child of run_page; or NULL
    guint tour_stop, tour_tick; // which one; the callback that will show it, 0: none
    guint64 wanted_step; // once the run is loaded
    char *wanted_compare;
    const char *wanted_tab; // static; NULL: the usual one
    gboolean wanted_check; // the same: its job is to be explained
    gboolean wanted_tour, wanted_place; // the same; wanted_place: the playhead goes to its first place
    gboolean was_open; // a run, before another one was to be opened
    gboolean closing; // whatever runs in its terminals
};

void window_class_install_actions(GtkWidgetClass *class);
void window_update_actions(RuiWindow *window);
void window_add_keys(RuiWindow *window);
void window_show_keys_in_menus(GtkWidget *widget); // of all that are in it
void window_add_drop(RuiWindow *window);
void window_show_page(RuiWindow *window, const char *page);
void window_show_problem(RuiWindow *window, const char *message);
void window_take_run(RuiWindow *window, RwSessionRun *run);
void window_show_sides(RuiWindow *window); // those of the run's holds are known
// Whatever else was being opened is cancelled.
void window_show_opening(RuiWindow *window, const char *what);
void window_go_back(RuiWindow *window); // to the run that was open, or home
void window_go_home(RuiWindow *window);
// As rui_window_compare(); but of a run that passed and one that failed the failing one is opened, at its
// failure, and the other one compared with it.
void window_compare_failing_first(RuiWindow *window, const char *run);
void window_stop_comparing(RuiWindow *window); // the run to compare with is not waited for any more
bool window_is_closed(RuiWindow *window);

// window-dialogs.c, window-export.c, window-files.c
void window_ask_step(RuiWindow *window);
void window_ask_location(RuiWindow *window);
void window_ask_fork(RuiWindow *window);
void window_show_shortcuts(RuiWindow *window);
void window_choose_file(RuiWindow *window);
void window_export(RuiWindow *window, const char *ref); // NULL: the open one
void window_export_to(RuiWindow *window, RwSessionRun *run, const char *path, gboolean replayable);
// The same for the run that it is compared with: another file in the folder of `path`.
void window_export_pair(RuiWindow *window, RwSessionRun *other, const char *path, gboolean replayable);
// The path that a dialog gave: NULL when none was chosen, or it is elsewhere, which is said.
char *window_dup_chosen(RuiWindow *window, GtkNativeDialog *dialog, int response);
void window_cancel_import(RuiWindow *window);
void window_record(RuiWindow *window);
void window_record_again(RuiWindow *window, const char *ref); // the job of that run, at once
void window_open_example(RuiWindow *window);
// window-check.c
void window_explain(RuiWindow *window, RwSessionRun *run); // its job
void window_check_job(RuiWindow *window, const char *ref); // opens that run, and explains its job
void window_resume(RuiWindow *window); // the explanation that was cancelled
// So many schedules from the playhead's step on, 0: as many as the preferences say.
void window_check(RuiWindow *window, guint count);
// window-notify.c
void window_tell_end(RuiWindow *window, RwSessionWork *work, const char *title); // when it begins
// window-terminals.c
void window_open_terminal(RuiWindow *window, RuiTerminalKind kind, guint32 pid);
void window_toggle_terminals(RuiWindow *window); // hides or shows them; opens one where there is none
void window_on_terminals(RuiWindow *window); // they were hidden or shown
void window_focus(RuiWindow *window, const char *where); // "timeline", "log", "tabs", "terminals"
void window_go_there(RuiWindow *window, const char *run, guint64 step); // opens the run where it is another
gboolean window_ask_close(RuiWindow *window); // FALSE: nothing runs in a terminal, it may be closed
// window-tour.c
void window_show_tour(RuiWindow *window);
void window_end_tour(RuiWindow *window);
