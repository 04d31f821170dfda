// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

#include "rw-map.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (256u << 10)

char *rw_store_dup_input_path(RwStore *store, const char *sha256)
{
    return g_build_filename(store->inputs, sha256, NULL);
}

// ---- Keeping ----

// Waits for something to read, or for somebody who wants no more of it.
static bool wait_for(int fd, GCancellable *cancellable, GError **error)
{
    GPollFD stop = {0};
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    if (cancellable && g_cancellable_make_pollfd(cancellable, &stop))
        fds[1].fd = stop.fd;
    while (poll(fds, G_N_ELEMENTS(fds), -1) < 0 && errno == EINTR)
        ;
    if (fds[1].fd >= 0)
        g_cancellable_release_fd(cancellable);
    return rw_check_cancelled(cancellable, error);
}

static bool copy(int from, int to, const char *path, RwSha256 *sha, GCancellable *cancellable,
                 uint64_t *ret_size, GError **error)
{
    g_autofree uint8_t *chunk = g_malloc(CHUNK);
    for (*ret_size = 0;;) {
        if (!wait_for(from, cancellable, error))
            return false;
        ssize_t n = read(from, chunk, CHUNK);
        if (n == 0)
            return true;
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            rw_error_from_errno(error, errno, "cannot read standard input");
        if (n < 0 || !rw_write_all(to, chunk, (size_t)n, path, error))
            return false;
        rw_sha256_update(sha, chunk, (size_t)n);
        *ret_size += (uint64_t)n;
    }
}

bool rw_store_take_input(RwStore *store, const char *from, const char *sha256, GError **error)
{
    g_autofree char *path = rw_store_dup_input_path(store, sha256);
    return rw_mkdir(store->inputs, error) && rw_rename_durable(from, path, error);
}

static bool give_name(RwStore *store, int fd, const char *temp, const char *sha256, GError **error)
{
    if (fsync(fd) == 0 && fchmod(fd, 0400) == 0)
        return rw_store_take_input(store, temp, sha256, error);
    rw_error_from_errno(error, errno, "cannot write %s", temp);
    return false;
}

bool rw_store_keep_input(RwStore *store, int from, GCancellable *cancellable,
                         char ret_sha256[RW_SHA256_HEX_SIZE], uint64_t *ret_size, GError **error)
{
    g_autofree char *temp = g_build_filename(store->inputs, ".new-XXXXXX", NULL);
    g_autoptr(RwSha256) sha = rw_sha256_new();
    if (!rw_mkdir(store->inputs, error))
        return false;
    int fd = g_mkstemp_full(temp, O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot create %s", temp);
        return false;
    }
    bool ok = copy(from, fd, temp, sha, cancellable, ret_size, error);
    if (ok)
        rw_sha256_finish_hex(sha, ret_sha256);
    ok = ok && give_name(store, fd, temp, ret_sha256, error);
    if (!ok)
        unlink(temp);
    close(fd);
    return ok;
}

// ---- Using ----

static bool check_input(GBytes *bytes, const char *path, const char *sha256, GError **error)
{
    char found[RW_SHA256_HEX_SIZE];
    gsize size;
    const void *data = g_bytes_get_data(bytes, &size);
    rw_sha256_hex(data, size, found);
    if (!strcmp(found, sha256))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID,
                "%s: damaged: its hash is %.12s: it was the standard input of a run", path, found);
    return false;
}

GBytes *rw_store_open_input(RwStore *store, const char *sha256, GError **error)
{
    g_autofree char *path =
        rw_is_sha256_hex(sha256) ? rw_store_dup_input_path(store, sha256) : g_strdup(sha256);
    g_autoptr(GError) local = NULL;
    g_autoptr(GBytes) bytes = rw_is_sha256_hex(sha256) ? rw_map_dup_file(path, &local) : NULL;
    if (!bytes) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "the run's standard input is gone: %s",
                    local ? local->message : path);
        return NULL;
    }
    return check_input(bytes, path, sha256, error) ? g_steal_pointer(&bytes) : NULL;
}

// ---- Garbage ----

static bool remove_input(RwStore *store, const char *name, bool dry_run, RwGone gone, void *data,
                         GError **error)
{
    g_autofree char *path = rw_store_dup_input_path(store, name);
    uint64_t bytes = rw_tree_bytes(path);
    if (!dry_run && unlink(path) < 0 && errno != ENOENT) {
        rw_error_from_errno(error, errno, "cannot remove %s", path);
        return false;
    }
    gone(*name == '.' ? "remains" : "input", name, bytes, data);
    return true;
}

bool rw_store_remove_inputs(RwStore *store, GHashTable *used, bool dry_run, RwGone gone, void *data,
                            GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(store->inputs, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir)))
        if (!g_hash_table_contains(used, name) && !remove_input(store, name, dry_run, gone, data, error))
            return false;
    return true;
}
