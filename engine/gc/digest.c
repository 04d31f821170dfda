// SPDX-License-Identifier: MIT
#include "rw-prune.h"

static void put_step(GByteArray *out, const RwStepInfo *info)
{
    rw_put_u8(out, 1);
    rw_put_u8(out, (uint8_t)info->kind);
    rw_put_u64(out, info->step);
    rw_put_u64(out, info->icount);
    rw_put_u64(out, info->tsc);
}

static void put_record(GByteArray *out, const RwTraceItem *item)
{
    const struct rewind_record *record = &item->record;
    rw_put_u8(out, 2);
    rw_put_u16(out, record->type);
    rw_put_u16(out, record->flags);
    rw_put_u64(out, record->step);
    rw_put_u64(out, record->tsc);
    rw_put_u32(out, record->pid);
    rw_put_u32(out, record->tid);
    rw_put_u64(out, item->length);
    rw_put_bytes(out, item->payload, item->length);
}

bool rw_trace_digest(RwTrace *trace, GCancellable *cancellable, char ret_hex[RW_SHA256_HEX_SIZE],
                     GError **error)
{
    g_autoptr(RwTraceCursor) cursor = rw_trace_cursor_new(trace, 1, error);
    g_autoptr(RwSha256) sha = rw_sha256_new();
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    RwTraceItem item;
    int more = cursor ? 1 : -1;
    while (more > 0 && (more = rw_trace_cursor_next(cursor, &item, error)) > 0) {
        g_byte_array_set_size(bytes, 0);
        if (item.is_step)
            put_step(bytes, &item.info);
        else
            put_record(bytes, &item);
        rw_sha256_update(sha, bytes->data, bytes->len);
        if (item.is_step && item.step % 1024 == 0 && !rw_check_cancelled(cancellable, error))
            return false;
    }
    rw_sha256_finish_hex(sha, ret_hex);
    return more == 0;
}
