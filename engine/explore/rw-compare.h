// SPDX-License-Identifier: MIT
//
// Two runs side by side: what both did last, and what each did first that the other did not.
#pragma once

#include "rw-event.h"
#include "rw-manifest.h"

G_BEGIN_DECLS

typedef struct {
    RwTrace *trace;
    const RwManifest *manifest;
} RwComparable;

// ---- Programs ----

// An event as one of a program that can be found again in another run. Programs are the same when their
// arguments are, and how often these were seen before; threads by the order in which they appear.
typedef struct {
    RwTraceItem item;
    const char *program; // "make check#1"; one pointer for it in all that is compared
    guint thread; // 0 is a process's first
} RwProgramEvent;

// Whether they are the same thing done by the same thread of the same program, whenever.
bool rw_program_event_same(const RwProgramEvent *a, const RwProgramEvent *b);
char *rw_program_dup_arguments(const char *program); // "make check"
char *
rw_line_dup_short(const char *arguments); // of "make check\n..." the first line, in the width of a terminal
char *rw_program_dup_short(const char *program); // of these the first line, in the width of a terminal

// ---- Where the schedules part ----

typedef struct {
    uint64_t from; // from which step on the two may differ, as their inputs tell: 0 when something else
                   // than the schedule is not the same, UINT64_MAX when nothing is
    uint64_t step; // at which one schedule does something and the other does not, or something else; 0:
                   // there is none until which they are the same run
    RwPerturb left, right; // what they do there
} RwParting;

// ---- Where what they do parts ----

typedef struct {
    guint before, after; // how many events of both to keep, and then of each
    bool frequent; // those that come in masses too, see rw_event_is_frequent()
    const char *program; // only this one's, "make check#1"; or NULL
    bool related; // and what others do to the files, pipes and processes that it shares with them
    void (*shared)(const RwTraceItem *left, const RwTraceItem *right, void *data); // each of them; or NULL
    void *data;
    GCancellable *cancellable;
} RwCompareOptions;

typedef struct {
    bool ticks; // for rw_event_dup_place()
    uint64_t step; // of its first event that differs; its last one when it has no more; 0 when none differs
    GPtrArray *before; // of RwProgramEvent: the last that both have, as this run has them
    GPtrArray *after; // and what comes then
} RwComparedRun;

typedef struct {
    RwParting parting;
    bool same; // no event differs
    uint64_t shared; // events that are the same before the first that is not
    char *program; // whose events these are, as in the options
    RwComparedRun left, right;
    GStringChunk *names; // of the programs
} RwComparison;

RwComparison *rw_compare(const RwComparable *left, const RwComparable *right,
                         const RwCompareOptions *options, GError **error);
void rw_comparison_free(RwComparison *comparison);

// The program that fails first in `failing` and not in `passing`, "make check#1"; NULL without an error
// when there is none.
char *rw_compare_dup_culprit(RwTrace *passing, RwTrace *failing, GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwComparison, rw_comparison_free)

G_END_DECLS
