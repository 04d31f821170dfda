// SPDX-License-Identifier: MIT
#pragma once

#include "rw-bookmarks.h"
#include "rw-session-run.h"

G_BEGIN_DECLS

// A run's bookmarks: one small file, so these are done at once.
GPtrArray *rw_session_run_dup_bookmarks(RwSessionRun *run, GError **error); // of RwBookmark, owned
bool rw_session_run_set_bookmark(RwSessionRun *run, guint64 step, const char *note, GError **error);
bool rw_session_run_remove_bookmark(RwSessionRun *run, guint64 step, GError **error);
// The file that holds them, to be watched; it need not be there.
GFile *rw_session_run_dup_bookmarks_file(RwSessionRun *run);

G_END_DECLS
