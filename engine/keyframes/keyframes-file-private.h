// SPDX-License-Identifier: MIT
//
// The file of a keyframes writer.
#pragma once

#include "keyframes-format-private.h"

typedef struct _RwKeyframesFile RwKeyframesFile;

RwKeyframesFile *rw_keyframes_file_new(const char *path, GError **error);
// With the first `count` keyframes of another one.
RwKeyframesFile *rw_keyframes_file_new_copy(const char *path, const RwKeyframes *from, guint count,
                                            GError **error);
void rw_keyframes_file_free(RwKeyframesFile *file);
guint rw_keyframes_file_get_count(const RwKeyframesFile *file);
// Sets what head says of the state's bytes.
bool rw_keyframes_file_add(RwKeyframesFile *file, RwKeyframeHead *head, GBytes *state, GError **error);
// Index, trailer, sync.
bool rw_keyframes_file_finish(RwKeyframesFile *file, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwKeyframesFile, rw_keyframes_file_free)
