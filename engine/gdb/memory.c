// SPDX-License-Identifier: MIT
//
// m, M, X: memory; Z, z: breakpoints and watchpoints.
#include "gdb-private.h"

#include <errno.h>

#define LENGTH_MAX (GDB_PACKET_MAX / 2)

static void read_memory(GdbSession *s, uint64_t address, uint64_t length)
{
    size_t wanted = (size_t)MIN(length, LENGTH_MAX);
    g_autofree uint8_t *bytes = g_malloc(wanted + 1);
    size_t n = s->world.ops->read(s->world.data, address, bytes, wanted);
    if (!n && wanted)
        gdb_reply_error(s, EFAULT);
    else
        gdb_put_hex(s->reply, bytes, n);
}

static void write_memory(GdbSession *s, uint64_t address, uint64_t length, GByteArray *bytes, gssize n)
{
    g_autoptr(GError) error = NULL;
    if (n < 0 || (uint64_t)n != length)
        gdb_reply_error(s, EINVAL);
    else if (!n || s->world.ops->write(s->world.data, address, bytes->data, (size_t)n, &error))
        gdb_reply_ok(s);
    else if (g_error_matches(error, RW_ERROR, RW_ERROR_UNSUPPORTED))
        gdb_reply_error(s, EFAULT); // gdb says where
    else
        gdb_reply_message(s, error);
}

void gdb_take_memory(GdbSession *s, char letter, GdbText *text)
{
    uint64_t address = gdb_text_hex(text);
    gdb_text_expect(text, ',');
    uint64_t length = gdb_text_hex(text);
    if (letter == 'm') {
        if (text->failed || !gdb_text_at_end(text))
            gdb_reply_error(s, EINVAL);
        else
            read_memory(s, address, length);
        return;
    }
    gdb_text_expect(text, ':');
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    size_t left = (size_t)(text->end - text->at);
    rw_put_bytes(bytes, text->at, left);
    if (text->failed)
        gdb_reply_error(s, EINVAL);
    else
        write_memory(s, address, length, bytes,
                     letter == 'X' ? gdb_unescape(bytes->data, left)
                                   : gdb_from_hex(text->at, left, bytes->data, left));
}

// ---- Points ----

static int find(GdbSession *s, const GdbPoint *point)
{
    for (guint i = 0; i < s->points->len; i++) {
        const GdbPoint *at = &g_array_index(s->points, GdbPoint, i);
        if (at->kind == point->kind && at->address == point->address && at->length == point->length)
            return (int)i;
    }
    return -1;
}

// An access is two conditions: reads, and writes.
static unsigned weigh(const GdbPoint *point)
{
    return point->kind == GDB_ACCESS ? 2 : 1;
}

// What is there already gets other conditions. `point` is taken.
static void set(GdbSession *s, GdbPoint *point)
{
    int there = find(s, point);
    if (there >= 0)
        g_array_remove_index(s->points, (guint)there);
    unsigned weight = weigh(point);
    for (guint i = 0; i < s->points->len; i++)
        weight += weigh(&g_array_index(s->points, GdbPoint, i));
    if (weight > GDB_POINTS_MAX) {
        g_string_append_printf(s->console, "rewind: more than %u breakpoints and watchpoints\n",
                               GDB_POINTS_MAX);
        g_clear_pointer(&point->conditions, g_ptr_array_unref);
        gdb_reply_error(s, ENOSPC);
        return;
    }
    g_array_append_val(s->points, *point);
    gdb_reply_ok(s);
}

// X LENGTH,BYTES, and the next.
static void read_conditions(GdbText *text, GdbPoint *ret)
{
    ret->conditions = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
    while (!gdb_text_at_end(text) && !text->failed) {
        gdb_text_skip(text, ';');
        gdb_text_expect(text, 'X');
        uint64_t length = gdb_text_hex(text);
        gdb_text_expect(text, ',');
        if (text->failed || length > (size_t)(text->end - text->at) / 2) {
            text->failed = true;
            return;
        }
        g_autofree uint8_t *bytes = g_malloc(length + 1);
        text->failed |= gdb_from_hex(text->at, length * 2, bytes, length) < 0;
        g_ptr_array_add(ret->conditions, g_bytes_new(bytes, length));
        text->at += length * 2;
    }
}

void gdb_take_point(GdbSession *s, char letter, GdbText *text)
{
    uint64_t kind = gdb_text_hex(text);
    gdb_text_expect(text, ',');
    GdbPoint point = {.address = gdb_text_hex(text)};
    gdb_text_expect(text, ',');
    point.length = gdb_text_hex(text); // of code: its kind, which says nothing here
    bool is_memory = kind >= GDB_WRITE;
    if (!text->failed && kind > GDB_ACCESS)
        return;
    if (letter == 'Z' && !is_memory && gdb_text_skip(text, ';'))
        read_conditions(text, &point);
    if (text->failed || (is_memory && (!point.length || point.address + point.length < point.address))) {
        g_clear_pointer(&point.conditions, g_ptr_array_unref);
        gdb_reply_error(s, EINVAL);
        return;
    }
    point.kind = (GdbPointKind)kind;
    if (letter == 'Z') {
        set(s, &point);
        return;
    }
    int there = find(s, &point);
    if (there >= 0)
        g_array_remove_index(s->points, (guint)there);
    gdb_reply_ok(s);
}
