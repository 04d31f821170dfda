// SPDX-License-Identifier: MIT
#pragma once

#include "pack-private.h"

#include <zstd.h>

// Which pack holds a hash, by its first 48 bits: open addressing; the low 16 bits are the pack's number
// + 1.
typedef struct {
    uint64_t *slot; // 0: free
    size_t mask, used;
} RwPackMap;

struct _RwPages {
    char *dir;
    int lock;
    gboolean exclusive;
    GRWLock guard; // of all below
    GPtrArray *packs; // of RwPack; none goes while the handle lives
    GHashTable *names; // of packs that were looked at; the value is the pack, or NULL for a damaged one
    GError *damage; // the first damaged pack's
    uint64_t damaged;
    RwPackMap map;
    GMutex spares; // of decompressors
    GPtrArray *decompressors; // of ZSTD_DCtx
};

// pack-map.c
void rw_pack_map_init(RwPackMap *map);
void rw_pack_map_clear(RwPackMap *map);
void rw_pack_map_add(RwPackMap *map, const RwPack *pack, guint number);
// The next pack number of those that may have it; start with *cursor = SIZE_MAX. -1: no more.
int rw_pack_map_next(const RwPackMap *map, const RwPageHash *hash, size_t *cursor);

// pages.c
// Takes in packs that came since. Only a directory that cannot be read is an error.
gboolean rw_pages_refresh(RwPages *pages, GError **error);
// With the guard held.
RwPack *rw_pages_find(RwPages *pages, const RwPageHash *hash, RwPackEntry *ret_entry);
// What rw_pack_read() gave, unpacked and compared with the hash. ret_bytes: entry->raw bytes.
gboolean rw_pages_unpack(RwPages *pages, const RwPack *pack, const RwPackEntry *entry,
                         const uint8_t *stored, void *ret_bytes, GError **error);

// pages-writer.c: an object as another pack has it.
gboolean rw_pages_writer_put_packed(RwPagesWriter *writer, const RwPackEntry *entry, const uint8_t *stored,
                                    GError **error);

// pages-sweep.c: removes what dead writers left.
void rw_pages_sweep(const char *dir);
#define RW_PACK_PREFIX "pack-"
#define RW_PACK_PART_PREFIX ".pack-"
