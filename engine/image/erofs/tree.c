// SPDX-License-Identifier: MIT
#include "tree-private.h"

#include "erofs-format-private.h"
#include "rw-hash.h"

#include <sys/stat.h>

#define LINKS_MAX 40 // as Linux's MAXSYMLINKS

// A child's key: its name, after the layer that put it there.
typedef struct {
    uint32_t layer;
    char text[];
} Name;

static Name *name_of(const char *key)
{
    return (Name *)(void *)(key - offsetof(Name, text));
}

static char *new_key(const char *text, uint32_t layer)
{
    size_t size = strlen(text) + 1;
    Name *name = g_malloc(sizeof *name + size);
    name->layer = layer;
    memcpy(name->text, text, size);
    return name->text;
}

static void free_key(void *key)
{
    g_free(name_of(key));
}

RwNode *rw_node_new(uint32_t mode)
{
    RwNode *node = g_new0(RwNode, 1);
    node->mode = mode;
    return node;
}

static void free_children(RwNode *dir)
{
    GHashTableIter iter;
    gpointer child;
    if (!dir->dir.children)
        return;
    g_hash_table_iter_init(&iter, dir->dir.children);
    while (g_hash_table_iter_next(&iter, NULL, &child))
        rw_node_unref(child);
    g_hash_table_unref(dir->dir.children);
}

// Recurses as deep as the tree, so RW_TREE_DEPTH_MAX bounds it.
void rw_node_unref(RwNode *node)
{
    if (node->names > 1) {
        node->names--;
        return;
    }
    if (S_ISDIR(node->mode)) {
        free_children(node);
        g_free(node->dir.sorted);
    } else if (S_ISREG(node->mode)) {
        g_clear_pointer(&node->file.runs, g_array_unref);
    } else {
        g_free(node->target);
    }
    g_clear_pointer(&node->xattrs, g_bytes_unref);
    g_free(node);
}

RwTree *rw_tree_new(uint64_t max_entries)
{
    RwTree *tree = g_new0(RwTree, 1);
    tree->root = rw_node_new(S_IFDIR | 0755);
    tree->root->names = 1;
    tree->root->parent = tree->root;
    tree->max_entries = max_entries;
    tree->entries = 1;
    return tree;
}

void rw_tree_free(RwTree *tree)
{
    if (!tree)
        return;
    g_clear_pointer(&tree->order, g_ptr_array_unref);
    rw_node_unref(tree->root);
    g_free(tree);
}

RwNode *rw_tree_get(const RwNode *dir, const char *name)
{
    return dir->dir.children ? g_hash_table_lookup(dir->dir.children, name) : NULL;
}

static bool check_put(const RwTree *tree, const RwNode *dir, const char *name, const RwNode *node,
                      GError **error)
{
    g_autofree char *shown = rw_display_name(name);
    if (strlen(name) > EROFS_NAME_MAX)
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "the name %.40s… is longer than %u bytes", shown,
                    EROFS_NAME_MAX);
    else if (tree->entries >= tree->max_entries)
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "more than %" G_GUINT64_FORMAT " entries",
                    tree->max_entries);
    else if (S_ISDIR(node->mode) && dir->dir.depth >= RW_TREE_DEPTH_MAX)
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: directories are nested more than %u deep",
                    shown, RW_TREE_DEPTH_MAX);
    else
        return true;
    return false;
}

bool rw_tree_put(RwTree *tree, RwNode *dir, const char *name, RwNode *node, GError **error)
{
    node->names++;
    if (!check_put(tree, dir, name, node, error)) {
        rw_node_unref(node);
        return false;
    }
    if (S_ISDIR(node->mode)) {
        node->parent = dir;
        node->dir.depth = dir->dir.depth + 1;
    }
    if (!dir->dir.children)
        dir->dir.children = g_hash_table_new_full(rw_keyed_str_hash, g_str_equal, free_key, NULL);
    RwNode *old = rw_tree_get(dir, name);
    g_hash_table_replace(dir->dir.children, new_key(name, tree->layer), node);
    // Counts every name that was ever put, so that replacing over and over meets the limit, too.
    tree->entries++;
    if (old)
        rw_node_unref(old);
    return true;
}

// ---- Layers ----

void rw_tree_mark(RwTree *tree, RwNode *dir, const char *name)
{
    gpointer key;
    if (g_hash_table_lookup_extended(dir->dir.children, name, &key, NULL))
        name_of(key)->layer = tree->layer;
}

// Whether the child has to go. Recurses as deep as the tree.
static bool is_dropped(RwTree *tree, const char *key, RwNode *child)
{
    if (S_ISDIR(child->mode)) {
        rw_tree_drop_below(tree, child);
        if (child->dir.children && g_hash_table_size(child->dir.children))
            return false;
    }
    return name_of(key)->layer != tree->layer;
}

void rw_tree_drop_below(RwTree *tree, RwNode *dir)
{
    GHashTableIter iter;
    gpointer key, child;
    if (!dir->dir.children || dir->dir.dropped == tree->layer)
        return;
    dir->dir.dropped = tree->layer;
    g_hash_table_iter_init(&iter, dir->dir.children);
    while (g_hash_table_iter_next(&iter, &key, &child)) {
        if (!is_dropped(tree, key, child))
            continue;
        g_hash_table_iter_remove(&iter);
        rw_node_unref(child);
    }
}

void rw_tree_drop(RwTree *tree, RwNode *dir, const char *name)
{
    gpointer key, child;
    if (!dir->dir.children || !g_hash_table_lookup_extended(dir->dir.children, name, &key, &child) ||
        !is_dropped(tree, key, child))
        return;
    g_hash_table_remove(dir->dir.children, name);
    rw_node_unref(child);
}

