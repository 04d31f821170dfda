// SPDX-License-Identifier: MIT
//
// Random orders of the accesses that schedule 0 makes to one object, or to all that tasks share: by random
// priorities (POS: Yuan, Yang, Gu, CAV 2018), or so that each order is as likely (SURW: Zhao, Wolff,
// Mathur, Roychoudhury, ASPLOS 2025). An order is made by holds, one where it goes from one task to
// another.
#include "search-private.h"

#define EVENTS_MAX 48u // of a walk

typedef struct {
    GArray *events; // of guint, in order: those that are left
    guint next;
    uint64_t priority; // POS: of the next one
} Lane;

typedef struct {
    const RwLearned *learned;
    GHashTable *of_task; // index + 1 → Lane
    GPtrArray *lanes; // of Lane
    RwDraw *draw;
    bool even; // each order is as likely
} Walk;

static void free_lane(gpointer data)
{
    Lane *lane = data;
    g_array_unref(lane->events);
    g_free(lane);
}

static const RwLearnedEvent *head_of(const Walk *walk, const Lane *lane)
{
    bool any = lane->next < lane->events->len;
    return any ? rw_seen_event(walk->learned, g_array_index(lane->events, guint, lane->next)) : NULL;
}

static guint left_of(const Lane *lane)
{
    return lane->events->len - lane->next;
}

static void add_event(Walk *walk, guint index)
{
    gpointer task = GUINT_TO_POINTER(rw_seen_event(walk->learned, index)->task + 1);
    Lane *lane = g_hash_table_lookup(walk->of_task, task);
    if (!lane) {
        lane = g_new0(Lane, 1);
        lane->events = g_array_new(false, false, sizeof(guint));
        lane->priority = rw_draw(walk->draw);
        g_hash_table_insert(walk->of_task, task, lane);
        g_ptr_array_add(walk->lanes, lane);
    }
    g_array_append_val(lane->events, index);
}

// Nothing that is left must come before it.
static bool may_go(const Walk *walk, const Lane *lane)
{
    const RwLearnedEvent *event = head_of(walk, lane);
    for (guint i = 0; event && i < walk->lanes->len; i++) {
        const RwLearnedEvent *other = head_of(walk, walk->lanes->pdata[i]);
        if (other && other != event && rw_event_is_forced(walk->learned, other, event))
            return false;
    }
    return event != NULL;
}

static Lane *first_by_priority(const Walk *walk)
{
    Lane *first = NULL;
    for (guint i = 0; i < walk->lanes->len; i++) {
        Lane *lane = walk->lanes->pdata[i];
        if (may_go(walk, lane) && (!first || lane->priority > first->priority))
            first = lane;
    }
    return first;
}

// As likely as it has more left.
static Lane *draw_by_length(const Walk *walk)
{
    guint all = 0;
    for (guint i = 0; i < walk->lanes->len; i++)
        all += may_go(walk, walk->lanes->pdata[i]) ? left_of(walk->lanes->pdata[i]) : 0;
    if (!all)
        return NULL;
    guint at = (guint)rw_draw_below(walk->draw, all);
    for (guint i = 0; i < walk->lanes->len; i++) {
        Lane *lane = walk->lanes->pdata[i];
        guint left = may_go(walk, lane) ? left_of(lane) : 0;
        if (at < left)
            return lane;
        at -= left;
    }
    return NULL;
}

// Takes the next one of all, and gives those that meet it another priority. NULL: none is left.
static const RwLearnedEvent *step(Walk *walk)
{
    Lane *lane = walk->even ? draw_by_length(walk) : first_by_priority(walk);
    const RwLearnedEvent *event = lane ? head_of(walk, lane) : NULL;
    if (!lane)
        return NULL;
    lane->next++;
    lane->priority = rw_draw(walk->draw);
    for (guint i = 0; i < walk->lanes->len; i++) {
        Lane *other = walk->lanes->pdata[i];
        const RwLearnedEvent *head = head_of(walk, other);
        if (head && head->object == event->object && rw_events_conflict(walk->learned, event, head))
            other->priority = rw_draw(walk->draw);
    }
    return event;
}

static void take(RwSearch *search, Walk *walk, RwSearchTry *ret)
{
    const RwLearnedEvent *before = step(walk), *event;
    for (; before && (event = step(walk)); before = event) {
        if (event->task == before->task || rw_event_is_forced(walk->learned, before, event))
            continue;
        RwHold hold = rw_make_hold(search, &event->place);
        hold.until = RW_UNTIL_PASSED;
        hold.passed = rw_event_behind(before);
        if (!rw_schedule_add_hold(&ret->schedule, &hold))
            return;
    }
}

static bool is_of(const RwLearned *learned, const RwLearnedEvent *event, const RwLearnedEvent *of, bool all)
{
    const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
    bool shared = object->kind != RW_OBJECT_NONE && object->tasks > 1 && object->changed;
    return all ? shared && event->place.kind == RW_PLACE_AT && rw_event_is_own(event)
               : event->object == of->object && event->place.kind == of->place.kind;
}

// Those around a meeting.
static void add_events(Walk *walk, const RwMeeting *meeting, bool all)
{
    const RwLearned *learned = walk->learned;
    const RwLearnedEvent *of = rw_seen_event(learned, meeting->first);
    g_autoptr(GArray) list = g_array_new(false, false, sizeof(guint));
    guint at = 0;
    for (guint i = 0; i < learned->events->len; i++) {
        if (!is_of(learned, rw_seen_event(learned, i), of, all))
            continue;
        at = i <= meeting->first ? list->len : at;
        g_array_append_val(list, i);
    }
    guint n = MIN(list->len, EVENTS_MAX), back = MIN(at, (guint)rw_draw_below(walk->draw, n ? n : 1));
    guint from = MIN(at - back, list->len - n);
    for (guint i = from; i < from + n; i++)
        add_event(walk, g_array_index(list, guint, i));
}

static bool draw_walk(RwSearch *search, RwDraw *draw, RwSearchTry *ret, bool even)
{
    RwKind *kind = rw_search_draw_kind(search, draw);
    if (!kind)
        return false;
    guint index = (guint)rw_draw_below(draw, kind->meetings->len);
    Walk walk = {.learned = kind->seen->learned, .draw = draw, .even = even};
    walk.of_task = g_hash_table_new(NULL, NULL);
    walk.lanes = g_ptr_array_new_with_free_func(free_lane);
    add_events(&walk, &g_array_index(kind->meetings, RwMeeting, index), rw_draw_below(draw, 2));
    take(search, &walk, ret);
    g_hash_table_unref(walk.of_task);
    g_ptr_array_unref(walk.lanes);
    return ret->schedule.n_holds > 0;
}

bool rw_draw_pos(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    return draw_walk(search, draw, ret, false);
}

bool rw_draw_surw(RwSearch *search, RwDraw *draw, RwSearchTry *ret)
{
    return draw_walk(search, draw, ret, true);
}
