// SPDX-License-Identifier: MIT
#include "run-list-private.h"

#include "rui-run-tree.h"

#include <glib/gi18n.h>

enum { SIGNAL_OPEN, SIGNAL_COMPARE, SIGNAL_EXPORT, SIGNAL_AGAIN, SIGNAL_CHECK, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(RuiRunList, rui_run_list, GTK_TYPE_BOX)

static void rui_run_list_dispose(GObject *object)
{
    RuiRunList *list = RUI_RUN_LIST(object);
    g_clear_object(&list->session);
    g_clear_pointer(&list->deletions, g_ptr_array_unref);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_RUN_LIST);
    g_clear_object(&list->tree);
    g_clear_object(&list->roots);
    g_clear_pointer(&list->folds, g_hash_table_unref);
    g_clear_pointer(&list->job, g_free);
    g_clear_pointer(&list->words, g_strfreev);
    g_clear_pointer(&list->current, g_free);
    g_clear_pointer(&list->compared, g_free);
    G_OBJECT_CLASS(rui_run_list_parent_class)->dispose(object);
}

static void rui_run_list_unroot(GtkWidget *widget)
{
    run_list_finish_deletions(RUI_RUN_LIST(widget));
    GTK_WIDGET_CLASS(rui_run_list_parent_class)->unroot(widget);
}

// ---- Actions on the selected row ----

RuiRunRow *run_list_dup_row(RuiRunList *list, guint position)
{
    g_autoptr(GtkTreeListRow) row = g_list_model_get_item(G_LIST_MODEL(list->tree), position);
    return row ? gtk_tree_list_row_get_item(row) : NULL;
}

guint run_list_get_selected(RuiRunList *list)
{
    return gtk_single_selection_get_selected(GTK_SINGLE_SELECTION(gtk_list_view_get_model(list->view)));
}

RwRunItem *rui_run_list_get_selected(RuiRunList *list)
{
    g_autoptr(RuiRunRow) row = run_list_dup_row(list, run_list_get_selected(list));
    return row && rui_run_row_get_kind(row) == RUI_RUN_ROW_RUN ? rui_run_row_get_item(row) : NULL;
}

// Of all rows that are selected but those whose manifest cannot be read.
static gboolean is_job_known(RuiRunList *list)
{
    g_autoptr(RuiRunRow) row = run_list_dup_row(list, run_list_get_selected(list));
    return row && rw_run_item_get_manifest(rui_run_row_get_item(row));
}

// Headings and those alike are no runs: they fold, and all of their runs can be deleted.
static void update_actions(RuiRunList *list)
{
    static const char *const of_runs[] = {"runs.open", "runs.compare", "runs.copy-id", "runs.export"};
    gboolean run = rui_run_list_get_selected(list) != NULL;
    for (guint i = 0; i < G_N_ELEMENTS(of_runs); i++)
        gtk_widget_action_set_enabled(GTK_WIDGET(list), of_runs[i],
                                      run && (list->current || strcmp(of_runs[i], "runs.compare")));
    gtk_widget_action_set_enabled(GTK_WIDGET(list), "runs.again", is_job_known(list));
    gtk_widget_action_set_enabled(GTK_WIDGET(list), "runs.delete",
                                  run_list_get_selected(list) != GTK_INVALID_LIST_POSITION);
}

static void open_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RwRunItem *item = rui_run_list_get_selected(RUI_RUN_LIST(widget));
    if (item)
        g_signal_emit(widget, signals[SIGNAL_OPEN], 0, rw_run_item_get_ref(item));
}

static void compare_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RwRunItem *item = rui_run_list_get_selected(RUI_RUN_LIST(widget));
    if (item)
        g_signal_emit(widget, signals[SIGNAL_COMPARE], 0, rw_run_item_get_ref(item));
}

static void export_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RwRunItem *item = rui_run_list_get_selected(RUI_RUN_LIST(widget));
    if (item)
        g_signal_emit(widget, signals[SIGNAL_EXPORT], 0, rw_run_item_get_ref(item));
}

