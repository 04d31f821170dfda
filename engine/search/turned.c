// SPDX-License-Identifier: MIT
//
// Two runs of a job: which of the meetings in the one came the other way round in the other. The last of
// them are the nearest to what came of it.
#include "search-private.h"

// ---- Places of events ----

static bool is_at(const RwLearnedEvent *event, const RwPlace *place)
{
    const RwPlace *at = &event->place;
    bool calls = place->kind == RW_PLACE_CALL || place->kind == RW_PLACE_RETURN;
    bool alike = at->kind == RW_PLACE_CALL ? calls : rw_place_is_instruction(place);
    return alike && at->number == place->number && at->nth == place->nth &&
           rw_task_name_equal(&at->task, &place->task);
}

static bool is_behind(const RwLearnedEvent *event, const RwPlace *place)
{
    RwPlace behind = rw_event_behind(event);
    return rw_place_equal(&behind, place);
}

bool rw_search_meets(const RwLearned *learned, const RwHold *hold)
{
    g_autoptr(GArray) held = g_array_new(false, false, sizeof(guint));
    bool meets = false;
    for (guint i = 0; i < learned->events->len; i++)
        if (is_at(rw_seen_event(learned, i), &hold->place))
            g_array_append_val(held, i);
    for (guint i = 0; i < learned->events->len && !meets; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        for (guint h = 0; is_behind(event, &hold->passed) && h < held->len && !meets; h++)
            meets =
                rw_events_conflict(learned, event, rw_seen_event(learned, g_array_index(held, guint, h)));
    }
    return meets;
}

// ---- Orders of another run ----

// Place → when it was first reached, from 1.
static GHashTable *list_orders(const RwLearned *learned)
{
    GHashTable *orders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < learned->events->len; i++) {
        char *key = rw_place_dup_text(&rw_seen_event(learned, i)->place);
        if (g_hash_table_contains(orders, key))
            g_free(key);
        else
            g_hash_table_insert(orders, key, GUINT_TO_POINTER(i + 1));
    }
    return orders;
}

static guint order_of(GHashTable *orders, const RwLearnedEvent *event)
{
    g_autofree char *key = rw_place_dup_text(&event->place);
    return GPOINTER_TO_UINT(g_hash_table_lookup(orders, key));
}

// ---- All of it ----

typedef struct {
    guint first, second; // events: who is held where until who has passed what
} Turned;

static gint by_order(gconstpointer a, gconstpointer b)
{
    const Turned *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? 1 : -1;
    return (x->second > y->second) - (x->second < y->second);
}

// Whoever is held with a lock that the other needs keeps it from passing.
static void add_turned(const RwSeen *passing, GHashTable *orders, const RwMeeting *meeting, GArray *turned)
{
    guint first = order_of(orders, rw_seen_event(passing->learned, meeting->first)),
          second = order_of(orders, rw_seen_event(passing->learned, meeting->second));
    if (!second || (first && first < second))
        return;
    guint lock = rw_meeting_lock(passing, meeting);
    Turned found = {lock, rw_meeting_unlock(passing, meeting, lock)};
    g_array_append_val(turned, found);
}

GArray *rw_search_turned(const RwLearned *passing, const RwLearned *failing)
{
    RwSeen *seen = rw_seen_new(passing, NULL);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) orders = list_orders(failing);
    g_autoptr(GPtrArray) kinds = rw_kinds_new(seen, known, 0);
    g_autoptr(GArray) turned = g_array_new(false, false, sizeof(Turned));
    GArray *holds = g_array_new(false, false, sizeof(RwHold));
    for (guint i = 0; i < kinds->len; i++) {
        const RwKind *kind = kinds->pdata[i];
        const GArray *meetings = kind->meetings;
        bool follows = kind->object == RW_OBJECT_PROCESS; // who ends first comes of something else
        for (guint m = 0; !follows && m < meetings->len; m++)
            add_turned(seen, orders, &g_array_index(meetings, RwMeeting, m), turned);
    }
    g_array_sort(turned, by_order);
    for (guint i = 0; i < turned->len; i++) {
        const Turned *this = &g_array_index(turned, Turned, i);
        RwHold hold = {.place = rw_seen_event(passing, this->first)->place,
                       .until = RW_UNTIL_PASSED,
                       .passed = rw_event_behind(rw_seen_event(passing, this->second))};
        if (!i || by_order(this, this - 1))
            g_array_append_val(holds, hold);
    }
    rw_seen_free(seen);
    return holds;
}
