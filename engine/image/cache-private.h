// SPDX-License-Identifier: MIT
//
// The folder of images: <sha256>.erofs; <sha256>.json, what is known of it; tar-<sha256>.json, which image
// a tarball (or the manifest of an image of layers) gave; and stat-<device>-<inode>.json, a file's hash. An
// image is there before what tells of it, so a kill between leaves nothing wrong.
#pragma once

#include "rw-image.h"
#include "temp-private.h"

#include <stdbool.h>
#include <sys/stat.h>

// A new version when the same tree would give other bytes: then tarballs are read again.
#define RW_IMAGE_WRITER_VERSION 2

// The image of that hash, if it is there and whole; NULL without an error when not.
RwImage *rw_cache_get(const char *dir, const char *sha256, GCancellable *cancellable, GError **error);

// Gives the finished file its place (unless an image of that hash is there already) and writes down what is
// known. Takes the hash, size, newest and entries from `facts`.
RwImage *rw_cache_put(const char *dir, RwTemp *file, const RwImage *facts, GCancellable *cancellable,
                      GError **error);

// What a source gave: the image's hash, and the defaults of an image of layers.
typedef struct {
    char sha256[RW_SHA256_HEX_SIZE];
    RwImageDefaults *defaults; // owned; or NULL
} RwSource;

void rw_source_clear(RwSource *source);
// false when it is not known what the source of that hash gave.
bool rw_cache_get_source(const char *dir, const char *key, RwSource *ret);
bool rw_cache_put_source(const char *dir, const char *key, const RwSource *source, GError **error);

// ---- Hashes of files ----

// SHA-256 of an open regular file whose status is st, from what is remembered or by reading it. It is
// remembered only when its times were over two seconds old before it was read: a file that is written to
// again within the clock's granularity would keep its times.
bool rw_cache_hash_file(const char *dir, int fd, const struct stat *st, GCancellable *cancellable,
                        char ret_hex[RW_SHA256_HEX_SIZE], GError **error);

// The hash in stat-….json, whatever file it is of.
bool rw_cache_read_stat(const char *dir, const char *name, char ret_hex[RW_SHA256_HEX_SIZE]);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RwSource, rw_source_clear)
