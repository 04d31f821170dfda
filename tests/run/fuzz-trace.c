// SPDX-License-Identifier: MIT
//
// Reads files as traces, whatever is in them, and everything that is derived from one. With --grow SEED
// COUNT it reads that many damaged variants of each as well. Prints how many were read; dies of what a
// reader gets wrong.
#include "rw-event.h"
#include "rw-procs.h"
#include "rw-record.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool touch(const RwProc *proc, guint depth, void *data)
{
    *(uint64_t *)data += proc->tid + depth + (proc->argv && proc->argv[0] ? strlen(proc->argv[0]) : 0);
    return true;
}

static void read_events(RwTrace *trace)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, NULL);
    RwTraceItem item;
    while (cursor && rw_trace_cursor_next(cursor, &item, NULL) > 0) {
        if (item.is_step)
            continue;
        g_autofree char *text = rw_event_dup_text(&item);
        g_autofree char *place = rw_event_dup_place(&item, true);
        JsonObject *object = rw_event_to_json(&item, true);
        g_assert_true(text && place && object);
        json_object_unref(object);
    }
}

static void read_one(const char *path)
{
    g_autoptr(RwTrace) trace = rw_trace_open(path, NULL);
    if (!trace)
        return;
    uint64_t sum = 0, steps = rw_trace_get_steps(trace);
    RwStepInfo info;
    read_events(trace);
    g_autoptr(GPtrArray) tail = rw_log_tail(trace, 5, NULL);
    g_autoptr(RwProcs) procs = rw_procs_new(trace, UINT64_MAX, NULL);
    if (procs) {
        rw_procs_walk(procs, true, touch, &sum);
        rw_procs_walk(procs, false, touch, &sum);
    }
    for (uint64_t step = 1; step && step <= steps && step < 1u << 20; step = step * 2 + 1)
        rw_trace_step(trace, step, &info, NULL);
}

// Appending may move the array from under what is appended.
static void append_copy(GByteArray *out, guint at, guint length)
{
    guint8 copy[64];
    memcpy(copy, out->data + at, length);
    g_byte_array_append(out, copy, length);
}

// Damage of the kinds that disks, cuts and enemies do: bytes changed, dropped, doubled.
static GByteArray *damage(const char *bytes, gsize length, GRand *rand)
{
    GByteArray *out = g_byte_array_new();
    g_byte_array_append(out, (const guint8 *)bytes, (guint)length);
    for (int n = g_rand_int_range(rand, 1, 6); n && out->len > 1; n--) {
        guint at = (guint)g_rand_int_range(rand, 0, (gint32)out->len);
        switch (g_rand_int_range(rand, 0, 4)) {
        case 0:
            g_byte_array_remove_range(out, at, MIN(out->len - at, 4));
            break;
        case 1:
            append_copy(out, at, MIN(out->len - at, 64));
            break;
        default:
            out->data[at] = (guint8)g_rand_int(rand);
        }
    }
    return out;
}

// The checks keep most damage from the deeper readers: seal the header and the first block's head again.
static void seal(GByteArray *out)
{
    static const guint starts[] = {0, 32}, sizes[] = {32, 72};
    for (int part = 0; part < 2; part++) {
        if (out->len < starts[part] + sizes[part])
            return;
        uint8_t *bytes = out->data + starts[part];
        uint64_t check = 0xcbf29ce484222325ull;
        for (guint i = 0; i < sizes[part] - 8; i++)
            check = (check ^ bytes[i]) * 0x100000001b3ull;
        rw_store_u64(bytes + sizes[part] - 8, check);
    }
}

static guint64 grow(const char *path, guint32 seed, guint64 count)
{
    g_autofree char *bytes = NULL;
    gsize length;
    if (!g_file_get_contents(path, &bytes, &length, NULL))
        return 0;
    g_autofree char *variant = g_build_filename(g_get_tmp_dir(), "fuzz-trace-XXXXXX", NULL);
    int fd = g_mkstemp(variant);
    g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
    for (guint64 i = 0; i < count; i++) {
        g_autoptr(GByteArray) out = damage(bytes, length, rand);
        if (i & 1)
            seal(out);
        g_assert_true(ftruncate(fd, 0) == 0 && pwrite(fd, out->data, out->len, 0) == (ssize_t)out->len);
        read_one(variant);
    }
    close(fd);
    unlink(variant);
    return count;
}

int main(int argc, char **argv)
{
    guint64 read = 0, count = 0;
    guint32 seed = 0;
    int at = 1;
    if (argc > 3 && !strcmp(argv[1], "--grow")) {
        seed = (guint32)strtoul(argv[2], NULL, 10);
        count = strtoull(argv[3], NULL, 10);
        at = 4;
    }
    for (; at < argc; at++, read++) {
        read_one(argv[at]);
        read += grow(argv[at], seed, count);
    }
    printf("%" G_GUINT64_FORMAT " files read\n", read);
    return read ? 0 : 1;
}
