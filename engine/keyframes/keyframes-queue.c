// SPDX-License-Identifier: MIT
#include "keyframes-queue-private.h"

void rw_queue_init(RwQueue *queue)
{
    *queue = (RwQueue){.full = g_async_queue_new(), .empty = g_async_queue_new_full(g_free)};
}

void rw_queue_clear(RwQueue *queue)
{
    RwQueued *queued;
    while ((queued = g_async_queue_try_pop(queue->full)))
        rw_queue_done(queue, queued);
    g_free(queue->open);
    g_async_queue_unref(queue->full);
    g_async_queue_unref(queue->empty);
}

static RwPiece *get_piece(RwQueue *queue)
{
    RwPiece *piece = g_async_queue_try_pop(queue->empty);
    if (!piece && queue->pieces < RW_PIECES_MAX) {
        piece = g_new(RwPiece, 1);
        queue->pieces++;
    }
    if (!piece)
        piece = g_async_queue_pop(queue->empty);
    piece->n = 0;
    return piece;
}

static void push(RwQueue *queue, RwPiece *piece, const RwKeyframe *frame, GBytes *state)
{
    RwQueued *queued = g_new0(RwQueued, 1);
    queued->piece = piece;
    queued->state = state;
    if (frame)
        queued->head.frame = *frame;
    g_async_queue_push(queue->full, queued);
}

void rw_queue_put_page(RwQueue *queue, uint64_t page, const uint8_t *bytes)
{
    if (!queue->open)
        queue->open = get_piece(queue);
    RwPiece *piece = queue->open;
    piece->page[piece->n] = (uint32_t)page;
    memcpy(piece->bytes[piece->n++], bytes, RW_PAGE_BYTES);
    if (piece->n == RW_PIECE_PAGES)
        push(queue, g_steal_pointer(&queue->open), NULL, NULL);
}

void rw_queue_put_frame(RwQueue *queue, const RwKeyframe *frame, GBytes *state)
{
    if (queue->open)
        push(queue, g_steal_pointer(&queue->open), NULL, NULL);
    push(queue, NULL, frame, state);
}

RwQueued *rw_queue_take(RwQueue *queue)
{
    return g_async_queue_pop(queue->full);
}

void rw_queue_done(RwQueue *queue, RwQueued *queued)
{
    if (queued->piece)
        g_async_queue_push(queue->empty, queued->piece);
    if (queued->state)
        g_bytes_unref(queued->state);
    g_free(queued);
}
