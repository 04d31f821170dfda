// SPDX-License-Identifier: MIT
//
// Runs that nothing ever executed, as many as are wanted: real manifests, traces, keyframes, packs.
#pragma once

#include "rw-store.h"

#define MADE_OWN_PAGES 3u // that one run alone has; it shares as many with each tenth one

// Makes run n. Each makes a pack. They have one image and one guest, which this makes, too.
void made_run(RwStore *store, guint n);
// Whether its manifest, image, guest, trace and every page of its keyframes are there and what they were.
bool made_is_whole(RwStore *store, guint n, GError **error);
char *made_dup_id(guint n);
