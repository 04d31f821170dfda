// SPDX-License-Identifier: MIT
//
// The page store open for reading: all complete packs there are.
#include "pages-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define MAX_PACKS 65535u

// ---- Packs there are ----

static void add_pack(RwPages *pages, const char *name)
{
    g_autoptr(GError) local = NULL;
    RwPack *pack = rw_pack_open(pages->dir, name, &local);
    g_hash_table_insert(pages->names, g_strdup(name), pack);
    if (pack) {
        rw_pack_map_add(&pages->map, pack, pages->packs->len);
        g_ptr_array_add(pages->packs, pack);
        return;
    }
    pages->damaged++;
    if (!pages->damage)
        pages->damage = g_steal_pointer(&local);
}

static gboolean add_new_packs(RwPages *pages, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(pages->dir, 0, error);
    const char *name;
    if (!dir)
        return FALSE;
    while ((name = g_dir_read_name(dir)))
        if (g_str_has_prefix(name, RW_PACK_PREFIX) && !g_hash_table_contains(pages->names, name) &&
            pages->packs->len < MAX_PACKS)
            add_pack(pages, name);
    return TRUE;
}

gboolean rw_pages_refresh(RwPages *pages, GError **error)
{
    g_rw_lock_writer_lock(&pages->guard);
    gboolean ok = add_new_packs(pages, error);
    g_rw_lock_writer_unlock(&pages->guard);
    return ok;
}

// ---- Life ----

// Where nothing can be written there is nobody to be kept away: no lock, -1 without an error.
static int lock_store(const char *dir, gboolean exclusive, GError **error)
{
    g_autofree char *path = g_build_filename(dir, "lock", NULL);
    g_autoptr(GError) local = NULL;
    int fd = rw_lock_file(path, exclusive ? 0 : RW_LOCK_SHARED | RW_LOCK_WAIT, &local);
    if (fd >= 0 || (!exclusive && g_access(dir, W_OK) != 0))
        return fd;
    if (exclusive && g_error_matches(local, RW_ERROR, RW_ERROR_BUSY))
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY, "%s: somebody records or reads pages there", dir);
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return -1;
}

static void free_decompressor(gpointer zstd)
{
    ZSTD_freeDCtx(zstd);
}

RwPages *rw_pages_open(RwStore *store, gboolean exclusive, GError **error)
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
    RwPages *pages = g_new0(RwPages, 1);
    *pages = (RwPages){
        .dir = g_steal_pointer(&dir),
        .lock = fd,
        .exclusive = exclusive,
        .packs = g_ptr_array_new_with_free_func((GDestroyNotify)rw_pack_free),
        .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .decompressors = g_ptr_array_new_with_free_func(free_decompressor),
    };
    g_rw_lock_init(&pages->guard);
    g_mutex_init(&pages->spares);
    rw_pack_map_init(&pages->map);
    rw_pages_sweep(pages->dir);
    if (rw_pages_refresh(pages, error))
        return pages;
    rw_pages_free(pages);
    return NULL;
}

void rw_pages_free(RwPages *pages)
{
    if (!pages)
        return;
    if (pages->lock >= 0)
        close(pages->lock);
    g_ptr_array_unref(pages->packs);
    g_ptr_array_unref(pages->decompressors);
    g_hash_table_unref(pages->names);
    g_clear_error(&pages->damage);
    rw_pack_map_clear(&pages->map);
    g_rw_lock_clear(&pages->guard);
    g_mutex_clear(&pages->spares);
    g_free(pages->dir);
    g_free(pages);
}

void rw_pages_get_stats(RwPages *pages, RwPagesStats *ret_stats)
{
    g_rw_lock_reader_lock(&pages->guard);
    *ret_stats = (RwPagesStats){.packs = pages->packs->len, .damaged = pages->damaged};
    for (guint i = 0; i < pages->packs->len; i++) {
        const RwPack *pack = g_ptr_array_index(pages->packs, i);
        ret_stats->objects += pack->entries;
        ret_stats->stored += pack->size;
    }
    g_rw_lock_reader_unlock(&pages->guard);
}

// ---- Objects ----

