// SPDX-License-Identifier: MIT
#pragma once

#include "pack-private.h"

#include <stdbool.h>
#include <zstd.h>

// Which pack holds a hash, by its first 40 bits: open addressing; the low 24 bits are the pack's number
// + 1.
typedef struct {
    uint64_t *slot; // 0: free
    size_t mask, used;
} RwPackMap;

#define RW_PACKS_MAX 0xfffffeu

// A table of a pack is made in the time of some hundred thousand look-ups in its index. So the first few
// that are larger have none.
#define RW_PACKS_LARGE 3
#define RW_PACK_LARGE (1u << 17) // objects

// Files of packs that are open: at most so many, and one for each thread more that reads at that moment.
#define RW_PACK_FILES_MAX 16

typedef struct {
    const RwPack *pack; // NULL: free
    int fd;
    guint users;
    uint64_t last; // in the order of use
} RwPackFile;

typedef struct {
    GMutex guard; // of all below
    RwPackFile file[RW_PACK_FILES_MAX];
    uint64_t clock;
} RwPackFiles;

struct _RwPages {
    RwStore *store; // borrowed
    guint users; // of the handle that a store shares; the store's guard is of this
    char *dir;
    int lock;
    bool exclusive;
    GRWLock guard; // of all below
    GPtrArray *packs; // of RwPack; none goes while the handle lives
    GHashTable *names; // of packs that were read; the value is the pack, or NULL for a damaged one
    GError *damage; // the first damaged pack's
    uint64_t damaged;
    GError *unread; // why a pack could not be read at the last look, which says nothing of what it holds
    RwPackMap map; // of all but these:
    guint large[RW_PACKS_LARGE]; // numbers of packs with so many objects that each look-up is cheaper than
                                 // a table
    guint n_large;
    RwPackFiles files;
    GMutex spares; // of decompressors
    GPtrArray *decompressors; // of ZSTD_DCtx
};

// pages-files.c
void rw_pack_files_init(RwPackFiles *files);
void rw_pack_files_clear(RwPackFiles *files);
// The pack's open file until it is given back. -1 on error, which is never NOT_FOUND.
int rw_pack_files_take(RwPackFiles *files, const RwPack *pack, GError **error);
void rw_pack_files_give(RwPackFiles *files, int fd);

// pack-map.c
void rw_pack_map_init(RwPackMap *map);
void rw_pack_map_clear(RwPackMap *map);
void rw_pack_map_add(RwPackMap *map, const RwPack *pack, guint number);
// The next pack number of those that may have it; start with *cursor = SIZE_MAX. -1: no more.
int rw_pack_map_next(const RwPackMap *map, const RwPageHash *hash, size_t *cursor);

// pages-packs.c
// Takes in packs that came since. Only a directory that cannot be read is an error.
bool rw_pages_refresh(RwPages *pages, GError **error);
// false unless every pack was read or is proven to be damaged.
bool rw_pages_check_read(RwPages *pages, GError **error);
// The nth pack, from 0, that has the hash. With the guard held.
RwPack *rw_pages_find(RwPages *pages, const RwPageHash *hash, guint nth, RwPackEntry *ret_entry);

// pages.c
// Head and bytes as the pack has them. stored: RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX bytes.
bool rw_pages_read_stored(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, uint8_t *stored,
                          GError **error);
// Those unpacked and compared with the hash. ret_bytes: entry->raw bytes.
bool rw_pages_unpack(RwPages *pages, const RwPack *pack, const RwPackEntry *entry, const uint8_t *stored,
                     void *ret_bytes, GError **error);
// Whether some copy there is has these bytes.
bool rw_pages_has_bytes(RwPages *pages, const RwPageHash *hash, const void *bytes, size_t length);

// pages-writer.c: an object as another pack has it.
bool rw_pages_writer_put_packed(RwPagesWriter *writer, const RwPackEntry *entry, const uint8_t *stored,
                                GError **error);

#define RW_PACK_PREFIX "pack-"
#define RW_PACK_PART_PREFIX ".pack-"
