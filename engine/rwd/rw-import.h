// SPDX-License-Identifier: MIT
//
// Takes a run in that somebody else exported.
#pragma once

#include "rw-manifest.h"

G_BEGIN_DECLS

typedef struct {
    RwStore *store;
    const char *shown; // what messages call the file; NULL: its path
    // done of total bytes of the file; at most a few hundred times. Or NULL.
    void (*progress)(uint64_t done, uint64_t total, void *data);
    void *data;
    GCancellable *cancellable;
} RwImportOptions;

typedef struct {
    RwManifest *manifest;
    char *path; // the run's directory
    bool same; // it was there already
    bool replayable; // all that executing it needs came along
} RwImported;

void rw_imported_free(RwImported *imported);

// Trusts nothing in the file: nothing is seen in the store before all of it was checked, and nothing is
// left on error. A run of that id that is there must be the same one (RW_ERROR_INVALID); what it lacks is
// added to it.
RwImported *rw_import(const char *path, const RwImportOptions *options, GError **error);

// The directory of the guest with that hash in the store, for the caller to free; or NULL.
char *rw_imported_dup_guest_dir(RwStore *store, const char *hash);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwImported, rw_imported_free)

G_END_DECLS
