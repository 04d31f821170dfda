// SPDX-License-Identifier: MIT
//
// Which accesses of different tasks meet on an object with nothing between them that forces their order.
#include "search-private.h"

#include "rw-mix.h"

#include <string.h>

#define SITES_AN_OBJECT 256u // of the latest ones only
#define EVENTS_AN_OBJECT 4096u // of the first ones
#define MEETINGS_A_KIND 64u

// ---- Order that is forced ----

// Who waited for x, and for whoever created it, goes on after it. Of a run that is watched from its middle
// on a creator may not be known, who then is the task itself or another one.
static bool is_waited(const RwLearned *learned, const RwLearnedTask *x, const RwLearnedEvent *b)
{
    const RwLearnedTask *y = rw_seen_task(learned, b->task);
    for (const RwLearnedTask *task = x; task->waited; task = rw_seen_task(learned, task->creator)) {
        const RwLearnedTask *waiting = rw_seen_task(learned, task->creator);
        if (waiting == task || !rw_task_name_is_ancestor(&waiting->name, &task->name))
            break;
        guint64 from = y == waiting ? b->order : y->created;
        if (from >= task->waited && rw_task_name_is_ancestor(&waiting->name, &y->name))
            return true;
    }
    return false;
}

// a comes before b because one creates the other, or had waited for its end.
bool rw_event_is_forced(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    const RwLearnedTask *x = rw_seen_task(learned, a->task), *y = rw_seen_task(learned, b->task);
    if (rw_task_name_is_ancestor(&x->name, &y->name) && a->order <= y->created)
        return true;
    if (is_waited(learned, x, b))
        return true;
    // Memory of a process that had ended is another's by then.
    bool memory = a->place.kind == RW_PLACE_AT;
    return memory && x->pid != y->pid && x->ended < b->order && x->ended < y->created;
}

bool rw_events_overlap(const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    return a->object == b->object && (!a->end || !b->end || (a->start < b->end && b->start < a->end));
}

bool rw_events_conflict(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    return a->task != b->task && (a->flags | b->flags) & RW_EVENT_CHANGES &&
           !(a->flags & b->flags & RW_EVENT_MEMBER) && rw_events_overlap(a, b) &&
           !rw_event_is_forced(learned, a, b);
}

// ---- Kinds ----

static void free_kind(gpointer data)
{
    RwKind *kind = data;
    g_array_unref(kind->meetings);
    g_free(kind);
}

// The same in every run. In libraries one instruction serves all locks there are.
static char *dup_object(const RwObject *object, bool own)
{
    if (own && object->kind == RW_OBJECT_MEMORY)
        return g_strdup("");
    return object->name ? g_strdup(object->name)
                        : g_strdup_printf("%u %" G_GINT64_MODIFIER "x %u", object->kind, object->address,
                                          object->pid);
}

// Of calls it is another kind, too, if no lock is between them any more that is there in other runs.
static char *dup_key(const RwSeen *seen, const RwMeeting *meeting)
{
    const RwLearned *learned = seen->learned;
    const RwLearnedEvent *a = rw_seen_event(learned, meeting->first),
                         *b = rw_seen_event(learned, meeting->second);
    g_autofree char *object = dup_object(&g_array_index(learned->objects, RwObject, a->object),
                                         rw_event_is_own(a) && rw_event_is_own(b));
    bool calls = a->place.kind == RW_PLACE_CALL && b->place.kind == RW_PLACE_CALL;
    bool locked = calls && rw_meeting_lock(seen, meeting) != meeting->first;
    return g_strdup_printf("%u %" G_GINT64_MODIFIER "x %x %u %" G_GINT64_MODIFIER "x %x %d %s",
                           a->place.kind, a->place.number, a->detail, b->place.kind, b->place.number,
                           b->detail, locked, object);
}

static RwKindClass class_of(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    const RwObject *object = &g_array_index(learned->objects, RwObject, a->object);
    bool alike = a->place.kind == b->place.kind && a->place.number == b->place.number;
    if (!rw_event_is_own(a) || !rw_event_is_own(b))
        return rw_event_is_own(a) || rw_event_is_own(b) ? RW_CLASS_MIXED : RW_CLASS_LIBRARY;
    return alike || object->kind == RW_OBJECT_PROCESS ? RW_CLASS_ALIKE : RW_CLASS_OWN;
}

