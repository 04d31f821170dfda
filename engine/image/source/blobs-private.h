// SPDX-License-Identifier: MIT
//
// The files that an image of layers is made of, wherever they lie: in a tarball that was unpacked into a
// tree and a spool, or in a directory.
#pragma once

#include "content-private.h"

#define RW_BLOB_JSON_MAX (8u << 20) // bytes of a manifest or config

// One of them, read from its start to its end.
typedef struct {
    RwContent content;
    bool owned; // the descriptor
    uint64_t size, at;
    guint run; // the first of content.runs that ends after `at`
} RwBlob;

typedef struct RwBlobs RwBlobs;
struct RwBlobs {
    // NOT_FOUND when there is none of that path.
    bool (*open)(RwBlobs *self, const char *path, RwBlob *ret_blob, GError **error);
    void (*free)(RwBlobs *self);
};

RwBlobs *rw_blobs_new_tree(RwTree *tree, RwSpool *spool); // borrows both
RwBlobs *rw_blobs_new_dir(const char *path, GError **error);
void rw_blobs_free(RwBlobs *blobs);

void rw_blob_clear(RwBlob *blob);
// The next bytes, at most len: how many, 0 at the end, -1 with an error.
ssize_t rw_blob_read(RwBlob *blob, void *data, size_t len, GError **error);
// All of a small one.
GBytes *rw_blobs_read(RwBlobs *blobs, const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwBlobs, rw_blobs_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwBlob, rw_blob_clear)
