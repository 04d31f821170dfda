// SPDX-License-Identifier: MIT
#include "file-tree-rows.h"

#include "file-folder.h"
#include "rui-file-node.h"

#include <glib/gi18n.h>

typedef struct {
    GCallback expanded;
    gpointer data;
} Folding;

// A row, behind its expander: icon, name, dot.
static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *item)
{
    GtkWidget *expander = gtk_tree_expander_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *name = gtk_label_new(NULL), *dot = gtk_label_new("•");
    gtk_label_set_single_line_mode(GTK_LABEL(name), TRUE);
    gtk_label_set_xalign(GTK_LABEL(name), 0);
    gtk_label_set_ellipsize(GTK_LABEL(name), PANGO_ELLIPSIZE_MIDDLE);
    gtk_widget_set_hexpand(name, TRUE);
    gtk_widget_add_css_class(dot, "changed");
    gtk_box_append(GTK_BOX(box), gtk_image_new());
    gtk_box_append(GTK_BOX(box), name);
    gtk_box_append(GTK_BOX(box), dot);
    gtk_tree_expander_set_child(GTK_TREE_EXPANDER(expander), box);
    gtk_list_item_set_child(item, expander);
}

static void show_name(GtkLabel *label, const RwFolderRow *row)
{
    g_autofree char *own = g_filename_display_name(row->name);
    g_autofree char *target = row->target ? g_filename_display_name(row->target) : NULL;
    g_autofree char *text = target ? g_strdup_printf("%s → %s", own, target) : g_strdup(own);
    g_autofree char *tip = row->change == RW_FOLDER_REMOVED ? g_strdup_printf(_("%s, removed by now"), text)
                           : row->change == RW_FOLDER_CHANGED
                               ? g_strdup_printf(_("%s, changed by the run"), text)
                               : g_strdup(text);
    gtk_label_set_text(label, text);
    gtk_widget_set_tooltip_text(GTK_WIDGET(label), tip);
    gtk_accessible_update_property(GTK_ACCESSIBLE(label), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
    if (row->change == RW_FOLDER_REMOVED)
        gtk_widget_add_css_class(GTK_WIDGET(label), "removed");
    else
        gtk_widget_remove_css_class(GTK_WIDGET(label), "removed");
}

static void show_row(GtkListItem *item, RuiFileNode *node)
{
    GtkTreeExpander *expander = GTK_TREE_EXPANDER(gtk_list_item_get_child(item));
    GtkWidget *icon = gtk_widget_get_first_child(gtk_tree_expander_get_child(expander));
    GtkWidget *name = gtk_widget_get_next_sibling(icon), *dot = gtk_widget_get_next_sibling(name);
    const RwFolderRow *row = rui_file_node_get_row(node);
    gtk_image_set_from_icon_name(GTK_IMAGE(icon), file_folder_get_icon(row->type));
    show_name(GTK_LABEL(name), row);
    gtk_widget_set_visible(dot, row->change == RW_FOLDER_CHANGED);
}

static void on_changed(RuiFileNode *node, GtkListItem *item)
{
    show_row(item, node);
}

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item, const Folding *own)
{
    GtkTreeListRow *place = gtk_list_item_get_item(item);
    RuiFileNode *node = gtk_tree_list_row_get_item(place);
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)), place);
    g_signal_connect(node, "changed", G_CALLBACK(on_changed), item);
    g_signal_connect(place, "notify::expanded", own->expanded, own->data);
    show_row(item, node);
    // A place that has left the tree does not know its node any more.
    g_object_set_data_full(G_OBJECT(item), "node", node, g_object_unref);
}

static void on_unbind(GtkSignalListItemFactory *factory, GtkListItem *item, const Folding *own)
{
    g_signal_handlers_disconnect_by_func(gtk_list_item_get_item(item), own->expanded, own->data);
    g_signal_handlers_disconnect_by_data(g_object_get_data(G_OBJECT(item), "node"), item);
    g_object_set_data(G_OBJECT(item), "node", NULL);
    gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(gtk_list_item_get_child(item)), NULL);
}

static void free_folding(gpointer data, GClosure *closure)
{
    g_free(data);
}

GtkListItemFactory *file_tree_factory_new(GCallback expanded, gpointer data)
{
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    Folding *own = g_new(Folding, 1);
    *own = (Folding){expanded, data};
    g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(on_bind), own);
    g_signal_connect_data(factory, "unbind", G_CALLBACK(on_unbind), own, free_folding, 0);
    return factory;
}
