// SPDX-License-Identifier: MIT
#include "rw-bytes.h"

// The next len bytes, or NULL with the reader marked as failed.
static const uint8_t *take(RwReader *reader, size_t len)
{
    if (reader->failed || !rw_range_ok(reader->size, reader->pos, len)) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *at = reader->data + reader->pos;
    reader->pos += len;
    return at;
}

uint16_t rw_reader_u16(RwReader *reader)
{
    const uint8_t *p = take(reader, 2);
    return p ? rw_load_u16(p) : 0;
}

uint32_t rw_reader_u32(RwReader *reader)
{
    const uint8_t *p = take(reader, 4);
    return p ? rw_load_u32(p) : 0;
}

uint64_t rw_reader_u64(RwReader *reader)
{
    const uint8_t *p = take(reader, 8);
    return p ? rw_load_u64(p) : 0;
}

const uint8_t *rw_reader_bytes(RwReader *reader, size_t len)
{
    return take(reader, len);
}

const char *rw_reader_string(RwReader *reader)
{
    size_t left = rw_reader_left(reader);
    const uint8_t *end = left ? memchr(reader->data + reader->pos, 0, left) : NULL;
    if (!end) {
        reader->failed = true;
        return "";
    }
    return (const char *)take(reader, (size_t)(end - (reader->data + reader->pos)) + 1);
}

uint64_t rw_reader_varint(RwReader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = rw_reader_u8(reader);
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return reader->failed ? 0 : value;
    }
    reader->failed = true;
    return 0;
}

bool rw_reader_skip(RwReader *reader, size_t len)
{
    take(reader, len);
    return !reader->failed;
}

void rw_put_u8(GByteArray *out, uint8_t v)
{
    g_byte_array_append(out, &v, 1);
}

void rw_put_u16(GByteArray *out, uint16_t v)
{
    uint8_t b[2];
    rw_store_u16(b, v);
    g_byte_array_append(out, b, sizeof b);
}

void rw_put_u32(GByteArray *out, uint32_t v)
{
    uint8_t b[4];
    rw_store_u32(b, v);
    g_byte_array_append(out, b, sizeof b);
}

void rw_put_u64(GByteArray *out, uint64_t v)
{
    uint8_t b[8];
    rw_store_u64(b, v);
    g_byte_array_append(out, b, sizeof b);
}

void rw_put_varint(GByteArray *out, uint64_t v)
{
    while (v >= 0x80) {
        rw_put_u8(out, (uint8_t)(v | 0x80));
        v >>= 7;
    }
    rw_put_u8(out, (uint8_t)v);
}

void rw_put_bytes(GByteArray *out, const void *data, size_t len)
{
    if (len)
        g_byte_array_append(out, data, (guint)len);
}

void rw_put_string(GByteArray *out, const char *s)
{
    rw_put_bytes(out, s, strlen(s) + 1);
}
