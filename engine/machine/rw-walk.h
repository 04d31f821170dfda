// SPDX-License-Identifier: MIT
//
// A look at page tables, which changes nothing of them and does not ask who may: Intel SDM volume 3, 4.5.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RW_ENTRY_ADDRESS 0x000ffffffffff000ull // of all levels
#define RW_ENTRY_PRESENT (1ull << 0)
#define RW_ENTRY_WRITABLE (1ull << 1)
#define RW_ENTRY_USER (1ull << 2)
#define RW_ENTRY_DIRTY (1ull << 6)
#define RW_ENTRY_LARGE (1ull << 7)

typedef struct {
    uint64_t gpa; // where the address is, if it is mapped
    uint64_t entry; // the last one that was read; 0: its table is no memory
    uint64_t common; // the bits that the entries of all levels have
    bool is_page; // the last one was of the lowest level
} RwTableWalk;

// `at` gives guest-physical memory, or NULL. false: the address is not mapped.
bool rw_walk_tables(const uint8_t *(*at)(void *data, uint64_t gpa, uint64_t length), void *data,
                    uint64_t root, uint64_t va, RwTableWalk *ret);
