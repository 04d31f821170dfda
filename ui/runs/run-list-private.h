// SPDX-License-Identifier: MIT
#pragma once

#include "rui-run-list.h"

struct _RuiRunList {
    GtkBox parent_instance;
    // template
    GtkListView *view;
    GtkPopover *menu;
    // owned
    RwSession *session;
    GListStore *rows; // of RuiRunRow
    char *job, *current;
};

GtkListItemFactory *run_list_factory_new(RuiRunList *list);
void run_list_add_menu(RuiRunList *list);
void run_list_delete_selected(GtkWidget *widget, const char *name, GVariant *parameter);
