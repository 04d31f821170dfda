// SPDX-License-Identifier: MIT
//
// The check that parts of files carry: against damage, not against malice.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
uint64_t rw_seal_check(const void *data, size_t length);
// A part's last eight bytes are the check of what stands before them. `size` is at least 8.
void rw_seal(uint8_t *bytes, size_t size);
bool rw_is_sealed(const uint8_t *bytes, size_t size);
// The check of what is large: multiplying folds of 128 bits, at the speed of memory. Against damage, not
// against malice. length: a multiple of 8.
uint64_t rw_seal_check_large(const void *data, size_t length);
// The check of a page, or of some: four of these side by side, as fast as memory is read. length: a
// multiple of 32.
uint64_t rw_seal_check_pages(const void *data, size_t length);
