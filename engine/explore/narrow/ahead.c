// SPDX-License-Identifier: MIT
#include "ahead-private.h"

void rw_ahead_init(RwAhead *ahead, const RwNarrowHolds *narrow)
{
    *ahead = (RwAhead){.narrow = narrow, .room = rw_room(narrow->budget)};
    ahead->addresses = g_array_new(false, false, sizeof(uint64_t));
}

void rw_ahead_clear(RwAhead *ahead)
{
    g_clear_pointer(&ahead->machine, rw_machine_free);
    g_clear_pointer(&ahead->addresses, g_array_unref);
}

bool rw_ahead_counts(const RwAhead *ahead, uint64_t address)
{
    for (guint i = 0; i < ahead->addresses->len; i++)
        if (g_array_index(ahead->addresses, uint64_t, i) == address)
            return true;
    return false;
}

void rw_ahead_count(RwAhead *ahead, uint64_t address)
{
    if (!rw_ahead_counts(ahead, address))
        g_array_append_val(ahead->addresses, address);
}

void rw_ahead_count_place(RwAhead *ahead, const RwPlace *place)
{
    if (rw_place_is_instruction(place))
        rw_ahead_count(ahead, place->number);
}

// From the start on it counts what holds of other schedules would have counted. Where it stands, or NULL.
static const RwTrialPoint *stand_at(RwAhead *ahead, const RwTrialPoint *from, const RwSchedule *schedule,
                                    GError **error)
{
    const RwTrialPoint *at = rw_trial_stand(&ahead->machine, from, schedule, &ahead->narrow->origin, error);
    if (at && !at->ahead)
        rw_machine_count_places(ahead->machine, (uint64_t *)(void *)ahead->addresses->data,
                                ahead->addresses->len);
    return at;
}

// Takes one where the machine stands, for all places that are reached there.
static bool leave_point(RwAhead *ahead, const RwTrialWatch *watch, uint64_t *held, RwTrialPoint *latest,
                        RwTrialPoint *ret, guint *left, GError **error)
{
    RwTrialPoint point = {.output = watch->output, .ahead = true};
    int place = rw_machine_take_mark(ahead->machine);
    if (place < 0)
        return true;
    if (!rw_point_take(&ahead->room, ahead->machine, held, &point, error) && !point.snapshot)
        return false;
    if (!point.snapshot) {
        *left = 0;
        return true;
    }
    for (; place >= 0; place = rw_machine_take_mark(ahead->machine), --*left)
        if (!ret[place].snapshot)
            ret[place] = rw_point_share(&point);
    rw_point_move(latest, &point);
    return true;
}

static bool walk(RwAhead *ahead, guint n, RwTrialPoint *latest, RwTrialPoint *ret, GError **error)
{
    RwTrialWatch watch = {ahead->narrow->verdict.fails, latest->output};
    uint64_t held = latest->bytes + ahead->kept;
    RwEnd end = {0};
    bool ok = true;
    rw_trial_watch(ahead->machine, &watch);
    for (guint left = n; ok && left && end.kind == RW_END_NONE;) {
        end = rw_machine_run(ahead->machine, &ahead->narrow->limits);
        ok = rw_end_check(&end, error) && rw_check_cancelled(ahead->narrow->limits.cancellable, error);
        if (ok && end.kind == RW_END_NONE)
            ok = leave_point(ahead, &watch, &held, latest, ret, &left, error);
    }
    rw_trial_watch(ahead->machine, NULL);
    return ok;
}

bool rw_ahead_go(RwAhead *ahead, const RwTrialPoint *from, const RwSchedule *schedule,
                 const RwPlace *places, guint n, RwTrialPoint *ret, GError **error)
{
    const RwTrialPoint *at = stand_at(ahead, from, schedule, error);
    if (!at)
        return false;
    uint64_t start = rw_machine_icount(ahead->machine);
    bool known = rw_machine_set_marks(ahead->machine, places, n);
    RwTrialPoint latest = rw_point_share(known ? at : &ahead->narrow->origin);
    bool ok = !known || walk(ahead, n, &latest, ret, error);
    ahead->executed += rw_machine_icount(ahead->machine) - start;
    for (guint i = 0; ok && i < n; i++)
        if (!ret[i].snapshot)
            ret[i] = rw_point_share(&latest);
    rw_points_drop(&latest, 1);
    return ok;
}
