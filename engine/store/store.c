// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

char *rw_store_dup_default_home(void)
{
    const char *home = g_getenv("REWIND_HOME");
    if (home && *home)
        return g_canonicalize_filename(home, NULL);
    return g_build_filename(g_get_user_data_dir(), "rewind", NULL);
}

static bool make_private_dir(const char *path, GError **error)
{
    if (g_mkdir_with_parents(path, 0700) == 0)
        return true;
    rw_error_from_errno(error, errno, "cannot make the directory %s", path);
    return false;
}

RwStore *rw_store_open(const char *home, GError **error)
{
    g_autoptr(RwStore) store = g_new0(RwStore, 1);
    g_mutex_init(&store->guard);
    store->home = home ? g_canonicalize_filename(home, NULL) : rw_store_dup_default_home();
    store->runs = g_build_filename(store->home, "runs", NULL);
    store->images = g_build_filename(store->home, "images", NULL);
    store->cache = g_build_filename(store->home, "cache", NULL);
    store->guests = g_build_filename(store->home, "guests", NULL);
    store->inputs = g_build_filename(store->home, "inputs", NULL);
    store->lock = g_build_filename(store->home, "lock", NULL);
    const char *dirs[] = {store->home, store->runs, store->images, store->cache, store->guests};
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++)
        if (!make_private_dir(dirs[i], error))
            return NULL;
    return g_steal_pointer(&store);
}

void rw_store_free(RwStore *store)
{
    if (!store)
        return;
    g_warn_if_fail(!store->pages);
    g_mutex_clear(&store->guard);
    g_free(store->home);
    g_free(store->runs);
    g_free(store->images);
    g_free(store->cache);
    g_free(store->guests);
    g_free(store->inputs);
    g_free(store->lock);
    g_free(store);
}

const char *rw_store_get_home(const RwStore *store)
{
    return store->home;
}

const char *rw_store_get_runs_dir(const RwStore *store)
{
    return store->runs;
}

const char *rw_store_get_images_dir(const RwStore *store)
{
    return store->images;
}

const char *rw_store_get_cache_dir(const RwStore *store)
{
    return store->cache;
}

const char *rw_store_get_guests_dir(const RwStore *store)
{
    return store->guests;
}

bool rw_store_is_read_only(const char *path)
{
    return g_access(path, W_OK) != 0 && (errno == EACCES || errno == EROFS);
}

int rw_store_use(RwStore *store, GError **error)
{
    if (rw_store_is_read_only(store->home))
        return -1;
    return rw_lock_file(store->lock, RW_LOCK_SHARED | RW_LOCK_WAIT, error);
}

int rw_store_lock_names(RwStore *store, GError **error)
{
    g_autofree char *path = g_build_filename(store->runs, ".lock", NULL);
    return rw_lock_file(path, RW_LOCK_WAIT, error);
}

bool rw_run_is_locked(const char *dir)
{
    g_autofree char *path = g_build_filename(dir, "lock", NULL);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT && errno != ENOTDIR;
    bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(fd);
    return locked;
}

bool rw_run_name_parse(const char *name, char ret_id[RW_ID_LENGTH + 1], const char **ret_suffix)
{
    size_t n = strspn(name, "0123456789abcdef");
    const char *suffix = name + n;
    if (n != RW_ID_LENGTH)
        return false;
    if (*suffix && !g_str_has_prefix(suffix, ".part-") && !g_str_has_prefix(suffix, ".differs"))
        return false;
    memcpy(ret_id, name, n);
    ret_id[n] = 0;
    *ret_suffix = suffix;
    return true;
}
