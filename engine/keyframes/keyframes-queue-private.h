// SPDX-License-Identifier: MIT
//
// From the recording's thread to the one that hashes, compresses and writes: copied pages in pieces of a
// bounded number, which go back and forth, and the keyframes that they end in.
#pragma once

#include "keyframes-format-private.h"

#define RW_PIECE_PAGES 256u
#define RW_PIECES_MAX 64u // 64 MiB of pages on their way

typedef struct {
    guint n;
    uint32_t page[RW_PIECE_PAGES];
    uint8_t bytes[RW_PIECE_PAGES][RW_PAGE_BYTES];
} RwPiece;

typedef struct {
    RwPiece *piece; // or
    GBytes *state; // a keyframe, of the pages so far; or neither: the end
    RwKeyframeHead head;
} RwQueued;

typedef struct {
    GAsyncQueue *full; // of RwQueued
    GAsyncQueue *empty; // of RwPiece
    guint pieces; // made so far
    RwPiece *open; // being filled
} RwQueue;

void rw_queue_init(RwQueue *queue);
void rw_queue_clear(RwQueue *queue); // when the other thread has ended
// The recording's thread. Waits while too much is on its way.
void rw_queue_put_page(RwQueue *queue, uint64_t page, const uint8_t *bytes);
// Closes the open piece; then a keyframe (takes state over), or with NULL the end.
void rw_queue_put_frame(RwQueue *queue, const RwKeyframe *frame, GBytes *state);
// The other thread. Waits. Give what it got back to rw_queue_done().
RwQueued *rw_queue_take(RwQueue *queue);
void rw_queue_done(RwQueue *queue, RwQueued *queued);
