// SPDX-License-Identifier: MIT
//
// A run as one file, to be given to somebody else. rwd-index-private.h describes the file.
#pragma once

#include "rw-manifest.h"

G_BEGIN_DECLS

typedef struct {
    RwStore *store; // for pages; or NULL when it is not replayable
    const RwManifest *manifest; // of a finished run
    const char *dir; // the run's
    bool replayable; // with all that executing it needs:
    const char *guest_dir, *image_path;
    // done of total bytes of what goes in; at most a few hundred times. Or NULL.
    void (*progress)(uint64_t done, uint64_t total, void *data);
    // Called with one line when the file is made without keyframes because they are damaged. Or NULL.
    void (*warn)(const char *message, void *data);
    void *data;
    GCancellable *cancellable;
} RwExportOptions;

// Makes `path`, whole or not at all; one that is there is replaced only with `force`, else RW_ERROR_USAGE.
// The same run gives the same bytes. ret_size may be NULL.
bool rw_export(const RwExportOptions *options, const char *path, bool force, uint64_t *ret_size,
               GError **error);

G_END_DECLS
