// SPDX-License-Identifier: MIT
#include "rui-file-list.h"

#include "rui-cell.h"
#include "rui-request.h"
#include "rui-rows.h"
#include "rui-virtual-list.h"
#include "rui-words.h"

#include <glib/gi18n.h>

struct _RuiFileList {
    GtkBox parent_instance;
    // template
    RuiCell *count;
    RuiVirtualList *list;
    // owned
    RuiView *view;
    RuiRows *rows; // with RwFileRow
    RuiRequest *request;
};

G_DEFINE_FINAL_TYPE(RuiFileList, rui_file_list, GTK_TYPE_BOX)

static void rui_file_list_dispose(GObject *object)
{
    RuiFileList *list = RUI_FILE_LIST(object);
    g_clear_pointer(&list->request, rui_request_free);
    g_clear_object(&list->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_FILE_LIST);
    g_clear_object(&list->rows);
    G_OBJECT_CLASS(rui_file_list_parent_class)->dispose(object);
}

static void rui_file_list_class_init(RuiFileListClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_file_list_dispose;
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-file-list.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiFileList, count);
    gtk_widget_class_bind_template_child(widget_class, RuiFileList, list);
}

// ---- Rows ----

static GtkWidget *create_row(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *path = rui_cell_new(0, PANGO_ELLIPSIZE_START, 3);
    GtkWidget *what = rui_cell_new(1, PANGO_ELLIPSIZE_NONE, 0);
    gtk_widget_set_hexpand(path, TRUE);
    gtk_widget_add_css_class(what, "dim-label");
    gtk_widget_add_css_class(what, "numeric");
    gtk_box_append(GTK_BOX(box), path);
    gtk_box_append(GTK_BOX(box), what);
    return box;
}

static int show_row(GtkWidget *content, gpointer item)
{
    const RwFileRow *row = rui_row_get(item);
    GtkWidget *path = gtk_widget_get_first_child(content);
    GtkWidget *what = gtk_widget_get_next_sibling(path);
    g_autofree char *name = g_filename_display_name(row->path);
    g_autofree char *step = rui_dup_number(row->step);
    // Translators: what happened to a file last ("written"), and the step when it did.
    g_autofree char *text = g_strdup_printf(_("%s at %s"), rui_get_change(row->kind), step);
    rui_cell_set_text(RUI_CELL(path), name, NULL);
    rui_cell_set_text(RUI_CELL(what), text, NULL);
    return 0;
}

static const RuiVirtualRowType row_type = {create_row, show_row};

static void on_activate(RuiVirtualList *view, guint position, RuiFileList *list)
{
    g_autoptr(RuiRow) item = g_list_model_get_item(G_LIST_MODEL(list->rows), position);
    const RwFileRow *row = item ? rui_row_get(item) : NULL;
    if (!row)
        return;
    rui_view_set_path(list->view, row->path);
    gtk_widget_activate_action(GTK_WIDGET(list), "win.show-tab", "s", "file");
}

static gboolean is_equal(gconstpointer a, gconstpointer b)
{
    const RwFileRow *left = a, *right = b;
    return left->step == right->step && left->kind == right->kind && !strcmp(left->path, right->path);
}

// ---- Following ----

static void on_listed(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) files = rw_session_run_list_files_finish(RW_SESSION_RUN(source), result, &error);
    RuiFileList *list = rui_request_done(data);
    if (!list || !files)
        return;
    g_autofree char *count = rui_dup_number(files->len);
    rui_cell_set_text(list->count, count, NULL);
    rui_rows_set(list->rows, files, source, is_equal);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiFileList *list = owner;
    RwFilter filter = rui_view_get_filter(list->view);
    rw_session_run_list_files_async(rui_view_get_run(list->view), rui_view_get_step(list->view), &filter,
                                    cancellable, on_listed, request);
}

static void update(RuiFileList *list)
{
    if (rui_view_get_index(list->view))
        rui_request_start(list->request);
    else
        rui_rows_set(list->rows, NULL, NULL, is_equal);
}

static void rui_file_list_init(RuiFileList *list)
{
    gtk_widget_init_template(GTK_WIDGET(list));
    list->rows = rui_rows_new();
    list->request = rui_request_new(list, ask);
    rui_virtual_list_set_row_type(list->list, &row_type);
    rui_virtual_list_set_model(list->list, G_LIST_MODEL(list->rows));
    g_signal_connect_object(list->list, "activate", G_CALLBACK(on_activate), list, 0);
}

void rui_file_list_set_view(RuiFileList *list, RuiView *view)
{
    g_set_object(&list->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), list, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), list, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::filter", G_CALLBACK(update), list, G_CONNECT_SWAPPED);
}

GListModel *rui_file_list_get_rows(RuiFileList *list)
{
    return G_LIST_MODEL(list->rows);
}
