// SPDX-License-Identifier: MIT
//
// Where the bytes of a tree's regular files come from: a spool, which a tarball was unpacked into, or the
// directory itself. Blocks are 4 KiB; blocks of zeros are left out.
#pragma once

#include "tree-private.h"

// How much of the source is done, and whether somebody wants it to stop.
typedef struct {
    void (*callback)(uint64_t done, uint64_t total, void *data);
    void *data;
    GCancellable *cancellable;
    uint64_t done, total;
} RwWork;

// Adds to what is done, tells, and is false with CANCELLED when it should stop.
bool rw_work_step(RwWork *work, uint64_t bytes, GError **error);

// A regular file's bytes, while it is open.
typedef struct {
    int fd;
    GArray *runs; // of RwRun, in order, blocks of zeros left out; owned
} RwContent;

typedef struct RwContents RwContents;
struct RwContents {
    bool (*open)(RwContents *self, RwNode *node, RwContent *ret_content, GError **error);
    // Called once for each opened one, with ok when all of it was read; may find that the file changed.
    bool (*close)(RwContents *self, RwNode *node, RwContent *content, bool ok, GError **error);
};

bool rw_is_zero(const void *data, size_t len);

// ---- Spool ----

typedef struct RwSpool RwSpool;

// A spool in a file without a name in dir.
RwSpool *rw_spool_new(const char *dir, GError **error);
void rw_spool_free(RwSpool *spool);
// One file at a time: begin, pieces at rising offsets, end, which sets node->file but for its size.
void rw_spool_begin(RwSpool *spool);
bool rw_spool_write(RwSpool *spool, uint64_t offset, const void *data, size_t len, GError **error);
bool rw_spool_end(RwSpool *spool, RwNode *node, GError **error);
RwContents *rw_spool_contents(RwSpool *spool); // borrowed from the spool; ends writing
bool rw_spool_flush(RwSpool *spool, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSpool, rw_spool_free)
