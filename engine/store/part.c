// SPDX-License-Identifier: MIT
//
// A recording on its way to become a run.
#include "rw-store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

struct _RwRunPart {
    RwStore *store; // borrowed
    char id[RW_ID_LENGTH + 1];
    char *path;
    int lock, use;
    bool named;
};

// Recordings of the same id whose recorder died: this one does their work again.
static void sweep_dead_parts(RwStore *store, const char *id)
{
    g_autoptr(GDir) dir = g_dir_open(store->runs, 0, NULL);
    g_autofree char *prefix = g_strconcat(id, ".part-", NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        if (!g_str_has_prefix(name, prefix))
            continue;
        g_autofree char *path = g_build_filename(store->runs, name, NULL);
        g_autofree char *lock = g_build_filename(path, "lock", NULL);
        int fd = rw_lock_file(lock, 0, NULL);
        if (fd < 0)
            continue;
        rw_store_discard(store, path, NULL);
        close(fd);
    }
}

static bool make_part(RwRunPart *part, GError **error)
{
    g_autofree char *name = g_strconcat(part->id, ".part-XXXXXX", NULL);
    part->path = g_build_filename(part->store->runs, name, NULL);
    if (!g_mkdtemp_full(part->path, 0700)) {
        rw_error_from_errno(error, errno, "cannot make a directory in %s", part->store->runs);
        g_clear_pointer(&part->path, g_free);
        return false;
    }
    g_autofree char *lock = g_build_filename(part->path, "lock", NULL);
    part->lock = rw_lock_file(lock, 0, error);
    return part->lock >= 0;
}

RwRunPart *rw_store_begin(RwStore *store, const char *id, GError **error)
{
    g_return_val_if_fail(strlen(id) == RW_ID_LENGTH, NULL);
    g_autoptr(RwRunPart) part = g_new0(RwRunPart, 1);
    g_autoptr(GError) local = NULL;
    part->store = store;
    part->lock = -1;
    part->use = rw_store_use(store, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    int names = rw_store_lock_names(store, error);
    if (names < 0)
        return NULL;
    g_strlcpy(part->id, id, sizeof part->id);
    sweep_dead_parts(store, id);
    rw_store_sweep(store);
    bool ok = make_part(part, error);
    close(names);
    return ok ? g_steal_pointer(&part) : NULL;
}

const char *rw_run_part_get_path(const RwRunPart *part)
{
    return part->path;
}

void rw_run_part_free(RwRunPart *part)
{
    if (!part)
        return;
    if (part->path && !part->named)
        rw_remove_tree(part->path, NULL);
    if (part->lock >= 0)
        close(part->lock);
    if (part->use >= 0)
        close(part->use);
    g_free(part->path);
    g_free(part);
}

// 1: it has the name; 0: the name is taken; -1: error.
static int take_name(RwRunPart *part, const char *to, GError **error)
{
    if (!rw_sync_dir(part->path, error))
        return -1;
    if (renameat2(AT_FDCWD, part->path, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        part->named = true;
        g_free(part->path);
        part->path = g_strdup(to);
        return rw_sync_dir(part->store->runs, error) ? 1 : -1;
    }
    if (errno == EEXIST)
        return 0;
    rw_error_from_errno(error, errno, "cannot give %s its name", part->path);
    return -1;
}

bool rw_run_part_commit(RwRunPart *part, char **ret_existing, GError **error)
{
    g_autofree char *to = g_build_filename(part->store->runs, part->id, NULL);
    *ret_existing = NULL;
    int names = rw_store_lock_names(part->store, error);
    if (names < 0)
        return false;
    int taken = take_name(part, to, error);
    close(names);
    if (taken == 0)
        *ret_existing = g_steal_pointer(&to);
    return taken == 1;
}

// Whoever reads the old run goes on reading that one.
static int lock_replaced(const RwRunPart *part, const char *path, GError **error)
{
    g_autofree char *lock = g_build_filename(path, "lock", NULL);
    g_autoptr(GError) local = NULL;
    int fd = rw_lock_file(lock, 0, &local);
    if (fd >= 0)
        return fd;
    if (g_error_matches(local, RW_ERROR, RW_ERROR_BUSY))
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY,
                    "run %s: in use by another process, so this recording of it is not kept", part->id);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return -1;
}

bool rw_run_part_replace(RwRunPart *part, GError **error)
{
    g_autofree char *to = g_build_filename(part->store->runs, part->id, NULL);
    int names = rw_store_lock_names(part->store, error);
    if (names < 0)
        return false;
    int lock = lock_replaced(part, to, error);
    bool ok = lock >= 0 && rw_store_discard(part->store, to, error) && take_name(part, to, error) == 1;
    if (lock >= 0)
        close(lock);
    close(names);
    return ok;
}

char *rw_run_part_keep(RwRunPart *part, GError **error)
{
    int names = rw_store_lock_names(part->store, error);
    if (names < 0)
        return NULL;
    g_autofree char *to = NULL;
    int taken = 0;
    for (int n = 1; taken == 0 && n < 1000; n++) {
        g_autofree char *name = n == 1 ? g_strconcat(part->id, ".differs", NULL)
                                       : g_strdup_printf("%s.differs-%d", part->id, n);
        g_free(to);
        to = g_build_filename(part->store->runs, name, NULL);
        taken = take_name(part, to, error);
    }
    close(names);
    if (taken == 0)
        g_set_error(error, RW_ERROR, RW_ERROR_FULL,
                    "run %s: 1,000 differing recordings of it are kept already", part->id);
    return taken == 1 ? g_steal_pointer(&to) : NULL;
}
