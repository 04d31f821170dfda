// SPDX-License-Identifier: MIT
#include "keyframes-format-private.h"

#include "rw-base.h"

#define HEADER_MAGIC "RWKEYFR\n"
#define TRAILER_MAGIC "RWKFEND\n"
#define HEAD_MAGIC 0x4659454bu // "KEYF"

void rw_keyframes_header_encode(uint8_t ret[RW_KEYFRAMES_HEADER_SIZE])
{
    memset(ret, 0, RW_KEYFRAMES_HEADER_SIZE);
    memcpy(ret, HEADER_MAGIC, 8);
    rw_store_u32(ret + 8, RW_KEYFRAMES_VERSION);
    rw_seal(ret, RW_KEYFRAMES_HEADER_SIZE);
}

bool rw_keyframes_header_check(const uint8_t bytes[RW_KEYFRAMES_HEADER_SIZE], const char *path,
                               GError **error)
{
    uint32_t version = rw_load_u32(bytes + 8);
    if (memcmp(bytes, HEADER_MAGIC, 8) || !rw_is_sealed(bytes, RW_KEYFRAMES_HEADER_SIZE) || !version) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: no keyframes", path);
        return false;
    }
    if (version > RW_KEYFRAMES_VERSION) {
        g_set_error(
            error, RW_ERROR, RW_ERROR_NEWER,
            "%s: format version %u is newer than this rewind knows (%u): use the rewind that made it", path,
            version, RW_KEYFRAMES_VERSION);
        return false;
    }
    return true;
}

void rw_keyframes_head_encode(const RwKeyframeHead *head, uint8_t ret[RW_KEYFRAMES_HEAD_SIZE])
{
    const RwKeyframe *frame = &head->frame;
    rw_store_u32(ret, HEAD_MAGIC);
    rw_store_u32(ret + 4, head->flags);
    rw_store_u64(ret + 8, frame->step);
    rw_store_u64(ret + 16, frame->icount);
    rw_store_u64(ret + 24, frame->tsc);
    rw_store_u64(ret + 32, frame->memory);
    rw_store_u64(ret + 40, frame->pages);
    memcpy(ret + 48, &frame->root, RW_SHA256_SIZE);
    rw_store_u32(ret + 80, head->stored);
    rw_store_u32(ret + 84, head->raw);
    rw_store_u64(ret + 88, 0);
    rw_seal(ret, RW_KEYFRAMES_HEAD_SIZE);
}

bool rw_keyframes_head_decode(const uint8_t bytes[RW_KEYFRAMES_HEAD_SIZE], RwKeyframeHead *ret)
{
    if (rw_load_u32(bytes) != HEAD_MAGIC || !rw_is_sealed(bytes, RW_KEYFRAMES_HEAD_SIZE))
        return false;
    *ret = (RwKeyframeHead){
        .frame = {.step = rw_load_u64(bytes + 8),
                  .icount = rw_load_u64(bytes + 16),
                  .tsc = rw_load_u64(bytes + 24),
                  .memory = rw_load_u64(bytes + 32),
                  .pages = rw_load_u64(bytes + 40)},
        .flags = rw_load_u32(bytes + 4),
        .stored = rw_load_u32(bytes + 80),
        .raw = rw_load_u32(bytes + 84),
    };
    memcpy(&ret->frame.root, bytes + 48, RW_SHA256_SIZE);
    ret->frame.held = (ret->flags & RW_KEYFRAME_HELD) != 0;
    return !(ret->flags & ~(uint32_t)(RW_KEYFRAME_HELD | RW_KEYFRAME_ZSTD)) && ret->stored > 0 &&
           ret->raw > 0 && ret->stored <= RW_KEYFRAMES_STATE_MAX && ret->raw <= RW_KEYFRAMES_STATE_MAX &&
           (ret->flags & RW_KEYFRAME_ZSTD || ret->stored == ret->raw);
}

void rw_keyframes_trailer_encode(const RwKeyframesTrailer *trailer, uint8_t ret[RW_KEYFRAMES_TRAILER_SIZE])
{
    memcpy(ret, TRAILER_MAGIC, 8);
    rw_store_u64(ret + 8, trailer->index);
    rw_store_u64(ret + 16, trailer->index_size);
    rw_store_u64(ret + 24, trailer->count);
    rw_seal(ret, RW_KEYFRAMES_TRAILER_SIZE);
}

bool rw_keyframes_trailer_decode(const uint8_t bytes[RW_KEYFRAMES_TRAILER_SIZE], RwKeyframesTrailer *ret)
{
    if (memcmp(bytes, TRAILER_MAGIC, 8) || !rw_is_sealed(bytes, RW_KEYFRAMES_TRAILER_SIZE))
        return false;
    *ret = (RwKeyframesTrailer){rw_load_u64(bytes + 8), rw_load_u64(bytes + 16), rw_load_u64(bytes + 24)};
    return true;
}
