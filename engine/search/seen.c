// SPDX-License-Identifier: MIT
//
// A run that was watched.
#include "search-private.h"

#define LIBRARIES 0x7f0000000000ull // where the kernel maps them: from here on
#define LOCK_BACK 400u // events of all tasks within which a lock must have been taken

const RwLearnedEvent *rw_seen_event(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->events, RwLearnedEvent, index);
}

const RwLearnedTask *rw_seen_task(const RwLearned *learned, guint index)
{
    return &g_array_index(learned->tasks, RwLearnedTask, index);
}

bool rw_event_is_own(const RwLearnedEvent *event)
{
    return event->place.kind != RW_PLACE_AT || event->place.number < LIBRARIES;
}

// ---- Locks ----

#define GIVEN_MAX 16u

// A shell takes a lock by a program that it waits for.
static bool acts_for(const RwLearned *learned, guint task, guint other)
{
    const RwLearnedTask *x = rw_seen_task(learned, task), *y = rw_seen_task(learned, other);
    return task == other || (x->pid != y->pid && rw_task_name_is_ancestor(&y->name, &x->name));
}

// By object: the indices of its sites.
static GPtrArray *list_sites(const RwLearned *learned)
{
    GPtrArray *lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < learned->objects->len; i++)
        g_ptr_array_add(lists, g_array_new(false, false, sizeof(guint)));
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        g_array_append_val((GArray *)lists->pdata[site->object], i);
    }
    return lists;
}

// Of the program's own: a file, a process or memory that its own code changes. What a linker puts where
// calls go through is none.
static bool *list_changed(const RwLearned *learned)
{
    bool *changed = g_new0(bool, learned->objects->len + 1);
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        if (rw_event_is_own(event) && event->flags & RW_EVENT_CHANGES &&
            g_array_index(learned->objects, RwObject, event->object).kind != RW_OBJECT_NONE)
            changed[event->object] = true;
    }
    return changed;
}

static GPtrArray *list_own(const RwLearned *learned)
{
    g_autofree bool *changed = list_changed(learned);
    GPtrArray *lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    for (guint i = 0; i < learned->tasks->len; i++)
        g_ptr_array_add(lists, g_array_new(false, false, sizeof(guint)));
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        if (rw_event_is_own(event) && changed[event->object])
            g_array_append_val((GArray *)lists->pdata[event->task], i);
    }
    return lists;
}

static bool has_site(const RwSeen *seen, guint task, guint object, uint32_t flags)
{
    const GArray *sites = seen->sites->pdata[object];
    for (guint i = 0; i < sites->len; i++) {
        const RwLearnedSite *site =
            &g_array_index(seen->learned->sites, RwLearnedSite, g_array_index(sites, guint, i));
        if (site->flags & flags && acts_for(seen->learned, site->task, task))
            return true;
    }
    return false;
}

// What is never given back is no lock: a name that is made and stays, a count that another one makes less.
static bool is_lock(const RwSeen *seen, const RwLearnedEvent *event, guint holder)
{
    const RwObject *object = &g_array_index(seen->learned->objects, RwObject, event->object);
    bool counts = event->flags & RW_EVENT_ATOMIC || object->kind == RW_OBJECT_PATH;
    return event->flags & (RW_EVENT_ATOMIC | RW_EVENT_LOCKS) &&
           (!counts || has_site(seen, holder, event->object, RW_EVENT_UNLOCKS));
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

guint rw_meeting_lock(const RwSeen *seen, const RwMeeting *meeting)
{
    const RwLearned *learned = seen->learned;
    const RwLearnedEvent *first = rw_seen_event(learned, meeting->first),
                         *second = rw_seen_event(learned, meeting->second);
    Given given = {0};
    for (guint i = meeting->first, back = 0; i-- > 0 && back < LOCK_BACK; back++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        if (!acts_for(learned, event->task, first->task) || rw_events_overlap(event, first) ||
            was_given(&given, event->object))
            continue;
        if (event->flags & RW_EVENT_UNLOCKS && given.n < GIVEN_MAX)
            given.objects[given.n++] = event->object;
        else if (is_lock(seen, event, first->task) &&
                 has_site(seen, second->task, event->object, RW_EVENT_ATOMIC | RW_EVENT_LOCKS))
            return i;
    }
    return meeting->first;
}

guint rw_meeting_unlock(const RwSeen *seen, const RwMeeting *meeting, guint lock)
{
    const RwLearnedEvent *taken = rw_seen_event(seen->learned, lock),
                         *second = rw_seen_event(seen->learned, meeting->second);
    guint end = MIN(seen->learned->events->len, meeting->second + LOCK_BACK);
    for (guint i = meeting->second + 1; i < end && lock != meeting->first; i++) {
        const RwLearnedEvent *event = rw_seen_event(seen->learned, i);
        if (event->task == second->task && event->object == taken->object &&
            event->flags & RW_EVENT_CHANGES)
            return i;
    }
    return meeting->second;
}

GArray *rw_locks_new(const RwSeen *seen)
{
    const RwLearned *learned = seen->learned;
    GArray *locks = g_array_new(false, false, sizeof(guint));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL); // sites
    for (guint i = 0; i < learned->events->len; i++) {
        const RwLearnedEvent *event = rw_seen_event(learned, i);
        const RwObject *object = &g_array_index(learned->objects, RwObject, event->object);
        if (event->flags & RW_EVENT_LOCKS && object->tasks > 1 && is_lock(seen, event, event->task) &&
            g_hash_table_add(known, GUINT_TO_POINTER(event->site)))
            g_array_append_val(locks, i);
    }
    return locks;
}

// ---- All of it ----

RwSeen *rw_seen_new(const RwLearned *learned, const RwSchedule *schedule)
{
    RwSeen *seen = g_new0(RwSeen, 1);
    seen->learned = learned;
    seen->later = schedule != NULL;
    if (schedule)
        seen->schedule = *schedule;
    seen->sites = list_sites(learned);
    seen->own = list_own(learned);
    return seen;
}

void rw_seen_free(RwSeen *seen)
{
    rw_learned_free(seen->owned);
    g_ptr_array_unref(seen->sites);
    g_ptr_array_unref(seen->own);
    g_free(seen);
}
