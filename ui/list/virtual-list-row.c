// SPDX-License-Identifier: MIT
#include "virtual-list-private.h"

G_DEFINE_FINAL_TYPE(RuiVirtualRow, rui_virtual_row, GTK_TYPE_WIDGET)

static void rui_virtual_row_dispose(GObject *object)
{
    g_clear_pointer(&RUI_VIRTUAL_ROW(object)->content, gtk_widget_unparent);
    G_OBJECT_CLASS(rui_virtual_row_parent_class)->dispose(object);
}

static void rui_virtual_row_class_init(RuiVirtualRowClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_virtual_row_dispose;
    // As GTK's own list names them, for the theme.
    gtk_widget_class_set_css_name(widget_class, "row");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_LIST_ITEM);
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void rui_virtual_row_init(RuiVirtualRow *row)
{
    row->position = GTK_INVALID_LIST_POSITION;
    gtk_widget_add_css_class(GTK_WIDGET(row), "activatable");
    gtk_widget_set_focusable(GTK_WIDGET(row), TRUE);
}

GtkWidget *rui_virtual_row_new(GtkWidget *content)
{
    RuiVirtualRow *row = g_object_new(RUI_TYPE_VIRTUAL_ROW, NULL);
    row->content = content;
    gtk_widget_set_parent(content, GTK_WIDGET(row));
    return GTK_WIDGET(row);
}
