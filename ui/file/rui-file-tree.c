// SPDX-License-Identifier: MIT
#include "rui-file-tree.h"

#include "file-tree-rows.h"
#include "rui-request.h"

#include <glib/gi18n.h>

#define SETTLE_MS 120 // a playhead that is dragged does not start a machine at every step

struct _RuiFileTree {
    GtkBox parent_instance;
    // template
    GtkListView *list;
    GtkLabel *problem;
    // owned
    RuiView *view;
    GListStore *roots; // of RuiFileNode
    GtkTreeListModel *tree;
    GHashTable *known; // path of a folder → what it holds, of RwFolderRow: the last answer. Few
    RuiRequest *request;
    guint settle; // source id
    RwSessionRun *asked_run; // of what was asked last
    guint64 asked_step;
    char *path; // to be shown, or NULL
    gboolean asking, filling, reveal; // reveal: the path is still to be unfolded and selected
};

static guint signal_activate;

G_DEFINE_FINAL_TYPE(RuiFileTree, rui_file_tree, GTK_TYPE_BOX)

static void rui_file_tree_dispose(GObject *object)
{
    RuiFileTree *tree = RUI_FILE_TREE(object);
    g_clear_handle_id(&tree->settle, g_source_remove);
    g_clear_pointer(&tree->request, rui_request_free);
    g_clear_object(&tree->view);
    g_clear_object(&tree->asked_run);
    gtk_widget_dispose_template(GTK_WIDGET(object), RUI_TYPE_FILE_TREE);
    g_clear_object(&tree->tree);
    g_clear_object(&tree->roots);
    g_clear_pointer(&tree->known, g_hash_table_unref);
    g_clear_pointer(&tree->path, g_free);
    G_OBJECT_CLASS(rui_file_tree_parent_class)->dispose(object);
}

static void rui_file_tree_class_init(RuiFileTreeClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
    G_OBJECT_CLASS(class)->dispose = rui_file_tree_dispose;
    signal_activate = g_signal_new("activate", RUI_TYPE_FILE_TREE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_STRING);
    gtk_widget_class_set_template_from_resource(widget_class, "/dev/rewindvm/Rewind/ui/rui-file-tree.ui");
    gtk_widget_class_bind_template_child(widget_class, RuiFileTree, list);
    gtk_widget_class_bind_template_child(widget_class, RuiFileTree, problem);
}

// ---- Rows ----

static GtkTreeListRow *get_place(RuiFileTree *tree, guint position, RuiFileNode **ret_node)
{
    GtkTreeListRow *place = gtk_tree_list_model_get_row(tree->tree, position);
    *ret_node = place ? gtk_tree_list_row_get_item(place) : NULL;
    return place;
}

static guint find_position(RuiFileTree *tree, const char *path)
{
    guint count = g_list_model_get_n_items(G_LIST_MODEL(tree->tree));
    for (guint i = 0; i < count; i++) {
        RuiFileNode *found;
        g_autoptr(GtkTreeListRow) place = get_place(tree, i, &found);
        g_autoptr(RuiFileNode) node = found;
        if (node && !strcmp(rui_file_node_get_path(node), path))
            return i;
    }
    return GTK_INVALID_LIST_POSITION;
}

// "/usr/lib/x" has "/", "/usr" and "/usr/lib"; of char *, owned.
static GPtrArray *list_parents(const char *path)
{
    GPtrArray *parents = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(parents, g_strdup("/"));
    for (const char *slash = path && *path == '/' ? strchr(path + 1, '/') : NULL; slash;
         slash = strchr(slash + 1, '/'))
        g_ptr_array_add(parents, g_strndup(path, (gsize)(slash - path)));
    return parents;
}

static void fill(RuiFileTree *tree, GListStore *nodes, const char *folder)
{
    gpointer rows;
    if (g_hash_table_lookup_extended(tree->known, folder, NULL, &rows))
        rui_file_nodes_update(nodes, folder, rows);
}

// All folders that are unfolded; what comes of it is further down.
static void fill_all(RuiFileTree *tree)
{
    tree->filling = TRUE;
    fill(tree, tree->roots, "/");
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(tree->tree)); i++) {
        RuiFileNode *found;
        g_autoptr(GtkTreeListRow) place = get_place(tree, i, &found);
        g_autoptr(RuiFileNode) node = found;
        if (gtk_tree_list_row_get_expanded(place))
            fill(tree, rui_file_node_get_children(node), rui_file_node_get_path(node));
    }
    tree->filling = FALSE;
}

