// SPDX-License-Identifier: MIT
#include "temp-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "tmp-"

// A sweeper may come between making the file and locking it: then the name is gone and we make another.
static int create_locked(char *path, GError **error)
{
    struct stat st;
    int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX) == 0 && fstat(fd, &st) == 0) {
        if (st.st_nlink)
            return fd;
        close(fd);
        return -2;
    }
    rw_error_from_errno(error, errno, "cannot create %s", path);
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    return -1;
}

RwTemp *rw_temp_new(const char *dir, GError **error)
{
    for (;;) {
        g_autofree char *path = g_build_filename(dir, PREFIX "XXXXXX", NULL);
        int fd = create_locked(path, error);
        if (fd == -1)
            return NULL;
        if (fd < 0)
            continue;
        RwTemp *temp = g_new(RwTemp, 1);
        temp->path = g_steal_pointer(&path);
        temp->fd = fd;
        return temp;
    }
}

void rw_temp_free(RwTemp *temp)
{
    if (!temp)
        return;
    if (temp->path)
        unlink(temp->path);
    close(temp->fd);
    g_free(temp->path);
    g_free(temp);
}

bool rw_temp_keep(RwTemp *temp, const char *path, GError **error)
{
    if (fchmod(temp->fd, 0444) < 0 || fsync(temp->fd) < 0) {
        rw_error_from_errno(error, errno, "cannot write %s", path);
        return false;
    }
    if (!rw_rename_durable(temp->path, path, error))
        return false;
    g_clear_pointer(&temp->path, g_free);
    return true;
}

static void sweep_one(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        // The name may by now be another's: only the file we hold the lock of may go.
        struct stat ours, there;
        if (fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_ino == there.st_ino &&
            ours.st_dev == there.st_dev)
            unlink(path);
    }
    close(fd);
}

void rw_temp_sweep(const char *dir)
{
    g_autoptr(GDir) names = g_dir_open(dir, 0, NULL);
    const char *name;
    while (names && (name = g_dir_read_name(names))) {
        if (!g_str_has_prefix(name, PREFIX))
            continue;
        g_autofree char *path = g_build_filename(dir, name, NULL);
        sweep_one(path);
    }
}
