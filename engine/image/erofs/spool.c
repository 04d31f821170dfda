// SPDX-License-Identifier: MIT
#include "content-private.h"

#include "erofs-format-private.h"
#include "temp-private.h"

#include <unistd.h>

#define BUFFER (1u << 20)
#define NO_BLOCK UINT64_MAX

struct RwSpool {
    RwContents contents; // first: RwContents * is cast back
    RwTemp *file;
    uint8_t *buffer; // bytes not written yet; they belong at `written`
    size_t used;
    uint64_t written;
    GArray *runs; // of the file being written
    uint64_t next; // the lowest offset that the next piece may have
    uint64_t block; // number of the block that `partial` collects, or NO_BLOCK
    uint8_t partial[EROFS_BLOCK];
};

bool rw_work_step(RwWork *work, uint64_t bytes, GError **error)
{
    work->done += bytes;
    if (work->callback && bytes)
        work->callback(work->done, work->total, work->data);
    return rw_check_cancelled(work->cancellable, error);
}

bool rw_is_zero(const void *data, size_t len)
{
    const char *bytes = data;
    return len == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0);
}

static bool open_content(RwContents *self, RwNode *node, RwContent *ret_content, GError **error)
{
    (void)error;
    RwSpool *spool = (RwSpool *)self;
    ret_content->fd = spool->file->fd;
    if (node->file.runs) {
        ret_content->runs = g_array_ref(node->file.runs);
        return true;
    }
    RwRun all = {0, (node->file.size + EROFS_BLOCK - 1) / EROFS_BLOCK, node->file.offset};
    ret_content->runs = g_array_new(false, false, sizeof(RwRun));
    if (all.count)
        g_array_append_val(ret_content->runs, all);
    return true;
}

static bool close_content(RwContents *self, RwNode *node, RwContent *content, bool ok, GError **error)
{
    (void)self, (void)node, (void)ok, (void)error;
    g_clear_pointer(&content->runs, g_array_unref);
    return true;
}

RwSpool *rw_spool_new(const char *dir, GError **error)
{
    RwTemp *file = rw_temp_new(dir, error);
    if (!file)
        return NULL;
    // Without a name it goes away with us, however we end.
    unlink(file->path);
    g_clear_pointer(&file->path, g_free);
    RwSpool *spool = g_new0(RwSpool, 1);
    spool->contents = (RwContents){open_content, close_content};
    spool->file = file;
    spool->buffer = g_malloc(BUFFER);
    spool->runs = g_array_new(false, false, sizeof(RwRun));
    return spool;
}

void rw_spool_free(RwSpool *spool)
{
    if (!spool)
        return;
    rw_temp_free(spool->file);
    g_array_unref(spool->runs);
    g_free(spool->buffer);
    g_free(spool);
}

bool rw_spool_flush(RwSpool *spool, GError **error)
{
    if (!rw_pwrite_all(spool->file->fd, spool->buffer, spool->used, spool->written, "a temporary file",
                       error))
        return false;
    spool->written += spool->used;
    spool->used = 0;
    return true;
}

// Appends one whole block of the current file, unless it is all zeros.
static bool add_block(RwSpool *spool, uint64_t block, const void *data, GError **error)
{
    if (rw_is_zero(data, EROFS_BLOCK))
        return true;
    RwRun *last = spool->runs->len ? &g_array_index(spool->runs, RwRun, spool->runs->len - 1) : NULL;
    if (last && last->block + last->count == block) {
        last->count++;
    } else {
        RwRun run = {block, 1, spool->written + spool->used};
        g_array_append_val(spool->runs, run);
    }
    memcpy(spool->buffer + spool->used, data, EROFS_BLOCK);
    spool->used += EROFS_BLOCK;
    return spool->used < BUFFER || rw_spool_flush(spool, error);
}

static bool finish_partial(RwSpool *spool, GError **error)
{
    uint64_t block = spool->block;
    spool->block = NO_BLOCK;
    return block == NO_BLOCK || add_block(spool, block, spool->partial, error);
}

void rw_spool_begin(RwSpool *spool)
{
    g_array_set_size(spool->runs, 0);
    spool->block = NO_BLOCK;
    spool->next = 0;
}

bool rw_spool_write(RwSpool *spool, uint64_t offset, const void *data, size_t len, GError **error)
{
    const uint8_t *at = data;
    if (offset < spool->next) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "its parts are out of order");
        return false;
    }
    spool->next = offset + len;
    while (len) {
        uint64_t block = offset / EROFS_BLOCK;
        size_t within = offset % EROFS_BLOCK;
        size_t n = MIN(len, EROFS_BLOCK - within);
        if (block != spool->block && !finish_partial(spool, error))
            return false;
        if (n == EROFS_BLOCK) {
            if (!add_block(spool, block, at, error))
                return false;
        } else {
            if (spool->block == NO_BLOCK)
                memset(spool->partial, 0, EROFS_BLOCK);
            spool->block = block;
            memcpy(spool->partial + within, at, n);
        }
        at += n;
        offset += n;
        len -= n;
    }
    return true;
}

bool rw_spool_end(RwSpool *spool, RwNode *node, GError **error)
{
    if (!finish_partial(spool, error))
        return false;
    g_clear_pointer(&node->file.runs, g_array_unref);
    uint64_t blocks = (node->file.size + EROFS_BLOCK - 1) / EROFS_BLOCK;
    const RwRun *first = spool->runs->len ? &g_array_index(spool->runs, RwRun, 0) : NULL;
    if (!blocks || (first && first->count == blocks))
        node->file.offset = first ? first->offset : 0;
    else
        node->file.runs = g_array_copy(spool->runs);
    return true;
}

RwContents *rw_spool_contents(RwSpool *spool)
{
    return &spool->contents;
}
