// SPDX-License-Identifier: MIT
//
// Which lines of a run's output say that something is wrong.
#pragma once

#include "rw-session-run.h"

G_BEGIN_DECLS

typedef struct {
    GArray *lines; // of guint8, an RwLineKind: one for each line of the output
    guint counts[RW_LINE_KINDS];
} RwLineKinds;

// On a thread of its own; of a run whose index is there.
void rw_session_run_sort_lines_async(RwSessionRun *run, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
RwLineKinds *rw_session_run_sort_lines_finish(RwSessionRun *run, GAsyncResult *result,
                                              GError **error); // owned
void rw_line_kinds_free(RwLineKinds *kinds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwLineKinds, rw_line_kinds_free)

G_END_DECLS
