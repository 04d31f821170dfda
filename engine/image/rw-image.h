// SPDX-License-Identifier: MIT
//
// Root filesystems as read-only erofs images, inputs of a run that are named by the SHA-256 of their
// bytes. The same tree gives the same bytes, on any host, whoever runs this and whenever.
#pragma once

#include "rw-base.h"

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum {
    RW_IMAGE_FROM_DIRECTORY,
    RW_IMAGE_FROM_TARBALL,
    RW_IMAGE_FROM_EROFS,
    RW_IMAGE_FROM_LAYERS, // an OCI layout, or what `docker save` writes
} RwImageFrom;

// For tests.
const char *rw_image_from_name(RwImageFrom from); // "directory", "tarball", "erofs", "layers"

// What an image of layers says of the commands that run in it. Its entry point and command are not used.
typedef struct {
    char **env; // NULL-ended KEY=VALUE
    char *user; // as it is written there: NAME or UID, and perhaps :GROUP or :GID; or NULL
    char *cwd; // absolute, and in the image; or NULL
} RwImageDefaults;

void rw_image_defaults_free(RwImageDefaults *defaults);

typedef struct {
    char *path; // images_dir/<sha256>.erofs, never written again once it has this name
    char sha256[RW_SHA256_HEX_SIZE]; // of the whole file
    uint64_t size; // bytes
    int64_t newest; // newest modification time in the tree, seconds since 1970; as hostile as the tree is
    uint64_t entries; // inodes, the root included
    RwImageFrom from;
    RwImageDefaults *defaults; // of RW_IMAGE_FROM_LAYERS, else NULL
} RwImage;

// What a root may be at most; beyond it is RW_ERROR_INVALID. 0 stands for the default.
typedef struct {
    uint64_t bytes; // unpacked (64 GiB); holes are not counted
    uint64_t entries; // names (10 million)
} RwImageLimits;

// done of total bytes so far, of the source as it lies on the disk; total is 0 when unknown. Called from
// the calling thread, at most a few times a MiB.
typedef void (*RwImageProgress)(uint64_t done, uint64_t total, void *data);

// Makes sure the image of `root` is in images_dir (made if missing) and describes it. root is
//  - a directory, read as it is: owners as lstat says, other file systems mounted in it included. Mounts of
//    the kernel's own file systems (proc, sysfs, cgroup …) and images_dir itself become empty
//    directories. Anything that cannot be read is an error that names it;
//  - a tarball, plain or gzip, zstd, xz or bzip2, also from a fifo. Leading "/" and "./" are dropped, ".."
//    is refused, the last of two members with one name wins, a missing parent is root's, mode 0755;
//  - an image of layers: an OCI layout, as a directory or in a tarball, or what `docker save` writes. Of an
//    index the image for linux/amd64; layers plain or gzip, zstd, xz or bzip2, put on top of each other
//    with their whiteouts, every hash checked. A working directory that is missing is made;
//  - an uncompressed erofs image with 4 KiB blocks, copied into images_dir as it is.
// Kept are types, modes, owners, modification times, hard links, device numbers, holes, names as bytes, and
// the extended attributes user.*, trusted.*, security.* (but for security.selinux, a label of the
// host's) and POSIX ACLs.
// What a file gave is remembered by its hash, and its hash by device, inode, size and times, unless it was
// touched in the last seconds.
// Safe against other processes doing the same and against being killed: what a dead one left is removed
// by the next call. limits, progress and cancellable may be NULL.
// Errors: NOT_FOUND, INVALID, UNSUPPORTED, FULL, IO, CANCELLED; one line each, and nothing left behind.
RwImage *rw_image_prepare(const char *root, const char *images_dir, const RwImageLimits *limits,
                          RwImageProgress progress, void *progress_data, GCancellable *cancellable,
                          GError **error);
// The same of an erofs image of our own making, which is moved into images_dir instead of copied; it must
// be on that file system. When the image is there already, `path` stays.
RwImage *rw_image_take(const char *path, const char *images_dir, GCancellable *cancellable, GError **error);
// The image of that hash, of which path, hash and size are filled in (the rest where it is known): hashed
// only when its file was touched since it last was. NOT_FOUND when there is none, INVALID when it is
// damaged, CANCELLED.
RwImage *rw_image_find(const char *images_dir, const char *sha256, GCancellable *cancellable,
                       GError **error);
// Hashes all of it, whatever is known: for when something went another way than it must. Errors as above.
bool rw_image_verify(const char *path, const char *sha256, GCancellable *cancellable, GError **error);
void rw_image_free(RwImage *image);

// `what` is "image" (name: its hash) or "note" (something remembered, that only saved time).
typedef void (*RwImageGone)(const char *what, const char *name, uint64_t bytes, void *data);

// Removes the images whose hashes are not in `used`, and what is remembered that leads to none of the
// others. The caller sees to it that nobody makes or looks for one meanwhile. With dry_run it only says
// what would go.
bool rw_images_remove_unused(const char *images_dir, GHashTable *used, bool dry_run, RwImageGone gone,
                             void *data, GError **error);

// ---- Looking into an image ----

// Reads an image without mounting it, trusting nothing in it. Not to be used by two threads at once.
typedef struct RwImageReader RwImageReader;

RwImageReader *rw_image_reader_open(const char *path, GError **error);
void rw_image_reader_free(RwImageReader *reader);

typedef struct {
    uint64_t nid; // its number in the image: two names with one nid are hard links
    uint32_t mode; // type and permissions, as st_mode
    uint32_t uid, gid;
    uint32_t nlink;
    uint32_t rdev; // as Linux encodes it in 32 bits; devices only
    uint64_t size;
    int64_t mtime;
    uint32_t mtime_nsec;
} RwImageStat;

// What `path` leads to, symbolic links followed within the image as if it were mounted at "/"; a relative
// path starts at the root. NOT_FOUND when there is nothing ("<path>: not in the root"), INVALID when the
// image is damaged or links go round in circles.
bool rw_image_lookup(RwImageReader *reader, const char *path, RwImageStat *ret_stat, GError **error);

// Where execvp would find `command` in the image with this PATH and working directory: a command with a
// slash is looked up as it is, relative to cwd. The result is for the caller to free; it is a regular file
// that somebody may execute. NOT_FOUND: "<command>: not in the root", or "not executable".
char *rw_image_dup_program(RwImageReader *reader, const char *command, const char *search_path,
                           const char *cwd, GError **error);

typedef struct {
    uint32_t uid, gid;
    char *home; // owned; NULL when /etc/passwd does not have the user
} RwImageUser;

// "NAME", "UID", each perhaps with ":GROUP" or ":GID", by the image's /etc/passwd and /etc/group. A number
// that is not there has group 0. NOT_FOUND for a name that is not there.
bool rw_image_find_user(RwImageReader *reader, const char *text, RwImageUser *ret, GError **error);

// The bytes of a regular file of at most max bytes (INVALID when larger).
GBytes *rw_image_read_file(RwImageReader *reader, const char *path, uint64_t max, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwImage, rw_image_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwImageDefaults, rw_image_defaults_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwImageReader, rw_image_reader_free)

G_END_DECLS
