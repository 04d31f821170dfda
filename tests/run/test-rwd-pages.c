// SPDX-License-Identifier: MIT
//
// Pages of an exported run whose sender chose the hashes: that they begin alike must cost nothing.
#include "rwd-pages-private.h"

#include <time.h>

#define LEAVES 1024u // nodes right above the pages: all that one root can have below it, once

typedef struct {
    GPtrArray *levels[RW_TREE_LEVELS]; // of GBytes: nodes, the leaves first
} Tree;

static void add_node(GPtrArray *level, const uint8_t *node)
{
    g_ptr_array_add(level, g_bytes_new(node, RW_TREE_NODE_BYTES));
}

static void make_leaves(GPtrArray *level, bool alike)
{
    uint8_t node[RW_TREE_NODE_BYTES] = {0};
    uint32_t k = 1;
    for (unsigned i = 0; i < LEAVES; i++) {
        for (unsigned j = 0; j < RW_TREE_FANOUT; j++, k++) {
            rw_store_u32(node + j * sizeof(RwPageHash), alike ? 1 : k * 2654435761u | 1);
            rw_store_u32(node + j * sizeof(RwPageHash) + 4, k);
        }
        add_node(level, node);
    }
}

static void make_level(GPtrArray *level, const GPtrArray *below)
{
    for (guint i = 0; i < below->len; i += RW_TREE_FANOUT) {
        uint8_t node[RW_TREE_NODE_BYTES] = {0};
        for (guint j = i; j < below->len && j < i + RW_TREE_FANOUT; j++) {
            gsize n;
            const uint8_t *bytes = g_bytes_get_data(below->pdata[j], &n);
            rw_sha256_bytes(bytes, n, node + (j - i) * sizeof(RwPageHash));
        }
        add_node(level, node);
    }
}

static void make_tree(Tree *tree, bool alike)
{
    for (unsigned i = 0; i < RW_TREE_LEVELS; i++)
        tree->levels[i] = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    make_leaves(tree->levels[0], alike);
    for (unsigned i = 1; i < RW_TREE_LEVELS; i++)
        make_level(tree->levels[i], tree->levels[i - 1]);
    g_assert_cmpuint(tree->levels[RW_TREE_LEVELS - 1]->len, ==, 1);
}

static void clear_tree(Tree *tree)
{
    for (unsigned i = 0; i < RW_TREE_LEVELS; i++)
        g_ptr_array_unref(tree->levels[i]);
}

static bool take_node(RwdPages *pages, GBytes *node, GError **error)
{
    uint8_t head[2];
    gsize n;
    const uint8_t *bytes = g_bytes_get_data(node, &n);
    rw_store_u16(head, (uint16_t)n);
    return rwd_pages_take(pages, head, sizeof head, error) && rwd_pages_take(pages, bytes, n, error);
}

// Processor time of reading all nodes, in seconds.
static double time_of(bool alike)
{
    Tree tree;
    RwPageHash root;
    make_tree(&tree, alike);
    g_autoptr(RwdPages) pages = rwd_pages_new(1u << 30, NULL);
    clock_t start = clock();
    GBytes *top = tree.levels[RW_TREE_LEVELS - 1]->pdata[0];
    rw_sha256_bytes(g_bytes_get_data(top, NULL), RW_TREE_NODE_BYTES, root.v);
    g_assert_true(rwd_pages_expect(pages, &root, RW_TREE_LEVELS, NULL));
    for (unsigned i = RW_TREE_LEVELS; i-- > 0;)
        for (guint j = 0; j < tree.levels[i]->len; j++)
            g_assert_true(take_node(pages, tree.levels[i]->pdata[j], NULL));
    g_assert_false(rwd_pages_finish(pages, NULL)); // the pages themselves are missing
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    clear_tree(&tree);
    return seconds;
}

static void test_alike(void)
{
    double spread = time_of(false), alike = time_of(true);
    g_test_message("%.3f s where hashes begin alike, %.3f s where they do not", alike, spread);
    g_assert_cmpfloat(alike, <, 5 * spread + 0.2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rwd-pages/alike", test_alike);
    return g_test_run();
}
