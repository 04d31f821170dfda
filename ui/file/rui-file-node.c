// SPDX-License-Identifier: MIT
#include "rui-file-node.h"

struct _RuiFileNode {
    GObject parent_instance;
    char *path;
    RwFolderRow row; // owns what it points to
    GListStore *children; // NULL until they are asked for
};

static guint signal_changed;

G_DEFINE_FINAL_TYPE(RuiFileNode, rui_file_node, G_TYPE_OBJECT)

static void rui_file_node_finalize(GObject *object)
{
    RuiFileNode *node = RUI_FILE_NODE(object);
    g_clear_object(&node->children);
    g_free(node->row.name);
    g_free(node->row.target);
    g_free(node->path);
    G_OBJECT_CLASS(rui_file_node_parent_class)->finalize(object);
}

static void rui_file_node_class_init(RuiFileNodeClass *class)
{
    G_OBJECT_CLASS(class)->finalize = rui_file_node_finalize;
    signal_changed =
        g_signal_new("changed", RUI_TYPE_FILE_NODE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void rui_file_node_init(RuiFileNode *node) {}

static RuiFileNode *node_new(const char *folder, const RwFolderRow *row)
{
    RuiFileNode *node = g_object_new(RUI_TYPE_FILE_NODE, NULL);
    node->path = g_build_filename(folder, row->name, NULL);
    node->row = *row;
    node->row.name = g_strdup(row->name);
    node->row.target = g_strdup(row->target);
    return node;
}

const char *rui_file_node_get_path(RuiFileNode *node)
{
    return node->path;
}

const RwFolderRow *rui_file_node_get_row(RuiFileNode *node)
{
    return &node->row;
}

gboolean rui_file_node_is_folder(RuiFileNode *node)
{
    return node->row.type == 'd' && node->row.change != RW_FOLDER_REMOVED;
}

GListStore *rui_file_node_get_children(RuiFileNode *node)
{
    if (!node->children)
        node->children = g_list_store_new(RUI_TYPE_FILE_NODE);
    return node->children;
}

// ---- Bringing up to date ----

// Whether the node can be shown as the row: another kind of file is another node.
static gboolean is_same(RuiFileNode *node, const RwFolderRow *row)
{
    return node->row.type == row->type && !g_strcmp0(node->row.target, row->target);
}

static void take_over(RuiFileNode *node, const RwFolderRow *row)
{
    gboolean changed = node->row.change != row->change;
    node->row.change = row->change;
    node->row.size = row->size;
    if (changed)
        g_signal_emit(node, signal_changed, 0);
}

void rui_file_nodes_update(GListStore *nodes, const char *folder, GPtrArray *rows)
{
    guint at = 0;
    for (guint i = 0; rows && i < rows->len;) {
        const RwFolderRow *row = rows->pdata[i];
        g_autoptr(RuiFileNode) node = g_list_model_get_item(G_LIST_MODEL(nodes), at);
        int order = node ? strcmp(node->row.name, row->name) : 1;
        if (order < 0 || (order == 0 && !is_same(node, row))) {
            g_list_store_remove(nodes, at);
            continue;
        }
        if (order == 0) {
            take_over(node, row);
        } else {
            g_autoptr(RuiFileNode) added = node_new(folder, row);
            g_list_store_insert(nodes, at, added);
        }
        at++;
        i++;
    }
    guint count = g_list_model_get_n_items(G_LIST_MODEL(nodes));
    g_list_store_splice(nodes, at, count - at, NULL, 0);
}
