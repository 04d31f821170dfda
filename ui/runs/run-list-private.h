// SPDX-License-Identifier: MIT
#pragma once

#include "rui-run-list.h"

#include "rui-run-row.h"

struct _RuiRunList {
    GtkBox parent_instance;
    // template
    GtkListView *view;
    GtkPopover *menu;
    // owned
    RwSession *session;
    GListStore *roots; // of RuiRunRow
    GtkTreeListModel *tree; // of these
    GHashTable *folds; // a row's key → whether it is expanded, plus 1
    char *job, *current, *compared;
    char **words; // that its runs have; or NULL
    GPtrArray *deletions; // those that are not done yet, see run-list-delete.c
    gboolean reveal; // the current run is to be scrolled to
    guint scrolling, frames; // the tick callback that will, 0: none; how many frames it has seen
};

GtkListItemFactory *run_list_factory_new(void);
RuiRunRow *run_list_dup_row(RuiRunList *list, guint position); // or NULL
guint run_list_get_selected(RuiRunList *list);
void run_list_record_again(RuiRunList *list, RuiRunRow *row); // the row's job
void run_list_check(RuiRunList *list, RuiRunRow *row); // the job of a heading
void run_list_open_failing(RuiRunList *list, RuiRunRow *row); // the latest of those below it that failed

// run-list-folds.c
// What is expanded is noted before the rows change, and is so again afterwards.
void run_list_note_folds(RuiRunList *list);
void run_list_restore_folds(RuiRunList *list);
// From now on all that is above the current run is expanded, until somebody folds it.
void run_list_unfold_current(RuiRunList *list);
void run_list_scroll_to_current(RuiRunList *list);
guint run_list_find(RuiRunList *list, const char *key);
void run_list_focus_selected(RuiRunList *list); // the selected row gets the keyboard
void run_list_add_keys(RuiRunList *list);

// run-list-drag.c
void run_list_add_drag(GtkListItem *item); // its child is a row of the list

// run-list-menu.c
void run_list_add_menu(RuiRunList *list);

// run-list-delete.c
void run_list_delete_selected(GtkWidget *widget, const char *name, GVariant *parameter);
void run_list_deletion_free(gpointer data);
void run_list_finish_deletions(RuiRunList *list); // whatever could be undone is done
