// SPDX-License-Identifier: MIT
//
// Where a thread of a run is in its program at a position: source, functions, variables. On worker threads;
// answers are kept, so that one near the last, or one that was given before, comes soon.
#pragma once

#include "rw-inspect.h"
#include "rw-position.h"
#include "rw-session-run.h"

G_BEGIN_DECLS

// Why there is no text, or that there is.
typedef enum {
    RW_SOURCE_SHOWN,
    RW_SOURCE_EARLY, // the job has not started so far
    RW_SOURCE_IDLE, // no thread of the job is there
    RW_SOURCE_GONE, // the thread that was asked for is not there
    RW_SOURCE_NOWHERE, // it is not known where the thread is: only the kernel's code has it
    RW_SOURCE_NO_DEBUG, // its program has no debug information
    RW_SOURCE_NO_FILE, // the run has no such file, or one that cannot be read: `reason`
    RW_SOURCE_LARGE, // the file has more than RW_SOURCE_TEXT_MAX
    RW_SOURCE_OTHER_TEXT, // the file has fewer lines than that: it is another version of it
} RwSourceState;

typedef struct {
    guint32 pid, tid;
    char *name; // valid UTF-8
    RwTaskState state;
} RwSourceThread;

typedef struct {
    RwSymbol symbol;
    guint32 call; // as of RwInspectFrame
    bool own; // of the thread's own program, not a library's
    bool script; // a function of a script that the program executes
    GPtrArray *variables; // of RwVariable*; or NULL
} RwSourceFrame;

#define RW_SOURCE_TEXT_MAX (4u << 20) // bytes of a file of source

// Immutable, for any thread.
typedef struct {
    RwSourceState state;
    RwPosition position; // where the machine stood
    bool ended; // the job had ended: it is the last place where somebody was
    GPtrArray *threads; // of RwSourceThread*
    guint32 pid, tid; // whose it is; 0: nobody's
    GPtrArray *frames; // of RwSourceFrame*: the script's, then the process's own, the innermost first each
    guint shown; // whose source `text` is
    GBytes *text; // the whole file; or NULL
    char *reason; // in words, or what to do; or NULL
} RwSource;

RwSource *rw_source_ref(RwSource *source);
void rw_source_unref(RwSource *source);
const RwSourceFrame *rw_source_get_frame(const RwSource *source); // the shown one; NULL: there is none

#define RW_SOURCE_ANY G_MAXUINT
typedef struct {
    RwPosition position; // behind the end of the job it is that
    guint32 tid; // 0: the one that has the CPU there, else the one that had it last
    guint frame; // whose source; RW_SOURCE_ANY: the innermost one of its own code
} RwSourcePlace;

void rw_session_run_find_source_async(RwSessionRun *run, const RwSourcePlace *place,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
RwSource *rw_session_run_find_source_finish(RwSessionRun *run, GAsyncResult *result, GError **error);

// ---- Who wrote a variable last ----

typedef struct {
    bool found; // else nobody has since the job began: the rest is empty
    RwPosition position; // before the instruction that wrote it
    guint32 tid; // whose that is
    char *file; // and of which source, valid UTF-8; or NULL
    guint32 line;
} RwSourceWritten;

void rw_source_written_free(RwSourceWritten *written);
// Of a variable of the frame of an answer's, which is borrowed until the end.
void rw_session_run_find_written_async(RwSessionRun *run, RwSource *source, const char *name,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data);
RwSourceWritten *rw_session_run_find_written_finish(RwSessionRun *run, GAsyncResult *result,
                                                    GError **error);
// How far the one under way is, about, from 0 to 1.
double rw_session_run_get_written_progress(RwSessionRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSource, rw_source_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwSourceWritten, rw_source_written_free)

G_END_DECLS
