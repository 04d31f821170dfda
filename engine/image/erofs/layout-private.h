// SPDX-License-Identifier: MIT
//
// Where everything lies in an image. Superblock in block 0, then the files' data in the tree's order,
// then blocks of directories and long links, then the metadata area: an inode with its attributes and
// its inline data or chunk table after the other.
#pragma once

#include "erofs-format-private.h"
#include "tree-private.h"

// An inode must not start in the first slot of the metadata area: tools take number 0 for none.
#define RW_LAYOUT_META_START EROFS_SLOT

typedef struct {
    uint64_t blocks; // data blocks so far, the superblock's included
    uint64_t max_blocks;
    uint64_t meta_block; // where the metadata area starts
    uint64_t meta_size; // bytes
    bool chunked; // some file has a chunk table
} RwLayout;

// Gives a file its place from what of it is not zero (runs), and takes its blocks: whole, or with holes
// where that saves at least 256 KiB and an eighth of it.
void rw_layout_file(RwLayout *layout, RwNode *node, const GArray *runs);
// The chunk table's addresses, n of them; call with the runs that rw_layout_file was given.
uint32_t *rw_layout_dup_chunks(const RwNode *node, const GArray *runs, uint64_t *ret_n);

// Once all files have their place: places everything else. INVALID when the image gets too large.
bool rw_layout_finish(RwLayout *layout, RwTree *tree, GError **error);

// Bytes of an inode with its attributes.
uint64_t rw_layout_head(const RwNode *node);
// Bytes of a directory's or a link's data.
uint64_t rw_layout_data_size(const RwNode *node);
// How many of n names, from the first on, fill a directory block; *ret_used bytes of it.
uint32_t rw_layout_dir_block(const RwTreeName *names, uint32_t n, uint32_t *ret_used);
