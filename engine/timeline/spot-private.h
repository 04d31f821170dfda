// SPDX-License-Identifier: MIT
#pragma once

#include "rw-timeline.h"

// A position as the machine counts.
typedef struct {
    uint64_t step; // done
    uint64_t icount;
    uint64_t base; // the count at which that step was done
} RwSpot;

int rw_spot_compare(const RwSpot *a, const RwSpot *b);
static inline RwPosition rw_spot_position(const RwSpot *spot)
{
    return (RwPosition){spot->step, spot->icount - spot->base};
}

typedef struct {
    RwSpot spot;
    RwSnapshot *snapshot;
    guint family; // those of one family share the memory of its root
    bool is_root;
} RwCheckpoint;

typedef struct _RwBranch RwBranch;

struct _RwTimeline {
    RwTimelineConfig config;
    uint64_t budget;
    RwKeyframes *keyframes; // or NULL
    RwSpot start, end;
    RwMachine *machine; // NULL: it stands nowhere
    uint64_t base; // of the machine's last step
    guint family, families;
    RwMachine *spare; // of what was given back, or NULL
    GPtrArray *checkpoints; // of RwCheckpoint, owned, ascending
    RwTimelineFigures figures;
    uint64_t done, whole; // instructions: for progress
    unsigned closer; // so many checkpoints more before the next target
    RwBranch *branch; // NULL: it is its run's
};

// ---- checkpoints.c ----

void rw_checkpoint_free(RwCheckpoint *checkpoint);
// Where the machine stands, unless there is one or there is no room for it.
bool rw_timeline_keep(RwTimeline *timeline, GError **error);
// The one where the machine stands, borrowed; it is made in any case.
RwSnapshot *rw_timeline_take(RwTimeline *timeline, GError **error);
// The last one that is not behind the spot; NULL: there is none. Borrowed.
const RwCheckpoint *rw_timeline_find(const RwTimeline *timeline, const RwSpot *spot);
// After the machine was restored: from here on there is a family. With `once` it is left alone.
bool rw_timeline_begin(RwTimeline *timeline, GError **error); // a branch: at its machine
bool rw_timeline_found(RwTimeline *timeline, GError **error);
void rw_timeline_drop_checkpoints(RwTimeline *timeline);

// ---- travel.c ----

// How far apart checkpoints are on a way, in instructions.
#define RW_TIMELINE_SPACING (32u << 20)
// What it takes to read the pages of a keyframe, in instructions that could be executed meanwhile.
#define RW_TIMELINE_RESTORE (100u << 20)

RwSpot rw_timeline_spot(RwTimeline *timeline);
// Of a count, before any step that comes there without an instruction of its own.
RwSpot rw_timeline_count_spot(const RwTimeline *timeline, uint64_t icount);
// Sends the machine to the state of one of its checkpoints.
bool rw_timeline_reset(RwTimeline *timeline, const RwCheckpoint *checkpoint, GError **error);
void rw_timeline_leave(RwTimeline *timeline); // it stands nowhere
// To a spot whose count is known to be right.
bool rw_timeline_travel(RwTimeline *timeline, const RwSpot *to, GCancellable *cancellable, GError **error);
// Until it is said again: from where it comes to one goes back by so many instructions, it is to be
// expected, and again; UINT64_MAX: nothing is known.
void rw_timeline_expect_back(RwTimeline *timeline, uint64_t instructions);
// A piece of the way there: to the count `stop`, or a break of the machine's. A step that comes at the very
// count of the target is waited for. false: cancelled, or lost: it stands nowhere.
bool rw_timeline_advance(RwTimeline *timeline, const RwSpot *to, uint64_t stop, GCancellable *cancellable,
                         GError **error);
// What is needed of the run before the spot from which one can go forward to it, when no checkpoint is: the
// machine stands there.
bool rw_timeline_restore_before(RwTimeline *timeline, const RwSpot *spot, GError **error);
// Where the last keyframe not behind the spot is; or power-on.
RwSpot rw_timeline_keyframe_before(const RwTimeline *timeline, const RwSpot *spot);
void rw_timeline_begin_progress(RwTimeline *timeline, uint64_t instructions);

// ---- branch.c ----

void rw_branch_free(RwBranch *branch); // NULL is fine
void rw_branch_note_step(RwTimeline *timeline, const RwStepInfo *step);
void rw_branch_note_record(void *timeline, const struct rewind_record *record, const uint8_t *payload,
                           size_t length);
bool rw_branch_find_position(const RwTimeline *timeline, const RwPosition *position, RwSpot *ret,
                             GError **error);

// ---- told.c: what the trace knows ----

typedef struct {
    size_t which; // of the conditions
    RwSpot spot;
    uint32_t pid, tid; // of the event, or who got the CPU
} RwToldHit;

bool rw_timeline_find_position(RwTimeline *timeline, const RwPosition *position, RwSpot *ret,
                               GError **error);
// The nearest spot after (before) this one where one of the conditions holds that the trace tells, or
// COUNT. ret->which: n for none, and the spot is the end (the start).
bool rw_timeline_find_told(RwTimeline *timeline, bool forward, const RwWhen *whens, size_t n,
                           const RwSpot *from, RwToldHit *ret, GError **error);

// ---- scan.c: executing with an eye on conditions ----

typedef struct {
    RwWhenHit hit;
    RwSpot spot;
} RwSeen;

typedef struct _RwScan RwScan;

// Of those conditions that executing tells, hits between the two spots, these left out; forward the first,
// else the last.
RwScan *rw_scan_new(RwTimeline *timeline, const RwWhen *whens, size_t n, bool forward, const RwSpot *after,
                    const RwSpot *before);
void rw_scan_free(RwScan *scan);
bool rw_scan_is_needed(const RwScan *scan); // false: executing tells nothing of them
bool rw_scan_watches(const RwScan *scan); // memory: a hit is known when it is past
// From where the machine stands to the spot, and over what happens at its count; forward at most to a hit.
bool rw_scan_run(RwScan *scan, const RwSpot *to, GCancellable *cancellable, GError **error);
const RwSeen *rw_scan_get(const RwScan *scan); // NULL: nothing was met
void rw_scan_take_all(RwScan *scan); // nothing is unsure
// What looks like a return of a call that was entered before the scan began. It may be that the thread goes
// on there, having been interrupted right behind the call.
typedef struct {
    RwSeen seen;
    uint64_t number; // that is wanted, or RW_WHEN_ANY
} RwUnsure;
const GArray *rw_scan_get_unsure(const RwScan *scan); // of RwUnsure, in their order
void rw_scan_forget_unsure(RwScan *scan); // they are met no more
void rw_scan_take(RwScan *scan, const RwSeen *seen); // if it is better than what was met
