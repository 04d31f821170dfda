// SPDX-License-Identifier: MIT
//
// What no run needs any more.
#pragma once

#include "rw-store.h"

G_BEGIN_DECLS

typedef struct {
    const char *what; // "image", "guest", "pages", "interrupted run", "download", "remains", "note"; static
    char *name; // a hash, a file's name, how many
    uint64_t bytes;
} RwGarbage;

// Removes images, guests and pages that no run has, interrupted recordings and downloads, and what killed
// processes left; with dry_run it only finds out. Returns what went, of RwGarbage, owned by the array.
// RW_ERROR_BUSY, and nothing is removed, while somebody records, imports or reads pages. A run that cannot
// be read is an error, since nobody can tell what it has.
GPtrArray *rw_gc(RwStore *store, bool dry_run, GCancellable *cancellable, GError **error);

G_END_DECLS
