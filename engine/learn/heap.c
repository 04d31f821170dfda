// SPDX-License-Identifier: MIT
//
// Blocks of the heap that are given back: glibc's free() then stores into their first word, whatever is
// behind it.
#include "learn-private.h"

#define LIBRARIES 0x7f0000000000ull // where the kernel maps them: from here on
#define BLOCK_MAX (64u << 10)

// The word before a block has its size and some flags: malloc/malloc.c of glibc.
enum { PREV_INUSE = 1, IS_MMAPPED = 2, RESERVED = 8, FLAGS = 15 };
enum { ALIGNMENT = 16, BLOCK_MIN = 32, HEAD = 8 };

uint64_t rw_heap_freed(RwMachine *machine, const RwWatchAccess *access)
{
    uint64_t head;
    bool may_be = access->flags == RW_WATCH_WRITE && access->size == sizeof head &&
                  access->va % ALIGNMENT == 0 && access->rip >= LIBRARIES;
    if (!may_be || !rw_machine_read_user(machine, access->va - HEAD, &head, sizeof head))
        return 0;
    uint64_t size = head & ~(uint64_t)FLAGS;
    bool block = !(head & (IS_MMAPPED | RESERVED)) && size >= BLOCK_MIN && size <= BLOCK_MAX;
    return block ? size - HEAD : 0;
}
