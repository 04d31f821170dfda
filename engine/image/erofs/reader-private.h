// SPDX-License-Identifier: MIT
//
// Reads erofs images without trusting them. INVALID is what every function says of a damaged one.
#pragma once

#include "rw-image.h"

#define RW_EROFS_DIR_MAX (256ull << 20) // bytes of a directory

typedef struct {
    uint64_t size;
    uint64_t root_nid;
    uint64_t inodes;
    uint64_t meta; // offset of the metadata area
    int64_t build_time;
    uint32_t build_nsec;
} RwErofsSuper;

// An inode, and where its data is.
typedef struct {
    RwImageStat stat;
    uint32_t layout;
    uint32_t u;
    uint64_t after; // offset behind the inode and its attributes
} RwErofsInode;

struct RwImageReader {
    int fd;
    char *path;
    RwErofsSuper super;
};

// Checks the superblock of an open file. UNSUPPORTED for compression, several devices and other block
// sizes; NEWER for features nobody knew when this was written.
bool rw_erofs_read_super(int fd, const char *path, RwErofsSuper *ret_super, GError **error);
bool rw_erofs_is_image(const uint8_t *start, size_t len); // by the magic number in the first 2 KiB

bool rw_erofs_read_inode(RwImageReader *reader, uint64_t nid, RwErofsInode *ret_inode, GError **error);
// len bytes of the data at offset, all within the size.
bool rw_erofs_read_data(RwImageReader *reader, const RwErofsInode *inode, uint64_t offset, void *ret_data,
                        size_t len, GError **error);
// NUL-ended, to be freed; NULL on error.
char *rw_erofs_read_link(RwImageReader *reader, const RwErofsInode *inode, GError **error);

// Called for each entry, "." and ".." too; name has len bytes, none a NUL or a slash. false ends the
// listing.
typedef bool (*RwErofsEntry)(const char *name, size_t len, uint64_t nid, void *data);
bool rw_erofs_list(RwImageReader *reader, const RwErofsInode *dir, RwErofsEntry entry, void *data,
                   GError **error);

// Follows every directory from the root and counts what a tree built here would be described by. INVALID
// when it holds together badly; UNSUPPORTED when a file is compressed.
bool rw_erofs_survey(RwImageReader *reader, uint64_t max_entries, GCancellable *cancellable,
                     uint64_t *ret_entries, int64_t *ret_newest, GError **error);
