// SPDX-License-Identifier: MIT
//
// Reads a .rwd file from its start to its end, and trusts nothing in it: each member must be the next one
// that rewind.json names, of that size and hash, and what is decompressed is bounded by their sum.
#pragma once

#include "rwd-index-private.h"

// The file's next bytes, valid until the next call: how many, 0 at the end, -1 with an error.
typedef ssize_t (*RwdSource)(void *data, const void **ret_bytes, GError **error);
// Bytes of a member, in order.
typedef bool (*RwdSink)(void *data, const uint8_t *bytes, size_t length, GError **error);

typedef struct RwdReader RwdReader;

// Reads rewind.json. INVALID for what is no exported run.
RwdReader *rwd_reader_new(RwdSource source, void *data, GError **error);
void rwd_reader_free(RwdReader *reader);
// Ends the reading with CANCELLED between two pieces of a member; borrowed. None to begin with.
void rwd_reader_set_cancellable(RwdReader *reader, GCancellable *cancellable);
GCancellable *rwd_reader_get_cancellable(const RwdReader *reader); // or NULL
const RwdIndex *rwd_reader_get_index(const RwdReader *reader);

// All of the next member, to the sink; it is as rewind.json says when this returns true. RWD_MEMBERS: there
// was none any more, and the archive ends there.
bool rwd_reader_next(RwdReader *reader, RwdMember *ret_member, GError **error);
bool rwd_reader_read(RwdReader *reader, RwdSink sink, void *data, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwdReader, rwd_reader_free)
