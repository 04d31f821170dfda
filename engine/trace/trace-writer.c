// SPDX-License-Identifier: MIT
#include "trace-writer-private.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

struct _RwTraceWriter {
    char *path; // NULL: to memory
    char *base; // the trace that it goes on from, or NULL
    int fd;
    GByteArray *memory;
    uint64_t offset; // bytes of the file so far
    GByteArray *index; // per block: offset and head
    guint blocks;
    GByteArray *raw; // the open block
    RwTraceHead head; // of the open block
    RwTraceBase last;
    RwTraceBase recent[RW_TRACE_RECENT]; // by step modulo RW_TRACE_RECENT
    uint64_t events;
    ZSTD_CCtx *zstd;
    uint8_t *packed;
    RwSha256 *sha;
    GError *error; // the first one
    void (*failed)(void *data);
    void *failed_data;
};

static void fail(RwTraceWriter *writer)
{
    if (writer->failed)
        writer->failed(writer->failed_data);
}

static void put(RwTraceWriter *writer, const void *bytes, size_t length)
{
    if (writer->error)
        return;
    writer->offset += length;
    if (writer->memory) {
        g_byte_array_append(writer->memory, bytes, (guint)length);
        return;
    }
    rw_sha256_update(writer->sha, bytes, length);
    if (!rw_write_all(writer->fd, bytes, length, writer->path, &writer->error))
        fail(writer);
}

static bool open_file(RwTraceWriter *writer, GError **error)
{
    if (!writer->path)
        return true;
    writer->fd = open(writer->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer->fd >= 0)
        return true;
    rw_error_from_errno(error, errno, "cannot make %s", writer->path);
    return false;
}

static RwTraceWriter *new_empty(const char *path, GError **error)
{
    g_autoptr(RwTraceWriter) writer = g_new0(RwTraceWriter, 1);
    writer->path = g_strdup(path);
    writer->fd = -1;
    writer->memory = path ? NULL : g_byte_array_new();
    writer->index = g_byte_array_new();
    writer->raw = g_byte_array_sized_new(RW_TRACE_BLOCK_FULL + 4096);
    writer->zstd = ZSTD_createCCtx();
    writer->packed = g_malloc(ZSTD_compressBound(RW_TRACE_BLOCK_MAX));
    writer->sha = rw_sha256_new();
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, RW_TRACE_ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
    return open_file(writer, error) ? g_steal_pointer(&writer) : NULL;
}

RwTraceWriter *rw_trace_writer_new(const char *path, GError **error)
{
    RwTraceWriter *writer = new_empty(path, error);
    if (!writer)
        return NULL;
    uint8_t header[RW_TRACE_HEADER_SIZE];
    rw_trace_header_encode(0, header);
    put(writer, header, sizeof header);
    return writer;
}

RwTraceWriter *rw_trace_writer_new_on_base(const char *base, uint64_t blocks, const RwTraceHead *last)
{
    RwTraceWriter *writer = new_empty(NULL, NULL);
    uint8_t header[RW_TRACE_HEADER_SIZE];
    rw_trace_header_encode(blocks, header);
    put(writer, header, sizeof header);
    writer->base = blocks ? g_strdup(base) : NULL;
    if (!blocks)
        return writer;
    writer->events = last->first_event + last->events;
    return writer;
}

void rw_trace_writer_go_on(RwTraceWriter *writer, const RwTraceBase *at)
{
    writer->last = *at;
    writer->recent[at->step % RW_TRACE_RECENT] = *at;
    writer->head = (RwTraceHead){.first_event = writer->events, .base = *at};
}

RwTraceWriter *rw_trace_writer_new_copy(const RwTraceWriter *from, const char *path, GError **error)
{
    g_return_val_if_fail(from->memory, NULL);
    g_autoptr(RwTraceWriter) writer = new_empty(path, error);
    if (!writer || (from->base && path && !rw_trace_link_base(from->base, path, error)))
        return NULL;
    writer->base = g_strdup(from->base);
    put(writer, from->memory->data, from->memory->len);
    g_byte_array_append(writer->index, from->index->data, from->index->len);
    g_byte_array_append(writer->raw, from->raw->data, from->raw->len);
    writer->blocks = from->blocks;
    writer->head = from->head;
    writer->last = from->last;
    memcpy(writer->recent, from->recent, sizeof writer->recent);
    writer->events = from->events;
    if (writer->error) {
        g_propagate_error(error, g_steal_pointer(&writer->error));
        return NULL;
    }
    return g_steal_pointer(&writer);
}

void rw_trace_writer_free(RwTraceWriter *writer)
{
    if (!writer)
        return;
    if (writer->fd >= 0)
        close(writer->fd);
    g_free(writer->path);
    g_free(writer->base);
    g_clear_pointer(&writer->memory, g_byte_array_unref);
    g_byte_array_unref(writer->index);
    g_byte_array_unref(writer->raw);
    ZSTD_freeCCtx(writer->zstd);
    g_free(writer->packed);
    rw_sha256_free(writer->sha);
    g_clear_error(&writer->error);
    g_free(writer);
}

void rw_trace_writer_set_on_error(RwTraceWriter *writer, void (*failed)(void *data), void *data)
{
    writer->failed = failed;
    writer->failed_data = data;
    if (writer->error)
        fail(writer);
}

uint64_t rw_trace_writer_get_events(const RwTraceWriter *writer)
{
    return writer->events;
}

