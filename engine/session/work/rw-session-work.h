// SPDX-License-Identifier: MIT
//
// Something that executes machines and takes its time: a recording, a fork, a check. It runs in a thread of
// its own, tells how it goes, and can be cancelled; what was finished by then is in the store.
#pragma once

#include "rw-job.h"
#include "rw-session-run.h"

G_BEGIN_DECLS

#define RW_TYPE_SESSION_WORK (rw_session_work_get_type())
G_DECLARE_FINAL_TYPE(RwSessionWork, rw_session_work, RW, SESSION_WORK, GObject)

// Properties: "running"; "status", a few words or NULL; "problem", why it failed, NULL also when cancelled;
// "result", the ref of the run that came out, or NULL. Signal: "output" (guint fd, GBytes) as the job
// writes.

bool rw_session_work_is_running(RwSessionWork *work);
const char *rw_session_work_get_status(RwSessionWork *work);
const char *rw_session_work_get_problem(RwSessionWork *work);
const char *rw_session_work_get_result(RwSessionWork *work);
void rw_session_work_cancel(RwSessionWork *work);
RwSession *rw_session_work_get_session(RwSessionWork *work); // borrowed

// ---- A new run ----

// How it is recorded: not what comes out.
typedef struct {
    const char *name; // to find it by, copied; or NULL
    guint timeout; // seconds of the host's clock; 0: none
    bool keyframes;
} RwRecordHow;

// Takes the request over.
RwSessionWork *rw_session_record(RwSession *session, RwJobRequest *request, RwRecordHow how);

// ---- From a step of a run ----

// How it is done: not what comes out.
typedef struct {
    guint threads; // of a check; 0: one a core
    bool keyframes;
} RwWorkOptions;

// The same run up to `step`, then schedule `schedule`.
RwSessionWork *rw_session_fork(RwSessionRun *run, guint64 step, guint64 schedule, RwWorkOptions options);

// Schedules 1 to `count` from `step` on. Cells come as they are finished.
RwSessionWork *rw_session_check(RwSessionRun *run, guint64 step, guint count, RwWorkOptions options);

// The whole of `check` for the run's job, whatever disturbed this run: a search, narrowing, two runs that
// part at one step. The same job and search_seed find the same, here and there. What was cancelled goes on
// from the schedules that were tried (rw-tried.h), and finds what it would have found.
RwSessionWork *rw_session_explain(RwSessionRun *run, guint64 search_seed, RwWorkOptions options);

typedef struct {
    bool cancelled; // then no more than `tried` is of use
    guint64 tried; // schedules
    bool fails_alike; // each of them fails, and in the same way
    char *failing, *passing; // refs of the two runs; NULL: nothing differs
    guint64 step; // until which they are the same
    bool passes; // `passing` does; else it ends in another way than `failing`, no run passes
    bool turned; // what decides makes it pass, and is the passing run's; else the failing one's
    bool late; // it is but that somebody was late
} RwExplanation;

void rw_explanation_free(RwExplanation *explanation);
// There when "running" is notified; NULL until then, for other work, and after a failure.
const RwExplanation *rw_session_work_get_explanation(RwSessionWork *work);
bool rw_session_work_explains(RwSessionWork *work);
// Of an explanation: how many of its schedules were known from one that was cancelled; the run whose job it
// is about, borrowed.
guint rw_session_work_get_known(RwSessionWork *work);
RwSessionRun *rw_session_work_get_run(RwSessionWork *work);
// How much of what an explanation spends at most it has spent, 0 to 1.
double rw_session_work_get_effort(RwSessionWork *work);
// As rw_check_guess_left(): of work that tries schedules, of which that share is done.
bool rw_session_work_guess_left(double share, gint64 elapsed_us, guint64 *ret_seconds);

typedef enum { RW_CELL_PENDING, RW_CELL_SAME, RW_CELL_DIFFERS } RwCellState;

typedef struct {
    guint64 schedule;
    RwCellState state;
    char *ref; // of its run, NULL while pending and where it is not kept
    RwEnd end; // all zero while pending
} RwCheckCell;

// Of RwCheckCell, by schedule from 1, from the start on; NULL for other work. "cells" is notified. Of an
// explanation more come when more are tried than at first, and in the end only those are there that were.
const GPtrArray *rw_session_work_get_cells(RwSessionWork *work);
guint rw_session_work_get_done(RwSessionWork *work);
guint rw_session_work_get_differing(RwSessionWork *work); // from the run that is checked
guint rw_session_work_get_failed(RwSessionWork *work); // whatever that one did
// How far a cell's run is, about: 0 while it waits, less than 1 until it is finished. Of a check alone.
double rw_session_work_get_fraction(RwSessionWork *work, guint cell);

// ---- One file for a run ----

// Takes a .rwd file in, from a path or an https URL; the result is its run. "status" tells how far it is.
RwSessionWork *rw_session_import(RwSession *session, const char *path);
// Writes one, in place of a file that is there. replayable: with all that executing it takes.
RwSessionWork *rw_session_export(RwSessionRun *run, const char *path, bool replayable);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwExplanation, rw_explanation_free)

G_END_DECLS
