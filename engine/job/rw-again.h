// SPDX-License-Identifier: MIT
//
// A recorded run that is executed again: all that it takes, found and checked.
#pragma once

#include "rw-context.h"
#include "rw-seek.h"

G_BEGIN_DECLS

typedef struct {
    RwGuest *guest;
    char *guest_dir, *image_path;
    RwSeek seek; // borrows from the manifest and from the above
} RwAgain;

// dir: the run's; manifest and dir are borrowed until rw_again_close(), which is also for after a failure.
// UNSUPPORTED for a run that has not ended or that another version made; NOT_FOUND says what is missing.
bool rw_again_open(const RwContext *context, const RwManifest *manifest, const char *dir, RwAgain *ret,
                   GError **error);
void rw_again_close(RwAgain *again);

G_END_DECLS
