// SPDX-License-Identifier: MIT
#include "pack-private.h"

#define HEADER_MAGIC "RWPACK\n"
#define TRAILER_MAGIC "RWPACKE\n"

// An index may be large: packs have the quick check, in all their parts.
static void seal(uint8_t *bytes, size_t size)
{
    rw_store_u64(bytes + size - 8, rw_seal_check_large(bytes, size - 8));
}

static bool sealed(const uint8_t *bytes, size_t size)
{
    return rw_load_u64(bytes + size - 8) == rw_seal_check_large(bytes, size - 8);
}

void rw_pack_header_encode(uint8_t ret[RW_PACK_HEADER_SIZE])
{
    memset(ret, 0, RW_PACK_HEADER_SIZE);
    memcpy(ret, HEADER_MAGIC, 8);
    rw_store_u32(ret + 8, RW_PAGES_VERSION);
    seal(ret, RW_PACK_HEADER_SIZE);
}

bool rw_pack_header_check(const uint8_t bytes[RW_PACK_HEADER_SIZE], const char *path, GError **error)
{
    uint32_t version = rw_load_u32(bytes + 8);
    if (memcmp(bytes, HEADER_MAGIC, 8) || !sealed(bytes, RW_PACK_HEADER_SIZE) || !version) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: not a pack of pages", path);
        return false;
    }
    if (version > RW_PAGES_VERSION) {
        g_set_error(
            error, RW_ERROR, RW_ERROR_NEWER,
            "%s: format version %u is newer than this rewind knows (%u): use the rewind that made it", path,
            version, RW_PAGES_VERSION);
        return false;
    }
    return true;
}

// magic, stored, raw, flags, check of those and the hash, hash.
void rw_pack_head_encode(const RwPackEntry *entry, uint8_t ret[RW_PACK_HEAD_SIZE])
{
    rw_store_u32(ret, RW_PACK_OBJECT_MAGIC);
    rw_store_u32(ret + 4, entry->stored);
    rw_store_u16(ret + 8, entry->raw);
    rw_store_u16(ret + 10, entry->flags);
    rw_store_u32(ret + 12, 0);
    memcpy(ret + 16, &entry->hash, RW_SHA256_SIZE);
    rw_store_u32(ret + 12, (uint32_t)rw_seal_check_large(ret, RW_PACK_HEAD_SIZE));
}

bool rw_pack_head_matches(const uint8_t bytes[RW_PACK_HEAD_SIZE], const RwPackEntry *entry)
{
    uint8_t expected[RW_PACK_HEAD_SIZE];
    rw_pack_head_encode(entry, expected);
    return !memcmp(bytes, expected, sizeof expected);
}

void rw_pack_entry_encode(const RwPackEntry *entry, uint8_t ret[RW_PACK_ENTRY_SIZE])
{
    memcpy(ret, &entry->hash, RW_SHA256_SIZE);
    rw_store_u64(ret + 32, entry->offset);
    rw_store_u32(ret + 40, entry->stored);
    rw_store_u16(ret + 44, entry->raw);
    rw_store_u16(ret + 46, entry->flags);
}

RwPackEntry rw_pack_entry_decode(const uint8_t bytes[RW_PACK_ENTRY_SIZE])
{
    RwPackEntry entry = {
        .offset = rw_load_u64(bytes + 32),
        .stored = rw_load_u32(bytes + 40),
        .raw = rw_load_u16(bytes + 44),
        .flags = rw_load_u16(bytes + 46),
    };
    memcpy(&entry.hash, bytes, RW_SHA256_SIZE);
    return entry;
}

void rw_pack_trailer_encode(const RwPackTrailer *trailer, uint8_t ret[RW_PACK_TRAILER_SIZE])
{
    memset(ret, 0, RW_PACK_TRAILER_SIZE);
    memcpy(ret, TRAILER_MAGIC, 8);
    rw_store_u64(ret + 8, trailer->index);
    rw_store_u64(ret + 16, trailer->entries);
    rw_store_u64(ret + 24, trailer->index_check);
    seal(ret, RW_PACK_TRAILER_SIZE);
}

bool rw_pack_trailer_decode(const uint8_t bytes[RW_PACK_TRAILER_SIZE], RwPackTrailer *ret)
{
    if (memcmp(bytes, TRAILER_MAGIC, 8) || !sealed(bytes, RW_PACK_TRAILER_SIZE))
        return false;
    *ret = (RwPackTrailer){rw_load_u64(bytes + 8), rw_load_u64(bytes + 16), rw_load_u64(bytes + 24)};
    return true;
}
