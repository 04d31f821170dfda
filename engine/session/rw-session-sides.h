// SPDX-License-Identifier: MIT
//
// Who was held where in a run until who had passed what, in its programs' lines: known once the run was
// executed for it.
#pragma once

#include "rw-place-parts.h"
#include "rw-session-run.h"
#include "rw-sides.h"

G_BEGIN_DECLS

// On a worker thread, unless it is known. What is found stays known as long as the session is there, and
// its signal "sides-found" (char *ref) tells so.
void rw_session_find_sides_async(RwSession *session, const char *ref, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data);
bool rw_session_find_sides_finish(RwSession *session, GAsyncResult *result, GError **error);
const RwSides *rw_session_get_sides(RwSession *session, const char *ref); // NULL: not known. Borrowed
const RwSides *rw_session_run_get_sides(RwSessionRun *run); // likewise

G_END_DECLS
