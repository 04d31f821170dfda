// SPDX-License-Identifier: MIT
//
// The member `pages` as it is read: every object must be one that a keyframe needs, and every one they need
// must be there.
#pragma once

#include "rw-pages.h"

#define RWD_OBJECTS_MAX (16u << 20) // 64 GiB of pages

typedef struct RwdPages RwdPages;

// `size` is the member's. Objects go to the writer; NULL: they are only checked.
RwdPages *rwd_pages_new(uint64_t size, RwPagesWriter *writer);
void rwd_pages_free(RwdPages *pages);
// Before the first object: the root of a keyframe's memory, which has so many levels.
bool rwd_pages_expect(RwdPages *pages, const RwPageHash *root, unsigned levels, GError **error);
// An RwdSink.
bool rwd_pages_take(void *pages, const uint8_t *bytes, size_t length, GError **error);
bool rwd_pages_finish(RwdPages *pages, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwdPages, rwd_pages_free)
