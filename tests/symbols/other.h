// SPDX-License-Identifier: MIT
// Another process of this machine as what symbols are looked for in: its memory, as it is or damaged.
#pragma once

#include "rw-symbols.h"

typedef struct {
    int fd;
    unsigned damaged; // one byte of so many is another one; 0: none
    uint64_t state; // of what is drawn
} Other;

// Returns what /proc tells of its mappings, owned. Its memory can be read until other_close().
char *other_open(Other *other, unsigned pid);
void other_close(Other *other);
// `read` of RwSymbolsMemory; data: Other.
size_t other_read(uint64_t va, void *ret, size_t length, void *data);
// Fails the test unless the words of all of them are text.
void other_check(const GPtrArray *frames);
