// SPDX-License-Identifier: MIT
//
// A run as an .rwd file: what it is called, and one that is made when somebody takes it.
#pragma once

#include "rw-session-run.h"

#include <gdk/gdk.h>

G_BEGIN_DECLS

char *rui_dup_run_file_name(RwRunItem *item); // "make-check-fails-be98c050.rwd"
// Whether the root that a replay takes is small enough to go along unasked.
gboolean rui_is_run_small(RwSessionRun *run);

// What a drag has: a file (text/uri-list) that is exported when it is dropped, into a folder of the cache
// that a later drag empties.
GdkContentProvider *rui_run_file_new(RwSession *session, RwRunItem *item);
gboolean rui_is_run_file(GdkContentProvider *content);

G_END_DECLS
