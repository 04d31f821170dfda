// SPDX-License-Identifier: MIT
//
// Something that executes machines and takes its time: a recording, a fork, a check. It runs in a thread of
// its own, tells how it goes, and can be cancelled; what was finished by then is in the store.
#pragma once

#include "rw-session-run.h"

G_BEGIN_DECLS

#define RW_TYPE_SESSION_WORK (rw_session_work_get_type())
G_DECLARE_FINAL_TYPE(RwSessionWork, rw_session_work, RW, SESSION_WORK, GObject)

// Properties: "running"; "status", a few words or NULL; "problem", why it failed, NULL also when cancelled;
// "result", the ref of the run that came out, or NULL. Signal: "output" (guint fd, GBytes) as the job
// writes.

gboolean rw_session_work_is_running(RwSessionWork *work);
const char *rw_session_work_get_status(RwSessionWork *work);
const char *rw_session_work_get_problem(RwSessionWork *work);
const char *rw_session_work_get_result(RwSessionWork *work);
void rw_session_work_cancel(RwSessionWork *work);

// ---- A new run ----

// All that a recording takes. The functions own nothing of it.
typedef struct {
    RwInputs *inputs;
    RwGuest *guest;
    char *image_path, *root, *name;
    gint64 timeout_us;
    gboolean keyframes;
} RwPrepared;

void rw_prepared_clear(RwPrepared *prepared);

// Called on the work's thread: reads the root, finds the guest. Sets all of *ret or the error.
typedef gboolean (*RwPrepare)(RwStore *store, gpointer data, GCancellable *cancellable, RwPrepared *ret,
                              GError **error);
RwSessionWork *rw_session_record(RwSession *session, RwPrepare prepare, gpointer data,
                                 GDestroyNotify free_data);

// ---- From a step of a run ----

// How it is done: not what comes out.
typedef struct {
    guint threads; // of a check; 0: one a core
    gboolean keyframes;
} RwWorkOptions;

// The same run up to `step`, then schedule `schedule`.
RwSessionWork *rw_session_fork(RwSessionRun *run, guint64 step, guint64 schedule, RwWorkOptions options);

// Schedules 1 to `count` from `step` on. Cells come as they are finished.
RwSessionWork *rw_session_check(RwSessionRun *run, guint64 step, guint count, RwWorkOptions options);

typedef enum { RW_CELL_PENDING, RW_CELL_SAME, RW_CELL_DIFFERS } RwCellState;

typedef struct {
    guint64 schedule;
    RwCellState state;
    char *ref; // of its run, NULL while pending
    RwEnd end; // all zero while pending
} RwCheckCell;

// Of RwCheckCell, by schedule from 1, from the start on; NULL for other work. "cells" is notified.
const GPtrArray *rw_session_work_get_cells(RwSessionWork *work);
guint rw_session_work_get_done(RwSessionWork *work);
guint rw_session_work_get_differing(RwSessionWork *work);

// ---- One file for a run ----

// Takes a .rwd file in, from a path or an https URL; the result is its run. "status" tells how far it is.
RwSessionWork *rw_session_import(RwSession *session, const char *path);
// Writes one, in place of a file that is there. replayable: with all that executing it takes.
RwSessionWork *rw_session_export(RwSessionRun *run, const char *path, gboolean replayable);

// ---- A file as it was ----

#define RW_FILE_SHOWN_MAX (8u << 20) // bytes

// What `path` held at `step`. NOT_FOUND: it was not there; FULL: more than RW_FILE_SHOWN_MAX.
void rw_session_run_read_file_async(RwSessionRun *run, guint64 step, const char *path,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
GBytes *rw_session_run_read_file_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

G_END_DECLS
