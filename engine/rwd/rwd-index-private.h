// SPDX-License-Identifier: MIT
//
// A .rwd file: a zstd-compressed tarball of one run, version 2. Its members, in this order:
//   rewind.json       what follows: format, version, id, replayable, members with their sizes and hashes
//   manifest.json     the run's, its trace_sha256 that of the next member
//   trace             one that needs no other file
//   bookmarks.json    perhaps
// and when it is replayable:
//   guest/vmlinux, guest/initrd.cpio, guest/cmdline, image.erofs
//   stdin             its standard input, if it has one; without it the file is of version 1
//   keyframes, pages  perhaps: `pages` has each object of the keyframes' trees once, in the order in which
//                     rw_page_tree_collect() meets them: u16 length, and the bytes
// The same run gives the same bytes: all members are of mode 0644, owner 0 and time 0.
#pragma once

#include "rw-store.h"

#define RWD_FORMAT "rewind-export"
#define RWD_VERSION 2
#define RWD_INDEX_NAME "rewind.json"
#define RWD_INDEX_MAX (64u << 10) // bytes

typedef enum {
    RWD_MANIFEST,
    RWD_TRACE,
    RWD_BOOKMARKS,
    RWD_SIDES,
    RWD_VMLINUX,
    RWD_INITRD,
    RWD_CMDLINE,
    RWD_IMAGE,
    RWD_STDIN,
    RWD_KEYFRAMES,
    RWD_PAGES,
    RWD_MEMBERS, // how many there are
} RwdMember;

typedef struct {
    bool present;
    uint64_t size; // bytes
    char sha256[RW_SHA256_HEX_SIZE];
} RwdEntry;

typedef struct {
    char id[RW_ID_LENGTH + 1];
    bool replayable;
    RwdEntry members[RWD_MEMBERS];
} RwdIndex;

const char *rwd_member_name(RwdMember member);
// The next one that is present after `member` (-1: from the start), or RWD_MEMBERS.
RwdMember rwd_index_next(const RwdIndex *index, int member);
uint64_t rwd_index_size(const RwdIndex *index); // of all members; cannot overflow

char *rwd_index_dup_text(const RwdIndex *index);
// Trusts nothing: names, order, sizes, and that those are there which must be. INVALID, NEWER.
bool rwd_index_parse(const char *text, size_t length, RwdIndex *ret, GError **error);
