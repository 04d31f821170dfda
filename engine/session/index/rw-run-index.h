// SPDX-License-Identifier: MIT
//
// What a window asks of a run all the time, made in one pass over its trace: so that every question at a
// step is a binary search. Immutable once made, for any thread.
#pragma once

#include "rw-procs.h"
#include "rw-spans.h"
#include "rw-thread-rows.h"
#include "rw-manifest.h"
#include "rw-story.h"

G_BEGIN_DECLS

// What is looked at of a run: one process, some steps, or both.
typedef struct {
    guint32 pid; // 0: all
    guint64 from, until; // steps [from, until)
} RwFilter;

#define RW_FILTER_NONE ((RwFilter){0, 0, G_MAXUINT64})
bool rw_filter_is_none(const RwFilter *filter);
bool rw_filter_has(const RwFilter *filter, guint64 step, guint32 pid);

// ---- Tracks: how much of what happened where ----

typedef enum {
    RW_TRACK_OUTPUT,
    RW_TRACK_PROCESS, // exec, fork, exit, start and end of the job
    RW_TRACK_FILE, // what changes files
    RW_TRACK_SIGNAL, // and marks
    RW_TRACK_SWITCH,
    RW_TRACK_KERNEL, // its log
    RW_TRACKS,
} RwTrack;

// The track of an event; false for one that is on none.
bool rw_track_of(const RwTraceItem *item, RwTrack *ret_track);

// ---- Text: the job's output, the kernel's log ----

typedef enum { RW_TEXT_OUTPUT, RW_TEXT_KERNEL, RW_TEXTS } RwTextKind;

typedef struct _RwText RwText;

#define RW_TEXT_MAX (128u << 20) // bytes

typedef struct {
    guint64 step; // of its first byte
    guint32 pid;
    guint32 fd; // 1 stdout, 2 stderr, 0 the terminal, of its first byte
    const char *bytes; // without the newline; not NUL-ended
    gsize length;
} RwLine;

typedef enum { RW_LINE_PLAIN, RW_LINE_WARNING, RW_LINE_ERROR, RW_LINE_KINDS } RwLineKind;

// By its words ("error", "failed", "warning" …), of the first 2,000 bytes.
RwLineKind rw_line_get_kind(const RwLine *line);
// How many lines had begun by `step`.
guint rw_text_count_lines(const RwText *text, guint64 step);
// Line number `line`, as far as it was written by `step`. line < rw_text_count_lines(text, step).
void rw_text_get_line(const RwText *text, guint line, guint64 step, RwLine *ret);
// The numbers of the lines whose first bytes the filter has; guint32, owned.
GArray *rw_text_find_lines(const RwText *text, const RwFilter *filter);
// The step from which on nothing is kept, since there was more than RW_TEXT_MAX; 0: all is there.
guint64 rw_text_get_cut(const RwText *text);

// ---- Phases ----

typedef struct {
    guint64 from, until; // steps [from, until)
    char *name; // of the program or mark that begins it; NULL for boot and end
    enum { RW_PHASE_BOOT, RW_PHASE_JOB, RW_PHASE_END } kind;
} RwPhase;

// ---- Files ----

typedef enum { RW_CHANGE_CREATED, RW_CHANGE_WRITTEN, RW_CHANGE_REMOVED, RW_CHANGE_RENAMED } RwChangeKind;

typedef struct {
    char *path;
    GArray *changes; // of guint64: step << 2 | RwChangeKind, by step
    GArray *pids; // of guint32: whose each was
} RwFileHistory;

// The last change by `step` that the filter has; false when there was none yet. ret_count: how many there
// were.
bool rw_file_history_at(const RwFileHistory *file, guint64 step, const RwFilter *filter, guint64 *ret_step,
                        RwChangeKind *ret_kind, guint *ret_count);

// How many changes there were by `step`.
guint rw_file_history_count(const RwFileHistory *file, guint64 step);
// The nearest step after (or before) `step` at which it was changed, and how; false: there is none.
bool rw_file_history_find(const RwFileHistory *file, guint64 step, bool forward, guint64 *ret_step,
                          RwChangeKind *ret_kind);

// ---- The index ----

typedef struct _RwRunIndex RwRunIndex;

// Reads the whole trace. progress (0 to 1) from the calling thread, or NULL.
RwRunIndex *rw_run_index_new(RwTrace *trace, const RwManifest *manifest, GCancellable *cancellable,
                             void (*progress)(double done, void *data), void *data, GError **error);
void rw_run_index_free(RwRunIndex *index);

// For tests.
guint64 rw_run_index_get_steps(const RwRunIndex *index);
// For tests.
guint64 rw_run_index_get_job_start(const RwRunIndex *index); // 0: the job never started
// For tests.
guint64 rw_run_index_get_job_end(const RwRunIndex *index); // 0: it never ended
// Where what went wrong first did, or 0: of the culprit.
guint64 rw_run_index_get_failure(const RwRunIndex *index);
const RwCulprit *rw_run_index_get_culprit(const RwRunIndex *index);
const GArray *rw_run_index_get_phases(const RwRunIndex *index); // of RwPhase; at least one
const RwPhase *rw_run_index_get_phase_at(const RwRunIndex *index, guint64 step);
const RwText *rw_run_index_get_text(const RwRunIndex *index, RwTextKind kind);
RwProcs *rw_run_index_get_procs(const RwRunIndex *index); // for rw_procs_walk_at() only
const RwSpans *rw_run_index_get_spans(const RwRunIndex *index);
const RwThreadRows *rw_run_index_get_threads(const RwRunIndex *index);
// The process whose end is the failure; NULL: there is none.
const RwSpan *rw_run_index_get_failing(const RwRunIndex *index);
const GPtrArray *rw_run_index_get_files(const RwRunIndex *index); // of RwFileHistory, by first change
// By its absolute path, as the trace has it; NULL: nothing happened to it.
const RwFileHistory *rw_run_index_find_file(const RwRunIndex *index, const char *path);

// Events of a track at steps [from, until), bounds widened to whole buckets.
guint64 rw_run_index_count(const RwRunIndex *index, RwTrack track, guint64 from, guint64 until);
// Virtual time after the step, 1/4 ns; in runs of more than 8 million steps after one of the next few.
guint64 rw_run_index_get_time(const RwRunIndex *index, guint64 step);
// Virtual time at a part of what follows step `place`, before the next; and back, of a time after the last
// step its end.
guint64 rw_run_index_get_time_within(const RwRunIndex *index, double place);
double rw_run_index_find_place(const RwRunIndex *index, guint64 time);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwRunIndex, rw_run_index_free)

G_END_DECLS
