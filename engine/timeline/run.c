// SPDX-License-Identifier: MIT
//
// On to the nearest position where something happens. Forward that is one way. Backwards the nearest
// stretch between two checkpoints is executed, and its last hit counts; if it has none, the one before it.
#include "spot-private.h"

static bool check_when(const RwWhen *when, GError **error)
{
    const char *wrong = NULL;
    bool memory =
        when->kind == RW_WHEN_READ || when->kind == RW_WHEN_WRITTEN || when->kind == RW_WHEN_CHANGED;
    if (when->kind >= RW_N_WHENS)
        wrong = "none that there is";
    else if (memory && (!when->length || when->address + when->length < when->address))
        wrong = "memory of no length, or over the end of the addresses";
    else if (when->kind == RW_WHEN_TASK && !when->pid && !when->tid)
        wrong = "a task without its number";
    if (wrong)
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "a condition: %s", wrong);
    return !wrong;
}

// ---- Returns of calls that were entered before ----

static bool find_last(RwTimeline *t, RwScan *scan, const RwSpot *down_to, const RwSpot *from,
                      GCancellable *cancellable, GError **error);

#define NO_RETURN (UINT64_MAX - 1)
enum { CALL_SIGRETURN = 15 };

// What the thread entered last, up to the spot; RW_WHEN_ANY: nothing that is recorded, as of a new thread;
// NO_RETURN: it was back already, or comes back from a signal's handler.
static bool find_number(RwTimeline *t, uint32_t tid, const RwSpot *spot, uint64_t *ret,
                        GCancellable *cancellable, GError **error)
{
    RwWhen whens[] = {{.kind = RW_WHEN_CALL, .tid = tid, .number = RW_WHEN_ANY},
                      {.kind = RW_WHEN_RETURN, .tid = tid, .number = RW_WHEN_ANY}};
    RwSpot never = {0}, until = {UINT64_MAX, spot->icount, 0}; // what happened at the spot itself counts
    RwScan *scan = rw_scan_new(t, whens, G_N_ELEMENTS(whens), false, &never, &until);
    rw_scan_take_all(scan);
    bool ok = find_last(t, scan, &t->start, &until, cancellable, error);
    const RwSeen *seen = ok ? rw_scan_get(scan) : NULL;
    *ret = seen ? seen->hit.number : RW_WHEN_ANY;
    if (seen && (seen->hit.which == 1 || *ret == CALL_SIGRETURN))
        *ret = NO_RETURN;
    rw_scan_free(scan);
    return ok;
}

// `began`: where the stretch begins in which they were seen.
static bool make_sure(RwTimeline *t, RwScan *scan, const RwSpot *began, GCancellable *cancellable,
                      GError **error)
{
    g_autoptr(GArray) unsure = g_array_copy((GArray *)rw_scan_get_unsure(scan));
    rw_scan_forget_unsure(scan);
    for (guint i = 0; i < unsure->len; i++) {
        RwUnsure *one = &g_array_index(unsure, RwUnsure, i);
        uint64_t number;
        if (!find_number(t, one->seen.hit.tid, began, &number, cancellable, error))
            return false;
        one->seen.hit.number = number;
        if (number != NO_RETURN && (number == one->number || one->number == RW_WHEN_ANY))
            rw_scan_take(scan, &one->seen);
    }
    return true;
}

// ---- Backwards ----

// The machine comes to stand at the last place before `spot` that it can be put to at once, or at the first
// one that counts. Where that takes a keyframe, at one that is at least `reach` instructions before.
static bool stand_before(RwTimeline *t, const RwSpot *spot, const RwSpot *down_to, uint64_t reach,
                         GCancellable *cancellable, GError **error)
{
    // Another step may be done at the same count.
    RwSpot before = {spot->step - 1, spot->icount, 0}, within = {spot->step, spot->icount - 1, 0};
    const RwCheckpoint *c = rw_timeline_find(t, &before);
    RwSpot keyframe = rw_timeline_keyframe_before(t, &within);
    bool near = c && c->spot.icount + RW_TIMELINE_RESTORE >= keyframe.icount;
    if (reach)
        within = (RwSpot){UINT64_MAX, within.icount - MIN(reach, within.icount - down_to->icount), 0};
    if (!(near ? rw_timeline_reset(t, c, error) : rw_timeline_restore_before(t, &within, error)))
        return false;
    RwSpot now = rw_timeline_spot(t);
    return rw_spot_compare(&now, down_to) >= 0 || rw_timeline_travel(t, down_to, cancellable, error);
}

