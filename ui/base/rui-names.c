// SPDX-License-Identifier: MIT
#include "rui-names.h"

static void name(GtkWidget *widget, const char *text)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static GtkWidget *find(GtkWidget *widget, GType type)
{
    GtkWidget *found = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child && !found;
         child = gtk_widget_get_next_sibling(child))
        found = g_type_is_a(G_OBJECT_TYPE(child), type) ? child : find(child, type);
    return found;
}

void rui_name_part(GtkWidget *widget, GType type, const char *text)
{
    GtkWidget *part = find(widget, type);
    GtkWidget *button = part ? find(part, GTK_TYPE_BUTTON) : NULL;
    g_return_if_fail(part);
    name(part, text);
    if (button)
        name(button, text);
}

void rui_name_buttons(GtkWidget *widget)
{
    if (GTK_IS_BUTTON(widget) && gtk_button_get_use_underline(GTK_BUTTON(widget)))
        gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        rui_name_buttons(child);
}

static void update(GtkWidget *stack)
{
    g_autoptr(GtkWidget) visible = NULL;
    g_object_get(stack, "visible-child", &visible, NULL);
    for (GtkWidget *page = gtk_widget_get_first_child(stack); page;
         page = gtk_widget_get_next_sibling(page))
        gtk_accessible_update_state(GTK_ACCESSIBLE(page), GTK_ACCESSIBLE_STATE_HIDDEN, page != visible, -1);
}

void rui_hide_closed_pages(GtkWidget *stack)
{
    g_signal_connect(stack, "notify::visible-child", G_CALLBACK(update), NULL);
    update(stack);
}
