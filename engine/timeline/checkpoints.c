// SPDX-License-Identifier: MIT
//
// Snapshots along the run. Where there is no more room those go that help least: which lie dense, and far
// from where one looks.
#include "spot-private.h"

#define NEAR (1u << 20) // instructions: what is nearer than that is all the same

int rw_spot_compare(const RwSpot *a, const RwSpot *b)
{
    if (a->icount != b->icount)
        return a->icount < b->icount ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

void rw_checkpoint_free(RwCheckpoint *checkpoint)
{
    rw_snapshot_unref(checkpoint->snapshot);
    g_free(checkpoint);
}

static RwCheckpoint *get(const RwTimeline *t, guint i)
{
    return t->checkpoints->pdata[i];
}

// How many are not behind the spot.
static guint count_until(const RwTimeline *t, const RwSpot *spot)
{
    guint low = 0, high = t->checkpoints->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (rw_spot_compare(&get(t, middle)->spot, spot) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const RwCheckpoint *rw_timeline_find(const RwTimeline *t, const RwSpot *spot)
{
    guint n = count_until(t, spot);
    return n ? get(t, n - 1) : NULL;
}

// ---- Room ----

static bool is_used(const RwTimeline *t, const RwCheckpoint *root)
{
    bool used = root->family == t->family;
    for (guint i = 0; i < t->checkpoints->len; i++)
        used |= get(t, i) != root && get(t, i)->family == root->family;
    return used;
}

// What would be missed without it, in relation to how far it is.
static double worth(const RwTimeline *t, guint i, uint64_t here)
{
    uint64_t at = get(t, i)->spot.icount;
    uint64_t from = i ? get(t, i - 1)->spot.icount : t->start.icount;
    uint64_t to = i + 1 < t->checkpoints->len ? get(t, i + 1)->spot.icount : t->end.icount;
    uint64_t far = at > here ? at - here : here - at;
    return (double)(MAX(to, at) - MIN(from, at)) / (double)(far + NEAR);
}

// false: nothing can go.
static bool drop_least(RwTimeline *t, const RwCheckpoint *keep)
{
    uint64_t here = keep->spot.icount;
    double least = 0;
    int which = -1;
    for (guint i = 0; i < t->checkpoints->len; i++) {
        const RwCheckpoint *c = get(t, i);
        if (c == keep || (c->is_root && is_used(t, c)))
            continue;
        double value = worth(t, i, here);
        if (which >= 0 && value >= least)
            continue;
        least = value;
        which = (int)i;
    }
    if (which < 0)
        return false;
    t->figures.bytes -= rw_snapshot_bytes(get(t, (guint)which)->snapshot);
    g_ptr_array_remove_index(t->checkpoints, (guint)which);
    return true;
}

void rw_timeline_drop_checkpoints(RwTimeline *t)
{
    g_ptr_array_set_size(t->checkpoints, 0);
    t->figures.bytes = 0;
}

// ---- Making one ----

// The nearest one of the machine's family before the n-th, or else behind it: most of its memory is the
// same.
static const RwSnapshot *find_like(const RwTimeline *t, guint n)
{
    for (guint i = n; i-- > 0;)
        if (get(t, i)->family == t->family && !get(t, i)->is_root)
            return get(t, i)->snapshot;
    for (guint i = n; i < t->checkpoints->len; i++)
        if (get(t, i)->family == t->family && !get(t, i)->is_root)
            return get(t, i)->snapshot;
    return NULL;
}

static RwCheckpoint *add(RwTimeline *t, bool is_root, GError **error)
{
    RwSpot spot = rw_timeline_spot(t);
    guint at = count_until(t, &spot);
    const RwSnapshot *like = is_root ? NULL : find_like(t, at);
    RwSnapshot *snapshot = rw_machine_snapshot_like(t->machine, like, error);
    if (!snapshot)
        return NULL;
    RwCheckpoint *made = g_new(RwCheckpoint, 1);
    *made = (RwCheckpoint){spot, snapshot, t->family, is_root};
    g_ptr_array_insert(t->checkpoints, (gint)at, made);
    t->figures.bytes += rw_snapshot_bytes(snapshot);
    while (t->figures.bytes > t->budget && drop_least(t, made)) {
    }
    return made;
}

static RwCheckpoint *find_here(RwTimeline *t)
{
    RwSpot spot = rw_timeline_spot(t);
    guint n = count_until(t, &spot);
    RwCheckpoint *last = n ? get(t, n - 1) : NULL;
    return last && !rw_spot_compare(&last->spot, &spot) ? last : NULL;
}

bool rw_timeline_keep(RwTimeline *t, GError **error)
{
    if (t->config.once || find_here(t) || rw_machine_snapshot_bytes(t->machine) > t->budget / 2)
        return true;
    return add(t, false, error) != NULL;
}

RwSnapshot *rw_timeline_take(RwTimeline *t, GError **error)
{
    const RwCheckpoint *here = find_here(t);
    if (!here)
        here = add(t, false, error);
    return here ? here->snapshot : NULL;
}

bool rw_timeline_found(RwTimeline *t, GError **error)
{
    if (t->config.once)
        return true;
    t->family = ++t->families;
    const RwCheckpoint *root = add(t, true, error);
    RwMachine *machine = root ? rw_machine_fork(root->snapshot, error) : NULL;
    if (!machine)
        return false;
    rw_machine_free(t->machine);
    t->machine = machine;
    return true;
}