static void close_block(RwTraceWriter *writer)
{
    GByteArray *raw = writer->raw;
    if (!raw->len)
        return;
    size_t bound = ZSTD_compressBound(RW_TRACE_BLOCK_MAX);
    size_t stored = ZSTD_compress2(writer->zstd, writer->packed, bound, raw->data, raw->len);
    if (ZSTD_isError(stored)) {
        if (!writer->error)
            g_set_error(&writer->error, RW_ERROR, RW_ERROR_IO, "cannot compress the trace: %s",
                        ZSTD_getErrorName(stored));
        fail(writer);
        return;
    }
    writer->head.stored = (uint32_t)stored;
    writer->head.raw = raw->len;
    writer->head.last_step = writer->last.step;
    uint8_t head[RW_TRACE_HEAD_SIZE];
    rw_trace_head_encode(&writer->head, head);
    rw_put_u64(writer->index, writer->offset);
    rw_put_bytes(writer->index, head, sizeof head);
    writer->blocks++;
    put(writer, head, sizeof head);
    put(writer, writer->packed, stored);
    writer->head = (RwTraceHead){.first_event = writer->events, .base = writer->last};
    g_byte_array_set_size(raw, 0);
}

// The longest item without a payload is a tag and ten numbers of ten bytes.
static inline uint8_t *put_number(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)v | 0x80;
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

// 0 where it is not known, else one more than the time from a record's step to the last step.
static uint64_t time_since(const RwTraceWriter *writer, uint64_t step)
{
    const RwTraceBase *base = &writer->recent[step % RW_TRACE_RECENT];
    return base->step == step ? writer->last.tsc - base->tsc + 1 : 0;
}

static void put_item(RwTraceWriter *writer, const uint8_t *item, const uint8_t *end)
{
    g_byte_array_append(writer->raw, item, (guint)(end - item));
}

void rw_trace_writer_record(RwTraceWriter *writer, const struct rewind_record *record,
                            const uint8_t *payload, size_t length)
{
    g_return_if_fail(length <= REWIND_RECORD_MAX);
    uint8_t item[128], *at = item;
    *at++ = RW_TRACE_TAG_RECORD;
    at = put_number(at, record->type);
    at = put_number(at, record->flags);
    at = put_number(at, rw_zigzag((int64_t)(record->step - writer->last.step)));
    at = put_number(at, rw_zigzag((int64_t)(record->tsc - writer->last.tsc)));
    at = put_number(at, record->pid);
    at = put_number(at, rw_zigzag((int64_t)record->tid - (int64_t)record->pid));
    if ((record->flags & REWIND_RECORD_BUFFERED) && record->step != writer->last.step)
        at = put_number(at, time_since(writer, record->step));
    at = put_number(at, length);
    put_item(writer, item, at);
    g_byte_array_append(writer->raw, payload, (guint)length);
    writer->events++;
    writer->head.events++;
    if (writer->raw->len >= RW_TRACE_BLOCK_FULL)
        close_block(writer);
}

static uint8_t *put_perturb(uint8_t *at, const RwPerturb *perturb)
{
    at =
        put_number(at, perturb->kinds | perturb->hold << RW_TRACE_HOLD_BIT |
                           perturb->release << RW_TRACE_RELEASE_BIT | perturb->fault << RW_TRACE_FAULT_BIT);
    for (unsigned row = 0; row < RW_N_PERTURBS; row++)
        if (rw_perturbs[row].amount && rw_perturbs[row].unit != RW_UNIT_HOLD)
            at = put_number(at, rw_perturb_get_amount(perturb, row));
    return at;
}

void rw_trace_writer_step(RwTraceWriter *writer, const RwStepInfo *step)
{
    g_return_if_fail(step->step == writer->last.step + 1);
    uint8_t item[128], *at = item;
    bool perturbed = step->perturb.kinds != 0;
    *at++ = (uint8_t)(RW_TRACE_TAG_STEP | (perturbed ? RW_TRACE_TAG_PERTURBED : 0) | step->kind);
    at = put_number(at, step->icount - writer->last.icount);
    at = put_number(at, step->tsc - writer->last.tsc);
    if (perturbed)
        at = put_perturb(at, &step->perturb);
    put_item(writer, item, at);
    writer->last = (RwTraceBase){step->step, step->icount, step->tsc};
    writer->recent[step->step % RW_TRACE_RECENT] = writer->last;
    writer->head.steps++;
    if (writer->raw->len >= RW_TRACE_BLOCK_FULL ||
        step->icount - writer->head.base.icount >= RW_TRACE_BLOCK_INSTRUCTIONS)
        close_block(writer);
}

static void put_index(RwTraceWriter *writer)
{
    g_autoptr(GByteArray) index = g_byte_array_new();
    rw_put_u32(index, RW_TRACE_INDEX_MAGIC);
    rw_put_u32(index, writer->blocks);
    rw_put_bytes(index, writer->index->data, writer->index->len);
    rw_put_u64(index, rw_seal_check(index->data, index->len));
    RwTraceTrailer trailer = {writer->offset, index->len, writer->events, writer->last.step};
    put(writer, index->data, index->len);
    uint8_t bytes[RW_TRACE_TRAILER_SIZE];
    rw_trace_trailer_encode(&trailer, bytes);
    put(writer, bytes, sizeof bytes);
}

bool rw_trace_writer_finish(RwTraceWriter *writer, char ret_sha256[RW_SHA256_HEX_SIZE], GError **error)
{
    close_block(writer);
    put_index(writer);
    if (!writer->error && writer->fd >= 0 && fsync(writer->fd) != 0)
        rw_error_from_errno(&writer->error, errno, "cannot write %s", writer->path);
    if (writer->error) {
        g_propagate_error(error, g_error_copy(writer->error));
        return false;
    }
    rw_sha256_finish_hex(writer->sha, ret_sha256);
    return true;
}
