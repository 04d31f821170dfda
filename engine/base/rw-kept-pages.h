// SPDX-License-Identifier: MIT
//
// Contents of some pages of a memory, kept as they were. Sets of the same memory have what is the same in
// both once: which is found by comparing, so nobody has to know what was written in between.
//
// Immutable; sets that share pages may be used and freed by different threads.
#pragma once

#include <glib.h>
#include <stdint.h>

typedef struct _RwKeptPages RwKeptPages;

#define RW_KEPT_PAGE_SIZE 4096u

// `numbers`: `n` pages of `memory`, ascending; taken. `like`: a set, of any pages, from which contents that
// are the same are shared; or NULL. NULL and *error: the host has no memory for them.
RwKeptPages *rw_kept_pages_new(uint32_t *numbers, uint64_t n, const uint8_t *memory,
                               const RwKeptPages *like, GError **error);
void rw_kept_pages_free(RwKeptPages *pages); // NULL is fine

uint64_t rw_kept_pages_get_count(const RwKeptPages *pages);
const uint32_t *rw_kept_pages_get_numbers(const RwKeptPages *pages); // borrowed
const uint8_t *rw_kept_pages_get(const RwKeptPages *pages, uint64_t i); // the i-th one's contents; borrowed

// Bytes of the host's memory that go when it does: not those of pages that another set has, too.
uint64_t rw_kept_pages_get_own(const RwKeptPages *pages);
