// SPDX-License-Identifier: MIT
//
// What is known of a run beside its trace: inputs, ending, counts, and facts of the recording that are
// not of the run (name, time, where the root lay).
#pragma once

#include "rw-inputs.h"
#include "rw-json.h"
#include "rw-products.h"
#include "rw-store.h"

G_BEGIN_DECLS

typedef struct {
    char id[RW_RUN_ID_SIZE];
    char *name; // or NULL
    char *root; // as it was given, absolute; or NULL
    gint64 created_us; // wall clock of the recording's start
    gint64 wall_us; // how long it took
    RwInputs *inputs;
    char parent_id[RW_RUN_ID_SIZE]; // the run that this one was forked from, or ""
    uint64_t parent_step; // the two are the same until this step
    bool trace_only; // it was imported without what executing it needs
    bool ended; // false while it is recorded
    RwEnd end;
    char *why; // one line, where it ended so for something outside its programs; or NULL
    GPtrArray *products; // of RwProduct*: what became of inputs->outputs; never NULL
    uint64_t events;
    char trace_sha256[RW_SHA256_HEX_SIZE];
} RwManifest;

RwManifest *rw_manifest_new(const RwInputs *inputs, const char *name, const char *root);
RwManifest *rw_manifest_copy(const RwManifest *manifest);
void rw_manifest_free(RwManifest *manifest);
JsonObject *rw_manifest_to_json(const RwManifest *manifest);
// Checks that the inputs give the id.
RwManifest *rw_manifest_from_json(JsonObject *object, const char *what, GError **error);
// Of a run of the store; the entry's own problem is the error if it has one.
RwManifest *rw_manifest_load(const RwRunEntry *entry, GError **error);
bool rw_manifest_save(const RwManifest *manifest, const char *dir, GError **error);

// "exited:0", "killed:SIGSEGV"; for a run whose job did not end, the machine's: "stalled", "timed-out", …
char *rw_end_dup_text(const RwEnd *end);
// The exit status of a command that stands for the job: its own, 128 + signal, 124 for timed-out, 153 for
// output-limit, else 1.
int rw_end_exit_status(const RwEnd *end);
// Whether a run with this ending is a function of its inputs.
bool rw_end_is_repeatable(const RwEnd *end);
// Whether two runs ended the same: kind of ending, the job's status, its declared outputs.
bool rw_end_same(const RwEnd *a, const RwEnd *b);
// Without `outputs`; what is read sets reader->failed where it is no ending.
JsonObject *rw_end_to_json(const RwEnd *end); // for the caller to unref
RwEnd rw_end_from_json(RwJsonReader *reader);
// "run <id> exited:0 after 12 steps, 0.019s virtual, 1.431s wall (poweroff)"
char *rw_manifest_dup_line(const RwManifest *manifest);
// The shell command that makes the run again. store: where its standard input is; or
// NULL.
char *rw_manifest_dup_command(const RwManifest *manifest, RwStore *store);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwManifest, rw_manifest_free)

G_END_DECLS
