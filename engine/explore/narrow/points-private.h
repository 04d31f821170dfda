// SPDX-License-Identifier: MIT
//
// One machine goes along a run and leaves snapshots where candidates start.
#pragma once

#include "trial-private.h"

// What the snapshots of a narrowing may take, and how many bytes of them there were at a time.
typedef struct {
    uint64_t budget, peak;
} RwRoom;

RwRoom rw_room(uint64_t budget); // 0: a quarter of what the host has free
// Takes a snapshot of the machine unless there is no room for it beside the `held` bytes: then none.
bool rw_point_take(RwRoom *room, RwMachine *machine, uint64_t *held, RwTrialPoint *ret, GError **error);
RwTrialPoint rw_point_share(const RwTrialPoint *point);
void rw_point_move(RwTrialPoint *to, RwTrialPoint *from); // `from` has none any more
void rw_points_drop(RwTrialPoint *points, guint n);
