// SPDX-License-Identifier: MIT
#include "rw-hold.h"

#include <string.h>

bool rw_task_name_equal(const RwTaskName *a, const RwTaskName *b)
{
    return !memcmp(a->path, b->path, sizeof a->path);
}

RwTaskName rw_task_name_child(const RwTaskName *parent, uint32_t n)
{
    RwTaskName name = *parent;
    unsigned depth = 0;
    while (depth < RW_TASK_DEPTH && name.path[depth])
        depth++;
    if (!depth || depth == RW_TASK_DEPTH || !n || n > UINT16_MAX)
        return (RwTaskName){0};
    name.path[depth] = (uint16_t)n;
    return name;
}

bool rw_task_name_is_ancestor(const RwTaskName *ancestor, const RwTaskName *name)
{
    for (unsigned i = 0; i < RW_TASK_DEPTH && ancestor->path[i]; i++)
        if (ancestor->path[i] != name->path[i])
            return false;
    return true;
}

bool rw_hold_is_of_others(const RwHold *hold)
{
    return !hold->place.task.path[0];
}

bool rw_place_is_instruction(const RwPlace *place)
{
    return place->kind == RW_PLACE_AT || place->kind == RW_PLACE_AFTER || place->kind == RW_PLACE_WITHIN ||
           place->kind == RW_PLACE_UNSEEN;
}

bool rw_place_equal(const RwPlace *a, const RwPlace *b)
{
    return rw_task_name_equal(&a->task, &b->task) && a->kind == b->kind && a->number == b->number &&
           a->nth == b->nth && a->further == b->further;
}

bool rw_hold_equal(const RwHold *a, const RwHold *b)
{
    return a->from == b->from && a->before == b->before && rw_place_equal(&a->place, &b->place) &&
           a->until == b->until && rw_place_equal(&a->passed, &b->passed) && a->limit_ns == b->limit_ns &&
           a->next == b->next && a->other_next == b->other_next && a->again == b->again;
}

// Zeros only behind its end.
static bool name_is_valid(const RwTaskName *name)
{
    for (unsigned i = 1; i < RW_TASK_DEPTH; i++)
        if (name->path[i] && !name->path[i - 1])
            return false;
    return name->path[0] != 0;
}

bool rw_place_is_valid(const RwPlace *place)
{
    if ((place->kind == RW_PLACE_WITHIN && place->further) ||
        (place->kind == RW_PLACE_UNSEEN && !place->further))
        return false;
    return name_is_valid(&place->task) && (unsigned)place->kind < RW_N_PLACES && place->nth &&
           ((place->kind != RW_PLACE_START && place->kind != RW_PLACE_END) ||
            (place->nth == 1 && !place->number));
}

static bool of_others_is_valid(const RwHold *hold)
{
    RwPlace start = {.kind = RW_PLACE_START, .nth = 1};
    return rw_place_equal(&hold->place, &start) && hold->until == RW_UNTIL_IDLE && !hold->next &&
           !hold->again;
}

bool rw_hold_is_valid(const RwHold *hold)
{
    RwPlace none = {0};
    bool passed_ok = hold->until == RW_UNTIL_PASSED ? rw_place_is_valid(&hold->passed)
                                                    : rw_place_equal(&hold->passed, &none);
    if ((hold->other_next && hold->until != RW_UNTIL_PASSED) ||
        (hold->again && (hold->until != RW_UNTIL_IDLE || hold->next)))
        return false;
    if (hold->passed.kind == RW_PLACE_WITHIN || hold->passed.kind == RW_PLACE_UNSEEN)
        return false;
    bool place_ok = rw_hold_is_of_others(hold) ? of_others_is_valid(hold) : rw_place_is_valid(&hold->place);
    return hold->from < hold->before && place_ok && hold->place.kind != RW_PLACE_END && passed_ok &&
           (unsigned)hold->until < RW_N_UNTILS && hold->limit_ns && hold->limit_ns <= RW_HOLD_NS_MAX;
}
