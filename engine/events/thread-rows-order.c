// SPDX-License-Identifier: MIT
//
// The rows' order, and what is found in them.
#include "thread-rows-private.h"

#include "rw-event.h"

enum { RANK_FIRST, RANK_SEVERAL, RANK_OTHER, RANK_SYSTEM };

static RwThreadMade *get_made(const RwThreadRows *rows, guint i)
{
    return g_ptr_array_index(rows->threads, i);
}

// Returns pid → how many threads it had.
static GHashTable *count_threads(RwThreadRows *rows)
{
    GHashTable *counts = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) firsts = g_hash_table_new(NULL, NULL); // pid → number of its first thread
    for (guint i = 0; i < rows->threads->len; i++) {
        RwThreadMade *made = get_made(rows, i);
        gpointer pid = GUINT_TO_POINTER(made->row.pid), first = GUINT_TO_POINTER(i);
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, pid));
        g_hash_table_insert(counts, pid, GUINT_TO_POINTER(count + 1));
        if (!g_hash_table_lookup_extended(firsts, pid, NULL, &first))
            g_hash_table_insert(firsts, pid, first);
        made->process = GPOINTER_TO_UINT(first);
    }
    return counts;
}

static guint get_rank(const RwThreadMade *made, GHashTable *counts, uint32_t first)
{
    if (made->row.kernel || made->row.pid <= 1)
        return RANK_SYSTEM;
    if (made->row.pid == first)
        return RANK_FIRST;
    return GPOINTER_TO_UINT(g_hash_table_lookup(counts, GUINT_TO_POINTER(made->row.pid))) > 1 ? RANK_SEVERAL
                                                                                              : RANK_OTHER;
}

static int compare(gconstpointer a, gconstpointer b)
{
    const RwThreadMade *left = *(RwThreadMade *const *)a, *right = *(RwThreadMade *const *)b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if (left->row.tid != right->row.tid)
        return left->row.tid < right->row.tid ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

// The last one that had the process's number as its own.
static void set_processes(RwThreadRows *rows)
{
    g_autoptr(GHashTable) names = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < rows->threads->len; i++) {
        RwThreadRow *row = &get_made(rows, i)->row;
        if (row->pid == row->tid && row->name)
            g_hash_table_insert(names, GUINT_TO_POINTER(row->pid), (gpointer)row->name);
    }
    for (guint i = 0; i < rows->threads->len; i++) {
        RwThreadRow *row = &get_made(rows, i)->row;
        row->process = g_hash_table_lookup(names, GUINT_TO_POINTER(row->pid));
    }
}

// From numbers as they came to those of the rows.
static void renumber(RwThreadRows *rows)
{
    g_autofree uint32_t *numbers = g_new(uint32_t, rows->threads->len + 1);
    for (guint i = 0; i < rows->threads->len; i++)
        numbers[get_made(rows, i)->number] = i;
    for (guint i = 0; i < rows->owners->len; i++) {
        RwThreadOwner *owner = &g_array_index(rows->owners, RwThreadOwner, i);
        owner->thread = owner->thread == RW_NO_THREAD ? RW_NO_THREAD : numbers[owner->thread];
    }
    for (guint i = 0; i < rows->threads->len; i++) {
        RwThreadMade *made = get_made(rows, i);
        for (guint k = 0; k < made->bars->len; k++) {
            RwThreadBar *bar = &g_array_index(made->bars, RwThreadBar, k);
            bar->other = bar->other == RW_NO_THREAD ? RW_NO_THREAD : numbers[bar->other];
        }
        made->number = i;
    }
}

void rw_thread_rows_sort(RwThreadRows *rows, uint32_t first)
{
    g_autoptr(GHashTable) counts = count_threads(rows);
    for (guint i = 0; i < rows->threads->len; i++)
        get_made(rows, i)->rank = get_rank(get_made(rows, i), counts, first);
    set_processes(rows);
    g_ptr_array_sort(rows->threads, compare);
    renumber(rows);
    for (guint i = 0; i < rows->threads->len; i++) {
        RwThreadMade *made = get_made(rows, i);
        made->row.bars = (const RwThreadBar *)(void *)made->bars->data;
        made->row.n_bars = made->bars->len;
        made->row.marked = (const guint *)(void *)made->marked->data;
        made->row.n_marked = made->marked->len;
    }
}

// ---- What is found ----

guint rw_thread_rows_count(const RwThreadRows *rows)
{
    return rows->threads->len;
}

const RwThreadRow *rw_thread_rows_get(const RwThreadRows *rows, guint number)
{
    return &get_made(rows, number)->row;
}

uint64_t rw_thread_rows_get_cut(const RwThreadRows *rows)
{
    return rows->cut;
}

uint32_t rw_thread_rows_find_running(const RwThreadRows *rows, uint64_t time)
{
    guint low = 0, high = rows->owners->len; // those before `low` begin by then
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(rows->owners, RwThreadOwner, middle).from <= time)
            low = middle + 1;
        else
            high = middle;
    }
    bool known = low && !(rows->cut && time >= rows->cut);
    return known ? g_array_index(rows->owners, RwThreadOwner, low - 1).thread : RW_NO_THREAD;
}

guint rw_thread_row_find(const RwThreadRow *row, guint hint, uint64_t time)
{
    guint low = hint == G_MAXUINT ? 0 : hint, high = row->n_bars;
    if (low + 1 < high && row->bars[low].from <= time && row->bars[low + 1].from > time)
        return low;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (row->bars[middle].from <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : G_MAXUINT;
}

uint64_t rw_thread_row_get_end(const RwThreadRow *row, guint bar)
{
    return bar + 1 < row->n_bars ? row->bars[bar + 1].from : UINT64_MAX;
}

const char *rw_thread_bar_get_call(const RwThreadBar *bar)
{
    return bar->state == RW_THREAD_BLOCKED && bar->call >= 0 ? rw_system_call_name((unsigned)bar->call)
                                                             : NULL;
}

uint64_t rw_thread_row_get_ran(const RwThreadRow *row, guint bar, uint64_t time)
{
    if (bar == G_MAXUINT)
        return 0;
    const RwThreadBar *at = &row->bars[bar];
    return at->ran + (at->state == RW_THREAD_RUNS ? time - at->from : 0);
}
