// SPDX-License-Identifier: MIT
//
// A complete pack: opened, its index mapped and checked once.
#include "pack-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool rw_pack_damaged(const RwPack *pack, const char *what, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: %s", pack->path, what);
    return false;
}

bool rw_pack_check_whole(const RwPack *pack, GError **error)
{
    return !rw_map_is_lost(pack->map) || rw_pack_damaged(pack, "it was cut while it was being read", error);
}

static bool look_at_file(RwPack *pack, int fd, GError **error)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        rw_error_from_errno(error, errno, "cannot read %s", pack->path);
        return false;
    }
    pack->size = (uint64_t)st.st_size;
    if (!S_ISREG(st.st_mode) ||
        pack->size < RW_PACK_HEADER_SIZE + RW_PACK_FANOUT_SIZE + RW_PACK_TRAILER_SIZE)
        return rw_pack_damaged(pack, "it is cut", error);
    return true;
}

static bool read_ends(const RwPack *pack, int fd, RwPackTrailer *ret_trailer, GError **error)
{
    uint8_t header[RW_PACK_HEADER_SIZE], trailer[RW_PACK_TRAILER_SIZE];
    uint64_t end = pack->size - sizeof trailer;
    if (!rw_pread_all(fd, header, sizeof header, 0, pack->path, error) ||
        !rw_pread_all(fd, trailer, sizeof trailer, end, pack->path, error) ||
        !rw_pack_header_check(header, pack->path, error))
        return false;
    if (!rw_pack_trailer_decode(trailer, ret_trailer))
        return rw_pack_damaged(pack, "it is cut", error);
    uint64_t at = ret_trailer->index;
    if (at < RW_PACK_HEADER_SIZE || at > end || end - at < RW_PACK_FANOUT_SIZE ||
        (end - at - RW_PACK_FANOUT_SIZE) / RW_PACK_ENTRY_SIZE != ret_trailer->entries ||
        (end - at - RW_PACK_FANOUT_SIZE) % RW_PACK_ENTRY_SIZE)
        return rw_pack_damaged(pack, "its trailer makes no sense", error);
    return true;
}

static bool map_index(RwPack *pack, int fd, const RwPackTrailer *trailer, GError **error)
{
    uint64_t start = trailer->index & ~(uint64_t)(RW_PAGE_BYTES - 1);
    size_t length = RW_PACK_FANOUT_SIZE + trailer->entries * RW_PACK_ENTRY_SIZE;
    uint64_t mapped = pack->size - start;
    pack->map = rw_map_new(fd, start, mapped, mapped, pack->path, error);
    if (!pack->map)
        return false;
    pack->fanout = pack->map->bytes + (trailer->index - start);
    pack->table = pack->fanout + RW_PACK_FANOUT_SIZE;
    pack->entries = trailer->entries;
    if (rw_seal_check_large(pack->fanout, length) != trailer->index_check)
        return rw_pack_damaged(pack, "its index is broken", error);
    return true;
}

RwPack *rw_pack_open(const char *dir, const char *name, GError **error)
{
    g_autoptr(RwPack) pack = g_new0(RwPack, 1);
    RwPackTrailer trailer;
    pack->name = g_strdup(name);
    pack->path = g_build_filename(dir, name, NULL);
    int fd = open(pack->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        rw_error_from_errno(error, errno, "cannot read %s", pack->path);
        return NULL;
    }
    bool ok = look_at_file(pack, fd, error) && read_ends(pack, fd, &trailer, error) &&
              map_index(pack, fd, &trailer, error);
    close(fd);
    return ok ? g_steal_pointer(&pack) : NULL;
}

void rw_pack_free(RwPack *pack)
{
    if (!pack)
        return;
    rw_map_free(pack->map);
    g_free(pack->path);
    g_free(pack->name);
    g_free(pack);
}

RwPackEntry rw_pack_get_entry(const RwPack *pack, uint64_t i)
{
    return rw_pack_entry_decode(pack->table + i * RW_PACK_ENTRY_SIZE);
}

// The check of the index keeps damage out, not malice: bounds hold whatever the fan-out says.
bool rw_pack_find(const RwPack *pack, const RwPageHash *hash, RwPackEntry *ret_entry)
{
    uint8_t first = hash->v[0];
    uint64_t low = first ? rw_load_u32(pack->fanout + 4u * (first - 1u)) : 0;
    uint64_t high = MIN(rw_load_u32(pack->fanout + 4u * first), pack->entries);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int order = memcmp(pack->table + middle * RW_PACK_ENTRY_SIZE, hash, sizeof *hash);
        if (order == 0) {
            *ret_entry = rw_pack_get_entry(pack, middle);
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool rw_pack_read(const RwPack *pack, int fd, const RwPackEntry *entry, uint8_t *ret_bytes, GError **error)
{
    uint64_t length = RW_PACK_HEAD_SIZE + (uint64_t)entry->stored;
    if (!rw_pack_check_whole(pack, error))
        return false;
    if (entry->stored > RW_PACK_STORED_MAX || !entry->raw || entry->raw > RW_PAGE_BYTES ||
        !rw_range_ok(pack->size, entry->offset, length) || entry->flags & ~(unsigned)RW_PACK_ZSTD ||
        (!(entry->flags & RW_PACK_ZSTD) && entry->stored != entry->raw))
        return rw_pack_damaged(pack, "an entry of its index makes no sense", error);
    if (!rw_pread_all(fd, ret_bytes, length, entry->offset, pack->path, error))
        return false;
    return rw_pack_head_matches(ret_bytes, entry) ||
           rw_pack_damaged(pack, "an object is not where the index says", error);
}
