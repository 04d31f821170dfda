// SPDX-License-Identifier: MIT
#include "file-folder.h"

#include "rui-cell.h"
#include "rui-row.h"
#include "rui-words.h"

static GtkWidget *create_row(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *name = rui_cell_new(0, PANGO_ELLIPSIZE_MIDDLE, 3);
    GtkWidget *size = rui_cell_new(1, PANGO_ELLIPSIZE_NONE, 0);
    gtk_box_append(GTK_BOX(box), gtk_image_new());
    gtk_widget_set_hexpand(name, TRUE);
    gtk_widget_add_css_class(size, "dim-label");
    gtk_widget_add_css_class(size, "numeric");
    gtk_box_append(GTK_BOX(box), name);
    gtk_box_append(GTK_BOX(box), size);
    return box;
}

const char *file_folder_get_icon(char type)
{
    return type == 'd'   ? "folder-symbolic"
           : type == 'l' ? "emblem-symbolic-link"
           : type == '-' ? "text-x-generic-symbolic"
                         : "application-x-executable-symbolic";
}

static int show_row(GtkWidget *content, gpointer item)
{
    const RwFolderRow *row = rui_row_get(item);
    GtkWidget *icon = gtk_widget_get_first_child(content), *name = gtk_widget_get_next_sibling(icon);
    g_autofree char *own = g_filename_display_name(row->name);
    g_autofree char *target = row->target ? g_filename_display_name(row->target) : NULL;
    g_autofree char *text = target ? g_strdup_printf("%s → %s", own, target) : g_strdup(own);
    g_autofree char *size = row->type == '-' ? rui_dup_size(row->size) : g_strdup("");
    gtk_image_set_from_icon_name(GTK_IMAGE(icon), file_folder_get_icon(row->type));
    rui_cell_set_text(RUI_CELL(name), text, NULL);
    rui_cell_set_text(RUI_CELL(gtk_widget_get_next_sibling(name)), size, NULL);
    return 0;
}

static const RuiVirtualRowType row_type = {create_row, show_row};

void file_folder_set_up(RuiVirtualList *list, GListStore *rows)
{
    rui_virtual_list_set_row_type(list, &row_type);
    rui_virtual_list_set_model(list, G_LIST_MODEL(rows));
}

void file_folder_fill(GListStore *rows, GPtrArray *folder)
{
    g_autoptr(GPtrArray) items =
        folder ? rui_rows_take(folder, (GDestroyNotify)rw_folder_row_free) : g_ptr_array_new();
    g_list_store_splice(rows, 0, g_list_model_get_n_items(G_LIST_MODEL(rows)), items->pdata, items->len);
}

// As bytes: a name may be no text.
char *file_folder_dup_child(const char *folder, GListStore *rows, guint position)
{
    g_autoptr(RuiRow) item = g_list_model_get_item(G_LIST_MODEL(rows), position);
    const RwFolderRow *row = item ? rui_row_get(item) : NULL;
    return row ? g_build_filename(folder, row->name, NULL) : NULL;
}

char *file_folder_dup_parent(const char *path)
{
    g_autofree char *whole = g_canonicalize_filename(path, "/");
    return strcmp(whole, "/") ? g_path_get_dirname(whole) : NULL;
}
