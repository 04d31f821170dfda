// SPDX-License-Identifier: MIT
#pragma once

#include "rw-keyframes.h"

G_BEGIN_DECLS

// Makes `path` with a first keyframe whose pages the store has. Nothing is pending in the machine.
RwKeyframesWriter *rw_keyframes_writer_new_at(RwStore *store, const char *path, const RwKeyframe *first,
                                              GBytes *state, GError **error);

G_END_DECLS
