// SPDX-License-Identifier: MIT
//
// The parts of an index, each fed with the trace's items in their order.
#pragma once

#include "rw-run-index.h"

// ---- Text ----

RwText *rw_text_new(void);
void rw_text_free(RwText *text);
void rw_text_append(RwText *text, guint64 step, guint32 pid, guint32 fd, const void *bytes, gsize length);

// ---- Density ----

// Counts are kept as sums from the start, so that any range is one subtraction.
#define RW_DENSITY_BUCKETS (1u << 20)
// Of steps: up to so many the time of each is known.
#define RW_TIME_BUCKETS (1u << 23)

typedef struct {
    guint shift, time_shift;
    gsize buckets, time_buckets;
    guint32 *sums[RW_TRACKS]; // buckets + 1 each
    guint64 *times; // time_buckets
} RwDensity;

bool rw_density_init(RwDensity *density, guint64 steps, GError **error);
void rw_density_clear(RwDensity *density);
void rw_density_feed(RwDensity *density, const RwTraceItem *item);
void rw_density_finish(RwDensity *density);

// ---- Files ----

typedef struct {
    GPtrArray *files; // of RwFileHistory, owned
    GHashTable *by_path; // keys are the histories' own
} RwFiles;

void rw_files_init(RwFiles *files);
void rw_files_clear(RwFiles *files);
void rw_files_feed(RwFiles *files, const RwTraceItem *item);

// ---- Phases ----

typedef struct {
    GArray *phases; // of RwPhase
    GArray *programs; // of RwPhase: those begun by programs that the job's first process starts
    guint32 job; // pid
    guint64 start, end; // steps of the job
    GHashTable *children; // pids of the job's children that have not become a program yet
} RwPhases;

void rw_phases_init(RwPhases *phases);
void rw_phases_clear(RwPhases *phases);
void rw_phases_feed(RwPhases *phases, const RwTraceItem *item);
void rw_phases_finish(RwPhases *phases, guint64 steps);
