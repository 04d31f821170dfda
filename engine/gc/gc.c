// SPDX-License-Identifier: MIT
#include "rw-gc.h"

#include "rw-boot.h"
#include "rw-image.h"
#include "rw-keyframes.h"
#include "rw-manifest.h"
#include "rw-pages-care.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct {
    RwStore *store;
    bool dry_run;
    GCancellable *cancellable;
    GHashTable *images, *guests, *inputs; // hashes that runs have
    RwPages *pages;
    RwPageSet *live;
    GPtrArray *garbage;
} Gc;

static void free_garbage(void *data)
{
    RwGarbage *garbage = data;
    g_free(garbage->name);
    g_free(garbage);
}

static void add(const char *what, const char *name, uint64_t bytes, void *data)
{
    RwGarbage *garbage = g_new(RwGarbage, 1);
    *garbage = (RwGarbage){what, g_strdup(name), bytes};
    g_ptr_array_add(((Gc *)data)->garbage, garbage);
}

// ---- What runs have ----

// Keyframes that are proven to be damaged are as good as none, and what of a tree cannot be reached is
// nobody's. Everything else that stands in the way, such as a file that could not be opened or one of a
// newer rewind, ends the gc: what was not looked at may need anything.
static void mark_frame(Gc *gc, const RwKeyframe *frame, GError **error)
{
    rw_page_tree_mark(gc->pages, &frame->root, rw_page_tree_levels(frame->memory), gc->live, error);
}

static bool mark_pages(Gc *gc, const RwRunEntry *entry, GError **error)
{
    g_autofree char *path = g_build_filename(entry->path, "keyframes", NULL);
    g_autoptr(GError) local = NULL;
    g_autoptr(RwKeyframes) keyframes = rw_keyframes_open(path, &local);
    for (guint i = 0; keyframes && i < rw_keyframes_get_count(keyframes) && !local; i++)
        mark_frame(gc, rw_keyframes_get(keyframes, i), &local);
    if (!local || (!keyframes && (g_error_matches(local, RW_ERROR, RW_ERROR_NOT_FOUND) ||
                                  g_error_matches(local, RW_ERROR, RW_ERROR_INVALID))))
        return rw_check_cancelled(gc->cancellable, error);
    g_propagate_prefixed_error(error, g_steal_pointer(&local), "run %s: ", entry->ref);
    return false;
}

static bool mark_run(Gc *gc, const RwRunEntry *entry, GError **error)
{
    if (entry->state == RW_RUN_INTERRUPTED)
        return true;
    g_autoptr(RwManifest) manifest = rw_manifest_load(entry, error);
    if (!manifest) {
        bool damaged = !error || g_error_matches(*error, RW_ERROR, RW_ERROR_INVALID);
        g_prefix_error(error, "run %s cannot be read, so nobody knows what it needs%s: ", entry->ref,
                       damaged ? "; remove it first" : "");
        return false;
    }
    g_hash_table_add(gc->images, g_strdup(manifest->inputs->image_hash));
    g_hash_table_add(gc->guests, g_strdup(manifest->inputs->guest_hash));
    if (manifest->inputs->stdin_hash)
        g_hash_table_add(gc->inputs, g_strdup(manifest->inputs->stdin_hash));
    return mark_pages(gc, entry, error);
}

static bool mark(Gc *gc, GError **error)
{
    g_autoptr(GPtrArray) runs = rw_store_list(gc->store, error);
    for (guint i = 0; runs && i < runs->len; i++)
        if (!mark_run(gc, runs->pdata[i], error))
            return false;
    return runs != NULL;
}

// ---- What goes ----

static bool clean_guests(Gc *gc, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(rw_store_get_guests_dir(gc->store), 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(rw_store_get_guests_dir(gc->store), name, NULL);
        if (g_hash_table_contains(gc->guests, name))
            continue;
        uint64_t bytes = rw_tree_bytes(path);
        if (!gc->dry_run && !rw_remove_tree(path, error))
            return false;
        add("guest", name, bytes, gc);
    }
    return true;
}

// One that goes on somewhere has its file locked.
static bool clean_download(Gc *gc, const char *path, const char *name, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool free = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    uint64_t bytes = rw_tree_bytes(path);
    bool ok = true;
    if (free && !gc->dry_run && unlink(path) < 0 && errno != ENOENT) {
        rw_error_from_errno(error, errno, "cannot remove %s", path);
        ok = false;
    }
    if (free && ok)
        add("download", name, bytes, gc);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool clean_downloads(Gc *gc, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(rw_store_get_cache_dir(gc->store), 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(rw_store_get_cache_dir(gc->store), name, NULL);
        if (g_str_has_prefix(name, "download-") && !clean_download(gc, path, name, error))
            return false;
    }
    return true;
}

// ---- Boots ----

static bool is_boot(const char *name)
{
    return g_str_has_prefix(name, "boot-") || g_str_has_prefix(name, ".boot-");
}

// Those of images and guests that stay are worth what they need.
static bool clean_boots(Gc *gc, GError **error)
{
    const char *cache = rw_store_get_cache_dir(gc->store);
    g_autoptr(GPtrArray) names = rw_dir_names(cache, error);
    for (guint i = 0; names && i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *path = g_build_filename(cache, name, NULL);
        if (!is_boot(name) ||
            (*name != '.' && rw_boot_mark(path, gc->images, gc->guests, gc->pages, gc->live)))
            continue;
        uint64_t bytes = rw_tree_bytes(path);
        if (!gc->dry_run && !rw_remove_tree(path, error))
            return false;
        add("boot", name, bytes, gc);
    }
    return names != NULL;
}

static bool clean_pages(Gc *gc, GError **error)
{
    RwPagesGcStats stats;
    if (!rw_pages_gc(gc->pages, gc->live, gc->dry_run, &stats, error))
        return false;
    g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, stats.dead);
    if (stats.dead)
        add("pages", count, stats.stored_before - MIN(stats.stored_before, stats.stored_after), gc);
    return true;
}

static bool collect(Gc *gc, GError **error)
{
    return mark(gc, error) && rw_store_remove_remains(gc->store, gc->dry_run, add, gc, error) &&
           rw_images_remove_unused(rw_store_get_images_dir(gc->store), gc->images, gc->dry_run, add, gc,
                                   error) &&
           rw_store_remove_inputs(gc->store, gc->inputs, gc->dry_run, add, gc, error) &&
           clean_guests(gc, error) && clean_downloads(gc, error) && clean_boots(gc, error) &&
           clean_pages(gc, error);
}

GPtrArray *rw_gc(RwStore *store, bool dry_run, GCancellable *cancellable, GError **error)
{
    int alone = rw_store_use_alone(store, error);
    if (alone < 0)
        return NULL;
    Gc gc = {.store = store, .dry_run = dry_run, .cancellable = cancellable};
    gc.images = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gc.guests = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gc.inputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gc.live = rw_page_set_new();
    gc.garbage = g_ptr_array_new_with_free_func(free_garbage);
    gc.pages = rw_pages_open(store, true, error);
    bool ok = gc.pages && collect(&gc, error);
    rw_pages_free(gc.pages);
    rw_page_set_free(gc.live);
    g_hash_table_unref(gc.guests);
    g_hash_table_unref(gc.images);
    g_hash_table_unref(gc.inputs);
    close(alone);
    if (!ok)
        g_clear_pointer(&gc.garbage, g_ptr_array_unref);
    return gc.garbage;
}
