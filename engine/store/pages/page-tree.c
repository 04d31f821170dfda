// SPDX-License-Identifier: MIT
//
// A tree being changed: nodes in memory where something changed, by hash elsewhere.
#include "rw-pages.h"

typedef struct _Node Node;
struct _Node {
    RwPageHash hash[RW_TREE_FANOUT];
    Node *child[RW_TREE_FANOUT]; // NULL: only known by its hash; none below the lowest level
    bool changed;
};

struct _RwPageTree {
    RwPages *pages; // borrowed
    uint64_t n_pages;
    RwPageHash root_hash;
    Node *root; // NULL: not looked at yet
};

G_STATIC_ASSERT(sizeof(((Node *)0)->hash) == RW_TREE_NODE_BYTES);

uint64_t rw_page_tree_pages(unsigned levels)
{
    uint64_t pages = 1;
    while (levels--)
        pages *= RW_TREE_FANOUT;
    return pages;
}

unsigned rw_page_tree_levels(uint64_t bytes)
{
    unsigned levels = RW_TREE_LEVELS;
    while (levels < RW_TREE_LEVELS_MAX && rw_page_tree_pages(levels) < bytes / RW_PAGE_BYTES)
        levels++;
    return levels;
}

RwPageTree *rw_page_tree_new(RwPages *pages, const RwPageHash *root, unsigned levels)
{
    RwPageTree *tree = g_new0(RwPageTree, 1);
    tree->pages = pages;
    tree->n_pages = rw_page_tree_pages(levels);
    tree->root_hash = *root;
    return tree;
}

static void free_node(Node *node)
{
    if (!node)
        return;
    for (unsigned i = 0; i < RW_TREE_FANOUT; i++)
        free_node(node->child[i]);
    g_free(node);
}

void rw_page_tree_free(RwPageTree *tree)
{
    if (!tree)
        return;
    free_node(tree->root);
    g_free(tree);
}

static bool load(RwPageTree *tree, const RwPageHash *hash, Node **node, GError **error)
{
    if (*node)
        return true;
    g_autofree Node *loaded = g_new0(Node, 1);
    if (!rw_pages_get(tree->pages, hash, loaded->hash, RW_TREE_NODE_BYTES, error))
        return false;
    *node = g_steal_pointer(&loaded);
    return true;
}

bool rw_page_tree_set(RwPageTree *tree, uint64_t page, const RwPageHash *hash, GError **error)
{
    g_return_val_if_fail(page < tree->n_pages, false);
    Node **at = &tree->root;
    const RwPageHash *at_hash = &tree->root_hash;
    for (uint64_t span = tree->n_pages / RW_TREE_FANOUT;; span /= RW_TREE_FANOUT) {
        if (!load(tree, at_hash, at, error))
            return false;
        Node *node = *at;
        unsigned i = (unsigned)(page / span % RW_TREE_FANOUT);
        node->changed = true;
        if (span == 1) {
            node->hash[i] = *hash;
            return true;
        }
        at = &node->child[i];
        at_hash = &node->hash[i];
    }
}

static bool put_node(const Node *node, RwPagesWriter *writer, RwPageHash *ret_hash, GError **error)
{
    if (writer)
        return rw_pages_writer_put(writer, node->hash, RW_TREE_NODE_BYTES, ret_hash, error);
    rw_page_hash(node->hash, RW_TREE_NODE_BYTES, ret_hash);
    return true;
}

static bool flush_node(Node *node, RwPagesWriter *writer, RwPageHash *ret_hash, GError **error)
{
    if (!node || !node->changed)
        return true;
    for (unsigned i = 0; i < RW_TREE_FANOUT; i++)
        if (!flush_node(node->child[i], writer, &node->hash[i], error))
            return false;
    if (!put_node(node, writer, ret_hash, error))
        return false;
    node->changed = false;
    return true;
}

bool rw_page_tree_flush(RwPageTree *tree, RwPagesWriter *writer, RwPageHash *ret_root, GError **error)
{
    if (!flush_node(tree->root, writer, &tree->root_hash, error))
        return false;
    *ret_root = tree->root_hash;
    return true;
}
