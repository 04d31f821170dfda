// SPDX-License-Identifier: MIT
//
// Doing runs: the first time, again, and against what was recorded.
#pragma once

#include "rw-manifest.h"
#include "rw-trace.h"

G_BEGIN_DECLS

// ---- A machine that has booted ----

// The state right before a machine is handed its job, and the trace up to there. The same for all jobs,
// seeds, wall clocks and schedules, so many recordings can start from one. Immutable, for any thread.
typedef struct _RwBoot RwBoot;

// Boots with what of `inputs` the machine itself depends on. NULL without an error when the guest did not
// get as far as asking for its job: record without a boot to see why.
RwBoot *rw_boot_new(const RwInputs *inputs, RwGuest *guest, const char *image_path, gint64 deadline,
                    GCancellable *cancellable, GError **error);
void rw_boot_free(RwBoot *boot);

// ---- Recording ----

typedef struct {
    RwStore *store;
    RwGuest *guest;
    const char *image_path;
    RwBoot *boot; // or NULL: from power-on
    const char *name, *root; // for the manifest; or NULL
    gint64 timeout_us; // wall clock; 0: none
    GCancellable *cancellable;
    // The job's output as it comes, from the recording thread. fd: 1, 2, 0 for its terminal. Or NULL.
    void (*output)(uint32_t fd, const uint8_t *bytes, size_t length, void *data);
    void *data;
} RwRecordOptions;

typedef enum {
    RW_RECORDED_NEW,
    RW_RECORDED_SAME, // a run of that id was there with the same trace; it stays
    RW_RECORDED_DIFFERS, // one was there and this is another: `difference` says where; both are kept
    RW_RECORDED_DROPPED, // it was cut short and a longer one is there; this one is gone
} RwRecordedAs;

typedef struct {
    RwManifest *manifest;
    RwRecordedAs as;
    char *path; // where this recording, or the same one, lies
    char *difference; // of RW_RECORDED_DIFFERS
} RwRecorded;

void rw_recorded_free(RwRecorded *recorded);

// Records the run of `inputs`. On error, when cancelled too (RW_ERROR_CANCELLED), nothing of it is left.
RwRecorded *rw_record(const RwInputs *inputs, const RwRecordOptions *options, GError **error);

// ---- Replaying ----

typedef struct {
    uint64_t events, steps; // compared and found the same
    char *difference; // NULL: identical
} RwReplayed;

void rw_replayed_clear(RwReplayed *replayed);

// Executes the run in `dir` again from power-on and compares every record and step with its trace. A run
// that was cut short is compared as far as it goes.
gboolean rw_replay(const RwManifest *manifest, const char *dir, RwGuest *guest, const char *image_path,
                   GCancellable *cancellable, RwReplayed *ret, GError **error);

// ---- The log ----

// The last lines of the job's output, at most `lines`. Reads the trace from its end backwards.
GPtrArray *rw_log_tail(RwTrace *trace, guint lines, GError **error); // of char*, owned

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwBoot, rw_boot_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwRecorded, rw_recorded_free)

G_END_DECLS