// The later one of `latest` (or NULL) and of what failed in these rows and below them; borrowed.
static RwRunItem *find_failing(GListModel *rows, RwRunItem *latest)
{
    for (guint i = 0; rows && i < g_list_model_get_n_items(rows); i++) {
        g_autoptr(RuiRunRow) row = g_list_model_get_item(rows, i);
        RwRunItem *item = rui_run_row_get_item(row);
        if (rui_run_row_get_kind(row) == RUI_RUN_ROW_RUN &&
            rw_run_item_get_verdict(item) == RW_VERDICT_FAILED &&
            (!latest || rw_run_item_get_created(item) > rw_run_item_get_created(latest)))
            latest = item;
        latest = find_failing(rui_run_row_get_children(row), latest);
    }
    return latest;
}

void run_list_open_failing(RuiRunList *list, RuiRunRow *row)
{
    RwRunItem *item = find_failing(rui_run_row_get_children(row), NULL);
    if (item)
        g_signal_emit(list, signals[SIGNAL_OPEN], 0, rw_run_item_get_ref(item));
}

void run_list_record_again(RuiRunList *list, RuiRunRow *row)
{
    g_signal_emit(list, signals[SIGNAL_AGAIN], 0, rw_run_item_get_ref(rui_run_row_get_item(row)));
}

void run_list_check(RuiRunList *list, RuiRunRow *row)
{
    g_signal_emit(list, signals[SIGNAL_CHECK], 0, rw_run_item_get_ref(rui_run_row_get_item(row)));
}

static void again_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RuiRunList *list = RUI_RUN_LIST(widget);
    g_autoptr(RuiRunRow) row = run_list_dup_row(list, run_list_get_selected(list));
    if (row)
        run_list_record_again(list, row);
}

static void copy_selected(GtkWidget *widget, const char *name, GVariant *parameter)
{
    RwRunItem *item = rui_run_list_get_selected(RUI_RUN_LIST(widget));
    if (item)
        gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), rw_run_item_get_id(item));
}

static void rui_run_list_class_init(RuiRunListClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_run_list_dispose;
    widget_class->unroot = rui_run_list_unroot;
    signals[SIGNAL_OPEN] = g_signal_new("open", RUI_TYPE_RUN_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_COMPARE] = g_signal_new("compare", RUI_TYPE_RUN_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                           NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_EXPORT] = g_signal_new("export", RUI_TYPE_RUN_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_AGAIN] = g_signal_new("again", RUI_TYPE_RUN_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, G_TYPE_STRING);
    signals[SIGNAL_CHECK] = g_signal_new("check", RUI_TYPE_RUN_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                         G_TYPE_NONE, 1, G_TYPE_STRING);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-run-list.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiRunList, view);
    gtk_widget_class_bind_template_child(widget_class, RuiRunList, menu);
    gtk_widget_class_install_action(widget_class, "runs.open", NULL, open_selected);
    gtk_widget_class_install_action(widget_class, "runs.compare", NULL, compare_selected);
    gtk_widget_class_install_action(widget_class, "runs.copy-id", NULL, copy_selected);
    gtk_widget_class_install_action(widget_class, "runs.export", NULL, export_selected);
    gtk_widget_class_install_action(widget_class, "runs.again", NULL, again_selected);
    gtk_widget_class_install_action(widget_class, "runs.delete", NULL, run_list_delete_selected);
}

// ---- The list ----

static void on_activate(GtkListView *view, guint position, RuiRunList *list)
{
    g_autoptr(GtkTreeListRow) place = gtk_tree_list_model_get_row(list->tree, position);
    g_autoptr(RuiRunRow) row = run_list_dup_row(list, position);
    if (row && rui_run_row_get_kind(row) == RUI_RUN_ROW_RUN)
        g_signal_emit(list, signals[SIGNAL_OPEN], 0, rw_run_item_get_ref(rui_run_row_get_item(row)));
    else if (row)
        gtk_tree_list_row_set_expanded(place, !gtk_tree_list_row_get_expanded(place));
}

