// SPDX-License-Identifier: MIT
//
// Little-endian numbers at any alignment, range checks that cannot overflow, and a reader for bytes
// that nobody has vouched for.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

G_BEGIN_DECLS

// ---- Loads and stores (p need not be aligned) ----

static inline uint16_t rw_load_u16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return GUINT16_FROM_LE(v);
}

static inline uint32_t rw_load_u32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return GUINT32_FROM_LE(v);
}

static inline uint64_t rw_load_u64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return GUINT64_FROM_LE(v);
}

static inline void rw_store_u16(void *p, uint16_t v)
{
    v = GUINT16_TO_LE(v);
    memcpy(p, &v, sizeof v);
}

static inline void rw_store_u32(void *p, uint32_t v)
{
    v = GUINT32_TO_LE(v);
    memcpy(p, &v, sizeof v);
}

static inline void rw_store_u64(void *p, uint64_t v)
{
    v = GUINT64_TO_LE(v);
    memcpy(p, &v, sizeof v);
}

// ---- Ranges ----

// Whether [offset, offset + len) lies within [0, size). An empty range at `size` does.
static inline bool rw_range_ok(uint64_t size, uint64_t offset, uint64_t len)
{
    return offset <= size && len <= size - offset;
}

// Copies len bytes at src + offset to dst, or nothing and returns false when src (src_size bytes) does
// not hold them all.
static inline bool rw_copy_out(const void *src, uint64_t src_size, uint64_t offset, void *dst, size_t len)
{
    if (!rw_range_ok(src_size, offset, len))
        return false;
    if (len)
        memcpy(dst, (const uint8_t *)src + offset, len);
    return true;
}

// Copies len bytes of src to dst + offset, or nothing and returns false when dst (dst_size bytes) has no
// room for them all.
static inline bool rw_copy_in(void *dst, uint64_t dst_size, uint64_t offset, const void *src, size_t len)
{
    if (!rw_range_ok(dst_size, offset, len))
        return false;
    if (len)
        memcpy((uint8_t *)dst + offset, src, len);
    return true;
}

// ---- Reader ----

// Reads forward over borrowed bytes. Past the end it returns 0, NULL or an empty string, stays where it
// is and sets `failed`, which no later call clears: read a whole record, then look at it once.
typedef struct {
    const uint8_t *data;
    size_t size;
    size_t pos;
    bool failed;
} RwReader;

#define RW_READER_INIT(bytes, len) ((RwReader){.data = (const uint8_t *)(bytes), .size = (len)})

// 0 once failed.
static inline size_t rw_reader_left(const RwReader *reader)
{
    return reader->failed ? 0 : reader->size - reader->pos;
}

// Of these a trace is made: not worth a call each.
static inline uint8_t rw_reader_u8(RwReader *reader)
{
    if (!rw_reader_left(reader)) {
        reader->failed = true;
        return 0;
    }
    return reader->data[reader->pos++];
}

uint16_t rw_reader_u16(RwReader *reader);
uint32_t rw_reader_u32(RwReader *reader);
uint64_t rw_reader_u64(RwReader *reader);
// len bytes, borrowed from the underlying data; NULL (also for len 0 at a failed reader).
const uint8_t *rw_reader_bytes(RwReader *reader, size_t len);
// A NUL-ended string, borrowed; "" and failed when no NUL follows.
const char *rw_reader_string(RwReader *reader);
// LEB128, at most 10 bytes; failed when longer or over 64 bits.
uint64_t rw_reader_varint(RwReader *reader);
bool rw_reader_skip(RwReader *reader, size_t len);

// ---- Writer: appends to a GByteArray ----

void rw_put_u8(GByteArray *out, uint8_t v);
void rw_put_u16(GByteArray *out, uint16_t v);
void rw_put_u32(GByteArray *out, uint32_t v);
void rw_put_u64(GByteArray *out, uint64_t v);
// For tests.
void rw_put_varint(GByteArray *out, uint64_t v);
void rw_put_bytes(GByteArray *out, const void *data, size_t len);
void rw_put_string(GByteArray *out, const char *s); // with its NUL

G_END_DECLS
