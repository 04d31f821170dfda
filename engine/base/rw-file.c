// SPDX-License-Identifier: MIT
#include "rw-file.h"

#include "rw-error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool rw_mkdir(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0777) == 0)
        return true;
    rw_error_from_errno(error, errno, "cannot make the directory %s", path);
    return false;
}

bool rw_write_all(int fd, const void *data, size_t len, const char *path, GError **error)
{
    const char *at = data;
    while (len) {
        ssize_t n = write(fd, at, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            rw_error_from_errno(error, errno, "cannot write %s", path);
            return false;
        }
        at += n;
        len -= (size_t)n;
    }
    return true;
}

bool rw_pwrite_all(int fd, const void *data, size_t len, uint64_t offset, const char *path, GError **error)
{
    const char *at = data;
    while (len) {
        ssize_t n = pwrite(fd, at, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            rw_error_from_errno(error, errno, "cannot write %s", path);
            return false;
        }
        at += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

bool rw_pread_all(int fd, void *ret_data, size_t len, uint64_t offset, const char *path, GError **error)
{
    char *at = ret_data;
    while (len) {
        ssize_t n = pread(fd, at, len, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            rw_error_from_errno(error, errno, "cannot read %s", path);
            return false;
        }
        if (n == 0) {
            g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s is too short", path);
            return false;
        }
        at += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

bool rw_sync_dir(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot open the directory %s", path);
        return false;
    }
    // Some file systems have no fsync for directories and say EINVAL; their renames are as durable as
    // they get.
    bool ok = fsync(fd) == 0 || errno == EINVAL;
    if (!ok)
        rw_error_from_errno(error, errno, "cannot sync the directory %s", path);
    close(fd);
    return ok;
}

bool rw_rename_durable(const char *from, const char *to, GError **error)
{
    if (rename(from, to) < 0) {
        rw_error_from_errno(error, errno, "cannot rename %s to %s", from, to);
        return false;
    }
    g_autofree char *dir = g_path_get_dirname(to);
    return rw_sync_dir(dir, error);
}

bool rw_write_file_atomic(const char *path, const void *data, size_t len, GError **error)
{
    g_autofree char *temp = g_strconcat(path, ".XXXXXX", NULL);
    int fd = g_mkstemp_full(temp, O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot create %s", path);
        return false;
    }
    bool ok = rw_write_all(fd, data, len, path, error);
    if (ok && fsync(fd) < 0) {
        rw_error_from_errno(error, errno, "cannot write %s", path);
        ok = false;
    }
    if (close(fd) < 0 && ok) {
        rw_error_from_errno(error, errno, "cannot write %s", path);
        ok = false;
    }
    ok = ok && rw_rename_durable(temp, path, error);
    if (!ok)
        unlink(temp);
    return ok;
}

static bool read_open_file(int fd, const char *path, uint64_t max, char **ret_data, size_t *ret_len,
                           GError **error)
{
    struct stat st;
    if (fstat(fd, &st) < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", path);
        return false;
    }
    if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                    S_ISREG(st.st_mode) ? "%s is too large" : "%s is not a file", path);
        return false;
    }
    size_t len = (size_t)st.st_size;
    g_autofree char *data = g_try_malloc(len + 1);
    if (!data) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "not enough memory to read %s", path);
        return false;
    }
    if (!rw_pread_all(fd, data, len, 0, path, error))
        return false;
    data[len] = 0;
    *ret_data = g_steal_pointer(&data);
    *ret_len = len;
    return true;
}

bool rw_read_file(const char *path, uint64_t max, char **ret_data, size_t *ret_len, GError **error)
{
    // O_NONBLOCK: a fifo in the file's place must not hang us.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot open %s", path);
        return false;
    }
    bool ok = read_open_file(fd, path, max, ret_data, ret_len, error);
    close(fd);
    return ok;
}

int rw_lock_file(const char *path, RwLockFlags flags, GError **error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot open the lock %s", path);
        return -1;
    }
    int how = (flags & RW_LOCK_SHARED ? LOCK_SH : LOCK_EX) | (flags & RW_LOCK_WAIT ? 0 : LOCK_NB);
    int rc;
    while ((rc = flock(fd, how)) < 0 && errno == EINTR)
        ;
    if (rc == 0)
        return fd;
    if (errno == EWOULDBLOCK)
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "%s is locked by another process", path);
    else
        rw_error_from_errno(error, errno, "cannot lock %s", path);
    close(fd);
    return -1;
}

static bool remove_children(const char *path, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    if (!dir) {
        rw_error_from_errno(error, errno, "cannot open the directory %s", path);
        return false;
    }
    const char *name;
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        if (!rw_remove_tree(child, error))
            return false;
    }
    return true;
}

bool rw_remove_tree(const char *path, GError **error)
{
    struct stat st;
    if (lstat(path, &st) < 0) {
        if (errno == ENOENT)
            return true;
        rw_error_from_errno(error, errno, "cannot remove %s", path);
        return false;
    }
    bool is_dir = S_ISDIR(st.st_mode);
    if (is_dir && !remove_children(path, error))
        return false;
    if ((is_dir ? rmdir(path) : unlink(path)) == 0 || errno == ENOENT)
        return true;
    rw_error_from_errno(error, errno, "cannot remove %s", path);
    return false;
}

// ---- Directories ----

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

GPtrArray *rw_dir_names(const char *path, GError **error)
{
    DIR *dir = opendir(path);
    if (!dir) {
        rw_error_from_errno(error, errno, "cannot open the directory %s", path);
        return NULL;
    }
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const struct dirent *entry;
    while ((errno = 0, entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            g_ptr_array_add(names, g_strdup(entry->d_name));
    int failed = errno; // readdir() says so in no other way
    closedir(dir);
    if (failed) {
        rw_error_from_errno(error, failed, "cannot read the directory %s", path);
        return NULL;
    }
    g_ptr_array_sort(names, compare_names);
    return g_steal_pointer(&names);
}
