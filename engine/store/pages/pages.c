// SPDX-License-Identifier: MIT
//
// Objects of the page store. Of several copies the first whole one counts.
#include "pages-private.h"

bool rw_pages_has(RwPages *pages, const RwPageHash *hash)
{
    RwPackEntry entry;
    g_rw_lock_reader_lock(&pages->guard);
    bool has = rw_page_hash_is_zero(hash) || rw_pages_find(pages, hash, 0, &entry);
    g_rw_lock_reader_unlock(&pages->guard);
    return has;
}

// It is missing only where every pack could be looked into.
static bool not_found(RwPages *pages, const RwPageHash *hash, GError **error)
{
    char hex[RW_SHA256_HEX_SIZE];
    rw_hex_from_digest(hash->v, hex);
    g_rw_lock_reader_lock(&pages->guard);
    g_autoptr(GError) cut = NULL;
    for (guint i = 0; !cut && i < pages->packs->len; i++)
        rw_pack_check_whole(g_ptr_array_index(pages->packs, i), &cut);
    const GError *why = pages->unread ? pages->unread : cut ? cut : pages->damage;
    g_set_error(error, RW_ERROR, pages->unread ? pages->unread->code : RW_ERROR_NOT_FOUND,
                "%s: page %.16s… is missing%s%s", pages->dir, hex, why ? ": " : "",
                why ? why->message : "");
    g_rw_lock_reader_unlock(&pages->guard);
    return false;
}

static RwPack *find(RwPages *pages, const RwPageHash *hash, guint nth, RwPackEntry *ret_entry)
{
    g_rw_lock_reader_lock(&pages->guard);
    RwPack *pack = rw_pages_find(pages, hash, nth, ret_entry);
    g_rw_lock_reader_unlock(&pages->guard);
    return pack;
}

// ---- Unpacking ----

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

static bool decompress(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, const uint8_t *stored,
                       void *ret_bytes, GError **error)
{
    const uint8_t *bytes = stored + RW_PACK_HEAD_SIZE;
    if (!(entry->flags & RW_PACK_ZSTD)) {
        memcpy(ret_bytes, bytes, entry->stored);
        return true;
    }
    ZSTD_DCtx *zstd = take_decompressor(pages);
    if (!zstd) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "%s: no memory to unpack it", pack->path);
        return false;
    }
    size_t length = ZSTD_decompressDCtx(zstd, ret_bytes, entry->raw, bytes, entry->stored);
    give_decompressor(pages, zstd);
    return length == entry->raw || rw_pack_damaged(pack, "an object is broken", error);
}

bool rw_pages_read_stored(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, uint8_t *stored,
                          GError **error)
{
    int fd = rw_pack_files_take(&pages->files, pack, error);
    bool ok = fd >= 0 && rw_pack_read(pack, fd, entry, stored, error);
    if (fd >= 0)
        rw_pack_files_give(&pages->files, fd);
    return ok;
}

bool rw_pages_unpack(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, const uint8_t *stored,
                     void *ret_bytes, GError **error)
{
    RwPageHash found;
    if (!decompress(pages, pack, entry, stored, ret_bytes, error))
        return false;
    rw_sha256_bytes(ret_bytes, entry->raw, found.v);
    return !memcmp(&found, &entry->hash, sizeof found) ||
           rw_pack_damaged(pack, "an object is not what its hash says", error);
}

// ---- Objects ----

static bool get_copy(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, void *ret_bytes,
                     size_t length, GError **error)
{
    uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX];
    if (entry->raw != length)
        return rw_pack_damaged(pack, "an object has not the size that is wanted", error);
    return rw_pages_read_stored(pages, pack, entry, stored, error) &&
           rw_pages_unpack(pages, pack, entry, stored, ret_bytes, error);
}

// Of several errors the one that counts: that a copy could not be read leaves open what it is.
static void keep_error(GError **kept, GError *error)
{
    if (*kept && g_error_matches(error, RW_ERROR, RW_ERROR_INVALID)) {
        g_error_free(error);
        return;
    }
    g_clear_error(kept);
    *kept = error;
}

// 1: there it is; 0: no pack has it; -1: no copy can be used.
static int get_any_copy(RwPages *pages, const RwPageHash *hash, void *ret_bytes, size_t length,
                        GError **error)
{
    RwPackEntry entry;
    RwPack *pack;
    g_autoptr(GError) kept = NULL;
    for (guint nth = 0; (pack = find(pages, hash, nth, &entry)); nth++) {
        GError *local = NULL;
        if (get_copy(pages, pack, &entry, ret_bytes, length, &local))
            return 1;
        keep_error(&kept, local);
    }
    if (!kept)
        return 0;
    g_propagate_error(error, g_steal_pointer(&kept));
    return -1;
}

bool rw_pages_get(RwPages *pages, const RwPageHash *hash, void *ret_bytes, size_t length, GError **error)
{
    g_autoptr(GError) local = NULL;
    if (rw_page_hash_is_zero(hash)) {
        memset(ret_bytes, 0, length);
        return true;
    }
    int got = get_any_copy(pages, hash, ret_bytes, length, &local);
    if (got > 0)
        return true;
    // Somebody may have put it, or a whole copy of it, since.
    g_autoptr(GError) unread = NULL;
    if (!rw_pages_refresh(pages, &unread)) {
        g_propagate_error(error, g_steal_pointer(&unread));
        return false;
    }
    g_clear_error(&local);
    got = get_any_copy(pages, hash, ret_bytes, length, &local);
    if (got < 0)
        g_propagate_error(error, g_steal_pointer(&local));
    return got > 0 || (got == 0 && not_found(pages, hash, error));
}

// Without the hash: comparing the bytes is a better test, and cheaper.
static bool copy_is(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, const void *bytes,
                    size_t length)
{
    uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX], found[RW_PAGE_BYTES];
    return entry->raw == length && rw_pages_read_stored(pages, pack, entry, stored, NULL) &&
           decompress(pages, pack, entry, stored, found, NULL) && !memcmp(found, bytes, length);
}

bool rw_pages_has_bytes(RwPages *pages, const RwPageHash *hash, const void *bytes, size_t length)
{
    RwPackEntry entry;
    RwPack *pack;
    for (guint nth = 0; (pack = find(pages, hash, nth, &entry)); nth++)
        if (copy_is(pages, pack, &entry, bytes, length))
            return true;
    return false;
}
