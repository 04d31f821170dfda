// SPDX-License-Identifier: MIT
//
// A file tree in memory, without the files' contents: what tarballs and directories are read into and
// what the image writer writes.
#pragma once

#include "rw-base.h"

#define RW_TREE_DEPTH_MAX 1024u
#define RW_TREE_FILE_MAX (1ull << 44) // bytes, holes included
#define RW_TREE_LINK_MAX 4095u // bytes of a symbolic link's target: Linux's PATH_MAX less the NUL

// `count` 4 KiB blocks of a file from block `block` on, which lie at `offset` of the file they are read
// from.
typedef struct {
    uint64_t block;
    uint64_t count;
    uint64_t offset;
} RwRun;

typedef struct RwNode RwNode;

typedef struct {
    const char *name;
    RwNode *node;
} RwTreeName;

struct RwNode {
    uint32_t mode; // as st_mode; type 0 is a hard link whose target has not come yet
    uint32_t uid, gid;
    uint32_t rdev; // Linux's 32-bit encoding
    uint32_t mtime_nsec;
    uint32_t names; // how many directory entries lead here; 1 for the root
    int64_t mtime;
    GBytes *xattrs; // as the image has them, see xattrs-private.h; NULL for none

    union {
        struct {
            GHashTable *children; // char * to RwNode *; NULL when empty
            RwTreeName *sorted; // set by rw_tree_freeze
            uint32_t n_sorted; // "." and ".." included
            uint32_t depth; // of the root: 0
            uint32_t dropped; // the last layer that took away what was below it here
        } dir;
        struct {
            uint64_t size;
            uint64_t offset; // in the spool, when runs is NULL
            GArray *runs; // of RwRun: what is not zero; NULL: all of it, in one run
        } file;
        char *target; // of a symbolic link; of an unresolved hard link, the path
    };

    // Set by rw_tree_freeze: the first directory that leads here and the name there. (A directory has its
    // parent from the start; the root is its own.)
    RwNode *parent;
    const char *name;
    bool listed; // in the tree's order

    // Set by the image writer.
    uint64_t nid;
    uint64_t meta; // offset in the metadata area
    uint32_t block; // first data block
    uint8_t layout; // EROFS_LAYOUT_
    uint8_t chunk_bits; // log2 of blocks
    uint16_t tail; // bytes of inline data
};

typedef struct {
    RwNode *root;
    uint64_t entries;
    uint64_t max_entries;
    uint32_t layer; // that names are put for: from 1 in an image of layers
    GPtrArray *order; // set by rw_tree_freeze: each node once, the root first, directory by directory
} RwTree;

RwTree *rw_tree_new(uint64_t max_entries);
void rw_tree_free(RwTree *tree);

RwNode *rw_node_new(uint32_t mode);
void rw_node_unref(RwNode *node);

// The child, borrowed, or NULL.
RwNode *rw_tree_get(const RwNode *dir, const char *name);
// Makes `node` (taken, also on error) the child; what was there before goes. INVALID past a limit.
bool rw_tree_put(RwTree *tree, RwNode *dir, const char *name, RwNode *node, GError **error);

// The child's name is now one of the current layer.
void rw_tree_mark(RwTree *tree, RwNode *dir, const char *name);
// Takes away what layers below the current one put in dir, or as dir's child `name`: names, and directories
// that are empty then. Work in proportion to what there is, however often it is called in one layer.
void rw_tree_drop_below(RwTree *tree, RwNode *dir);
void rw_tree_drop(RwTree *tree, RwNode *dir, const char *name);

// The node that `path` leads to, links on the way followed, the last part only if `follow`; NULL without an
// error when there is none. Never leaves the root.
RwNode *rw_tree_find(RwTree *tree, const char *path, bool follow);
// The directory of `path`'s last part, missing ones made (0755, root's), and the last part itself (to be
// freed), which is NULL when the path is the root's. INVALID for "..", names too long, and parents that are
// no directory.
RwNode *rw_tree_find_parent(RwTree *tree, const char *path, char **ret_name, GError **error);

// Sorts the directories, sets parents and names, and lists the nodes. After it the tree must not change.
void rw_tree_freeze(RwTree *tree);

// A path for messages: the name in the frozen tree; "/" is the root. To be freed, see rw_display_name.
char *rw_tree_dup_path(const RwNode *node);

// A name fit for one line of text: control characters and bytes that are no UTF-8 become \ooo.
char *rw_display_name(const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTree, rw_tree_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwNode, rw_node_unref)
