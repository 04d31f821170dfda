// SPDX-License-Identifier: MIT
//
// The bytes of a keyframes file, version 1; rw-keyframes.h describes the whole.
#pragma once

#include "rw-keyframes.h"

#define RW_KEYFRAMES_ZSTD_LEVEL 1

#define RW_KEYFRAMES_HEADER_SIZE 32u
#define RW_KEYFRAMES_HEAD_SIZE 104u
#define RW_KEYFRAMES_TRAILER_SIZE 40u
#define RW_KEYFRAMES_INDEX_MAGIC 0x5844494bu // "KIDX"
#define RW_KEYFRAMES_STATE_MAX (16u << 20)

enum { RW_KEYFRAME_HELD = 1 << 0, RW_KEYFRAME_ZSTD = 1 << 1 };

typedef struct {
    RwKeyframe frame;
    uint32_t flags; // RW_KEYFRAME_ bits
    uint32_t stored, raw; // bytes of the state
} RwKeyframeHead;

void rw_keyframes_header_encode(uint8_t ret[RW_KEYFRAMES_HEADER_SIZE]);
bool rw_keyframes_header_check(const uint8_t bytes[RW_KEYFRAMES_HEADER_SIZE], const char *path,
                               GError **error);
void rw_keyframes_head_encode(const RwKeyframeHead *head, uint8_t ret[RW_KEYFRAMES_HEAD_SIZE]);
bool rw_keyframes_head_decode(const uint8_t bytes[RW_KEYFRAMES_HEAD_SIZE], RwKeyframeHead *ret);

typedef struct {
    uint64_t index, index_size, count;
} RwKeyframesTrailer;

void rw_keyframes_trailer_encode(const RwKeyframesTrailer *trailer, uint8_t ret[RW_KEYFRAMES_TRAILER_SIZE]);
bool rw_keyframes_trailer_decode(const uint8_t bytes[RW_KEYFRAMES_TRAILER_SIZE], RwKeyframesTrailer *ret);

// keyframes-reader.c
const RwKeyframeHead *rw_keyframes_get_head(const RwKeyframes *keyframes, guint i);
// As it is stored: head.stored bytes.
bool rw_keyframes_read_stored(const RwKeyframes *keyframes, guint i, uint8_t *ret_bytes, GError **error);
