// SPDX-License-Identifier: MIT
//
// The folder of images: <sha256>.erofs; <sha256>.json, what is known of it; and tar-<sha256>.json, which
// image a tarball gave. An image is there before what tells of it, so a kill between leaves nothing wrong.
#pragma once

#include "rw-image.h"
#include "temp-private.h"

// A new version when the same tree would give other bytes: then tarballs are read again.
#define RW_IMAGE_WRITER_VERSION 1

// The image of that hash, if it is there and whole; NULL without an error when not.
RwImage *rw_cache_get(const char *dir, const char *sha256, GCancellable *cancellable, GError **error);

// Gives the finished file its place (unless an image of that hash is there already) and writes down what is
// known. Takes the hash, size, newest and entries from `facts`.
RwImage *rw_cache_put(const char *dir, RwTemp *file, const RwImage *facts, GCancellable *cancellable,
                      GError **error);

// The hash of the image that the tarball of that hash gave, or NULL.
char *rw_cache_dup_tarball(const char *dir, const char *tar_sha256);
gboolean rw_cache_put_tarball(const char *dir, const char *tar_sha256, const char *sha256, GError **error);
