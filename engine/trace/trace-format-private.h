// SPDX-License-Identifier: MIT
//
// The bytes of a trace file, version 2; rw-trace.h describes the whole.
#pragma once

#include "rw-trace.h"

#define RW_TRACE_HEADER_MAGIC "RWTRACE\n"
#define RW_TRACE_TRAILER_MAGIC "RWTREND\n"
#define RW_TRACE_HEADER_SIZE 32u
#define RW_TRACE_HEAD_SIZE 72u
#define RW_TRACE_TRAILER_SIZE 48u
#define RW_TRACE_BLOCK_MAGIC 0x4b434c42u // "BLCK"
#define RW_TRACE_INDEX_MAGIC 0x58444e49u // "INDX"

// A block is closed by the item that makes it this long, so none is longer than this and one item more.
#define RW_TRACE_BLOCK_FULL (256u << 10)
// And by the first step so many instructions after its start, a second or some: what was recorded reaches
// the file as it grows, though the blocks stay a function of the run.
#define RW_TRACE_BLOCK_INSTRUCTIONS (256ull << 20)
#define RW_TRACE_BLOCK_MAX (RW_TRACE_BLOCK_FULL + REWIND_RECORD_MAX + 128u)
#define RW_TRACE_ZSTD_LEVEL 1
// A fork of a fork …: as many as a schedule has windows, reseeds, holds and faults.
#define RW_TRACE_BASES_MAX (RW_WINDOWS_MAX + RW_RESEEDS_MAX + RW_HOLDS_MAX + RW_FAULTS_MAX)

#define RW_TRACE_TAG_RECORD 0x01
#define RW_TRACE_TAG_STEP 0x80
#define RW_TRACE_TAG_PERTURBED 0x40
#define RW_TRACE_TAG_KIND 0x3f
// In the kinds of what a schedule did: the numbers of holds and faults.
#define RW_TRACE_HOLD_BIT 8
#define RW_TRACE_RELEASE_BIT 16
#define RW_TRACE_FAULT_BIT 24
#define RW_TRACE_HOLD_MASK 0xffu

// A record of the ring may belong to a step before the last one, when an interrupt was a step in between.
// Its place needs that step's time, which the writer knows of the latest so many steps.
#define RW_TRACE_RECENT 64

// The step before the next item, and its counts: what items are relative to.
typedef struct {
    uint64_t step, icount, tsc;
} RwTraceBase;

typedef struct {
    uint32_t stored; // bytes of the zstd frame
    uint32_t raw; // bytes in it
    uint64_t first_event;
    uint32_t events, steps;
    RwTraceBase base; // before the block's first item
    uint64_t last_step;
} RwTraceHead;

void rw_trace_head_encode(const RwTraceHead *head, uint8_t ret[RW_TRACE_HEAD_SIZE]);
// false for a wrong magic, check or size.
bool rw_trace_head_decode(const uint8_t bytes[RW_TRACE_HEAD_SIZE], RwTraceHead *ret);

typedef struct {
    uint64_t index, index_size, events, steps;
} RwTraceTrailer;

void rw_trace_trailer_encode(const RwTraceTrailer *trailer, uint8_t ret[RW_TRACE_TRAILER_SIZE]);
bool rw_trace_trailer_decode(const uint8_t bytes[RW_TRACE_TRAILER_SIZE], RwTraceTrailer *ret);

void rw_trace_header_encode(uint64_t base, uint8_t ret[RW_TRACE_HEADER_SIZE]);
uint64_t rw_trace_header_base(const uint8_t bytes[RW_TRACE_HEADER_SIZE]); // of one that was checked
// Checks magic, version and check; `path` is for messages.
bool rw_trace_header_check(const uint8_t bytes[RW_TRACE_HEADER_SIZE], const char *path, GError **error);

static inline uint64_t rw_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t rw_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}
