// SPDX-License-Identifier: MIT
//
// The machine at the hand-over of the job, which is the same for every job, seed, wall clock and schedule,
// kept so that a run need not boot. It only saves time: one that is not there, or damaged, or of another
// Rewind, is a boot.
//
//   <home>/cache/boot-<key>/state   the machine, and its RAM as far as it is not zero (boot-file.c)
//                          /trace   up to there
//                          /root    of RAM in the page store, 64 hex digits, where that has it
//   <home>/cache/.boot-XXXXXX       being written, or left behind
//
// The key is a hash of this program and of all that reaches the guest before the hand-over. A folder gets
// its name when it is whole, but is not synced: its checks find what a power cut leaves.
#pragma once

#include "rw-inputs.h"
#include "rw-keyframes.h"
#include "rw-trace.h"

G_BEGIN_DECLS

#define RW_BOOTS_MAX 8u // that a store has; the one that was not used for the longest time goes

// Where a recording starts.
typedef struct {
    RwMachine *machine; // at the hand-over with no job yet, or at its end, with no sink
    RwTraceWriter *prefix; // to memory: the trace up to there
    bool is_kept; // it was not booted
    RwKeyframe frame; // of the hand-over, where
    bool has_root; // the page store has its pages and none is pending
} RwStart;

void rw_start_clear(RwStart *start);

// Boots with what of `inputs` the machine itself depends on, up to the hand-over, or takes up what was kept
// of an earlier boot in `store`, which may be NULL, and keeps this one. Of `limits` deadline, give_up and
// cancellable count. A guest that ends before is no error.
bool rw_start(const RwInputs *inputs, RwStore *store, RwGuest *guest, const char *image_path,
              const RwLimits *limits, RwStart *ret, GError **error);

// The keyframes file of a run of `inputs` that was recorded: what it has of the hand-over is noted.
void rw_boot_note_root(RwStore *store, const RwInputs *inputs, const char *keyframes);
// A keyframe of such a run could not be read: the next recording puts all pages again.
void rw_boot_forget_root(RwStore *store, const RwInputs *inputs);

// For gc, which has the store alone: whether the boot in `dir` is of an image and a guest of those, and
// then the pages that it needs are added to live. false: it is of no use.
bool rw_boot_mark(const char *dir, GHashTable *images, GHashTable *guests, RwPages *pages, RwPageSet *live);

G_END_DECLS
