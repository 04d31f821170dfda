// SPDX-License-Identifier: MIT
#include "download-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define VALIDATOR_MAX 1000 // bytes

// The URL itself may have a secret in it.
static char *dup_path(const char *url, const char *cache_dir)
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_sha256_hex(url, strlen(url), hex);
    g_autofree char *name = g_strdup_printf("download-%.32s", hex);
    return g_build_filename(cache_dir, name, NULL);
}

// -1: error; -2: it was removed before it was locked.
static int open_locked(const char *path, GError **error)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &st) == 0) {
        if (st.st_nlink)
            return fd;
        close(fd);
        return -2;
    }
    if (fd >= 0 && errno == EWOULDBLOCK)
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "another process is loading it");
    else
        rw_error_from_errno(error, errno, "cannot create %s", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

static char *read_validator(const char *path)
{
    g_autofree char *text = NULL;
    size_t length;
    if (!rw_read_file(path, VALIDATOR_MAX, &text, &length, NULL) || !length || strpbrk(text, "\r\n") ||
        strlen(text) != length)
        return NULL;
    return g_steal_pointer(&text);
}

bool rw_partial_open(RwPartial *partial, const char *url, const char *cache_dir, GError **error)
{
    struct stat st;
    *partial = (RwPartial){.download = g_new0(RwDownload, 1)};
    RwDownload *download = partial->download;
    download->path = dup_path(url, cache_dir);
    download->facts = g_strconcat(download->path, ".same", NULL);
    while ((download->lock = open_locked(download->path, error)) == -2)
        ;
    partial->fd = download->lock;
    if (partial->fd < 0)
        return false;
    partial->validator = read_validator(download->facts);
    partial->size = partial->validator && fstat(partial->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    return true;
}

void rw_partial_clear(RwPartial *partial)
{
    g_clear_pointer(&partial->validator, g_free);
    rw_download_free(partial->download, false);
    partial->download = NULL;
}

bool rw_partial_restart(RwPartial *partial, const char *validator, GError **error)
{
    const RwDownload *download = partial->download;
    partial->size = 0;
    g_free(partial->validator);
    partial->validator = g_strdup(validator);
    // What belongs to the old bytes goes before the new ones come.
    unlink(download->facts);
    if (ftruncate(partial->fd, 0) < 0) {
        rw_error_from_errno(error, errno, "cannot write %s", download->path);
        return false;
    }
    return !validator || strlen(validator) > VALIDATOR_MAX ||
           rw_write_file_atomic(download->facts, validator, strlen(validator), error);
}

bool rw_partial_append(RwPartial *partial, const void *bytes, size_t length, GError **error)
{
    if (!rw_pwrite_all(partial->fd, bytes, length, partial->size, partial->download->path, error))
        return false;
    partial->size += length;
    return true;
}

void rw_download_free(RwDownload *download, bool remove)
{
    if (!download)
        return;
    if (remove && download->lock >= 0) {
        unlink(download->facts);
        unlink(download->path);
    }
    if (download->lock >= 0)
        close(download->lock);
    g_free(download->path);
    g_free(download->facts);
    g_free(download);
}
