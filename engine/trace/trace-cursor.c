// SPDX-License-Identifier: MIT
#include "trace-reader-private.h"

#include <zstd.h>

struct _RwTraceCursor {
    RwTrace *trace;
    guint block; // the one after the loaded one
    uint8_t *raw, *stored;
    ZSTD_DCtx *zstd;
    RwReader reader;
    RwTraceBase last;
    uint64_t event;
    uint64_t end_event, end_step; // where the loaded block must end
    RwTraceItem ahead; // found while the cursor was placed
    bool has_ahead;
};

static RwTraceCursor *cursor_new(RwTrace *trace)
{
    RwTraceCursor *cursor = g_new0(RwTraceCursor, 1);
    cursor->trace = trace;
    cursor->zstd = ZSTD_createDCtx();
    cursor->raw = g_malloc(RW_TRACE_BLOCK_MAX);
    cursor->stored = g_malloc(RW_TRACE_BLOCK_MAX + 4096);
    return cursor;
}

void rw_trace_cursor_free(RwTraceCursor *cursor)
{
    if (!cursor)
        return;
    ZSTD_freeDCtx(cursor->zstd);
    g_free(cursor->raw);
    g_free(cursor->stored);
    g_free(cursor);
}

static bool load_block(RwTraceCursor *cursor, GError **error)
{
    RwTrace *trace = cursor->trace;
    const RwTraceBlock *block = &g_array_index(trace->blocks, RwTraceBlock, cursor->block);
    const RwTraceHead *head = &block->head;
    uint8_t bytes[RW_TRACE_HEAD_SIZE];
    RwTraceHead in_place;
    const RwTrace *file = block->file;
    if (!rw_pread_all(file->fd, bytes, sizeof bytes, block->offset, file->path, error) ||
        !rw_pread_all(file->fd, cursor->stored, head->stored, block->offset + sizeof bytes, file->path,
                      error))
        return false;
    if (!rw_trace_head_decode(bytes, &in_place) || memcmp(&in_place, head, sizeof in_place))
        return rw_trace_damaged(trace, "a block is not what the index says", error);
    size_t raw =
        ZSTD_decompressDCtx(cursor->zstd, cursor->raw, RW_TRACE_BLOCK_MAX, cursor->stored, head->stored);
    if (ZSTD_isError(raw) || raw != head->raw)
        return rw_trace_damaged(trace, "a block's contents are broken", error);
    g_atomic_int_inc(&trace->blocks_read);
    cursor->reader = RW_READER_INIT(cursor->raw, raw);
    cursor->event = head->first_event;
    cursor->end_event = head->first_event + head->events;
    cursor->end_step = head->last_step;
    cursor->last = head->base;
    cursor->block++;
    return true;
}

static void read_perturb(RwReader *reader, RwPerturb *ret)
{
    uint32_t kinds = (uint32_t)rw_reader_varint(reader);
    ret->kinds = kinds & RW_PERTURB_ALL;
    ret->hold = kinds >> RW_TRACE_HOLD_BIT & RW_TRACE_HOLD_MASK;
    ret->release = kinds >> RW_TRACE_RELEASE_BIT & RW_TRACE_HOLD_MASK;
    ret->fault = kinds >> RW_TRACE_FAULT_BIT & RW_TRACE_HOLD_MASK;
    for (unsigned row = 0; row < RW_N_PERTURBS; row++) {
        uint32_t *amount = rw_perturb_amount(ret, row);
        if (amount && rw_perturbs[row].unit != RW_UNIT_HOLD)
            *amount = (uint32_t)rw_reader_varint(reader);
    }
}

static bool read_step(RwTraceCursor *cursor, uint8_t tag, RwTraceItem *item)
{
    RwReader *reader = &cursor->reader;
    RwStepInfo info = {.step = cursor->last.step + 1, .kind = tag & RW_TRACE_TAG_KIND};
    info.icount = cursor->last.icount + rw_reader_varint(reader);
    info.tsc = cursor->last.tsc + rw_reader_varint(reader);
    if (tag & RW_TRACE_TAG_PERTURBED) {
        read_perturb(reader, &info.perturb);
    }
    item->is_step = true;
    item->step = info.step;
    item->info = info;
    cursor->last = (RwTraceBase){info.step, info.icount, info.tsc};
    return !reader->failed && info.step <= cursor->end_step;
}

