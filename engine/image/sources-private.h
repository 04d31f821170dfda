// SPDX-License-Identifier: MIT
//
// The two kinds of source that a tree is made from. Messages don't name the source: the caller does.
#pragma once

#include "content-private.h"
#include "rw-image.h"
#include "tree-private.h"

// Unpacks the tarball that fd gives from its start into tree and spool. INVALID for what is no tarball,
// is cut short, or breaks a rule or limit.
bool rw_tree_from_tar(RwTree *tree, RwSpool *spool, int fd, const RwImageLimits *limits, RwWork *work,
                      GError **error);

// Reads the directory's names and attributes into tree and returns where its contents are read from. `skip`
// is left empty (images_dir, borrowed by its status). Sets work->total to the bytes to read.
typedef struct RwDirSource RwDirSource;
RwDirSource *rw_dir_source_new(const char *path, GError **error);
void rw_dir_source_free(RwDirSource *source);
void rw_dir_source_skip(RwDirSource *source, const char *path);
bool rw_tree_from_dir(RwTree *tree, RwDirSource *source, const RwImageLimits *limits, RwWork *work,
                      GError **error);
RwContents *rw_dir_source_contents(RwDirSource *source); // borrowed from the source

// Whether a directory is where the kernel shows something of the host: in the image it is empty.
bool rw_is_kernel_mount(int dir_fd, const char *name);

// A hash of all that lstat says of what is below `root`, but for `skip` and the kernel's mounts. Two equal
// ones, the first of a tree that was settled, are of the same tree with the same contents. *ret_settled:
// nothing in it changed in the two seconds before the walk.
bool rw_dir_fingerprint(const char *root, const char *skip, RwWork *work, char ret_hex[RW_SHA256_HEX_SIZE],
                        bool *ret_settled, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwDirSource, rw_dir_source_free)
