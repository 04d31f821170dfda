// SPDX-License-Identifier: MIT
//
// One pack file of the page store, version 1, little-endian:
//   header   32 bytes: "RWPACK\n\0", u32 version, u32 0, u64 0, u64 check
//   objects  each a 48-byte head and its bytes, as they are or as one zstd frame
//   index    256 u32: entries whose hash begins with a byte up to n; then 48-byte entries, sorted by hash
//   trailer  48 bytes: "RWPACKE\n", u64 index offset, u64 entries, u64 check of the index, u64 0, u64 check
// A check covers what stands before it in its part; an object's bytes are covered by its hash.
#pragma once

#include "rw-map.h"
#include "rw-pages.h"

#define RW_PACK_HEADER_SIZE 32u
#define RW_PACK_HEAD_SIZE 48u
#define RW_PACK_ENTRY_SIZE 48u
#define RW_PACK_FANOUT_SIZE 1024u
#define RW_PACK_TRAILER_SIZE 48u
#define RW_PACK_OBJECT_MAGIC 0x314a424fu // "OBJ1"

enum { RW_PACK_ZSTD = 1 << 0 };

typedef struct {
    RwPageHash hash;
    uint64_t offset; // of its head
    uint32_t stored; // bytes after the head
    uint16_t raw; // bytes of the object
    uint16_t flags;
} RwPackEntry;

// pack-format.c
void rw_pack_header_encode(uint8_t ret[RW_PACK_HEADER_SIZE]);
bool rw_pack_header_check(const uint8_t bytes[RW_PACK_HEADER_SIZE], const char *path, GError **error);
void rw_pack_head_encode(const RwPackEntry *entry, uint8_t ret[RW_PACK_HEAD_SIZE]);
// false unless it is the head of this very object.
bool rw_pack_head_matches(const uint8_t bytes[RW_PACK_HEAD_SIZE], const RwPackEntry *entry);
void rw_pack_entry_encode(const RwPackEntry *entry, uint8_t ret[RW_PACK_ENTRY_SIZE]);
RwPackEntry rw_pack_entry_decode(const uint8_t bytes[RW_PACK_ENTRY_SIZE]);

typedef struct {
    uint64_t index, entries, index_check;
} RwPackTrailer;

void rw_pack_trailer_encode(const RwPackTrailer *trailer, uint8_t ret[RW_PACK_TRAILER_SIZE]);
bool rw_pack_trailer_decode(const uint8_t bytes[RW_PACK_TRAILER_SIZE], RwPackTrailer *ret);

// pack.c: a complete pack, its index mapped and checked, its file closed. Immutable, for any thread.
typedef struct {
    char *path, *name;
    uint64_t size;
    uint64_t entries;
    RwMap *map; // what holds the index
    const uint8_t *fanout, *table; // in the map
} RwPack;

// INVALID: its bytes are proof of damage. NEWER: a newer Rewind made it. All else (IO) says nothing of the
// pack.
RwPack *rw_pack_open(const char *dir, const char *name, GError **error);
void rw_pack_free(RwPack *pack);
RwPackEntry rw_pack_get_entry(const RwPack *pack, uint64_t i);
bool rw_pack_find(const RwPack *pack, const RwPageHash *hash, RwPackEntry *ret_entry);
// Head and bytes as they are stored: RW_PACK_HEAD_SIZE + entry->stored bytes, the head checked. fd: the
// pack's file.
bool rw_pack_read(const RwPack *pack, int fd, const RwPackEntry *entry, uint8_t *ret_bytes, GError **error);
// false with INVALID where the index was found to be cut since it was checked: what was found in it, or
// not, means nothing.
bool rw_pack_check_whole(const RwPack *pack, GError **error);
bool rw_pack_damaged(const RwPack *pack, const char *what, GError **error);

#define RW_PACK_STORED_MAX (RW_PAGE_BYTES + 64u)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwPack, rw_pack_free)
