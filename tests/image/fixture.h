// SPDX-License-Identifier: MIT
//
// What the image tests share: a folder of their own, and tarballs written from tables.
#pragma once

#include "rw-image.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

typedef struct {
    char *top; // everything of the test
    char *images;
    char *tar; // a path for a tarball
} Fixture;

typedef struct {
    const char *name;
    uint32_t mode; // with its type
    const char *data; // contents; of a symbolic link, its target
    const char *hard_link; // target; the rest is ignored
    uint32_t uid, gid;
    int64_t mtime;
    uint32_t nsec;
    uint32_t major, minor;
    const char *xattr, *value;
    size_t value_len; // 0: strlen
    uint64_t sparse; // not 0: the size; data lies at its end, the rest is a hole
    bool acl; // user 7 may read, mask r--
} Member;

Fixture *fixture_new(void);
void fixture_free(Fixture *fixture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Fixture, fixture_free)

// Writes a pax tarball; `filter` is an ARCHIVE_FILTER_ number; order (n numbers) may be NULL.
void write_tar(const char *path, const Member *members, guint n, const guint *order, int filter);

RwImage *prepare(Fixture *fixture, const char *root); // must work
// Must fail with that code, in one line that has `text` in it, and leave nothing in the folder of images.
void prepare_fails(Fixture *fixture, const char *root, const RwImageLimits *limits, RwError code,
                   const char *text);

char *dup_read_image(const RwImage *image, gsize *ret_len);
guint count_files(const char *dir, const char *prefix);
void put_file(const char *path, const void *data, size_t len);
