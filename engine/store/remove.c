// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int rw_run_hold(const char *path, GError **error)
{
    g_autofree char *lock = g_build_filename(path, "lock", NULL);
    g_autoptr(GError) local = NULL;
    int fd = rw_lock_file(lock, RW_LOCK_SHARED, &local);
    if (fd >= 0 || rw_store_is_read_only(path))
        return fd;
    if (g_error_matches(local, RW_ERROR, RW_ERROR_BUSY))
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "%s: somebody records or removes it", path);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return -1;
}

bool rw_store_discard(RwStore *store, const char *path, GError **error)
{
    for (int tries = 0; tries < 100; tries++) {
        g_autofree char *name = g_strdup_printf(".gone-%08x", g_random_int());
        g_autofree char *gone = g_build_filename(store->runs, name, NULL);
        if (renameat2(AT_FDCWD, path, AT_FDCWD, gone, RENAME_NOREPLACE) == 0)
            return rw_remove_tree(gone, error);
        if (errno == ENOENT)
            return true;
        if (errno != EEXIST)
            break;
    }
    rw_error_from_errno(error, errno, "cannot remove %s", path);
    return false;
}

void rw_store_sweep(RwStore *store)
{
    g_autoptr(GDir) dir = g_dir_open(store->runs, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        if (!g_str_has_prefix(name, ".gone-"))
            continue;
        g_autofree char *path = g_build_filename(store->runs, name, NULL);
        rw_remove_tree(path, NULL);
    }
}

// The lock of a run that nobody uses, or -1.
static int lock_unused(const RwRunEntry *entry, GError **error)
{
    g_autofree char *path = g_build_filename(entry->path, "lock", NULL);
    g_autoptr(GError) local = NULL;
    int fd = rw_lock_file(path, 0, &local);
    if (fd >= 0)
        return fd;
    if (g_error_matches(local, RW_ERROR, RW_ERROR_BUSY))
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "run %s: in use by another process: not removed",
                    entry->ref);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return -1;
}

static bool lock_all(const GPtrArray *entries, GArray *locks, GError **error)
{
    for (guint i = 0; i < entries->len; i++) {
        int fd = lock_unused(entries->pdata[i], error);
        if (fd < 0)
            return false;
        g_array_append_val(locks, fd);
    }
    return true;
}

static void unlock_all(const GArray *locks)
{
    for (guint i = 0; i < locks->len; i++)
        close(g_array_index(locks, int, i));
}

bool rw_store_may_remove_all(RwStore *store, const GPtrArray *entries, GError **error)
{
    g_autoptr(GArray) locks = g_array_new(false, false, sizeof(int));
    bool ok = lock_all(entries, locks, error);
    unlock_all(locks);
    return ok;
}

static bool discard_all(RwStore *store, const GPtrArray *entries, GError **error)
{
    for (guint i = 0; i < entries->len; i++)
        if (!rw_store_discard(store, ((RwRunEntry *)entries->pdata[i])->path, error))
            return false;
    return true;
}

bool rw_store_remove_all(RwStore *store, const GPtrArray *entries, GError **error)
{
    int names = rw_store_lock_names(store, error);
    if (names < 0)
        return false;
    g_autoptr(GArray) locks = g_array_new(false, false, sizeof(int));
    bool ok = lock_all(entries, locks, error) && discard_all(store, entries, error);
    unlock_all(locks);
    rw_store_sweep(store);
    close(names);
    return ok;
}

bool rw_store_remove(RwStore *store, const RwRunEntry *entry, GError **error)
{
    g_autoptr(GPtrArray) entries = g_ptr_array_new();
    g_ptr_array_add(entries, (void *)entry);
    return rw_store_remove_all(store, entries, error);
}
