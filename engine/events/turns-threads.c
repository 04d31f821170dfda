// SPDX-License-Identifier: MIT
//
// Turns by thread.
#include "rw-turns.h"

#include "rw-json.h"

typedef struct {
    GPtrArray *sums; // of RwThreadSum, owned
    GHashTable *now; // tid → RwThreadSum of the thread that has it now
} Sums;

void rw_thread_sum_free(RwThreadSum *sum)
{
    if (!sum)
        return;
    g_free(sum->name);
    g_free(sum);
}

static RwThreadSum *find(Sums *sums, const RwTurn *turn)
{
    RwThreadSum *sum = g_hash_table_lookup(sums->now, GUINT_TO_POINTER(turn->tid));
    if (sum && sum->pid == turn->pid && !sum->left[RW_LEFT_END])
        return sum;
    sum = g_new0(RwThreadSum, 1);
    *sum = (RwThreadSum){.pid = turn->pid, .tid = turn->tid, .kernel = turn->kernel, .first = turn->from};
    g_ptr_array_add(sums->sums, sum);
    g_hash_table_insert(sums->now, GUINT_TO_POINTER(turn->tid), sum);
    return sum;
}

static bool add(const RwTurn *turn, void *data)
{
    RwThreadSum *sum = find(data, turn);
    if (turn->name && g_strcmp0(turn->name, sum->name)) {
        g_free(sum->name);
        sum->name = g_strdup(turn->name);
    }
    sum->last = turn->to;
    sum->turns++;
    sum->ticks += turn->to.tsc > turn->from.tsc ? turn->to.tsc - turn->from.tsc : 0;
    sum->left[turn->left]++;
    return true;
}

GPtrArray *rw_turns_sum(RwTrace *trace, uint64_t from, uint64_t to, GError **error)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)rw_thread_sum_free);
    g_autoptr(GHashTable) now = g_hash_table_new(NULL, NULL);
    Sums sums = {all, now};
    return rw_turns_walk(trace, from, to, add, &sums, error) ? g_steal_pointer(&all) : NULL;
}
