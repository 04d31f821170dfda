// SPDX-License-Identifier: MIT
//
// A run's row can be dragged out: what is dropped is its .rwd file.
#include "run-list-private.h"

#include "rui-run-file.h"

static GdkContentProvider *on_prepare(GtkDragSource *source, double x, double y, GtkListItem *item)
{
    GtkWidget *widget = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(source));
    GtkWidget *list = gtk_widget_get_ancestor(widget, RUI_TYPE_RUN_LIST);
    RuiRunRow *row = g_object_get_data(G_OBJECT(item), "row");
    if (!list || !row || rui_run_row_get_kind(row) != RUI_RUN_ROW_RUN)
        return NULL;
    g_autoptr(GdkPaintable) picture = gtk_widget_paintable_new(widget);
    gtk_drag_source_set_icon(source, picture, (int)x, (int)y);
    return rui_run_file_new(RUI_RUN_LIST(list)->session, rui_run_row_get_item(row));
}

void run_list_add_drag(GtkListItem *item)
{
    GtkDragSource *source = gtk_drag_source_new();
    g_signal_connect(source, "prepare", G_CALLBACK(on_prepare), item);
    gtk_widget_add_controller(gtk_list_item_get_child(item), GTK_EVENT_CONTROLLER(source));
}