static void add_meeting(GPtrArray *kinds, GHashTable *known, const RwSeen *seen, guint first, guint second)
{
    const RwLearned *learned = seen->learned;
    const RwLearnedEvent *a = rw_seen_event(learned, first), *b = rw_seen_event(learned, second);
    RwMeeting meeting = {first, second};
    char *key = dup_key(seen, &meeting);
    RwKind *kind = g_hash_table_lookup(known, key);
    if (!kind) {
        kind = g_new0(RwKind, 1);
        *kind = (RwKind){.kind = {a->place.kind, b->place.kind},
                         .number = {a->place.number, b->place.number},
                         .object = g_array_index(learned->objects, RwObject, a->object).kind,
                         .class = class_of(learned, a, b),
                         .what = a->object,
                         .draw = b->order,
                         .meetings = g_array_new(false, false, sizeof(RwMeeting))};
        g_ptr_array_add(kinds, kind);
        g_hash_table_insert(known, g_strdup(key), kind);
    }
    g_free(key);
    guint n = kind->total++;
    if (kind->meetings->len < MEETINGS_A_KIND)
        g_array_append_val(kind->meetings, meeting);
    else if (!(n & (n - 1))) // ever more seldom
        g_array_index(kind->meetings, RwMeeting, n % MEETINGS_A_KIND) = meeting;
}

// The last events of an object's sites.
typedef struct {
    guint site, event;
} Last;

// Event `index` with the last one of each place of each other task before it.
static void add_meetings(GPtrArray *kinds, GHashTable *known, const RwSeen *seen, const GArray *lasts,
                         guint index)
{
    const RwLearned *learned = seen->learned;
    const RwLearnedEvent *b = rw_seen_event(learned, index);
    for (guint i = 0; i < lasts->len; i++) {
        guint other = g_array_index(lasts, Last, i).event;
        if (rw_events_conflict(learned, rw_seen_event(learned, other), b))
            add_meeting(kinds, known, seen, other, index);
    }
}

// The one that was there longest ago goes where there are too many.
static void note_last(const RwLearned *learned, GArray *lasts, guint index)
{
    Last last = {rw_seen_event(learned, index)->site, index};
    guint i = 0, oldest = 0;
    for (; i < lasts->len && g_array_index(lasts, Last, i).site != last.site; i++)
        if (g_array_index(lasts, Last, i).event < g_array_index(lasts, Last, oldest).event)
            oldest = i;
    if (i < lasts->len)
        g_array_index(lasts, Last, i) = last;
    else if (lasts->len < SITES_AN_OBJECT)
        g_array_append_val(lasts, last);
    else
        g_array_index(lasts, Last, oldest) = last;
}

static gint compare(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

// Races come first; what leaves the same values comes last.
static guint rank_of(const RwKind *kind)
{
    return (kind->is_race ? 0 : 2) + (kind->silent ? 1 : 0);
}

static gint by_draw(gconstpointer a, gconstpointer b)
{
    const RwKind *x = *(RwKind *const *)a, *y = *(RwKind *const *)b;
    gint order = compare(rank_of(x), rank_of(y));
    return order ? order : compare(x->draw, y->draw);
}

static gint by_turn(gconstpointer a, gconstpointer b)
{
    const RwKind *x = *(RwKind *const *)a, *y = *(RwKind *const *)b;
    gint order = compare(rank_of(x), rank_of(y));
    if (!order)
        order = compare(x->turn, y->turn);
    return order ? order : by_draw(a, b);
}

// Each object has its turn before one has a second.
static void set_turns(GPtrArray *kinds, uint64_t seed)
{
    g_autoptr(GHashTable) next = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < kinds->len; i++) {
        RwKind *kind = kinds->pdata[i];
        kind->draw = rw_mix64(rw_mix64(seed) ^ kind->draw);
    }
    g_ptr_array_sort(kinds, by_draw);
    for (guint i = 0; i < kinds->len; i++) {
        RwKind *kind = kinds->pdata[i];
        gpointer key = GUINT_TO_POINTER(kind->what * RW_N_CLASSES + kind->class);
        kind->turn = GPOINTER_TO_UINT(g_hash_table_lookup(next, key));
        g_hash_table_insert(next, key, GUINT_TO_POINTER(kind->turn + 1));
    }
    g_ptr_array_sort(kinds, by_turn);
}

// ---- What is broken in two ----

// The first and the last of its meetings that leave another value in memory than was there, or of all.
static void find_ends(RwKind *kind, const RwSeen *seen)
{
    kind->silent = true;
    kind->other = kind->meetings->len - 1;
    for (guint i = 0; i < kind->meetings->len; i++) {
        if (rw_meeting_is_silent(seen, &g_array_index(kind->meetings, RwMeeting, i)))
            continue;
        kind->other = i;
        if (kind->silent)
            kind->best = i;
        kind->silent = false;
    }
}