// The place of a record's event: the step it made, or one before and the time since then.
static void read_place(RwTraceCursor *cursor, RwTraceItem *item)
{
    const struct rewind_record *record = &item->record;
    item->at = item->step;
    item->at_known = true;
    if (!(record->flags & REWIND_RECORD_BUFFERED))
        return;
    uint64_t known = record->step == cursor->last.step ? 1 : rw_reader_varint(&cursor->reader);
    uint64_t start = cursor->last.tsc - (known - 1);
    item->at = record->step;
    item->at_known = known && record->tsc >= start;
    item->after_ticks = item->at_known ? record->tsc - start : 0;
}

static bool read_record(RwTraceCursor *cursor, RwTraceItem *item)
{
    RwReader *reader = &cursor->reader;
    struct rewind_record record = {0};
    record.type = (uint16_t)rw_reader_varint(reader);
    record.flags = (uint16_t)rw_reader_varint(reader);
    record.step = cursor->last.step + (uint64_t)rw_unzigzag(rw_reader_varint(reader));
    record.tsc = cursor->last.tsc + (uint64_t)rw_unzigzag(rw_reader_varint(reader));
    record.pid = (uint32_t)rw_reader_varint(reader);
    record.tid = record.pid + (uint32_t)rw_unzigzag(rw_reader_varint(reader));
    item->record = record;
    item->step = cursor->last.step + 1;
    read_place(cursor, item);
    uint64_t length = rw_reader_varint(reader);
    if (length > REWIND_RECORD_MAX - sizeof record)
        return false;
    item->record.size = (uint32_t)(sizeof record + length);
    item->payload = rw_reader_bytes(reader, length);
    item->length = length;
    item->event = cursor->event++;
    return !reader->failed && item->event < cursor->end_event;
}

static int read_item(RwTraceCursor *cursor, RwTraceItem *item, GError **error)
{
    memset(item, 0, sizeof *item);
    uint8_t tag = rw_reader_u8(&cursor->reader);
    bool ok = tag & RW_TRACE_TAG_STEP ? read_step(cursor, tag, item)
                                      : tag == RW_TRACE_TAG_RECORD && read_record(cursor, item);
    if (ok && rw_reader_left(&cursor->reader) == 0)
        ok = cursor->event == cursor->end_event && cursor->last.step == cursor->end_step;
    if (ok)
        return 1;
    cursor->reader = RW_READER_INIT(NULL, 0);
    cursor->block = cursor->trace->blocks->len;
    rw_trace_damaged(cursor->trace, "a block's items make no sense", error);
    return -1;
}

int rw_trace_cursor_next_in_block(RwTraceCursor *cursor, RwTraceItem *ret_item, GError **error)
{
    if (cursor->has_ahead) {
        cursor->has_ahead = false;
        *ret_item = cursor->ahead;
        return 1;
    }
    return rw_reader_left(&cursor->reader) ? read_item(cursor, ret_item, error) : 0;
}

int rw_trace_cursor_next(RwTraceCursor *cursor, RwTraceItem *ret_item, GError **error)
{
    int more = rw_trace_cursor_next_in_block(cursor, ret_item, error);
    if (more || cursor->block >= cursor->trace->blocks->len)
        return more;
    return load_block(cursor, error) ? rw_trace_cursor_next_in_block(cursor, ret_item, error) : -1;
}

RwTraceCursor *rw_trace_cursor_new_block(RwTrace *trace, guint block, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = cursor_new(trace);
    cursor->block = block;
    if (block < trace->blocks->len && !load_block(cursor, error))
        return NULL;
    return g_steal_pointer(&cursor);
}

// The first block that holds the step before, or the last step there is: items of `step` start behind it.
static guint find_block(const RwTrace *trace, uint64_t step)
{
    guint low = 0, high = trace->blocks->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(trace->blocks, RwTraceBlock, middle).head.last_step + 1 < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

RwTraceCursor *rw_trace_cursor_new(RwTrace *trace, uint64_t step, GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new_block(trace, find_block(trace, step), error);
    if (!cursor)
        return NULL;
    int more;
    while ((more = rw_trace_cursor_next(cursor, &cursor->ahead, error)) > 0 && cursor->ahead.step < step)
        continue;
    if (more < 0)
        return NULL;
    cursor->has_ahead = more > 0;
    return g_steal_pointer(&cursor);
}

bool rw_trace_step(RwTrace *trace, uint64_t step, RwStepInfo *ret_info, GError **error)
{
    if (step < 1 || step > trace->steps) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "step %" G_GUINT64_FORMAT " is past the end: the run has %" G_GUINT64_FORMAT " steps",
                    step, trace->steps);
        return false;
    }
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, step, error);
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0)
        if (item.is_step) {
            *ret_info = item.info;
            return true;
        }
    return more < 0 ? false : rw_trace_damaged(trace, "a step is missing", error);
}
