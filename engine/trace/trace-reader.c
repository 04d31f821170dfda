// SPDX-License-Identifier: MIT
//
// The file as a list of blocks: from its index, or head by head where the index is missing.
#include "trace-reader-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static RwTrace *open_trace(const char *path, unsigned depth, GError **error);

bool rw_trace_damaged(const RwTrace *trace, const char *what, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: %s", trace->path, what);
    return false;
}

// A block must go on where the last one ended.
static bool add_block(RwTrace *trace, uint64_t offset, const RwTraceHead *head)
{
    const RwTraceBlock *last = trace->blocks->len > trace->own
                                   ? &g_array_index(trace->blocks, RwTraceBlock, trace->blocks->len - 1)
                                   : NULL;
    uint64_t at = last ? last->offset + RW_TRACE_HEAD_SIZE + last->head.stored : RW_TRACE_HEADER_SIZE;
    if (offset != at || head->base.step != trace->steps || head->first_event != trace->events ||
        !rw_range_ok(trace->size, offset, RW_TRACE_HEAD_SIZE + (uint64_t)head->stored))
        return false;
    if (head->steps > G_MAXUINT64 - trace->steps || head->events > G_MAXUINT64 - trace->events)
        return false;
    RwTraceBlock block = {trace, offset, *head};
    g_array_append_val(trace->blocks, block);
    trace->steps = head->last_step;
    trace->events += head->events;
    return true;
}

static bool parse_index(RwTrace *trace, const uint8_t *bytes, size_t size, const RwTraceTrailer *trailer)
{
    const size_t entry = 8 + RW_TRACE_HEAD_SIZE;
    if (size < 16 || rw_load_u64(bytes + size - 8) != rw_seal_check(bytes, size - 8))
        return false;
    uint32_t count = rw_load_u32(bytes + 4);
    if (rw_load_u32(bytes) != RW_TRACE_INDEX_MAGIC || size - 16 != count * (uint64_t)entry)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = bytes + 8 + i * entry;
        RwTraceHead head;
        if (!rw_trace_head_decode(at + 8, &head) || !add_block(trace, rw_load_u64(at), &head))
            return false;
    }
    return trailer->events == trace->events && trailer->steps == trace->steps;
}

// false with an error when there is an index and it is wrong; true with complete unset when there is none.
static bool read_index(RwTrace *trace, GError **error)
{
    uint8_t bytes[RW_TRACE_TRAILER_SIZE];
    RwTraceTrailer trailer;
    if (trace->size < RW_TRACE_HEADER_SIZE + RW_TRACE_TRAILER_SIZE)
        return true;
    uint64_t end = trace->size - RW_TRACE_TRAILER_SIZE;
    if (!rw_pread_all(trace->fd, bytes, sizeof bytes, end, trace->path, error))
        return false;
    if (!rw_trace_trailer_decode(bytes, &trailer))
        return true;
    if (trailer.index > end || trailer.index_size != end - trailer.index ||
        trailer.index_size > G_MAXUINT32)
        return rw_trace_damaged(trace, "its trailer points nowhere", error);
    g_autofree uint8_t *index = g_try_malloc(trailer.index_size ? trailer.index_size : 1);
    if (!index || !rw_pread_all(trace->fd, index, trailer.index_size, trailer.index, trace->path, error))
        return index ? false : rw_trace_damaged(trace, "its index is too large", error);
    if (!parse_index(trace, index, trailer.index_size, &trailer))
        return rw_trace_damaged(trace, "its index does not fit its blocks", error);
    trace->complete = true;
    return true;
}

// What a killed recorder left: whole blocks, then perhaps a part of one.
static bool scan_blocks(RwTrace *trace, GError **error)
{
    uint64_t offset = RW_TRACE_HEADER_SIZE;
    uint8_t bytes[RW_TRACE_HEAD_SIZE];
    RwTraceHead head;
    while (rw_range_ok(trace->size, offset, sizeof bytes)) {
        if (!rw_pread_all(trace->fd, bytes, sizeof bytes, offset, trace->path, error))
            return false;
        if (!rw_trace_head_decode(bytes, &head) || !add_block(trace, offset, &head))
            break;
        offset += RW_TRACE_HEAD_SIZE + head.stored;
    }
    return true;
}

// The first blocks are those of the trace that it was forked from.
static bool take_base(RwTrace *trace, uint64_t blocks, unsigned depth, GError **error)
{
    g_autofree char *path = g_strconcat(trace->path, ".base", NULL);
    if (!blocks)
        return true;
    if (depth >= RW_TRACE_BASES_MAX)
        return rw_trace_damaged(trace, "it goes on from too many others", error);
    trace->base = open_trace(path, depth + 1, error);
    if (!trace->base)
        return false;
    if (trace->base->blocks->len < blocks)
        return rw_trace_damaged(trace, "what it goes on from is too short", error);
    g_array_append_vals(trace->blocks, trace->base->blocks->data, (guint)blocks);
    trace->own = (guint)blocks;
    const RwTraceHead *last = &g_array_index(trace->blocks, RwTraceBlock, blocks - 1).head;
    trace->steps = last->last_step;
    trace->events = last->first_event + last->events;
    return true;
}

static bool load(RwTrace *trace, unsigned depth, GError **error)
{
    struct stat st;
    uint8_t header[RW_TRACE_HEADER_SIZE];
    trace->fd = open(trace->path, O_RDONLY | O_CLOEXEC);
    if (trace->fd < 0 || fstat(trace->fd, &st) != 0) {
        rw_error_from_errno(error, errno, "cannot read %s", trace->path);
        return false;
    }
    if (!S_ISREG(st.st_mode))
        return rw_trace_damaged(trace, "not a file", error);
    trace->size = (uint64_t)st.st_size;
    if (!rw_pread_all(trace->fd, header, sizeof header, 0, trace->path, error) ||
        !rw_trace_header_check(header, trace->path, error) ||
        !take_base(trace, rw_trace_header_base(header), depth, error) || !read_index(trace, error))
        return false;
    return trace->complete || scan_blocks(trace, error);
}

static RwTrace *open_trace(const char *path, unsigned depth, GError **error)
{
    g_autoptr(RwTrace) trace = g_new0(RwTrace, 1);
    trace->path = g_strdup(path);
    trace->fd = -1;
    trace->blocks = g_array_new(false, false, sizeof(RwTraceBlock));
    return load(trace, depth, error) ? g_steal_pointer(&trace) : NULL;
}

RwTrace *rw_trace_open(const char *path, GError **error)
{
    return open_trace(path, 0, error);
}

void rw_trace_free(RwTrace *trace)
{
    if (!trace)
        return;
    if (trace->fd >= 0)
        close(trace->fd);
    g_free(trace->path);
    g_array_unref(trace->blocks);
    rw_trace_free(trace->base);
    g_free(trace);
}

uint64_t rw_trace_get_events(const RwTrace *trace)
{
    return trace->events;
}

uint64_t rw_trace_get_steps(const RwTrace *trace)
{
    return trace->steps;
}

bool rw_trace_is_complete(const RwTrace *trace)
{
    return trace->complete;
}

guint rw_trace_get_blocks(const RwTrace *trace)
{
    return trace->blocks->len;
}

uint64_t rw_trace_get_first_step(const RwTrace *trace, guint block)
{
    return g_array_index(trace->blocks, RwTraceBlock, block).head.base.step + 1;
}

guint rw_trace_get_blocks_read(const RwTrace *trace)
{
    return (guint)g_atomic_int_get(&trace->blocks_read);
}