// Programs begin and end something with them; where only the last one breaks something it is tried first.
static void look_at_meetings(RwKind *kind, const RwSeen *seen)
{
    find_ends(kind, seen);
    if (kind->class > RW_CLASS_ALIKE)
        return;
    const RwMeeting *meetings = &g_array_index(kind->meetings, RwMeeting, 0);
    guint last = rw_meeting_breaks(seen, &meetings[kind->other]);
    kind->near = rw_meeting_breaks(seen, &meetings[kind->best]);
    if (kind->near || !last)
        return;
    guint best = kind->other;
    kind->other = kind->best;
    kind->best = best;
    kind->near = last;
}

// An update of one thing; what is one after the other; near; in the same job.
static guint nearness_of(const RwKind *kind)
{
    return kind->near <= 1 ? 0 : kind->near <= 3 ? 1 : kind->near <= 6 ? 2 : 3;
}

static gint by_nearness(gconstpointer a, gconstpointer b)
{
    const RwKind *x = *(RwKind *const *)a, *y = *(RwKind *const *)b;
    guint near = nearness_of(x), other = nearness_of(y);
    return near != other ? compare(near, other) : by_turn(a, b);
}

static gint by_place(gconstpointer a, gconstpointer b)
{
    const RwKind *x = *(RwKind *const *)a, *y = *(RwKind *const *)b;
    return x->place != y->place ? compare(x->place, y->place) : by_turn(a, b);
}

// The nth that breaks something has its place before the nth of all, where it is not earlier by that.
static void set_places(GPtrArray *kinds)
{
    g_autoptr(GPtrArray) breaking = g_ptr_array_new();
    guint n[RW_N_CLASSES] = {0}, n_breaking[RW_N_CLASSES] = {0};
    for (guint i = 0; i < kinds->len; i++) {
        RwKind *kind = kinds->pdata[i];
        kind->place = 2 * n[kind->class]++ + 1;
        if (kind->near)
            g_ptr_array_add(breaking, kind);
    }
    g_ptr_array_sort(breaking, by_nearness);
    for (guint i = 0; i < breaking->len; i++) {
        RwKind *kind = breaking->pdata[i];
        kind->place = MIN(kind->place, 2 * n_breaking[kind->class]++);
    }
    g_ptr_array_sort(kinds, by_place);
}

// By object: its events in order.
static GPtrArray *list_by_object(const RwLearned *learned)
{
    GPtrArray *lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < learned->objects->len; i++)
        g_ptr_array_add(lists, g_array_new(false, false, sizeof(guint)));
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
        GArray *list = lists->pdata[event->object];
        if (object->kind != RW_OBJECT_NONE && object->tasks > 1 && list->len < EVENTS_AN_OBJECT)
            g_array_append_val(list, i);
    }
    return lists;
}

static void add_of_object(GPtrArray *kinds, GHashTable *known, const RwSeen *seen, const GArray *list)
{
    g_autoptr(GArray) lasts = g_array_new(false, false, sizeof(Last));
    for (guint i = 0; i < list->len; i++) {
        guint index = g_array_index(list, guint, i);
        add_meetings(kinds, known, seen, lasts, index);
        note_last(seen->learned, lasts, index);
    }
}

GPtrArray *rw_kinds_new(const RwSeen *seen, GHashTable *known, uint64_t seed)
{
    const RwLearned *learned = seen->learned;
    g_autoptr(GPtrArray) lists = list_by_object(learned);
    g_autoptr(GHashTable) here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *all = g_ptr_array_new(), *kinds = g_ptr_array_new_with_free_func(free_kind);
    GHashTableIter iter;
    gpointer key, kind;
    for (guint i = 0; i < lists->len; i++)
        add_of_object(all, here, seen, lists->pdata[i]);
    g_hash_table_iter_init(&iter, here);
    while (g_hash_table_iter_next(&iter, &key, &kind))
        ((RwKind *)kind)->tried = !g_hash_table_add(known, g_strdup(key));
    for (guint i = 0; i < all->len; i++) {
        RwKind *one = all->pdata[i];
        one->seen = seen;
        if (one->tried)
            free_kind(one);
        else
            g_ptr_array_add(kinds, one);
    }
    g_ptr_array_unref(all);
    rw_kinds_take_order(kinds, learned);
    for (guint i = 0; i < kinds->len; i++)
        look_at_meetings(kinds->pdata[i], seen);
    set_turns(kinds, seed);
    set_places(kinds);
    return kinds;
}
