// SPDX-License-Identifier: MIT
#include "points-private.h"

#include "rw-host.h"

RwRoom rw_room(uint64_t budget)
{
    return (RwRoom){.budget = budget ? budget : rw_host_memory_available() / 4};
}

bool rw_point_take(RwRoom *room, RwMachine *m, uint64_t *held, RwTrialPoint *ret, GError **error)
{
    uint64_t bytes = rw_machine_snapshot_bytes(m);
    if (bytes > room->budget || *held > room->budget - bytes)
        return true;
    ret->snapshot = rw_machine_snapshot(m, error);
    ret->bytes = bytes;
    *held += bytes;
    room->peak = MAX(room->peak, *held);
    return ret->snapshot != NULL;
}

RwTrialPoint rw_point_share(const RwTrialPoint *point)
{
    rw_snapshot_ref(point->snapshot);
    return *point;
}

void rw_point_move(RwTrialPoint *to, RwTrialPoint *from)
{
    rw_snapshot_unref(to->snapshot);
    *to = *from;
    from->snapshot = NULL;
}

void rw_points_drop(RwTrialPoint *points, guint n)
{
    for (guint i = 0; i < n; i++)
        g_clear_pointer(&points[i].snapshot, rw_snapshot_unref);
}