// ---- Paths ----

// The next part of *path, without slashes and "."; NULL at the end.
static char *dup_next_part(const char **path)
{
    for (;;) {
        const char *start = *path + strspn(*path, "/");
        size_t len = strcspn(start, "/");
        *path = start + len;
        if (!len)
            return NULL;
        if (len != 1 || *start != '.')
            return g_strndup(start, len);
    }
}

static RwNode *walk(RwTree *tree, RwNode *from, const char *path, bool follow, int *links);

static RwNode *follow_link(RwTree *tree, RwNode *dir, const RwNode *link, int *links)
{
    if (++*links > LINKS_MAX)
        return NULL;
    return walk(tree, *link->target == '/' ? tree->root : dir, link->target, true, links);
}

static RwNode *walk(RwTree *tree, RwNode *from, const char *path, bool follow, int *links)
{
    RwNode *node = from;
    for (char *part; node && (part = dup_next_part(&path)); g_free(part)) {
        RwNode *dir = node;
        bool last = !path[strspn(path, "/")];
        if (!S_ISDIR(dir->mode))
            node = NULL;
        else if (strcmp(part, "..") == 0)
            node = dir->parent;
        else
            node = rw_tree_get(dir, part);
        if (node && S_ISLNK(node->mode) && (follow || !last))
            node = follow_link(tree, dir, node, links);
    }
    return node;
}

RwNode *rw_tree_find(RwTree *tree, const char *path, bool follow)
{
    int links = 0;
    return walk(tree, tree->root, path, follow, &links);
}

// The directory that the child `name` of `dir` is or, as a symbolic link, leads to; made when missing.
static RwNode *enter(RwTree *tree, RwNode *dir, const char *name, GError **error)
{
    RwNode *node = rw_tree_get(dir, name);
    int links = 0;
    if (!node) {
        node = rw_node_new(S_IFDIR | 0755);
        return rw_tree_put(tree, dir, name, node, error) ? node : NULL;
    }
    if (S_ISLNK(node->mode))
        node = follow_link(tree, dir, node, &links);
    if (node && S_ISDIR(node->mode))
        return node;
    g_autofree char *shown = rw_display_name(name);
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its parent %s %s", shown,
                node ? "is not a directory" : "is a symbolic link that leads nowhere");
    return NULL;
}

RwNode *rw_tree_find_parent(RwTree *tree, const char *path, char **ret_name, GError **error)
{
    RwNode *dir = tree->root;
    g_autofree char *name = dup_next_part(&path);
    while (name) {
        if (strcmp(name, "..") == 0) {
            g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its name has \"..\" in it");
            return NULL;
        }
        char *next = dup_next_part(&path);
        if (!next)
            break;
        dir = enter(tree, dir, name, error);
        g_free(name);
        name = next;
        if (!dir)
            return NULL;
    }
    *ret_name = g_steal_pointer(&name);
    return dir;
}

// ---- Freezing ----

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const RwTreeName *)a)->name, ((const RwTreeName *)b)->name);
}

static void sort_directory(RwNode *dir)
{
    guint n = dir->dir.children ? g_hash_table_size(dir->dir.children) : 0;
    RwTreeName *sorted = g_new(RwTreeName, n + 2);
    sorted[0] = (RwTreeName){".", dir};
    sorted[1] = (RwTreeName){"..", dir->parent};
    if (n) {
        GHashTableIter iter;
        gpointer name, node;
        g_hash_table_iter_init(&iter, dir->dir.children);
        for (guint i = 2; g_hash_table_iter_next(&iter, &name, &node); i++)
            sorted[i] = (RwTreeName){name, node};
    }
    qsort(sorted, n + 2, sizeof *sorted, compare_names);
    dir->dir.sorted = sorted;
    dir->dir.n_sorted = n + 2;
}

static void list_children(RwTree *tree, RwNode *dir)
{
    for (uint32_t i = 0; i < dir->dir.n_sorted; i++) {
        RwNode *node = dir->dir.sorted[i].node;
        if (node->listed)
            continue;
        node->listed = true;
        node->name = dir->dir.sorted[i].name;
        node->parent = dir;
        g_ptr_array_add(tree->order, node);
    }
}

void rw_tree_freeze(RwTree *tree)
{
    tree->order = g_ptr_array_new();
    g_ptr_array_add(tree->order, tree->root);
    tree->root->listed = true;
    for (guint i = 0; i < tree->order->len; i++) {
        RwNode *node = g_ptr_array_index(tree->order, i);
        if (!S_ISDIR(node->mode))
            continue;
        sort_directory(node);
        list_children(tree, node);
    }
}

// ---- Names in messages ----

char *rw_tree_dup_path(const RwNode *node)
{
    GString *path = g_string_new(node->parent == node ? "/" : "");
    for (; node->parent != node; node = node->parent) {
        g_string_prepend(path, node->name);
        g_string_prepend_c(path, '/');
    }
    g_autofree char *raw = g_string_free(path, false);
    return rw_display_name(raw);
}

char *rw_display_name(const char *name)
{
    GString *out = g_string_new(NULL);
    for (const char *at = name; *at;) {
        gunichar c = g_utf8_get_char_validated(at, -1);
        if (c == (gunichar)-1 || c == (gunichar)-2 || g_unichar_iscntrl(c) || c == 0x2028 || c == 0x2029) {
            g_string_append_printf(out, "\\%03o", (unsigned)(guchar)*at++);
            continue;
        }
        g_string_append_unichar(out, c);
        at = g_utf8_next_char(at);
    }
    return g_string_free(out, false);
}
