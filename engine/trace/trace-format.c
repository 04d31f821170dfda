// SPDX-License-Identifier: MIT
#include "trace-format-private.h"

#include "rw-base.h"

uint64_t rw_trace_header_base(const uint8_t bytes[RW_TRACE_HEADER_SIZE])
{
    return rw_load_u64(bytes + 16);
}

void rw_trace_header_encode(uint64_t base, uint8_t ret[RW_TRACE_HEADER_SIZE])
{
    memset(ret, 0, RW_TRACE_HEADER_SIZE);
    memcpy(ret, RW_TRACE_HEADER_MAGIC, 8);
    rw_store_u32(ret + 8, RW_TRACE_VERSION);
    rw_store_u32(ret + 12, REWIND_ABI_VERSION);
    rw_store_u64(ret + 16, base);
    rw_seal(ret, RW_TRACE_HEADER_SIZE);
}

bool rw_trace_header_check(const uint8_t bytes[RW_TRACE_HEADER_SIZE], const char *path, GError **error)
{
    uint32_t version = rw_load_u32(bytes + 8), abi = rw_load_u32(bytes + 12);
    if (memcmp(bytes, RW_TRACE_HEADER_MAGIC, 8) || !rw_is_sealed(bytes, RW_TRACE_HEADER_SIZE) || !version) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged: not a trace", path);
        return false;
    }
    if (version > RW_TRACE_VERSION || abi > REWIND_ABI_VERSION) {
        g_set_error(
            error, RW_ERROR, RW_ERROR_NEWER,
            "%s: format version %u.%u is newer than this rewind knows (%u.%u): use the rewind that made it",
            path, version, abi, RW_TRACE_VERSION, REWIND_ABI_VERSION);
        return false;
    }
    return true;
}

void rw_trace_head_encode(const RwTraceHead *head, uint8_t ret[RW_TRACE_HEAD_SIZE])
{
    rw_store_u32(ret, RW_TRACE_BLOCK_MAGIC);
    rw_store_u32(ret + 4, head->stored);
    rw_store_u32(ret + 8, head->raw);
    rw_store_u32(ret + 12, 0);
    rw_store_u64(ret + 16, head->first_event);
    rw_store_u32(ret + 24, head->events);
    rw_store_u32(ret + 28, head->steps);
    rw_store_u64(ret + 32, head->base.step);
    rw_store_u64(ret + 40, head->base.icount);
    rw_store_u64(ret + 48, head->base.tsc);
    rw_store_u64(ret + 56, head->last_step);
    rw_seal(ret, RW_TRACE_HEAD_SIZE);
}

bool rw_trace_head_decode(const uint8_t bytes[RW_TRACE_HEAD_SIZE], RwTraceHead *ret)
{
    if (rw_load_u32(bytes) != RW_TRACE_BLOCK_MAGIC || !rw_is_sealed(bytes, RW_TRACE_HEAD_SIZE))
        return false;
    *ret = (RwTraceHead){
        .stored = rw_load_u32(bytes + 4),
        .raw = rw_load_u32(bytes + 8),
        .first_event = rw_load_u64(bytes + 16),
        .events = rw_load_u32(bytes + 24),
        .steps = rw_load_u32(bytes + 28),
        .base = {rw_load_u64(bytes + 32), rw_load_u64(bytes + 40), rw_load_u64(bytes + 48)},
        .last_step = rw_load_u64(bytes + 56),
    };
    return ret->raw > 0 && ret->raw <= RW_TRACE_BLOCK_MAX && ret->stored > 0 &&
           ret->stored <= RW_TRACE_BLOCK_MAX + 4096 && ret->last_step - ret->base.step == ret->steps;
}

void rw_trace_trailer_encode(const RwTraceTrailer *trailer, uint8_t ret[RW_TRACE_TRAILER_SIZE])
{
    memcpy(ret, RW_TRACE_TRAILER_MAGIC, 8);
    rw_store_u64(ret + 8, trailer->index);
    rw_store_u64(ret + 16, trailer->index_size);
    rw_store_u64(ret + 24, trailer->events);
    rw_store_u64(ret + 32, trailer->steps);
    rw_seal(ret, RW_TRACE_TRAILER_SIZE);
}

bool rw_trace_trailer_decode(const uint8_t bytes[RW_TRACE_TRAILER_SIZE], RwTraceTrailer *ret)
{
    if (memcmp(bytes, RW_TRACE_TRAILER_MAGIC, 8) || !rw_is_sealed(bytes, RW_TRACE_TRAILER_SIZE))
        return false;
    *ret = (RwTraceTrailer){rw_load_u64(bytes + 8), rw_load_u64(bytes + 16), rw_load_u64(bytes + 24),
                            rw_load_u64(bytes + 32)};
    return true;
}
