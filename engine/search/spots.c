// SPDX-License-Identifier: MIT
//
// Where one task alone is worth being held.
#include "search-private.h"

#define EVENTS_A_SPOT 64u

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
        return rw_event_is_own(event) ? RW_PROMISE_SHARED : RW_PROMISE_LITTLE;
    if (event->flags & RW_EVENT_BLOCKS)
        return RW_PROMISE_WAITS;
    bool shared = object->kind != RW_OBJECT_NONE && object->tasks > 1 && object->changed;
    return shared ? RW_PROMISE_SHARED : RW_PROMISE_LITTLE;
}

static void add_spot(GPtrArray *spots, GHashTable *known, const RwLearned *learned, guint index)
{
    const RwLearnedEvent *event = rw_seen_event(learned, index);
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
    spot->takes |= (event->flags & RW_EVENT_ATOMIC) != 0;
    if (spot->events->len)
        spot->several |= rw_seen_event(learned, g_array_index(spot->events, guint, 0))->task != event->task;
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
           rw_seen_task(learned, runnable->next_born)->created < event->order;
         runnable->next_born++)
        runnable->n += runnable->could_run[runnable->next_born] = true;
    bool could =
        !(event->flags & RW_EVENT_BLOCKS) && event->order < rw_seen_task(learned, event->task)->ended;
    runnable->n += (guint)could - (guint)runnable->could_run[event->task];
    runnable->could_run[event->task] = could;
}

GArray *rw_useful_new(const RwLearned *learned)
{
    GArray *useful = g_array_new(false, false, sizeof(guint));
    Runnable runnable = {.could_run = g_new0(bool, learned->tasks->len + 1)};
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
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
