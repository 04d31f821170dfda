// SPDX-License-Identifier: MIT
//
// Kinds of meetings by what was seen to order them: those that nothing does come first, and those that
// creation and end of tasks do cannot be turned round.
#include "search-private.h"

typedef struct {
    uint64_t a, b;
} Instructions;

static Instructions order_of(uint64_t a, uint64_t b)
{
    return (Instructions){MIN(a, b), MAX(a, b)};
}

static guint hash(gconstpointer data)
{
    const Instructions *key = data;
    return (guint)((key->a * 0x9e3779b97f4a7c15ull + key->b) * 0x9e3779b97f4a7c15ull >> 32);
}

static gboolean equal(gconstpointer a, gconstpointer b)
{
    const Instructions *x = a, *y = b;
    return x->a == y->a && x->b == y->b;
}

// Two instructions → RwLearnedPair, the sum of those of all tasks and words.
static GHashTable *sum_pairs(const RwLearned *learned)
{
    GHashTable *sums = g_hash_table_new_full(hash, equal, g_free, g_free);
    for (guint i = 0; i < learned->pairs->len; i++) {
        const RwLearnedPair *pair = &g_array_index(learned->pairs, RwLearnedPair, i);
        Instructions key = order_of(g_array_index(learned->sites, RwLearnedSite, pair->first).number,
                                    g_array_index(learned->sites, RwLearnedSite, pair->second).number);
        RwLearnedPair *sum = g_hash_table_lookup(sums, &key);
        if (!sum) {
            sum = g_new0(RwLearnedPair, 1);
            g_hash_table_insert(sums, g_memdup2(&key, sizeof key), sum);
        }
        sum->unordered += pair->unordered;
        sum->locked += pair->locked;
        sum->ordered += pair->ordered;
        sum->forced += pair->forced;
    }
    return sums;
}

static bool is_of_memory(const RwKind *kind)
{
    return kind->object == RW_OBJECT_MEMORY && kind->kind[0] == RW_PLACE_AT && kind->kind[1] == RW_PLACE_AT;
}

void rw_kinds_take_order(GPtrArray *kinds, const RwLearned *learned)
{
    g_autoptr(GHashTable) sums = sum_pairs(learned);
    for (guint i = 0; i < kinds->len; i++) {
        RwKind *kind = kinds->pdata[i];
        Instructions key = order_of(kind->number[0], kind->number[1]);
        const RwLearnedPair *sum = is_of_memory(kind) ? g_hash_table_lookup(sums, &key) : NULL;
        if (!sum)
            continue;
        kind->is_race = kind->class <= RW_CLASS_ALIKE && sum->unordered;
        if (sum->forced && !sum->unordered && !sum->locked && !sum->ordered && !learned->unjudged)
            g_ptr_array_remove_index(kinds, i--);
    }
}
