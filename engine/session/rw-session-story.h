// SPDX-License-Identifier: MIT
//
// The story of a run that is open, as the command `show` tells it.
#pragma once

#include "rw-session-run.h"
#include "rw-story.h"

G_BEGIN_DECLS

// On a worker thread; culprit: as the run's index has it; NULL: it is looked for. A run that was removed
// from the store meanwhile is told of all the same.
void rw_session_run_tell_story_async(RwSessionRun *run, const RwCulprit *culprit, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
RwStory *rw_session_run_tell_story_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

G_END_DECLS
