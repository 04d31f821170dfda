// SPDX-License-Identifier: MIT
//
// The store's runs as a tree: open, compare, copy the id, export, delete with forks.
#pragma once

#include "rw-session.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define RUI_TYPE_RUN_LIST (rui_run_list_get_type())
G_DECLARE_FINAL_TYPE(RuiRunList, rui_run_list, RUI, RUN_LIST, GtkBox)

// Signals: "open", "compare", "export", "again" (its job is to be recorded again) and "check" (what decides
// how its job ends is to be found), each with a char *ref.
void rui_run_list_set_session(RuiRunList *list, RwSession *session);
// NULL: all jobs under headings.
void rui_run_list_set_job(RuiRunList *list, const char *job);
// Only the runs that match, see rui_run_matches(), all of them unfolded. Copied; NULL: all. For lists with
// a session.
void rui_run_list_set_words(RuiRunList *list, char **words);
// The run that is shown in this window, marked; or NULL.
void rui_run_list_set_current(RuiRunList *list, const char *ref);
void rui_run_list_set_compared(RuiRunList *list, const char *ref); // the one it is compared with; or NULL
// Of GtkTreeListRow, each with a RuiRunRow: those that are not folded away. For tests.
GListModel *rui_run_list_get_rows(RuiRunList *list);
void rui_run_list_select(RuiRunList *list, guint position);
RwRunItem *rui_run_list_get_selected(RuiRunList *list); // borrowed, or NULL
gboolean rui_run_list_undo(RuiRunList *list); // the last deletion; FALSE: there is none to undo
GtkWidget *rui_run_list_get_menu(RuiRunList *list); // of the selected row

G_END_DECLS
