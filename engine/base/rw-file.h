// SPDX-License-Identifier: MIT
//
// Files that are there whole or not at all, whatever is killed and whenever; advisory locks.
// All messages name the path. A full disk is RW_ERROR_FULL everywhere.
#pragma once

#include <stdbool.h>
#include <gio/gio.h>
#include <stdint.h>

G_BEGIN_DECLS

// The directory and its missing parents, mode 0777 less the umask. One that exists is fine.
bool rw_mkdir(const char *path, GError **error);

// Replaces `path` with len bytes: temporary name beside it, fsync, rename, fsync of the directory. A
// reader sees the old bytes or the new ones; on error the old ones stay and no temporary file does.
bool rw_write_file_atomic(const char *path, const void *data, size_t len, GError **error);

// Reads a regular file of at most max bytes (RW_ERROR_INVALID when larger). *ret_data is owned by the
// caller (g_free) and has a NUL after its *ret_len bytes.
bool rw_read_file(const char *path, uint64_t max, char **ret_data, size_t *ret_len, GError **error);

// The whole of it or an error; `path` is for messages only.
bool rw_write_all(int fd, const void *data, size_t len, const char *path, GError **error);
bool rw_pwrite_all(int fd, const void *data, size_t len, uint64_t offset, const char *path, GError **error);
// An end of file before len bytes is RW_ERROR_INVALID ("… is too short").
bool rw_pread_all(int fd, void *ret_data, size_t len, uint64_t offset, const char *path, GError **error);

// fsync of a directory, so that names made or removed in it survive a power cut.
bool rw_sync_dir(const char *path, GError **error);

// Renames from -> to, then syncs the directory of `to`. Sync the file's own contents before.
bool rw_rename_durable(const char *from, const char *to, GError **error);

typedef enum {
    RW_LOCK_SHARED = 1 << 0, // else exclusive
    RW_LOCK_WAIT = 1 << 1, // else RW_ERROR_BUSY at once when somebody holds it
} RwLockFlags;

// Creates `path` if it is missing and takes an flock on it, which lasts until the returned descriptor
// (close-on-exec) is closed, also by death. -1 on error.
int rw_lock_file(const char *path, RwLockFlags flags, GError **error);

// Removes a file or a whole directory tree, never following symbolic links. A missing one is fine.
bool rw_remove_tree(const char *path, GError **error);

// The names in a directory without "." and "..", sorted by their bytes, owned by the array. All of them or
// an error: a directory that could be read in part only never looks like a smaller one.
GPtrArray *rw_dir_names(const char *path, GError **error);

G_END_DECLS
