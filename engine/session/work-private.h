// SPDX-License-Identifier: MIT
#pragma once

#include "rw-record.h"
#include "rw-session-work.h"

// On the work's thread. TRUE: done, and *ret_ref is the run's, or NULL.
typedef gboolean (*RwWorkFunc)(RwSessionWork *work, gpointer data, char **ret_ref, GError **error);

RwSessionWork *rw_session_work_start(RwSession *session, RwWorkFunc func, gpointer data,
                                     GDestroyNotify free_data);
RwStore *rw_session_work_get_store(RwSessionWork *work);
GCancellable *rw_session_work_get_cancellable(RwSessionWork *work);

// From the work's thread; they arrive on the main loop.
void rw_session_work_say(RwSessionWork *work, const char *status);
void rw_session_work_put_output(RwSessionWork *work, guint fd, const void *bytes, gsize length);
void rw_session_work_put_cell(RwSessionWork *work, const RwCheckCell *cell); // strings copied

// Before it starts.
void rw_session_work_add_cells(RwSessionWork *work, guint count);

// ---- Executing a recorded run again ----

typedef struct {
    RwParts parts;
    RwSeek seek; // borrows from the run and the parts
} RwAgain;

gboolean rw_again_open(RwSessionRun *run, GCancellable *cancellable, RwAgain *ret, GError **error);
void rw_again_close(RwAgain *again);