// What is folded has been noted.
static void rebuild(RuiRunList *list)
{
    g_autoptr(RuiRunRow) selected = run_list_dup_row(list, run_list_get_selected(list));
    g_autoptr(GListStore) fresh = rui_run_tree_new(
        list->session, list->job, (RuiShownRuns){list->current, list->compared, list->words});
    rui_run_rows_update(list->roots, G_LIST_MODEL(fresh));
    if (list->reveal)
        run_list_unfold_current(list);
    run_list_restore_folds(list);
    // A row that became another one: it has forks now.
    if (selected && run_list_get_selected(list) == GTK_INVALID_LIST_POSITION)
        rui_run_list_select(list, run_list_find(list, rui_run_row_get_key(selected)));
    run_list_scroll_to_current(list);
    update_actions(list);
}

static void update(RuiRunList *list)
{
    if (!list->session)
        return;
    run_list_note_folds(list);
    rebuild(list);
}

// Rows have children from the start, or are other rows later on.
static GListModel *dup_children(gpointer item, gpointer data)
{
    GListModel *children = rui_run_row_get_children(item);
    return children ? g_object_ref(children) : NULL;
}

static void rui_run_list_init(RuiRunList *list)
{
    gtk_widget_init_template(GTK_WIDGET(list));
    list->roots = g_list_store_new(RUI_TYPE_RUN_ROW);
    list->tree = gtk_tree_list_model_new(g_object_ref(G_LIST_MODEL(list->roots)), FALSE, FALSE,
                                         dup_children, NULL, NULL);
    list->deletions = g_ptr_array_new_with_free_func(run_list_deletion_free);
    list->folds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GtkListItemFactory) factory = run_list_factory_new();
    gtk_list_view_set_factory(list->view, factory);
    g_autoptr(GtkSingleSelection) selection =
        gtk_single_selection_new(g_object_ref(G_LIST_MODEL(list->tree)));
    gtk_single_selection_set_autoselect(selection, FALSE);
    gtk_single_selection_set_can_unselect(selection, TRUE);
    gtk_list_view_set_model(list->view, GTK_SELECTION_MODEL(selection));
    g_signal_connect_object(list->view, "activate", G_CALLBACK(on_activate), list, 0);
    g_signal_connect_object(selection, "notify::selected", G_CALLBACK(update_actions), list,
                            G_CONNECT_SWAPPED);
    g_signal_connect(list, "map", G_CALLBACK(run_list_scroll_to_current), NULL);
    run_list_add_menu(list);
    run_list_add_keys(list);
    update_actions(list);
}

void rui_run_list_set_session(RuiRunList *list, RwSession *session)
{
    g_set_object(&list->session, session);
    g_signal_connect_object(rw_session_get_runs(session), "items-changed", G_CALLBACK(update), list,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(session, "sides-found", G_CALLBACK(update), list, G_CONNECT_SWAPPED);
    update(list);
}

void rui_run_list_set_job(RuiRunList *list, const char *job)
{
    g_free(list->job);
    list->job = g_strdup(job);
    update(list);
}

void rui_run_list_set_words(RuiRunList *list, char **words)
{
    run_list_note_folds(list); // as they are without words
    g_strfreev(list->words);
    list->words = g_strdupv(words);
    rebuild(list);
}

void rui_run_list_set_current(RuiRunList *list, const char *ref)
{
    if (!g_strcmp0(list->current, ref))
        return;
    g_free(list->current);
    list->current = g_strdup(ref);
    list->reveal = ref != NULL;
    update(list);
}

void rui_run_list_set_compared(RuiRunList *list, const char *ref)
{
    if (!g_strcmp0(list->compared, ref))
        return;
    g_free(list->compared);
    list->compared = g_strdup(ref);
    update(list);
}

GListModel *rui_run_list_get_rows(RuiRunList *list)
{
    return G_LIST_MODEL(list->tree);
}

void rui_run_list_select(RuiRunList *list, guint position)
{
    gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(gtk_list_view_get_model(list->view)), position);
}

GtkWidget *rui_run_list_get_menu(RuiRunList *list)
{
    return GTK_WIDGET(list->menu);
}
