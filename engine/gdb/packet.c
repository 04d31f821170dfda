// SPDX-License-Identifier: MIT
//
// The frame of packets, and what they are written in.
#include "gdb-private.h"

#define INTERRUPT 0x03
#define ESCAPE '}'
#define ESCAPED 0x20

int gdb_hex_digit(char digit)
{
    return g_ascii_xdigit_value(digit);
}

// ---- Frames ----

static uint8_t sum_of(const uint8_t *bytes, size_t length)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + bytes[i]);
    return sum;
}

static GdbInput parse_packet(const uint8_t *bytes, size_t length, size_t *ret_used, GByteArray *payload)
{
    const uint8_t *end = memchr(bytes, '#', length);
    size_t size = end ? (size_t)(end - bytes) - 1 : length - 1;
    if (size > GDB_PACKET_MAX) {
        *ret_used = length;
        return GDB_DAMAGED;
    }
    if (!end || length - size < 4)
        return GDB_NOTHING;
    int high = gdb_hex_digit((char)end[1]), low = gdb_hex_digit((char)end[2]);
    *ret_used = size + 4;
    if (high < 0 || low < 0 || sum_of(bytes + 1, size) != high * 16 + low)
        return GDB_DAMAGED;
    rw_put_bytes(payload, bytes + 1, size);
    return GDB_PACKET;
}

GdbInput gdb_packet_parse(const uint8_t *bytes, size_t length, size_t *ret_used, GByteArray *payload)
{
    *ret_used = 0;
    g_byte_array_set_size(payload, 0);
    if (!length)
        return GDB_NOTHING;
    if (bytes[0] == '$')
        return parse_packet(bytes, length, ret_used, payload);
    *ret_used = 1;
    return bytes[0] == '+'         ? GDB_ACK
           : bytes[0] == '-'       ? GDB_NAK
           : bytes[0] == INTERRUPT ? GDB_INTERRUPT
                                   : GDB_NOISE;
}

void gdb_packet_frame(GByteArray *out, const void *payload, size_t length)
{
    char end[4];
    g_snprintf(end, sizeof end, "#%02x", sum_of(payload, length));
    rw_put_u8(out, '$');
    rw_put_bytes(out, payload, length);
    rw_put_bytes(out, end, 3);
}

// ---- Bytes ----

void gdb_put_hex(GString *out, const void *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *at = bytes;
    for (size_t i = 0; i < length; i++) {
        g_string_append_c(out, digits[at[i] >> 4]);
        g_string_append_c(out, digits[at[i] & 15]);
    }
}

gssize gdb_from_hex(const char *text, size_t length, void *ret_bytes, size_t max)
{
    uint8_t *out = ret_bytes;
    if (length % 2 || length / 2 > max)
        return -1;
    for (size_t i = 0; i < length; i += 2) {
        int high = gdb_hex_digit(text[i]), low = gdb_hex_digit(text[i + 1]);
        if (high < 0 || low < 0)
            return -1;
        out[i / 2] = (uint8_t)(high * 16 + low);
    }
    return (gssize)(length / 2);
}

void gdb_put_binary(GString *out, const void *bytes, size_t length)
{
    const char *at = bytes;
    for (size_t i = 0; i < length; i++) {
        if (strchr("#$}*", at[i]) && at[i]) {
            g_string_append_c(out, ESCAPE);
            g_string_append_c(out, (char)(at[i] ^ ESCAPED));
        } else {
            g_string_append_c(out, at[i]);
        }
    }
}

gssize gdb_unescape(uint8_t *bytes, size_t length)
{
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = bytes[i];
        if (byte == ESCAPE) {
            if (++i == length)
                return -1;
            byte = bytes[i] ^ ESCAPED;
        }
        bytes[out++] = byte;
    }
    return (gssize)out;
}

// ---- Text ----

uint64_t gdb_text_hex(GdbText *text)
{
    uint64_t value = 0;
    int digits = 0;
    while (text->at < text->end && gdb_hex_digit(*text->at) >= 0) {
        value = value << 4 | (unsigned)gdb_hex_digit(*text->at++);
        digits++;
    }
    text->failed |= !digits || digits > 16;
    return value;
}

bool gdb_text_skip(GdbText *text, char letter)
{
    bool there = text->at < text->end && *text->at == letter;
    text->at += there;
    return there;
}

void gdb_text_expect(GdbText *text, char letter)
{
    text->failed |= !gdb_text_skip(text, letter);
}

bool gdb_text_at_end(const GdbText *text)
{
    return text->at == text->end;
}

static uint32_t read_id(GdbText *text)
{
    if (gdb_text_skip(text, '-')) {
        gdb_text_expect(text, '1');
        return GDB_ALL;
    }
    uint64_t id = gdb_text_hex(text);
    text->failed |= id >= GDB_ALL;
    return (uint32_t)id;
}

void gdb_text_thread(GdbText *text, uint32_t *ret_pid, uint32_t *ret_tid)
{
    *ret_pid = GDB_ANY;
    if (!gdb_text_skip(text, 'p')) {
        *ret_tid = read_id(text);
        return;
    }
    *ret_pid = read_id(text);
    *ret_tid = gdb_text_skip(text, '.') ? read_id(text) : GDB_ALL;
}
