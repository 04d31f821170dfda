// SPDX-License-Identifier: MIT
//
// A run's trace: every record and every step, in the order in which they happened. The same run gives the
// same bytes: there is no host time, path or name in it.
//
// The file, version 2, little-endian:
//   header   32 bytes: "RWTRACE\n", u32 version, u32 REWIND_ABI_VERSION, u64 base, u64 check
//   blocks   each a 72-byte head (struct in trace-format-private.h) and a zstd frame with its checksum
//   index    u32 "INDX", u32 count, then per block u64 offset and its head again; u64 check
//   trailer  48 bytes: "RWTREND\n", u64 index offset, u64 index size, u64 events, u64 steps, u64 check
// A trace that goes on from another one (a fork's) has that one beside it, as a hard link with ".base"
// after the name; its first `base` blocks are the first of this one. Version 1 had no base. A check is the
// FNV-1a hash of what stands before it in its part. A file that ends early (its recorder was killed) is
// read up to its last whole block. In a block, items follow each other; numbers are LEB128, sN are
// zigzag-coded:
//   step     u8 0x80 | 0x40 if perturbed | kind; icount − last; tsc − last; [kinds, stall, late, after];
//            kinds has the numbers of the hold that begins in bits 8-15 and of the one that ends in 16-23
//   record   u8 0x01; type; flags; s(step − last step); s(tsc − last tsc); pid; s(tid − pid); length;
//   payload
//            and before length, for one of the ring whose step is not the last: 0, or 1 + last tsc − tsc of
//            its step, where the recorder still knew that
// Steps are numbered from 1 without gaps, so a step's number is not stored.
#pragma once

#include "rw-machine.h"

G_BEGIN_DECLS

#define RW_TRACE_VERSION 2

// ---- Writing ----

typedef struct _RwTrace RwTrace; // see below

// Errors of the disk are kept: the first one comes back from rw_trace_writer_finish() and later bytes are
// dropped. One thread at a time.
typedef struct _RwTraceWriter RwTraceWriter;

// Writes to `path`, which must not exist; NULL: to memory, to be gone on from by
// rw_trace_writer_new_copy().
RwTraceWriter *rw_trace_writer_new(const char *path, GError **error);
// A writer to `path` that stands where `from` stands. `from` is only read, so several threads may do this.
RwTraceWriter *rw_trace_writer_new_copy(const RwTraceWriter *from, const char *path, GError **error);
// A writer to memory that goes on from a recorded trace right after `step`; NULL for one past its end.
// Copies of it share what is recorded.
RwTraceWriter *rw_trace_writer_new_fork(RwTrace *trace, uint64_t step, GError **error);
void rw_trace_writer_free(RwTraceWriter *writer);

void rw_trace_writer_record(RwTraceWriter *writer, const struct rewind_record *record,
                            const uint8_t *payload, size_t length);
void rw_trace_writer_step(RwTraceWriter *writer, const RwStepInfo *step);
// Called once, from within a write, when the disk does not take any more.
void rw_trace_writer_set_on_error(RwTraceWriter *writer, void (*failed)(void *data), void *data);
uint64_t rw_trace_writer_get_events(const RwTraceWriter *writer);

// Writes what is left, the index and the trailer, and syncs. ret_sha256 is the whole file's.
bool rw_trace_writer_finish(RwTraceWriter *writer, char ret_sha256[RW_SHA256_HEX_SIZE], GError **error);

// ---- Reading ----

// A trace is immutable: cursors of several threads may use one.
RwTrace *rw_trace_open(const char *path, GError **error);
void rw_trace_free(RwTrace *trace);
uint64_t rw_trace_get_events(const RwTrace *trace);
uint64_t rw_trace_get_steps(const RwTrace *trace);
bool rw_trace_is_complete(const RwTrace *trace); // false: its recorder was killed
guint rw_trace_get_blocks(const RwTrace *trace);
// The step of a block's first item, so that one can be found by step.
uint64_t rw_trace_get_first_step(const RwTrace *trace, guint block);

typedef struct {
    bool is_step;
    uint64_t step; // a step: its number. A record: the step that it came with, info.step of the next step
    RwStepInfo info; // of a step
    uint64_t event; // of a record: its number, from 0
    struct rewind_record record;
    const uint8_t *payload; // valid until the cursor moves
    size_t length;
    bool at_known; // where the record's event happened:
    uint64_t at; // a step, `step` itself unless the record came through the ring
    uint64_t after_ticks; // virtual time since `at`, 1/4 ns; with the instruction clock, instructions
} RwTraceItem;

// A cursor decompresses one block at a time and goes forward.
typedef struct _RwTraceCursor RwTraceCursor;

// At the first item that came with `step` (from 1) or later.
RwTraceCursor *rw_trace_cursor_new(RwTrace *trace, uint64_t step, GError **error);
// At the first item of a block: with these one can look from the end backwards.
RwTraceCursor *rw_trace_cursor_new_block(RwTrace *trace, guint block, GError **error);
void rw_trace_cursor_free(RwTraceCursor *cursor);
// 1: *ret_item is the next item. 0: no more. -1: damaged. With block_only the end of a block is the end.
int rw_trace_cursor_next(RwTraceCursor *cursor, RwTraceItem *ret_item, GError **error);
int rw_trace_cursor_next_in_block(RwTraceCursor *cursor, RwTraceItem *ret_item, GError **error);

// What is known of one step. NOT_FOUND past the end.
bool rw_trace_step(RwTrace *trace, uint64_t step, RwStepInfo *ret_info, GError **error);

// How many blocks were decompressed since the file was opened: for tests of the index.
guint rw_trace_get_blocks_read(const RwTrace *trace);

// Writes the same items to a file that needs no other one.
bool rw_trace_flatten(RwTrace *trace, const char *path, char ret_sha256[RW_SHA256_HEX_SIZE],
                      GError **error);

// ---- Comparing ----

// The first blocks of both may have the same bytes: then what came before *ret_step, from 1, is the same,
// and what the schedules did too.
bool rw_trace_find_same(RwTrace *a, RwTrace *b, GCancellable *cancellable, uint64_t *ret_step,
                        GError **error);
// ret_difference is NULL when the traces are the same.
bool rw_trace_compare(const char *path_a, const char *path_b, char **ret_difference, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTraceWriter, rw_trace_writer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTrace, rw_trace_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwTraceCursor, rw_trace_cursor_free)

G_END_DECLS
