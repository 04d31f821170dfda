// SPDX-License-Identifier: MIT
#pragma once

#include "content-private.h"

// Writes the frozen tree as an erofs image to fd, an empty file open for writing; the same tree with the
// same contents gives the same bytes. `path` is for messages. INVALID over max_bytes.
bool rw_image_write(RwTree *tree, RwContents *contents, int fd, const char *path, uint64_t max_bytes,
                    RwWork *work, GError **error);

// The checksum of a superblock's block, as the kernel computes it: over [1024, 4096), its own field as 0.
uint32_t rw_erofs_checksum(const uint8_t block[4096]);
