// SPDX-License-Identifier: MIT
//
// Files mapped for reading, which somebody may cut short while they are mapped. Where the file ends then,
// Linux sends SIGBUS (mmap(2)); here those pages become zeros and the map is lost: whoever read from it
// must look at that before believing what it read. So it is with memory that has parts of files in it,
// copy-on-write.
//
// The handler of SIGBUS is the process's, the one thing here that is: it is set with the first map, and
// passes on what is not of one. Maps are listed in nodes that are never freed, so that it needs no lock.
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct RwMapNode RwMapNode;

typedef struct {
    uint8_t *bytes;
    uint64_t size;
    RwMapNode *node;
} RwMap;

// `length` bytes of the file from `offset` on, a multiple of 4096, and zeros behind them up to `size`. The
// file may be closed. length: not 0, and in the file. path: for messages. NULL with an error of errno.
RwMap *rw_map_new(int fd, uint64_t offset, uint64_t length, uint64_t size, const char *path,
                  GError **error);
// Memory that can be read and written and is private, of whole pages: the map's from now on. Whoever has it
// may map files there in the same way. What is cut from them is zeros page by page, written to or not
// (Linux takes the copies along); what lies behind stays.
RwMap *rw_map_new_private(uint8_t *memory, uint64_t size);
void rw_map_free(RwMap *map);
// Whether some of it was found to be gone. For any thread; never false again.
bool rw_map_is_lost(const RwMap *map);
// The same of the map that has this address. false: of none.
bool rw_map_is_lost_at(const void *address);
// The whole file, which has bytes, as bytes that free the map. rw_map_is_lost_at() tells of them.
GBytes *rw_map_dup_file(const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwMap, rw_map_free)

G_END_DECLS
