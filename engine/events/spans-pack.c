// SPDX-License-Identifier: MIT
#include "spans-private.h"

void rw_rows_init(RwRows *rows, guint most)
{
    for (rows->leaves = 1; rows->leaves < most;)
        rows->leaves *= 2;
    rows->ends = g_new0(uint64_t, 2 * (gsize)rows->leaves);
}

void rw_rows_clear(RwRows *rows)
{
    g_clear_pointer(&rows->ends, g_free);
}

// Up from the leaf until a tree to its right, or its own, has a free row, then down to its first one.
static guint find_free(const RwRows *rows, guint leaf, uint64_t from)
{
    guint node = leaf;
    while (rows->ends[node] > from) {
        while (node & 1)
            node /= 2; // it is its parent's right one
        node++;
    }
    while (node < rows->leaves)
        node = rows->ends[2 * node] <= from ? 2 * node : 2 * node + 1;
    return node;
}

guint rw_rows_take(RwRows *rows, guint least, uint64_t from, uint64_t until)
{
    guint leaf = find_free(rows, rows->leaves + least, from);
    rows->ends[leaf] = until;
    for (guint node = leaf / 2; node; node /= 2)
        rows->ends[node] = MIN(rows->ends[2 * node], rows->ends[2 * node + 1]);
    return leaf - rows->leaves;
}
