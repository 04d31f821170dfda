// SPDX-License-Identifier: MIT
//
// How far two traces have the same bytes: found without decompressing anything.
#include "trace-reader-private.h"

// Head and frame, as they are in the file.
static bool read_block(const RwTraceBlock *block, uint8_t *ret, GError **error)
{
    return rw_pread_all(block->file->fd, ret, RW_TRACE_HEAD_SIZE + (size_t)block->head.stored,
                        block->offset, block->file->path, error);
}

// 1: the same; 0: not; -1: error.
static int compare_blocks(const RwTraceBlock *a, const RwTraceBlock *b, uint8_t *x, uint8_t *y,
                          GError **error)
{
    if (memcmp(&a->head, &b->head, sizeof a->head))
        return 0;
    if (!read_block(a, x, error) || !read_block(b, y, error))
        return -1;
    return !memcmp(x, y, RW_TRACE_HEAD_SIZE + (size_t)a->head.stored);
}

bool rw_trace_find_same(RwTrace *a, RwTrace *b, GCancellable *cancellable, uint64_t *ret_step,
                        GError **error)
{
    g_autofree uint8_t *x = g_malloc(RW_TRACE_BLOCK_MAX + 4096);
    g_autofree uint8_t *y = g_malloc(RW_TRACE_BLOCK_MAX + 4096);
    int same = 1;
    *ret_step = 1;
    for (guint i = 0; i < MIN(a->blocks->len, b->blocks->len); i++) {
        const RwTraceBlock *one = &g_array_index(a->blocks, RwTraceBlock, i);
        if (!rw_check_cancelled(cancellable, error))
            return false;
        same = compare_blocks(one, &g_array_index(b->blocks, RwTraceBlock, i), x, y, error);
        if (same <= 0 || one->head.last_step == UINT64_MAX)
            break;
        *ret_step = one->head.last_step + 1;
    }
    return same >= 0;
}
