// SPDX-License-Identifier: MIT
//
// Trees read: page by page, object by object, into memory.
#include "rw-pages-care.h"

#include <sys/mman.h>

typedef struct {
    RwPages *pages;
    RwPageTreeFunc page;
    RwPageSet *seen; // with object: what is skipped
    RwPageObjectFunc object;
    void *data;
    bool lenient; // passes over nodes that are damaged or missing
} Walk;

static bool visit(const Walk *walk, const RwPageHash *hash, unsigned level, uint64_t first, GError **error);

static bool is_proven(const GError *error)
{
    return g_error_matches(error, RW_ERROR, RW_ERROR_INVALID) ||
           g_error_matches(error, RW_ERROR, RW_ERROR_NOT_FOUND);
}

static bool visit_children(const Walk *walk, const RwPageHash *hash, unsigned level, uint64_t first,
                           GError **error)
{
    RwPageHash child[RW_TREE_FANOUT];
    uint64_t span = rw_page_tree_pages(level - 1);
    g_autoptr(GError) local = NULL;
    if (!rw_pages_get(walk->pages, hash, child, sizeof child, &local)) {
        if (walk->lenient && is_proven(local))
            return true;
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    for (unsigned i = 0; i < RW_TREE_FANOUT; i++)
        if (!visit(walk, &child[i], level - 1, first + i * span, error))
            return false;
    return true;
}

// Level 0 is a page. The depth is fixed, so no tree, however it is made, has more visits
// than pages fit under its levels.
static bool visit(const Walk *walk, const RwPageHash *hash, unsigned level, uint64_t first, GError **error)
{
    if (rw_page_hash_is_zero(hash) || (walk->seen && !rw_page_set_add(walk->seen, hash)))
        return true;
    if (walk->object && !walk->object(hash, level ? RW_TREE_NODE_BYTES : RW_PAGE_BYTES, walk->data, error))
        return false;
    if (level)
        return visit_children(walk, hash, level, first, error);
    return !walk->page || walk->page(first, hash, walk->data, error);
}

bool rw_page_tree_walk(RwPages *pages, const RwPageHash *root, unsigned levels, RwPageTreeFunc page,
                       void *data, GError **error)
{
    Walk walk = {.pages = pages, .page = page, .data = data};
    return visit(&walk, root, levels, 0, error);
}

bool rw_page_tree_collect(RwPages *pages, const RwPageHash *root, unsigned levels, RwPageSet *seen,
                          RwPageObjectFunc object, void *data, GError **error)
{
    Walk walk = {.pages = pages, .seen = seen, .object = object, .data = data};
    return visit(&walk, root, levels, 0, error);
}

bool rw_page_tree_mark(RwPages *pages, const RwPageHash *root, unsigned levels, RwPageSet *live,
                       GError **error)
{
    Walk walk = {.pages = pages, .seen = live, .lenient = true};
    return visit(&walk, root, levels, 0, error);
}

// ---- Into memory ----

typedef struct {
    uint64_t page;
    RwPageHash hash;
} Wanted;

typedef struct {
    RwPages *pages;
    GArray *wanted; // of Wanted
    uint8_t *memory;
    uint64_t limit; // pages of the memory
    uint8_t *touched;
    guint next; // of wanted
    GMutex guard; // of error
    GError *error;
} Load;

static bool want(uint64_t page, const RwPageHash *hash, void *data, GError **error)
{
    Load *load = data;
    Wanted wanted = {page, *hash};
    if (page >= load->limit) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "a keyframe has more memory than its machine");
        return false;
    }
    load->touched[page] = 1;
    g_array_append_val(load->wanted, wanted);
    return true;
}

static void keep_error(Load *load, GError *error)
{
    g_mutex_lock(&load->guard);
    if (load->error)
        g_error_free(error);
    else
        load->error = error;
    g_mutex_unlock(&load->guard);
    g_atomic_int_set(&load->next, load->wanted->len);
}

// Neighbours get their memory from the host at once: a fault for each page costs more than the page. Where
// it refuses there are faults.
static void populate(const Load *load, guint from, guint to)
{
    for (guint i = from, first = from; i < to; i++) {
        uint64_t page = g_array_index(load->wanted, Wanted, i).page;
        if (i + 1 < to && g_array_index(load->wanted, Wanted, i + 1).page == page + 1)
            continue;
        size_t n = i + 1 - first;
        if (n > 1)
            madvise(load->memory + (page + 1 - n) * RW_PAGE_BYTES, n * RW_PAGE_BYTES, MADV_POPULATE_WRITE);
        first = i + 1;
    }
}

// Some pages at a time, so that neighbours in a pack are read by one thread.
static gpointer fill(gpointer data)
{
    const guint batch = 128;
    Load *load = data;
    guint from;
    while ((from = (guint)g_atomic_int_add(&load->next, batch)) < load->wanted->len) {
        guint to = MIN(from + batch, load->wanted->len);
        populate(load, from, to);
        for (guint i = from; i < to; i++) {
            const Wanted *wanted = &g_array_index(load->wanted, Wanted, i);
            GError *error = NULL;
            if (rw_pages_get(load->pages, &wanted->hash, load->memory + wanted->page * RW_PAGE_BYTES,
                             RW_PAGE_BYTES, &error))
                continue;
            keep_error(load, error);
            return NULL;
        }
    }
    return NULL;
}

static void fill_with_threads(Load *load, unsigned threads)
{
    GThread *helper[16] = {0};
    unsigned helpers =
        load->wanted->len < 1024 ? 0 : MIN(MAX(threads, 1u) - 1, (unsigned)G_N_ELEMENTS(helper));
    for (unsigned i = 0; i < helpers; i++)
        helper[i] = g_thread_try_new("pages", fill, load, NULL);
    fill(load);
    for (unsigned i = 0; i < helpers; i++)
        if (helper[i])
            g_thread_join(helper[i]);
}

bool rw_page_tree_load(RwPages *pages, const RwPageHash *root, uint8_t *memory, uint64_t size,
                       uint8_t *touched, unsigned threads, GError **error)
{
    Load load = {
        .pages = pages,
        .wanted = g_array_new(false, false, sizeof(Wanted)),
        .memory = memory,
        .limit = size / RW_PAGE_BYTES,
        .touched = touched,
    };
    g_mutex_init(&load.guard);
    bool ok = rw_page_tree_walk(pages, root, rw_page_tree_levels(size), want, &load, error);
    if (ok)
        fill_with_threads(&load, threads);
    if (load.error)
        g_propagate_error(error, load.error);
    g_mutex_clear(&load.guard);
    g_array_unref(load.wanted);
    return ok && !load.error;
}
