// SPDX-License-Identifier: MIT
//
// Which accesses of different tasks meet on an object with nothing between them that forces their order.
#include "search-private.h"

#include <string.h>

#define SITES_AN_OBJECT 256u // of the latest ones only
#define EVENTS_AN_OBJECT 4096u // of the first ones
#define MEETINGS_A_KIND 64u
#define EVENTS_A_SPOT 64u
#define LIBRARIES 0x7f0000000000ull // where the kernel maps them: from here on

static const RwLearnedEvent *get_event(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->events, RwLearnedEvent, index);
}

static const RwLearnedTask *get_task(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->tasks, RwLearnedTask, index);
}

// ---- Order that is forced ----

static bool is_ancestor(const RwTaskName *ancestor, const RwTaskName *name)
{
    for (guint i = 0; i < RW_TASK_DEPTH && ancestor->path[i]; i++)
        if (ancestor->path[i] != name->path[i])
            return false;
    return true;
}

// Who waited for x, and for whoever created it, goes on after it.
static bool is_waited(const RwLearned *learned, const RwLearnedTask *x, const RwLearnedEvent *b)
{
    const RwLearnedTask *y = get_task(learned, b->task);
    for (const RwLearnedTask *task = x; task->waited; task = get_task(learned, task->creator)) {
        const RwLearnedTask *waiting = get_task(learned, task->creator);
        guint64 from = y == waiting ? b->order : y->created;
        if (from >= task->waited && is_ancestor(&waiting->name, &y->name))
            return true;
    }
    return false;
}

// a comes before b because one creates the other, or had waited for its end.
static bool is_forced(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    const RwLearnedTask *x = get_task(learned, a->task), *y = get_task(learned, b->task);
    if (is_ancestor(&x->name, &y->name) && a->order <= y->created)
        return true;
    if (is_waited(learned, x, b))
        return true;
    // Memory of a process that had ended is another's by then.
    bool memory = a->place.kind == RW_PLACE_AT;
    return memory && x->pid != y->pid && x->ended < b->order && x->ended < y->created;
}

static bool overlap(const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    return !a->end || !b->end || (a->start < b->end && b->start < a->end);
}

static bool conflicts(const RwLearned *learned, const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    return a->task != b->task && (a->flags | b->flags) & RW_EVENT_CHANGES &&
           !(a->flags & b->flags & RW_EVENT_MEMBER) && overlap(a, b) && !is_forced(learned, a, b);
}

// ---- Kinds ----

static void free_kind(gpointer data)
{
    RwKind *kind = data;
    g_array_unref(kind->meetings);
    g_free(kind);
}

