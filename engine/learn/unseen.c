// SPDX-License-Identifier: MIT
//
// Writes behind which a task reads something else at once: a processor may do both before others see the
// write.
#include "learn-private.h"

#define WAYS_MAX 4096u // from one instruction to another: of more none is known

typedef struct {
    uint64_t from, to;
    uint32_t count; // instructions, the first among them
} Way;

static guint hash_way(gconstpointer key)
{
    const Way *way = key;
    return g_int64_hash(&way->from) * 31 + g_int64_hash(&way->to) + way->count;
}

static gboolean equal_ways(gconstpointer a, gconstpointer b)
{
    const Way *x = a, *y = b;
    return x->from == y->from && x->to == y->to && x->count == y->count;
}

void rw_unseen_init(RwUnseen *unseen, RwMachine *machine)
{
    *unseen =
        (RwUnseen){.machine = machine, .ways = g_hash_table_new_full(hash_way, equal_ways, g_free, NULL)};
}

void rw_unseen_clear(RwUnseen *unseen)
{
    g_clear_pointer(&unseen->ways, g_hash_table_unref);
}

static bool is_straight(RwUnseen *unseen, const Way *way)
{
    gpointer known = g_hash_table_lookup(unseen->ways, way);
    if (known)
        return known == GUINT_TO_POINTER(2);
    if (g_hash_table_size(unseen->ways) >= WAYS_MAX)
        return false;
    bool straight = rw_machine_is_straight(unseen->machine, way->from, way->count, way->to);
    g_hash_table_insert(unseen->ways, g_memdup2(way, sizeof *way), GUINT_TO_POINTER(1 + straight));
    return straight;
}

static bool overlap(const RwUnseen *unseen, const RwWatchAccess *access)
{
    return access->va < unseen->va + unseen->size && unseen->va < access->va + access->size;
}

// It reads something else, and nothing but its own instructions lies between.
static bool is_behind(RwUnseen *unseen, const RwWatchAccess *access, uint32_t tid)
{
    uint64_t count = access->icount - unseen->icount;
    return unseen->tid == tid && count && count < RW_UNSEEN_MAX &&
           access->user_icount - unseen->user_icount == count && !overlap(unseen, access) &&
           is_straight(unseen, &(Way){unseen->rip, access->rip, (uint32_t)count});
}

void rw_unseen_access(RwUnseen *unseen, GArray *events, const RwWatchAccess *access, uint32_t tid)
{
    RwLearnedEvent *last = events->len ? &g_array_index(events, RwLearnedEvent, events->len - 1) : NULL;
    if (!(access->flags & RW_WATCH_WRITE)) {
        if (is_behind(unseen, access, tid))
            g_array_index(events, RwLearnedEvent, unseen->event).unseen =
                (uint32_t)(access->icount - unseen->icount);
        return;
    }
    unseen->tid = 0;
    if (access->flags & RW_WATCH_READ || !last || last->place.number != access->rip)
        return; // not a write alone, or one that is not kept
    unseen->tid = tid;
    unseen->event = events->len - 1;
    unseen->rip = access->rip;
    unseen->va = access->va;
    unseen->size = access->size;
    unseen->icount = access->icount;
    unseen->user_icount = access->user_icount;
}
