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

static bool is_of_lock(const RwLearnedEvent *event)
{
    return event->flags & RW_EVENT_ATOMIC && !rw_event_is_own(event);
}

static RwMeets meets_on(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    if (!rw_events_conflict(learned, a, b))
        return RW_MEETS_NOTHING;
    return is_of_lock(a) && is_of_lock(b) ? RW_MEETS_LOCK : RW_MEETS;
}

RwMeets rw_search_meets(const RwLearned *learned, const RwHold *hold)
{
    g_autoptr(GArray) held = g_array_new(false, false, sizeof(guint));
    RwMeets meets = RW_MEETS_NOTHING;
    for (guint i = 0; i < learned->events->len; i++)
        if (is_at(rw_seen_event(learned, i), &hold->place))
            g_array_append_val(held, i);
    for (guint i = 0; i < learned->events->len && meets != RW_MEETS; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        for (guint h = 0; is_behind(event, &hold->passed) && h < held->len && meets != RW_MEETS; h++) {
            RwMeets on = meets_on(learned, rw_seen_event(learned, g_array_index(held, guint, h)), event);
            meets = MAX(meets, on);
        }
    }
    return meets;
}

// Whether it took last what event `i` is about.
static bool has_taken(const RwLearned *learned, guint i)
{
    const RwLearnedEvent *event = rw_seen_event(learned, i);
    while (i-- > 0) {
        const RwLearnedEvent *before = rw_seen_event(learned, i);
        bool same = before->task == event->task && before->object == event->object;
        if (same && before->flags & (RW_EVENT_ATOMIC | RW_EVENT_UNLOCKS))
            return !(before->flags & RW_EVENT_UNLOCKS);
    }
    return false;
}

bool rw_search_has_lock(const RwLearned *learned, const RwHold *hold)
{
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        if (is_at(event, &hold->place) && is_of_lock(event) && has_taken(learned, i))
            return true;
    }
    return false;
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

#define TURNED_MAX 16u // of each of the two runs

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

// Who is to come second is held; with a lock that the other needs it would keep that from passing.
static void add_turned(const RwSeen *seen, const RwMeeting *meeting, GArray *turned)
{
    guint lock = rw_meeting_lock(seen, meeting);
    Turned found = {lock, rw_meeting_unlock(seen, meeting, lock)};
    g_array_append_val(turned, found);
}

// Of the passing run, that came the other way round in the failing one, or there is nothing of the first.
static void add_of_passing(const RwSeen *seen, GHashTable *failing, const RwMeeting *meeting,
                           GArray *turned)
{
    guint first = order_of(failing, rw_seen_event(seen->learned, meeting->first)),
          second = order_of(failing, rw_seen_event(seen->learned, meeting->second));
    if (second && (!first || first > second))
        add_turned(seen, meeting, turned);
}

// Of the failing run: in the passing one they may have been in the only order that there could be.
static void add_of_failing(const RwSeen *seen, GHashTable *passing, const RwMeeting *meeting,
                           GArray *turned)
{
    guint first = order_of(passing, rw_seen_event(seen->learned, meeting->first)),
          second = order_of(passing, rw_seen_event(seen->learned, meeting->second));
    if (second && first > second)
        add_turned(seen, &(RwMeeting){meeting->second, meeting->first}, turned);
}

typedef void (*AddMeeting)(const RwSeen *seen, GHashTable *other, const RwMeeting *meeting, GArray *turned);

static bool is_own(const RwKind *kind)
{
    return kind->object == RW_OBJECT_MEMORY && kind->class <= RW_CLASS_ALIKE;
}

// Who ends first comes of something else.
static GArray *list_turned(const RwSeen *seen, const RwLearned *other, bool own, AddMeeting add)
{
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) orders = list_orders(other);
    g_autoptr(GPtrArray) kinds = rw_kinds_new(seen, known, 0);
    GArray *turned = g_array_new(false, false, sizeof(Turned));
    for (guint i = 0; i < kinds->len; i++) {
        const RwKind *kind = kinds->pdata[i];
        bool wanted = own ? is_own(kind) : kind->object != RW_OBJECT_PROCESS;
        for (guint m = 0; wanted && m < kind->meetings->len; m++)
            add(seen, orders, &g_array_index(kind->meetings, RwMeeting, m), turned);
    }
    g_array_sort(turned, by_order);
    return turned;
}

static void add_holds(GArray *holds, const RwLearned *learned, const GArray *turned)
{
    guint n = 0;
    for (guint i = 0; i < turned->len && n < TURNED_MAX; i++) {
        const Turned *this = &g_array_index(turned, Turned, i);
        RwHold hold = {.place = rw_seen_event(learned, this->first)->place,
                       .until = RW_UNTIL_PASSED,
                       .passed = rw_event_behind(rw_seen_event(learned, this->second))};
        if (i && !by_order(this, this - 1))
            continue;
        g_array_append_val(holds, hold);
        n++;
    }
}

GArray *rw_search_turned(const RwLearned *passing, const RwLearned *failing, bool own)
{
    RwSeen *before = rw_seen_new(passing, NULL), *after = rw_seen_new(failing, NULL);
    g_autoptr(GArray) turned = list_turned(before, failing, own, add_of_passing);
    g_autoptr(GArray) other = list_turned(after, passing, own, add_of_failing);
    GArray *holds = g_array_new(false, false, sizeof(RwHold));
    add_holds(holds, passing, turned);
    add_holds(holds, failing, other);
    rw_seen_free(before);
    rw_seen_free(after);
    return holds;
}