RwPack *rw_pages_find(RwPages *pages, const RwPageHash *hash, RwPackEntry *ret_entry)
{
    size_t cursor = SIZE_MAX;
    int number;
    while ((number = rw_pack_map_next(&pages->map, hash, &cursor)) >= 0) {
        RwPack *pack = g_ptr_array_index(pages->packs, (guint)number);
        if (rw_pack_find(pack, hash, ret_entry))
            return pack;
    }
    return NULL;
}

gboolean rw_pages_has(RwPages *pages, const RwPageHash *hash)
{
    RwPackEntry entry;
    g_rw_lock_reader_lock(&pages->guard);
    gboolean has = rw_page_hash_is_zero(hash) || rw_pages_find(pages, hash, &entry);
    g_rw_lock_reader_unlock(&pages->guard);
    return has;
}

static gboolean not_found(RwPages *pages, const RwPageHash *hash, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_hex_from_digest(hash->v, hex);
    g_rw_lock_reader_lock(&pages->guard);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: page %.16s… is missing%s%s", pages->dir, hex,
                pages->damage ? ": " : "", pages->damage ? pages->damage->message : "");
    g_rw_lock_reader_unlock(&pages->guard);
    return FALSE;
}

static RwPack *find_or_refresh(RwPages *pages, const RwPageHash *hash, RwPackEntry *ret_entry)
{
    RwPack *pack = NULL;
    for (int tries = 0; tries < 2 && !pack; tries++) {
        if (tries && !rw_pages_refresh(pages, NULL))
            return NULL;
        g_rw_lock_reader_lock(&pages->guard);
        pack = rw_pages_find(pages, hash, ret_entry);
        g_rw_lock_reader_unlock(&pages->guard);
    }
    return pack;
}

static ZSTD_DCtx *take_decompressor(RwPages *pages)
{
    g_mutex_lock(&pages->spares);
    guint n = pages->decompressors->len;
    ZSTD_DCtx *zstd = n ? g_ptr_array_steal_index_fast(pages->decompressors, n - 1) : NULL;
    g_mutex_unlock(&pages->spares);
    return zstd ? zstd : ZSTD_createDCtx();
}

static void give_decompressor(RwPages *pages, ZSTD_DCtx *zstd)
{
    g_mutex_lock(&pages->spares);
    g_ptr_array_add(pages->decompressors, zstd);
    g_mutex_unlock(&pages->spares);
}

gboolean rw_pages_unpack(RwPages *pages, const RwPack *pack, const RwPackEntry *entry,
                         const uint8_t *stored, void *ret_bytes, GError **error)
{
    const uint8_t *bytes = stored + RW_PACK_HEAD_SIZE;
    RwPageHash found;
    size_t length = entry->stored;
    if (entry->flags & RW_PACK_ZSTD) {
        ZSTD_DCtx *zstd = take_decompressor(pages);
        length = ZSTD_decompressDCtx(zstd, ret_bytes, entry->raw, bytes, entry->stored);
        give_decompressor(pages, zstd);
    } else {
        memcpy(ret_bytes, bytes, entry->stored);
    }
    if (length != entry->raw)
        return rw_pack_damaged(pack, "an object is broken", error);
    rw_sha256_bytes(ret_bytes, length, found.v);
    return !memcmp(&found, &entry->hash, sizeof found) ||
           rw_pack_damaged(pack, "an object is not what its hash says", error);
}

gboolean rw_pages_get(RwPages *pages, const RwPageHash *hash, void *ret_bytes, size_t length,
                      GError **error)
{
    RwPackEntry entry;
    uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX];
    if (rw_page_hash_is_zero(hash)) {
        memset(ret_bytes, 0, length);
        return TRUE;
    }
    RwPack *pack = find_or_refresh(pages, hash, &entry);
    if (!pack)
        return not_found(pages, hash, error);
    if (entry.raw != length)
        return rw_pack_damaged(pack, "an object has not the size that is wanted", error);
    return rw_pack_read(pack, &entry, stored, error) &&
           rw_pages_unpack(pages, pack, &entry, stored, ret_bytes, error);
}