static bool find_last(RwTimeline *t, RwScan *scan, const RwSpot *down_to, const RwSpot *from,
                      GCancellable *cancellable, GError **error)
{
    RwSpot upper = *from;
    uint64_t reach = 0; // each stretch without a hit makes the next one longer: a keyframe takes time, too
    rw_timeline_begin_progress(t, from->icount - down_to->icount);
    while (!rw_scan_get(scan) && rw_spot_compare(&upper, down_to) > 0) {
        RwSpot to = upper;
        if (!stand_before(t, &upper, down_to, reach, cancellable, error))
            return false;
        RwSpot lower = rw_timeline_spot(t);
        if (rw_spot_compare(&upper, from) < 0 || from->step == UINT64_MAX)
            to.icount++; // what is met at its count comes before the exit for it
        if (!rw_scan_run(scan, &to, cancellable, error) || !make_sure(t, scan, &lower, cancellable, error))
            return false;
        reach = from->icount - lower.icount;
        upper = lower;
    }
    return true;
}

// ---- Forward ----

static bool find_first(RwTimeline *t, RwScan *scan, const RwSpot *up_to, GCancellable *cancellable,
                       GError **error)
{
    RwSpot from = rw_timeline_spot(t);
    rw_timeline_begin_progress(t, up_to->icount - from.icount);
    if (rw_scan_watches(scan) && !rw_timeline_keep(t, error))
        return false;
    while (!rw_scan_get(scan)) {
        if (!rw_scan_run(scan, up_to, cancellable, error))
            return false;
        if (!rw_scan_get_unsure(scan)->len)
            break;
        RwSpot here = rw_timeline_spot(t);
        if (!make_sure(t, scan, &from, cancellable, error) ||
            !rw_timeline_travel(t, &here, cancellable, error))
            return false;
    }
    return true;
}

// ---- Both ----

static RwWhenHit told_hit(RwTimeline *t, const RwToldHit *told)
{
    RwSpot spot = rw_timeline_spot(t);
    const char *program = rw_machine_get_program(t->machine, told->pid);
    RwWhenHit hit = {.which = told->which, .position = rw_spot_position(&spot), .icount = spot.icount};
    hit.pid = told->pid;
    hit.tid = told->tid;
    hit.number = RW_WHEN_ANY;
    g_strlcpy(hit.program, program ? program : "", sizeof hit.program);
    return hit;
}

static bool search(RwTimeline *t, RwScan *scan, bool forward, const RwSpot *limit, const RwSpot *from,
                   GCancellable *cancellable, GError **error)
{
    if (!rw_scan_is_needed(scan))
        return true;
    return forward ? find_first(t, scan, limit, cancellable, error)
                   : find_last(t, scan, limit, from, cancellable, error);
}

static bool check(const RwTimeline *t, const RwWhen *whens, size_t n, GError **error)
{
    if (!t->machine || n > RW_WHENS_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE,
                    t->machine ? "more conditions than %u" : "nowhere to go on from", RW_WHENS_MAX);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (!check_when(&whens[i], error))
            return false;
    return true;
}

RwWent rw_timeline_run(RwTimeline *t, bool forward, const RwWhen *whens, size_t n, RwWhenHit *ret,
                       GCancellable *cancellable, GError **error)
{
    static const RwSpot first, last = {UINT64_MAX, UINT64_MAX, 0};
    RwToldHit told;
    if (!check(t, whens, n, error))
        return RW_WENT_FAILED;
    RwSpot from = rw_timeline_spot(t);
    if (!rw_timeline_find_told(t, forward, whens, n, &from, &told, error))
        return RW_WENT_FAILED;
    bool is_told = told.which < n;
    const RwSpot *after = forward ? &from : is_told ? &told.spot : &first;
    const RwSpot *before = !forward ? &from : is_told ? &told.spot : &last;
    RwScan *scan = rw_scan_new(t, whens, n, forward, after, before);
    bool ok = search(t, scan, forward, &told.spot, &from, cancellable, error);
    const RwSeen *seen = ok ? rw_scan_get(scan) : NULL;
    // Who goes back to the last hit goes back to the one before it next.
    if (seen && !forward)
        rw_timeline_expect_back(t, from.icount - seen->spot.icount);
    ok = ok && rw_timeline_travel(t, seen ? &seen->spot : &told.spot, cancellable, error);
    rw_timeline_expect_back(t, UINT64_MAX);
    is_told &= ok && (!t->branch || rw_machine_icount(t->machine) == told.spot.icount);
    if (ok && (seen || is_told))
        *ret = seen ? seen->hit : told_hit(t, &told);
    rw_scan_free(scan);
    return !ok ? RW_WENT_FAILED : seen || is_told ? RW_WENT_HIT : RW_WENT_OUT;
}
