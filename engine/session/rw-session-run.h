// SPDX-License-Identifier: MIT
//
// One run that is looked at. Opening it reads its manifest and the trace's index of blocks; a pass over the
// whole trace follows by itself on a worker thread, and "loaded" tells when it is done. Until then the
// questions below have no answers (NULL, 0).
#pragma once

#include "rw-event-item.h"
#include "rw-run-index.h"
#include "rw-session.h"

G_BEGIN_DECLS

#define RW_TYPE_SESSION_RUN (rw_session_run_get_type())
G_DECLARE_FINAL_TYPE(RwSessionRun, rw_session_run, RW, SESSION_RUN, GObject)

// run: what names one on a command line. Properties of the run: "loaded", "progress" (0 to 1), "problem"
// (why it could not be loaded, or NULL), "present" (false once somebody has removed it from the store; what
// is open stays readable).
void rw_session_open_run_async(RwSession *session, const char *run, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data);
RwSessionRun *rw_session_open_run_finish(RwSession *session, GAsyncResult *result, GError **error);

RwSession *rw_session_run_get_session(RwSessionRun *run);
RwRunItem *rw_session_run_get_item(RwSessionRun *run);
const RwManifest *rw_session_run_get_manifest(RwSessionRun *run);
const char *rw_session_run_get_path(RwSessionRun *run);
RwTrace *rw_session_run_get_trace(RwSessionRun *run); // for any thread
guint64 rw_session_run_get_steps(RwSessionRun *run);
guint64 rw_session_run_get_events(RwSessionRun *run);
bool rw_session_run_get_loaded(RwSessionRun *run);
double rw_session_run_get_progress(RwSessionRun *run);
const char *rw_session_run_get_problem(RwSessionRun *run);
bool rw_session_run_get_present(RwSessionRun *run);
const RwRunIndex *rw_session_run_get_index(RwSessionRun *run); // NULL until it is loaded
bool rw_session_run_has_ticks(RwSessionRun *run); // virtual time is instructions
// Virtual time after a step, 1/4 ns, see rw_run_index_get_time().
guint64 rw_session_run_get_time(RwSessionRun *run, guint64 step);

// ---- At a step ----

typedef struct {
    bool known; // false for step 0
    RwStepInfo info;
    GPtrArray *events; // of RwEventItem: what happened at it, and between it and the next
    RwEventItem *before; // the last event before it, frequent kinds left out; or NULL
} RwMoment;

void rw_moment_free(RwMoment *moment);
void rw_session_run_look_async(RwSessionRun *run, guint64 step, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data);
RwMoment *rw_session_run_look_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

// ---- Processes at a step ----

typedef struct {
    guint32 pid, tid;
    guint depth; // 0 is init
    guint64 start;
    char *text; // its command line; NULL for a further thread
} RwProcRow;

// Of RwProcRow, owned.
void rw_session_run_list_procs_async(RwSessionRun *run, guint64 step, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
GPtrArray *rw_session_run_list_procs_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

// ---- Files changed by a step ----

typedef struct {
    const char *path; // of the run's index; valid UTF-8 it may be not
    guint64 step; // of the last change
    RwChangeKind kind;
    guint changes;
} RwFileRow;

// Of RwFileRow, owned, the newest first. Paths live as long as the run.
void rw_session_run_list_files_async(RwSessionRun *run, guint64 step, const RwFilter *filter,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer data);
GArray *rw_session_run_list_files_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

// ---- Stops ----

typedef enum {
    RW_STOP_EVENT, // any but the frequent kinds
    RW_STOP_THREAD, // of `tid`
    RW_STOP_PROCESS, // of `pid`
    RW_STOP_KIND, // of `type`
    RW_STOP_LOG, // output
    RW_STOP_FILE, // that names `path`
    RW_STOP_LIFE, // processes and threads that start or end
    RW_STOP_SWITCH, // another thread gets the CPU
    RW_STOP_BOOKMARK,
    RW_STOPS,
} RwStopKind;

typedef struct {
    RwStopKind kind;
    guint32 pid, tid;
    guint type;
    const char *path; // copied by the call
    RwFilter filter;
} RwStop;

// The nearest step after (or before) `step` where there is such an event; 0 when there is none.
void rw_session_run_find_stop_async(RwSessionRun *run, guint64 step, bool forward, const RwStop *stop,
                                    GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
bool rw_session_run_find_stop_finish(RwSessionRun *run, GAsyncResult *result, guint64 *ret_step,
                                     GError **error);

// ---- Search ----

typedef enum { RW_HIT_LOG, RW_HIT_KERNEL, RW_HIT_FILE, RW_HIT_EVENT, RW_HIT_KINDS } RwHitKind;

typedef struct {
    RwHitKind kind;
    guint64 step;
    guint line; // of RW_HIT_LOG and RW_HIT_KERNEL
    char *text; // valid UTF-8; of a longer one about RW_HIT_MAX bytes around the match
} RwHit;

#define RW_HITS_KEPT 2000
#define RW_HIT_MAX 1000u
#define RW_HIT_PLACES 4096u // about as many parts of a run, of each of which one place is kept

typedef struct {
    guint64 total;
    guint64 counts[RW_HIT_KINDS]; // of each kind
    GPtrArray *hits; // of RwHit, owned, by step, at most RW_HITS_KEPT of each kind
    GArray *places; // of guint64: steps of all matches, by step; of those close together the first
} RwFound;

void rw_found_free(RwFound *found);
// Every log line, kernel line, event and file path that has `text` in it, whatever its case.
void rw_session_run_search_async(RwSessionRun *run, const char *text, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer data);
RwFound *rw_session_run_search_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwMoment, rw_moment_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwFound, rw_found_free)

G_END_DECLS
