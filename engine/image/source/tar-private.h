// SPDX-License-Identifier: MIT
//
// What reading tarballs is made of.
#pragma once

#include "sources-private.h"

#include <stdbool.h>
#include <archive.h>
#include <archive_entry.h>

// Where a tarball's bytes come from.
typedef struct RwTarInput RwTarInput;
struct RwTarInput {
    // The next bytes, valid until the next call: how many, 0 at the end, -1 with an error.
    ssize_t (*read)(RwTarInput *self, const void **ret_bytes, GError **error);
    bool layer; // of an image: its names may be whiteouts
};

// Adds a tarball's members to a tree that may have some already.
bool rw_tree_add_tar(RwTree *tree, RwSpool *spool, RwTarInput *input, const RwImageLimits *limits,
                     RwWork *work, GError **error);

// All but type and contents.
bool rw_tar_set_attributes(RwNode *node, struct archive_entry *entry, GError **error);