static bool is_own(const RwLearnedEvent *event)
{
    return event->place.kind != RW_PLACE_AT || event->place.number < LIBRARIES;
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
static char *dup_key(const RwLearned *learned, const RwMeeting *meeting)
{
    const RwLearnedEvent *a = get_event(learned, meeting->first), *b = get_event(learned, meeting->second);
    g_autofree char *object =
        dup_object(&g_array_index(learned->objects, RwObject, a->object), is_own(a) && is_own(b));
    bool calls = a->place.kind == RW_PLACE_CALL && b->place.kind == RW_PLACE_CALL;
    bool locked = calls && rw_meeting_lock(learned, meeting) != meeting->first;
    return g_strdup_printf("%u %" G_GINT64_MODIFIER "x %x %u %" G_GINT64_MODIFIER "x %x %d %s",
                           a->place.kind, a->place.number, a->detail, b->place.kind, b->place.number,
                           b->detail, locked, object);
}

static void add_meeting(GPtrArray *kinds, GHashTable *known, const RwLearned *learned, guint first,
                        guint second)
{
    const RwLearnedEvent *a = get_event(learned, first), *b = get_event(learned, second);
    RwMeeting meeting = {first, second};
    char *key = dup_key(learned, &meeting);
    RwKind *kind = g_hash_table_lookup(known, key);
    if (!kind) {
        kind = g_new0(RwKind, 1);
        *kind = (RwKind){.kind = {a->place.kind, b->place.kind},
                         .number = {a->place.number, b->place.number},
                         .object = g_array_index(learned->objects, RwObject, a->object).kind,
                         .own = is_own(a) && is_own(b),
                         .order = b->order,
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
static void add_meetings(GPtrArray *kinds, GHashTable *known, const RwLearned *learned, const GArray *lasts,
                         guint index)
{
    const RwLearnedEvent *b = get_event(learned, index);
    for (guint i = 0; i < lasts->len; i++) {
        guint other = g_array_index(lasts, Last, i).event;
        if (conflicts(learned, get_event(learned, other), b))
            add_meeting(kinds, known, learned, other, index);
    }
}

// The one that was there longest ago goes where there are too many.
static void note_last(const RwLearned *learned, GArray *lasts, guint index)
{
    Last last = {get_event(learned, index)->site, index};
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

static gint by_order(gconstpointer a, gconstpointer b)
{
    const RwKind *x = *(RwKind *const *)a, *y = *(RwKind *const *)b;
    if (x->is_race != y->is_race)
        return x->is_race ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

// By object: its events in order.
static GPtrArray *list_by_object(const RwLearned *learned)
{
    GPtrArray *lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < learned->objects->len; i++)
        g_ptr_array_add(lists, g_array_new(false, false, sizeof(guint)));
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = get_event(learned, i);
        const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
        GArray *list = lists->pdata[event->object];
        if (object->kind != RW_OBJECT_NONE && object->tasks > 1 && list->len < EVENTS_AN_OBJECT)
            g_array_append_val(list, i);
    }
    return lists;
}

static void add_of_object(GPtrArray *kinds, GHashTable *known, const RwLearned *learned, const GArray *list)
{
    g_autoptr(GArray) lasts = g_array_new(false, false, sizeof(Last));
    for (guint i = 0; i < list->len; i++) {
        guint index = g_array_index(list, guint, i);
        add_meetings(kinds, known, learned, lasts, index);
        note_last(learned, lasts, index);
    }
}

GPtrArray *rw_kinds_new(const RwLearned *learned, const RwSchedule *base, GHashTable *known)
{
    g_autoptr(GPtrArray) lists = list_by_object(learned);
    g_autoptr(GHashTable) here = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GPtrArray *all = g_ptr_array_new(), *kinds = g_ptr_array_new_with_free_func(free_kind);
    GHashTableIter iter;
    gpointer key, kind;
    for (guint i = 0; i < lists->len; i++)
        add_of_object(all, here, learned, lists->pdata[i]);
    g_hash_table_iter_init(&iter, here);
    while (g_hash_table_iter_next(&iter, &key, &kind))
        ((RwKind *)kind)->tried = !g_hash_table_add(known, g_strdup(key));
    for (guint i = 0; i < all->len; i++) {
        RwKind *one = all->pdata[i];
        one->learned = learned;
        one->base = base;
        if (one->tried)
            free_kind(one);
        else
            g_ptr_array_add(kinds, one);
    }
    g_ptr_array_unref(all);
    rw_kinds_take_order(kinds, learned);
    g_ptr_array_sort(kinds, by_order);
    return kinds;
}

// ---- Locks ----

#define LOCK_BACK 400u // events of all tasks within which it must have been taken
#define GIVEN_MAX 16u

// A shell takes a lock by a program that it waits for.
static bool acts_for(const RwLearned *learned, guint task, guint other)
{
    const RwLearnedTask *x = get_task(learned, task), *y = get_task(learned, other);
    return task == other || (x->pid != y->pid && is_ancestor(&y->name, &x->name));
}

static bool has_site(const RwLearned *learned, guint task, guint object, uint32_t flags)
{
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        if (site->object == object && site->flags & flags && acts_for(learned, site->task, task))
            return true;
    }
    return false;
}

// A name that is made and never removed is no lock.
static bool is_lock(const RwLearned *learned, const RwLearnedEvent *event, guint holder)
{
    const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
    return event->flags & RW_EVENT_ATOMIC ||
           (event->flags & RW_EVENT_LOCKS &&
            (object->kind != RW_OBJECT_PATH || has_site(learned, holder, event->object, RW_EVENT_UNLOCKS)));
}

typedef struct {
    guint objects[GIVEN_MAX], n;
} Given;

static bool was_given(const Given *given, guint object)
{
    for (guint i = 0; i < given->n; i++)
        if (given->objects[i] == object)
            return true;
    return false;
}

guint rw_meeting_lock(const RwLearned *learned, const RwMeeting *meeting)
{
    const RwLearnedEvent *first = get_event(learned, meeting->first),
                         *second = get_event(learned, meeting->second);
    Given given = {0};
    for (guint i = meeting->first, back = 0; i-- > 0 && back < LOCK_BACK; back++) {
        const RwLearnedEvent *event = get_event(learned, i);
        if (!acts_for(learned, event->task, first->task) || event->object == first->object ||
            was_given(&given, event->object))
            continue;
        if (event->flags & RW_EVENT_UNLOCKS && given.n < GIVEN_MAX)
            given.objects[given.n++] = event->object;
        else if (is_lock(learned, event, first->task) &&
                 has_site(learned, second->task, event->object, RW_EVENT_ATOMIC | RW_EVENT_LOCKS))
            return i;
    }
    return meeting->first;
}

GArray *rw_locks_new(const RwLearned *learned)
{
    GArray *locks = g_array_new(false, false, sizeof(guint));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL); // sites
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = get_event(learned, i);
        const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
        if (event->flags & RW_EVENT_LOCKS && object->tasks > 1 && is_lock(learned, event, event->task) &&
            g_hash_table_add(known, GUINT_TO_POINTER(event->site)))
            g_array_append_val(locks, i);
    }
    return locks;
}

// ---- Spots ----

static void free_spot(gpointer data)
{
    RwSpot *spot = data;
    g_array_unref(spot->events);
    g_free(spot);
}

// The last ones are many, as are those of programs' starts.
static RwPromise promise_of(const RwLearned *learned, const RwLearnedEvent *event)
{
    const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
    if (event->place.kind == RW_PLACE_AT)
        return is_own(event) ? RW_PROMISE_SHARED : RW_PROMISE_LITTLE;
    if (event->flags & RW_EVENT_BLOCKS)
        return RW_PROMISE_WAITS;
    bool shared = object->kind != RW_OBJECT_NONE && object->tasks > 1 && object->changed;
    return shared ? RW_PROMISE_SHARED : RW_PROMISE_LITTLE;
}

static void add_spot(GPtrArray *spots, GHashTable *known, const RwLearned *learned, guint index)
{
    const RwLearnedEvent *event = get_event(learned, index);
    g_autofree char *key =
        g_strdup_printf("%u %" G_GINT64_MODIFIER "x", event->place.kind, event->place.number);
    RwSpot *spot = g_hash_table_lookup(known, key);
    if (!spot) {
        spot = g_new0(RwSpot, 1);
        *spot = (RwSpot){.kind = event->place.kind,
                         .number = event->place.number,
                         .promise = promise_of(learned, event),
                         .events = g_array_new(false, false, sizeof(guint))};
        g_ptr_array_add(spots, spot);
        g_hash_table_insert(known, g_steal_pointer(&key), spot);
    }
    if (spot->events->len < EVENTS_A_SPOT)
        g_array_append_val(spot->events, index);
}

static gint by_promise(gconstpointer a, gconstpointer b)
{
    const RwSpot *x = *(RwSpot *const *)a, *y = *(RwSpot *const *)b;
    return x->turn != y->turn ? (x->turn > y->turn) - (x->turn < y->turn)
                              : (gint)x->promise - (gint)y->promise;
}

// One of each class in turn.
static void set_turns(GPtrArray *spots)
{
    guint next[RW_N_PROMISES] = {0};
    for (guint i = 0; i < spots->len; i++) {
        RwSpot *spot = spots->pdata[i];
        spot->turn = next[spot->promise]++;
    }
    g_ptr_array_sort(spots, by_promise);
}

// Whether another task could run as each task was last seen: it was created, and did not begin to wait.
typedef struct {
    bool *could_run; // by task
    guint n;
    guint next_born; // tasks are in the order of their creation, or nearly so
} Runnable;

static void see(Runnable *runnable, const RwLearned *learned, const RwLearnedEvent *event)
{
    for (; runnable->next_born < learned->tasks->len &&
           get_task(learned, runnable->next_born)->created < event->order;
         runnable->next_born++)
        runnable->n += runnable->could_run[runnable->next_born] = true;
    bool could = !(event->flags & RW_EVENT_BLOCKS) && event->order < get_task(learned, event->task)->ended;
    runnable->n += (guint)could - (guint)runnable->could_run[event->task];
    runnable->could_run[event->task] = could;
}

GArray *rw_useful_new(const RwLearned *learned)
{
    GArray *useful = g_array_new(false, false, sizeof(guint));
    Runnable runnable = {.could_run = g_new0(bool, learned->tasks->len + 1)};
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = get_event(learned, i);
        guint others = runnable.n - runnable.could_run[event->task];
        if (others)
            g_array_append_val(useful, i);
        see(&runnable, learned, event);
    }
    g_free(runnable.could_run);
    return useful;
}

GPtrArray *rw_spots_new(const RwLearned *learned, const GArray *useful)
{
    GPtrArray *spots = g_ptr_array_new_with_free_func(free_spot);
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < useful->len; i++)
        add_spot(spots, known, learned, g_array_index(useful, guint, i));
    set_turns(spots);
    return spots;
}
