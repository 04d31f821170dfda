// SPDX-License-Identifier: MIT
//
// What the tasks of a recorded run meet on.
#pragma once

#include "rw-again.h"
#include "rw-learn.h"

G_BEGIN_DECLS

// Executes the run up to three times, watched. Only for runs that start with the job: forks are watched
// from there, too.
RwLearned *rw_watch_run(const RwAgain *again, GCancellable *cancellable, GError **error);

G_END_DECLS