static void select_row(RuiFileTree *tree, guint position)
{
    gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(gtk_list_view_get_model(tree->list)), position);
    if (position != GTK_INVALID_LIST_POSITION)
        gtk_widget_activate_action(GTK_WIDGET(tree->list), "list.scroll-to-item", "u", position);
}

static void reveal(RuiFileTree *tree)
{
    g_autoptr(GPtrArray) parents = list_parents(tree->path);
    for (guint i = 1; i < parents->len; i++) {
        RuiFileNode *found;
        g_autoptr(GtkTreeListRow) place = get_place(tree, find_position(tree, parents->pdata[i]), &found);
        g_autoptr(RuiFileNode) node = found;
        if (!node || !rui_file_node_is_folder(node))
            break;
        gtk_tree_list_row_set_expanded(place, TRUE);
        fill(tree, rui_file_node_get_children(node), parents->pdata[i]);
    }
    select_row(tree, tree->path ? find_position(tree, tree->path) : GTK_INVALID_LIST_POSITION);
    tree->reveal = FALSE;
}

// ---- Asking ----

static void add_path(GPtrArray *paths, const char *path)
{
    if (!g_ptr_array_find_with_equal_func(paths, path, g_str_equal, NULL))
        g_ptr_array_add(paths, g_strdup(path));
}

// Of what is unfolded, and of what leads to the path.
static GPtrArray *list_wanted(RuiFileTree *tree)
{
    GPtrArray *paths = list_parents(tree->path);
    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(tree->tree)); i++) {
        RuiFileNode *found;
        g_autoptr(GtkTreeListRow) place = get_place(tree, i, &found);
        g_autoptr(RuiFileNode) node = found;
        if (gtk_tree_list_row_get_expanded(place))
            add_path(paths, rui_file_node_get_path(node));
    }
    return paths;
}

static void show_problem(RuiFileTree *tree, const GError *error)
{
    gtk_label_set_text(tree->problem, error ? error->message : "");
    gtk_widget_set_visible(GTK_WIDGET(tree->problem), error != NULL);
}

static void take(RuiFileTree *tree, GPtrArray *folders)
{
    g_hash_table_remove_all(tree->known);
    for (guint i = 0; folders && i < folders->len; i++) {
        RwFolder *folder = folders->pdata[i];
        g_hash_table_insert(tree->known, g_strdup(folder->path),
                            folder->rows ? g_ptr_array_ref(folder->rows) : NULL);
    }
}

static void update(RuiFileTree *tree);

// Something else was unfolded, or looked at, meanwhile.
static gboolean misses_some(RuiFileTree *tree)
{
    g_autoptr(GPtrArray) wanted = list_wanted(tree);
    for (guint i = 0; i < wanted->len; i++)
        if (!g_hash_table_contains(tree->known, wanted->pdata[i]))
            return TRUE;
    return FALSE;
}

static void on_listed(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) folders =
        rw_session_run_list_folders_finish(RW_SESSION_RUN(source), result, &error);
    RuiFileTree *tree = rui_request_done(data);
    if (!tree)
        return;
    tree->asking = FALSE;
    show_problem(tree, error);
    take(tree, folders);
    if (!folders)
        g_hash_table_insert(tree->known, g_strdup("/"), NULL);
    fill_all(tree);
    if (tree->reveal)
        reveal(tree);
    if (folders && misses_some(tree))
        update(tree);
}

static void ask(gpointer owner, GCancellable *cancellable, RuiRequest *request)
{
    RuiFileTree *tree = owner;
    g_autoptr(GPtrArray) paths = list_wanted(tree);
    g_ptr_array_add(paths, NULL);
    g_set_object(&tree->asked_run, rui_view_get_run(tree->view));
    tree->asked_step = rui_view_get_step(tree->view);
    tree->asking = TRUE;
    rw_session_run_list_folders_async(tree->asked_run, tree->asked_step, (const char *const *)paths->pdata,
                                      cancellable, on_listed, request);
}

static gboolean on_settled(gpointer data)
{
    RuiFileTree *tree = data;
    tree->settle = 0;
    rui_request_start(tree->request);
    return G_SOURCE_REMOVE;
}

static gboolean is_current(RuiFileTree *tree)
{
    return tree->asked_run == rui_view_get_run(tree->view) &&
           tree->asked_step == rui_view_get_step(tree->view) && !misses_some(tree);
}

