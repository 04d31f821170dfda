// SPDX-License-Identifier: MIT
//
// A run's keyframes: the machine's whole state at some of its steps. RAM is a tree in the page store, so
// that what two keyframes of whatever runs have in common is stored once.
//
// The file runs/<id>/keyframes, version 1, little-endian:
//   header   32 bytes: "RWKEYFR\n", u32 version, u32 0, u64 0, u64 check
//   frames   each a 104-byte head (struct in keyframes-format-private.h) and the state (rw_machine_save()),
//   which may
//            be one zstd frame
//   index    u32 "KIDX", u32 count, then per frame u64 offset and its head again; u64 check
//   trailer  40 bytes: "RWKFEND\n", u64 index offset, u64 index size, u64 count, u64 check
// A check is the FNV-1a hash of what stands before it in its part.
#pragma once

#include "rw-machine.h"
#include "rw-pages.h"

G_BEGIN_DECLS

#define RW_KEYFRAMES_VERSION 1

typedef struct {
    uint64_t step; // steps done
    uint64_t icount, tsc;
    bool held; // later than the end of that step: it stands at the hand-over of the job
    RwPageHash root; // of RAM, and behind it the room for swapping
    uint64_t pages; // written since the keyframe before
    uint64_t memory; // bytes of RAM and of the room for swapping: of what root is the tree
} RwKeyframe;

// ---- Reading ----

typedef struct _RwKeyframes RwKeyframes; // immutable, for any thread

// NOT_FOUND when the run has none.
RwKeyframes *rw_keyframes_open(const char *path, GError **error);
void rw_keyframes_free(RwKeyframes *keyframes);
guint rw_keyframes_get_count(const RwKeyframes *keyframes);
const RwKeyframe *rw_keyframes_get(const RwKeyframes *keyframes, guint i); // ascending by icount
// The last one from which one can go forward to the end of `step`; -1: none.
int rw_keyframes_find(const RwKeyframes *keyframes, uint64_t step);
GBytes *rw_keyframes_read_state(const RwKeyframes *keyframes, guint i, GError **error);

// ---- Writing ----
//
// The recording's thread copies pages; another one hashes, compresses and writes them. The order of calls
// is that of the run.

typedef struct _RwKeyframesWriter RwKeyframesWriter;

// Makes `path`. None is taken before the first rw_keyframes_writer_take().
RwKeyframesWriter *rw_keyframes_writer_new(RwStore *store, const char *path, GError **error);
// Makes `path` with those keyframes of `from` from which one can go forward to the end of `up_to_step`: for
// a fork. The machine must have pending what was written since the last of them: it comes from rw_seek(),
// or a snapshot after that. Where `from` has none that can be used it is the same as
// rw_keyframes_writer_new().
RwKeyframesWriter *rw_keyframes_writer_new_copy(RwStore *store, const char *path, const char *from,
                                                uint64_t up_to_step, GError **error);
// Drops the pages unless finished. The file stays.
void rw_keyframes_writer_free(RwKeyframesWriter *writer);
// Called once, from some thread, when the disk does not take any more.
void rw_keyframes_writer_set_on_error(RwKeyframesWriter *writer, void (*failed)(void *data), void *data);
// Keyframes so far apart instead of by cost.
void rw_keyframes_writer_set_spacing(RwKeyframesWriter *writer, uint64_t instructions);
// Takes a keyframe, if there is none of this state yet. Nothing is pending after it.
void rw_keyframes_writer_take(RwKeyframesWriter *writer, RwMachine *machine);
// After each step, in a sink's step(): takes one if it is due.
void rw_keyframes_writer_step(RwKeyframesWriter *writer, RwMachine *machine, const RwStepInfo *step);
guint rw_keyframes_writer_get_count(const RwKeyframesWriter *writer);
// Waits for what was taken to be written; syncs the pages, then the file.
bool rw_keyframes_writer_finish(RwKeyframesWriter *writer, GError **error);

// ---- Comparing ----

// A machine that does the run again, held against the keyframes it passes.
typedef struct _RwKeyframesCheck RwKeyframesCheck;

// Borrows keyframes. The machine stands at one of them, or at power-on.
RwKeyframesCheck *rw_keyframes_check_new(RwStore *store, const RwKeyframes *keyframes, RwMachine *machine,
                                         GError **error);
void rw_keyframes_check_free(RwKeyframesCheck *check);
// To be asked after each step, and at the hand-over of the job: where there is a keyframe, what is not the
// same (for the caller to free). NULL: nothing, or an error: a keyframe or a page that cannot be read.
char *rw_keyframes_check_dup_difference(RwKeyframesCheck *check, RwMachine *machine, GError **error);
guint rw_keyframes_check_get_count(const RwKeyframesCheck *check); // how many were compared

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwKeyframesCheck, rw_keyframes_check_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwKeyframes, rw_keyframes_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RwKeyframesWriter, rw_keyframes_writer_free)

G_END_DECLS
