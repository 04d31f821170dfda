// SPDX-License-Identifier: MIT
//
// Traces that go on from another one, and back to whole ones.
#include "trace-reader-private.h"
#include "trace-writer-private.h"

#include "rw-trace-put.h"

#include <errno.h>
#include <unistd.h>

// ---- The base beside a trace ----

static bool copy_file(const char *from, const char *to, GError **error)
{
    g_autoptr(GFile) source = g_file_new_for_path(from);
    g_autoptr(GFile) target = g_file_new_for_path(to);
    return g_file_copy(source, target, G_FILE_COPY_NONE, NULL, NULL, NULL, error);
}

bool rw_trace_link_base(const char *base, const char *path, GError **error)
{
    g_autofree char *from = g_strdup(base);
    g_autofree char *to = g_strconcat(path, ".base", NULL);
    for (unsigned depth = 0; depth < RW_TRACE_BASES_MAX; depth++) {
        if (link(from, to) != 0 && (errno == ENOENT || !copy_file(from, to, error))) {
            if (errno == ENOENT && depth)
                return true; // the last one goes on from none
            if (errno == ENOENT)
                rw_error_from_errno(error, errno, "%s", from);
            return false;
        }
        char *next_from = g_strconcat(from, ".base", NULL), *next_to = g_strconcat(to, ".base", NULL);
        g_free(from);
        g_free(to);
        from = next_from;
        to = next_to;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "%s: a fork of too many forks", path);
    return false;
}

// ---- Writers ----

static void put_item(RwTraceWriter *writer, const RwTraceItem *item)
{
    if (item->is_step)
        rw_trace_writer_step(writer, &item->info);
    else
        rw_trace_writer_record(writer, &item->record, item->payload, item->length);
}

// How many whole blocks are before `step`. One whose last step it is may go on with records of the next.
static guint count_blocks(const RwTrace *trace, uint64_t step)
{
    guint n = 0;
    while (n < trace->blocks->len && g_array_index(trace->blocks, RwTraceBlock, n).head.last_step < step)
        n++;
    return n;
}

// Writes what a cursor gives up to and with `step`: records come before the step that they came with.
static bool put_items(RwTraceWriter *writer, RwTraceCursor *cursor, uint64_t step, GError **error)
{
    RwTraceItem item;
    int more;
    while ((more = rw_trace_cursor_next(cursor, &item, error)) > 0 && item.step <= step)
        put_item(writer, &item);
    return more >= 0;
}

// Records of the ring are placed by the time since their step, which may be in the block before.
static bool remember_block(RwTraceWriter *writer, RwTrace *trace, guint block, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, block, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next_in_block(cursor, &item, error)) > 0)
        if (item.is_step)
            rw_trace_writer_go_on(writer, &(RwTraceBase){item.step, item.info.icount, item.info.tsc});
    return more >= 0;
}

RwTraceWriter *rw_trace_writer_new_fork(RwTrace *trace, uint64_t step, GError **error)
{
    guint blocks = count_blocks(trace, step);
    if (blocks >= trace->blocks->len) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "step %" G_GUINT64_FORMAT " is past the end",
                    step);
        return NULL;
    }
    const RwTraceHead *last = blocks ? &g_array_index(trace->blocks, RwTraceBlock, blocks - 1).head : NULL;
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new_on_base(trace->path, blocks, last);
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, blocks, error);
    if (!cursor || (blocks && !remember_block(writer, trace, blocks - 1, error)))
        return NULL;
    return put_items(writer, cursor, step, error) ? g_steal_pointer(&writer) : NULL;
}

bool rw_trace_writer_put_trace(RwTraceWriter *writer, RwTrace *trace, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    return cursor && put_items(writer, cursor, UINT64_MAX, error);
}

bool rw_trace_flatten(RwTrace *trace, const char *path, char ret_sha256[RW_SHA256_HEX_SIZE], GError **error)
{
    g_autoptr(RwTraceWriter) writer = rw_trace_writer_new(path, error);
    return writer && rw_trace_writer_put_trace(writer, trace, error) &&
           rw_trace_writer_finish(writer, ret_sha256, error);
}