static void update(RuiFileTree *tree)
{
    if (!tree->view || !rui_view_get_index(tree->view) || !gtk_widget_get_mapped(GTK_WIDGET(tree)))
        return;
    if (is_current(tree)) {
        if (tree->reveal)
            reveal(tree);
        return;
    }
    g_clear_handle_id(&tree->settle, g_source_remove);
    tree->settle = g_timeout_add(SETTLE_MS, on_settled, tree);
}

// ---- Folding ----

static void on_expanded(GtkTreeListRow *place, GParamSpec *pspec, RuiFileTree *tree)
{
    g_autoptr(RuiFileNode) node = gtk_tree_list_row_get_item(place);
    if (!node || !gtk_tree_list_row_get_expanded(place) || tree->filling)
        return;
    if (g_hash_table_contains(tree->known, rui_file_node_get_path(node)))
        fill(tree, rui_file_node_get_children(node), rui_file_node_get_path(node));
    else
        update(tree);
}

static GListModel *dup_children(gpointer item, gpointer data)
{
    return rui_file_node_is_folder(item) ? g_object_ref(G_LIST_MODEL(rui_file_node_get_children(item)))
                                         : NULL;
}

static void on_activate(GtkListView *list, guint position, RuiFileTree *tree)
{
    RuiFileNode *found;
    g_autoptr(GtkTreeListRow) place = get_place(tree, position, &found);
    g_autoptr(RuiFileNode) node = found;
    if (!node)
        return;
    if (rui_file_node_is_folder(node))
        gtk_tree_list_row_set_expanded(place, !gtk_tree_list_row_get_expanded(place));
    else
        g_signal_emit(tree, signal_activate, 0, rui_file_node_get_path(node));
}

static void free_rows(gpointer rows)
{
    if (rows)
        g_ptr_array_unref(rows);
}

static void rui_file_tree_init(RuiFileTree *tree)
{
    gtk_widget_init_template(GTK_WIDGET(tree));
    tree->request = rui_request_new(tree, ask);
    tree->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_rows);
    tree->roots = g_list_store_new(RUI_TYPE_FILE_NODE);
    tree->tree = gtk_tree_list_model_new(g_object_ref(G_LIST_MODEL(tree->roots)), FALSE, FALSE,
                                         dup_children, NULL, NULL);
    g_autoptr(GtkListItemFactory) factory = file_tree_factory_new(G_CALLBACK(on_expanded), tree);
    gtk_list_view_set_factory(tree->list, factory);
    g_autoptr(GtkSingleSelection) selection =
        gtk_single_selection_new(g_object_ref(G_LIST_MODEL(tree->tree)));
    gtk_single_selection_set_autoselect(selection, FALSE);
    gtk_single_selection_set_can_unselect(selection, TRUE);
    gtk_list_view_set_model(tree->list, GTK_SELECTION_MODEL(selection));
    g_signal_connect_object(tree->list, "activate", G_CALLBACK(on_activate), tree, 0);
    g_signal_connect(tree, "map", G_CALLBACK(update), NULL);
}

static void on_run(RuiFileTree *tree)
{
    g_hash_table_remove_all(tree->known);
    g_list_store_remove_all(tree->roots);
    tree->reveal = tree->path != NULL;
    update(tree);
}

void rui_file_tree_set_view(RuiFileTree *tree, RuiView *view)
{
    g_set_object(&tree->view, view);
    g_signal_connect_object(view, "notify::step", G_CALLBACK(update), tree, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::index", G_CALLBACK(update), tree, G_CONNECT_SWAPPED);
    g_signal_connect_object(view, "notify::run", G_CALLBACK(on_run), tree, G_CONNECT_SWAPPED);
}

void rui_file_tree_show_path(RuiFileTree *tree, const char *path)
{
    g_autofree char *whole = path ? g_canonicalize_filename(path, "/") : NULL;
    if (!g_strcmp0(tree->path, whole))
        return;
    g_free(tree->path);
    tree->path = g_steal_pointer(&whole);
    tree->reveal = TRUE;
    update(tree);
}

GListModel *rui_file_tree_get_rows(RuiFileTree *tree)
{
    return G_LIST_MODEL(tree->tree);
}

gboolean rui_file_tree_is_settled(RuiFileTree *tree)
{
    return !tree->settle && !tree->asking && is_current(tree);
}
