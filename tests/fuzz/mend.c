// SPDX-License-Identifier: MIT
//
// The checks of the formats, made right again wherever what they cover can be found.
#include "fuzz.h"
#include "keyframes-format-private.h"
#include "pack-private.h"
#include "trace-format-private.h"

static void seal(uint8_t *bytes, size_t size)
{
    rw_store_u64(bytes + size - 8, rw_seal_check(bytes, size - 8));
}

static void seal_at(GByteArray *bytes, uint64_t at, uint64_t size)
{
    if (size >= 8 && rw_range_ok(bytes->len, at, size))
        seal(bytes->data + at, size);
}

// Blocks and frames alike: a head that says how many bytes follow it.
static void seal_heads(GByteArray *bytes, uint64_t at, size_t head, size_t stored, uint32_t magic)
{
    while (rw_range_ok(bytes->len, at, head) && rw_load_u32(bytes->data + at) == magic) {
        seal(bytes->data + at, head);
        at += head + (uint64_t)rw_load_u32(bytes->data + at + stored);
    }
}

// The index: heads as they are in the file, with their offsets before them.
static void seal_index(GByteArray *bytes, uint64_t at, uint64_t size, size_t head)
{
    if (!rw_range_ok(bytes->len, at, size) || size < 16)
        return;
    for (uint64_t entry = at + 8; entry + 8 + head <= at + size - 8; entry += 8 + head) {
        uint64_t offset = rw_load_u64(bytes->data + entry);
        if (rw_range_ok(bytes->len, offset, head) &&
            rw_load_u32(bytes->data + entry + 8) == rw_load_u32(bytes->data + offset))
            memmove(bytes->data + entry + 8, bytes->data + offset, head); // a made-up offset may be near
        seal(bytes->data + entry + 8, head);
    }
    seal(bytes->data + at, size);
}

void mend_trace(GByteArray *bytes)
{
    seal_at(bytes, 0, RW_TRACE_HEADER_SIZE);
    seal_heads(bytes, RW_TRACE_HEADER_SIZE, RW_TRACE_HEAD_SIZE, 4, RW_TRACE_BLOCK_MAGIC);
    if (bytes->len < RW_TRACE_TRAILER_SIZE)
        return;
    uint64_t end = bytes->len - RW_TRACE_TRAILER_SIZE;
    const uint8_t *trailer = bytes->data + end;
    seal_index(bytes, rw_load_u64(trailer + 8), rw_load_u64(trailer + 16), RW_TRACE_HEAD_SIZE);
    seal_at(bytes, end, RW_TRACE_TRAILER_SIZE);
}

void mend_keyframes(GByteArray *bytes)
{
    seal_at(bytes, 0, RW_KEYFRAMES_HEADER_SIZE);
    seal_heads(bytes, RW_KEYFRAMES_HEADER_SIZE, RW_KEYFRAMES_HEAD_SIZE, 80, 0x4659454b /* "KEYF" */);
    if (bytes->len < RW_KEYFRAMES_TRAILER_SIZE)
        return;
    uint64_t end = bytes->len - RW_KEYFRAMES_TRAILER_SIZE;
    const uint8_t *trailer = bytes->data + end;
    seal_index(bytes, rw_load_u64(trailer + 8), rw_load_u64(trailer + 16), RW_KEYFRAMES_HEAD_SIZE);
    seal_at(bytes, end, RW_KEYFRAMES_TRAILER_SIZE);
}

static void pack_seal(uint8_t *bytes, size_t size)
{
    rw_store_u64(bytes + size - 8, rw_seal_check_large(bytes, size - 8));
}

// Heads of objects as the index has them.
static void write_heads(GByteArray *bytes, uint64_t table, uint64_t end)
{
    for (; table + RW_PACK_ENTRY_SIZE <= end; table += RW_PACK_ENTRY_SIZE) {
        RwPackEntry entry = rw_pack_entry_decode(bytes->data + table);
        if (rw_range_ok(bytes->len, entry.offset, RW_PACK_HEAD_SIZE) &&
            entry.offset + RW_PACK_HEAD_SIZE <= table)
            rw_pack_head_encode(&entry, bytes->data + entry.offset);
    }
}

void mend_pack(GByteArray *bytes)
{
    if (bytes->len < RW_PACK_HEADER_SIZE + RW_PACK_TRAILER_SIZE)
        return;
    uint64_t end = bytes->len - RW_PACK_TRAILER_SIZE;
    uint8_t *trailer = bytes->data + end;
    uint64_t index = rw_load_u64(trailer + 8);
    pack_seal(bytes->data, RW_PACK_HEADER_SIZE);
    if (index <= end && end - index > RW_PACK_FANOUT_SIZE) {
        write_heads(bytes, index + RW_PACK_FANOUT_SIZE, end);
        rw_store_u64(trailer + 24, rw_seal_check_large(bytes->data + index, end - index));
    }
    pack_seal(trailer, RW_PACK_TRAILER_SIZE);
}
