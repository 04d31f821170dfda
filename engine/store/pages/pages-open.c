// SPDX-License-Identifier: MIT
//
// Handles of the page store. Whoever reads in a process shares one of the store.
#include "pages-private.h"

#include "rw-store-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

// Where nothing can be written there is nobody to be kept away: no lock, -1 without an error.
static int lock_store(const char *dir, bool exclusive, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "lock", NULL);
    g_autoptr(GError) local = NULL;
    int fd = rw_lock_file(path, exclusive ? 0 : RW_LOCK_SHARED | RW_LOCK_WAIT, &local);
    if (fd >= 0 || (!exclusive && rw_store_is_read_only(dir)))
        return fd;
    if (exclusive && g_error_matches(local, RW_ERROR, RW_ERROR_BUSY))
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "%s: somebody records or reads pages there", dir);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return -1;
}

// A living writer holds a lock on its file from the moment that it has one (pages-writer.c looks whether it
// lost the race against this).
static void sweep_one(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(fd);
}

// What dead writers left.
static void sweep(const char *dir)
{
    g_autoptr(GPtrArray) names = rw_dir_names(dir, NULL);
    for (guint i = 0; names && i < names->len; i++)
        if (g_str_has_prefix(names->pdata[i], RW_PACK_PART_PREFIX)) {
            g_autofree char *path = g_build_filename(dir, names->pdata[i], NULL);
            sweep_one(path);
        }
}

static void free_decompressor(gpointer zstd)
{
    ZSTD_freeDCtx(zstd);
}

static void free_pages(RwPages *pages)
{
    rw_pack_files_clear(&pages->files);
    if (pages->lock >= 0)
        close(pages->lock);
    g_ptr_array_unref(pages->packs);
    g_ptr_array_unref(pages->decompressors);
    g_hash_table_unref(pages->names);
    g_clear_error(&pages->damage);
    g_clear_error(&pages->unread);
    rw_pack_map_clear(&pages->map);
    g_rw_lock_clear(&pages->guard);
    g_mutex_clear(&pages->spares);
    g_free(pages->dir);
    g_free(pages);
}

static RwPages *new_pages(RwStore *store, char *dir, int lock, bool exclusive)
{
    RwPages *pages = g_new0(RwPages, 1);
    *pages = (RwPages){
        .store = store,
        .users = 1,
        .dir = dir,
        .lock = lock,
        .exclusive = exclusive,
        .packs = g_ptr_array_new_with_free_func((GDestroyNotify)rw_pack_free),
        .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .decompressors = g_ptr_array_new_with_free_func(free_decompressor),
    };
    g_rw_lock_init(&pages->guard);
    g_mutex_init(&pages->spares);
    rw_pack_map_init(&pages->map);
    rw_pack_files_init(&pages->files);
    return pages;
}

static RwPages *open_pages(RwStore *store, bool exclusive, GError **error)
{
    g_autofree char *dir = g_build_filename(rw_store_get_home(store), "store", NULL);
    g_autoptr(GError) local = NULL;
    if (g_mkdir_with_parents(dir, 0700) != 0) {
        rw_error_from_errno(error, errno, "cannot make the directory %s", dir);
        return NULL;
    }
    int fd = lock_store(dir, exclusive, &local);
    if (local) {
        g_propagate_error(error, g_steal_pointer(&local));
        return NULL;
    }
    RwPages *pages = new_pages(store, g_steal_pointer(&dir), fd, exclusive);
    sweep(pages->dir);
    if (rw_pages_refresh(pages, error) && (!exclusive || rw_pages_check_read(pages, error)))
        return pages;
    free_pages(pages);
    return NULL;
}

// Waiting for a gc with the guard held makes others wait for what they would wait for anyway.
RwPages *rw_pages_open(RwStore *store, bool exclusive, GError **error)
{
    if (exclusive)
        return open_pages(store, true, error);
    g_mutex_lock(&store->guard);
    if (store->pages)
        store->pages->users++;
    else
        store->pages = open_pages(store, false, error);
    RwPages *pages = store->pages;
    g_mutex_unlock(&store->guard);
    return pages;
}

void rw_pages_free(RwPages *pages)
{
    if (!pages)
        return;
    RwStore *store = pages->store;
    g_mutex_lock(&store->guard);
    if (--pages->users == 0) {
        if (store->pages == pages)
            store->pages = NULL;
        free_pages(pages);
    }
    g_mutex_unlock(&store->guard);
}
