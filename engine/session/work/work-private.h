// SPDX-License-Identifier: MIT
#pragma once

#include "rw-context.h"
#include "rw-record.h"
#include "rw-session-work.h"

// On the work's thread. true: done, and *ret_ref is the run's, or NULL.
typedef bool (*RwWorkFunc)(RwSessionWork *work, gpointer data, char **ret_ref, GError **error);

RwSessionWork *rw_session_work_start(RwSession *session, RwWorkFunc func, gpointer data,
                                     GDestroyNotify free_data);
RwStore *rw_session_work_get_store(RwSessionWork *work);
GCancellable *rw_session_work_get_cancellable(RwSessionWork *work);
RwWorkFunc rw_session_work_get_func(RwSessionWork *work);
gpointer rw_session_work_get_data(RwSessionWork *work); // what it was started with

// From the work's thread; they arrive on the main loop.
void rw_session_work_say(RwSessionWork *work, const char *status);
void rw_session_work_put_output(RwSessionWork *work, guint fd, const void *bytes, gsize length);
void rw_session_work_put_cell(RwSessionWork *work, const RwCheckCell *cell); // strings copied
void rw_session_work_put_explanation(RwSessionWork *work, RwExplanation *explanation); // taken over

// Before it starts.
void rw_session_work_add_cells(RwSessionWork *work, guint count);

// The store, the cancellable and the status line as use cases want them.
RwContext rw_session_work_context(RwSessionWork *work);
