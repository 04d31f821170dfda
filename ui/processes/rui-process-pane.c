// SPDX-License-Identifier: MIT
#include "rui-process-pane.h"

#include "rui-cell.h"
#include "rui-request.h"
#include "rui-row.h"
#include "rui-virtual-list.h"
#include "rui-words.h"
#include "rw-list-update.h"

#include <glib/gi18n.h>

#define INDENT 14

struct _RuiProcessPane {
    GtkBox parent_instance;
    // template
    RuiCell *count;
    RuiVirtualList *list;
    GtkPopover *menu;
    // owned
    RuiView *view;
    GListStore *rows; // of RuiRow with RwProcRow
    RuiRequest *request;
};

G_DEFINE_FINAL_TYPE(RuiProcessPane, rui_process_pane, GTK_TYPE_BOX)

static void rui_process_pane_dispose(GObject *object)
{
    RuiProcessPane *pane = RUI_PROCESS_PANE(object);
    g_clear_pointer(&pane->request, rui_request_free);
    g_clear_object(&pane->view);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_PROCESS_PANE);
    g_clear_object(&pane->rows);
    G_OBJECT_CLASS(rui_process_pane_parent_class)->dispose(object);
}

// ---- The menu of a process ----

static void open_terminal(GtkWidget *widget, const char *action)
{
    RuiProcessPane *pane = RUI_PROCESS_PANE(widget);
    guint position = rui_virtual_list_get_cursor(pane->list);
    g_autoptr(RuiRow) item = g_list_model_get_item(G_LIST_MODEL(pane->rows), position);
    const RwProcRow *row = item ? rui_row_get(item) : NULL;
    if (row)
        gtk_widget_activate_action(widget, action, "u", row->pid);
}

static void do_shell(GtkWidget *widget, const char *action, GVariant *parameter)
{
    open_terminal(widget, "win.shell");
}

static void do_gdb(GtkWidget *widget, const char *action, GVariant *parameter)
{
    open_terminal(widget, "win.gdb");
}

static void on_menu(RuiVirtualList *list, guint position, double x, double y, RuiProcessPane *pane)
{
    graphene_point_t at;
    if (!gtk_widget_compute_point(GTK_WIDGET(list), GTK_WIDGET(pane),
                                  &GRAPHENE_POINT_INIT((float)x, (float)y), &at))
        return;
    gtk_popover_set_pointing_to(pane->menu, &(GdkRectangle){(int)at.x, (int)at.y, 1, 1});
    gtk_popover_popup(pane->menu);
}

// ---- Building ----

static void rui_process_pane_class_init(RuiProcessPaneClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_process_pane_dispose;
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/dev/rewindvm/Rewind/ui/rui-process-pane.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiProcessPane, count);
    gtk_widget_class_bind_template_child(widget_class, RuiProcessPane, list);
    gtk_widget_class_bind_template_child(widget_class, RuiProcessPane, menu);
    gtk_widget_class_install_action(widget_class, "processes.shell", NULL, do_shell);
    gtk_widget_class_install_action(widget_class, "processes.gdb", NULL, do_gdb);
}

// ---- Rows ----

static GtkWidget *create_row(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *pid = rui_cell_new(1, PANGO_ELLIPSIZE_NONE, 4);
    GtkWidget *text = rui_cell_new(0, PANGO_ELLIPSIZE_END, 3);
    gtk_widget_add_css_class(pid, "dim-label");
    gtk_widget_add_css_class(pid, "numeric");
    gtk_widget_set_hexpand(text, TRUE);
    gtk_box_append(GTK_BOX(box), pid);
    gtk_box_append(GTK_BOX(box), text);
    return box;
}

static int show_row(GtkWidget *content, gpointer item)
{
    const RwProcRow *row = rui_row_get(item);
    GtkWidget *pid = gtk_widget_get_first_child(content);
    GtkWidget *text = gtk_widget_get_next_sibling(pid);
    g_autofree char *number = g_strdup_printf("%u", row->tid);
    rui_cell_set_text(RUI_CELL(pid), number, NULL);
    rui_cell_set_text(RUI_CELL(text), row->text ? row->text : _("thread"), NULL);
    gtk_widget_set_margin_start(text, (int)MIN(row->depth, 20) * INDENT);
    if (row->text)
        gtk_widget_remove_css_class(text, "dim-label");
    else
        gtk_widget_add_css_class(text, "dim-label");
    return 0;
}

static const RuiVirtualRowType row_type = {create_row, show_row};

// From then on "this thread" and "this process" mean this one; and the playhead goes to where it began.
static void on_activate(RuiVirtualList *list, guint position, RuiProcessPane *pane)
{
    g_autoptr(RuiRow) item = g_list_model_get_item(G_LIST_MODEL(pane->rows), position);
    const RwProcRow *row = item ? rui_row_get(item) : NULL;
    if (!row)
        return;
    rui_view_follow(pane->view, row->text ? RW_STOP_PROCESS : RW_STOP_THREAD, row->pid, row->tid);
    rui_view_jump(pane->view, row->start);
}

static bool is_equal(gpointer a, gpointer b)
{
    const RwProcRow *left = rui_row_get(a), *right = rui_row_get(b);
    return left->tid == right->tid && left->depth == right->depth && left->start == right->start &&
           !g_strcmp0(left->text, right->text);
}

// ---- Following ----

static void free_row(gpointer data)
{
    RwProcRow *row = data;
    g_free(row->text);
    g_free(row);
}

static void on_listed(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) procs = rw_session_run_list_procs_finish(RW_SESSION_RUN(source), result, &error);
    RuiProcessPane *pane = rui_request_done(data);
    if (!pane || !procs)
        return;
    g_autofree char *count = rui_dup_number(procs->len);
    rui_cell_set_text(pane->count, count, NULL);
    g_autoptr(GPtrArray) rows = rui_rows_take(procs, free_row);
    rw_list_update(pane->rows, rows, is_equal);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiProcessPane *pane = owner;
    rw_session_run_list_procs_async(rui_view_get_run(pane->view), rui_view_get_step(pane->view),
                                    cancellable, on_listed, request);
}

static void update(RuiProcessPane *pane)
{
    if (rui_view_get_index(pane->view))
        rui_request_start(pane->request);
    else
        g_list_store_remove_all(pane->rows);
}

static void rui_process_pane_init(RuiProcessPane *pane)
{
    gtk_widget_init_template(GTK_WIDGET(pane));
    pane->rows = g_list_store_new(RUI_TYPE_ROW);
    pane->request = rui_request_new(pane, ask);
    rui_virtual_list_set_row_type(pane->list, &row_type);
    rui_virtual_list_set_model(pane->list, G_LIST_MODEL(pane->rows));
    g_signal_connect_object(pane->list, "activate", G_CALLBACK(on_activate), pane, 0);
    g_signal_connect_object(pane->list, "menu", G_CALLBACK(on_menu), pane, 0);
}

void rui_process_pane_set_view(RuiProcessPane *pane, RuiView *view)
{
    g_set_object(&pane->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(update), pane, G_CONNECT_SWAPPED);
}

GListModel *rui_process_pane_get_rows(RuiProcessPane *pane)
{
    return G_LIST_MODEL(pane->rows);
}
