// SPDX-License-Identifier: MIT
//
// What was learned: made, ended and freed.
#include "learn-private.h"

static void clear_task(gpointer data)
{
    g_free(((RwLearnedTask *)data)->program);
}

static void clear_object(gpointer data)
{
    g_free(((RwObject *)data)->name);
}

RwLearned *rw_learned_new(void)
{
    RwLearned *learned = g_new0(RwLearned, 1);
    learned->tasks = g_array_new(false, true, sizeof(RwLearnedTask));
    learned->objects = g_array_new(false, true, sizeof(RwObject));
    learned->sites = g_array_new(false, true, sizeof(RwLearnedSite));
    learned->events = g_array_new(false, true, sizeof(RwLearnedEvent));
    learned->handlers = g_array_new(false, true, sizeof(RwLearnedHandler));
    learned->signals = g_array_new(false, true, sizeof(RwLearnedSignal));
    learned->pairs = g_array_new(false, true, sizeof(RwLearnedPair));
    learned->answers = g_array_new(false, true, sizeof(RwLearnedAnswer));
    g_array_set_clear_func(learned->tasks, clear_task);
    g_array_set_clear_func(learned->objects, clear_object);
    return learned;
}

void rw_learned_free(RwLearned *learned)
{
    if (!learned)
        return;
    g_array_unref(learned->tasks);
    g_array_unref(learned->objects);
    g_array_unref(learned->sites);
    g_array_unref(learned->events);
    g_array_unref(learned->handlers);
    g_array_unref(learned->signals);
    g_array_unref(learned->pairs);
    g_array_unref(learned->answers);
    rw_words_free(learned->words);
    g_free(learned);
}

#define HANDLER_SHIFT 16 // tasks are fewer than that

// By how many tasks each object was touched.
static void count_tasks(RwLearned *learned)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < learned->sites->len; i++) {
        const RwLearnedSite *site = &g_array_index(learned->sites, RwLearnedSite, i);
        uint64_t key = (uint64_t)site->object << 32 | (uint64_t)site->handler << HANDLER_SHIFT | site->task;
        RwObject *object = &g_array_index(learned->objects, RwObject, site->object);
        object->changed |= (site->flags & RW_EVENT_CHANGES) != 0;
        if (g_hash_table_add(seen, g_memdup2(&key, sizeof key)))
            object->tasks++;
    }
}

// Those that never executed one have their creator's.
static void inherit_programs(RwLearned *learned)
{
    for (guint i = 0; i < learned->tasks->len; i++) {
        RwLearnedTask *task = &g_array_index(learned->tasks, RwLearnedTask, i);
        if (!task->program && task->creator < i)
            task->program = g_strdup(g_array_index(learned->tasks, RwLearnedTask, task->creator).program);
    }
}

// The bytes of a word of memory that an event touches.
static uint64_t mask_of(const RwLearnedEvent *event)
{
    uint64_t n = event->end - event->start;
    return n >= 8 ? UINT64_MAX : ((1ull << 8 * n) - 1) << 8 * event->start;
}

static bool is_of_memory(const RwLearned *learned, const RwLearnedEvent *event)
{
    return event->place.kind == RW_PLACE_AT &&
           g_array_index(learned->objects, RwObject, event->object).kind == RW_OBJECT_MEMORY;
}

// Of the last one nothing is known.
static void note_left(RwLearned *learned)
{
    g_autofree RwLearnedEvent **next = g_new0(RwLearnedEvent *, learned->objects->len + 1);
    for (guint i = learned->events->len; i-- > 0;) {
        RwLearnedEvent *event = &g_array_index(learned->events, RwLearnedEvent, i);
        if (!is_of_memory(learned, event))
            continue;
        const RwLearnedEvent *after = next[event->object];
        event->left = after ? after->value : ~event->value;
        bool writes = event->flags & RW_EVENT_CHANGES && !(event->flags & RW_EVENT_FREES);
        if (writes && !((event->left ^ event->value) & mask_of(event)))
            event->flags |= RW_EVENT_SILENT;
        next[event->object] = event;
    }
}

typedef struct {
    guint holder; // task + 1; 0: nobody
    uint64_t free, mask; // as it was before it was taken, and which bytes that were
} Taken;

// Who changes memory by an atomic instruction takes it, until it is as it was. What is between is not all
// kept: who finds it free knows that it was given back.
static void note_unlocks(RwLearned *learned)
{
    g_autofree Taken *all = g_new0(Taken, learned->objects->len + 1);
    for (guint i = 0; i < learned->events->len; i++) {
        RwLearnedEvent *event = &g_array_index(learned->events, RwLearnedEvent, i);
        Taken *taken = &all[event->object];
        if (!is_of_memory(learned, event) || !(event->flags & RW_EVENT_CHANGES) ||
            event->flags & (RW_EVENT_SILENT | RW_EVENT_FREES))
            continue;
        uint64_t mask = mask_of(event);
        // How often one has it stands beside it, in the same word.
        if (taken->holder && !(mask & taken->mask))
            continue;
        bool is_free = !taken->holder || !((event->value ^ taken->free) & mask);
        if (taken->holder == event->task + 1 && !((event->left ^ taken->free) & mask)) {
            event->flags |= RW_EVENT_UNLOCKS;
            if (event->site < learned->sites->len)
                g_array_index(learned->sites, RwLearnedSite, event->site).flags |= RW_EVENT_UNLOCKS;
            taken->holder = 0;
        } else if (is_free && event->flags & RW_EVENT_ATOMIC) {
            *taken = (Taken){event->task + 1, event->value, mask};
        }
    }
}

void rw_learned_end(RwLearned *learned)
{
    note_left(learned);
    note_unlocks(learned);
    inherit_programs(learned);
    count_tasks(learned);
}
