// SPDX-License-Identifier: MIT
//
// Two things that a task does belong together where they are near each other. A meeting that is turned
// round breaks them in two if the task goes as far as the first of them, and the other one comes before the
// second: no order of the one after the other gives the same then (a cycle of conflicts: Papadimitriou, The
// serializability of concurrent database updates, JACM 1979; how near: CTrigger, Park et al., ASPLOS 2009).
#include "search-private.h"

#define NEAR 12u // events of the program's own code in that task

typedef struct {
    const RwLearnedEvent *events[2 * NEAR + 1];
    guint apart[2 * NEAR + 1]; // how many of these lie between
    guint n;
} Near;

// The first of its task's own that is not before `at`.
static guint find_own(const GArray *own, guint at)
{
    guint low = 0, high = own->len;
    while (low < high) {
        guint middle = (low + high) / 2;
        if (g_array_index(own, guint, middle) < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Events of the program's own code in the task of `at`, from there on backwards or forwards. What libraries
// do between, a linker at a function's first call, counts for nothing.
static void add_near(const RwSeen *seen, guint at, bool back, Near *near)
{
    const GArray *own = seen->own->pdata[rw_seen_event(seen->learned, at)->task];
    guint from = find_own(own, back ? at : at + 1);
    for (guint i = 1; i <= NEAR && (back ? i <= from : from + i <= own->len); i++) {
        guint event = g_array_index(own, guint, back ? from - i : from + i - 1);
        near->events[near->n] = rw_seen_event(seen->learned, event);
        near->apart[near->n++] = i;
    }
}

// Who only looks again and again waits for something.
static bool is_loop(const RwLearnedEvent *a, const RwLearnedEvent *b)
{
    return !((a->flags | b->flags) & RW_EVENT_CHANGES) && a->place.kind == b->place.kind &&
           a->place.number == b->place.number;
}

// x comes before `first`, which comes behind `second` then, near which y is.
static bool is_cycle(const RwLearned *learned, const RwLearnedEvent *x, const RwLearnedEvent *first,
                     const RwLearnedEvent *second, const RwLearnedEvent *y)
{
    uint32_t flags = x->flags | first->flags | second->flags | y->flags;
    return flags & RW_EVENT_READS && !is_loop(x, first) && rw_events_conflict(learned, x, y);
}

// What the task writes comes of what it read before, and not of what another one wrote meanwhile.
static bool is_lost_update(const RwLearnedEvent *x, const RwLearnedEvent *first,
                           const RwLearnedEvent *second, const RwLearnedEvent *y)
{
    return y == second && second->flags & RW_EVENT_CHANGES && x->object == first->object &&
           x->flags & RW_EVENT_READS && first->flags & RW_EVENT_CHANGES && !(first->flags & RW_EVENT_READS);
}

static bool is_silent(const RwLearnedEvent *event)
{
    return !(event->flags & RW_EVENT_CHANGES) || event->flags & RW_EVENT_SILENT;
}

bool rw_meeting_is_silent(const RwSeen *seen, const RwMeeting *meeting)
{
    return is_silent(rw_seen_event(seen->learned, meeting->first)) &&
           is_silent(rw_seen_event(seen->learned, meeting->second));
}

guint rw_meeting_breaks(const RwSeen *seen, const RwMeeting *meeting)
{
    const RwLearned *learned = seen->learned;
    const RwLearnedEvent *first = rw_seen_event(learned, meeting->first),
                         *second = rw_seen_event(learned, meeting->second);
    guint best = 0;
    guint lock = rw_meeting_lock(seen, meeting);
    if (lock == meeting->first && first->flags & RW_EVENT_SPLITS && second->flags & RW_EVENT_CHANGES)
        return 1;
    Near before = {0}, around = {{second}, {0}, 1};
    add_near(seen, lock, true, &before);
    add_near(seen, meeting->second, true, &around);
    add_near(seen, meeting->second, false, &around);
    for (guint i = 0; i < before.n; i++)
        for (guint k = 0; k < around.n; k++) {
            bool lost = is_lost_update(before.events[i], first, second, around.events[k]);
            guint apart = lost ? 1 : 1 + before.apart[i] + around.apart[k];
            if ((!best || apart < best) &&
                is_cycle(learned, before.events[i], first, second, around.events[k]))
                best = apart;
        }
    return best;
}
