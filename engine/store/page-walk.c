// SPDX-License-Identifier: MIT
//
// Trees read: page by page, object by object, into memory.
#include "rw-pages.h"

typedef struct {
    RwPages *pages;
    RwPageTreeFunc page;
    RwPageSet *seen; // with object: what is skipped
    RwPageObjectFunc object;
    void *data;
} Walk;

static gboolean visit(const Walk *walk, const RwPageHash *hash, unsigned level, uint64_t first,
                      GError **error);

static gboolean visit_children(const Walk *walk, const RwPageHash *hash, unsigned level, uint64_t first,
                               GError **error)
{
    RwPageHash child[RW_TREE_FANOUT];
    uint64_t span = 1;
    for (unsigned i = 1; i < level; i++)
        span *= RW_TREE_FANOUT;
    if (!rw_pages_get(walk->pages, hash, child, sizeof child, error))
        return FALSE;
    for (unsigned i = 0; i < RW_TREE_FANOUT; i++)
        if (!visit(walk, &child[i], level - 1, first + i * span, error))
            return FALSE;
    return TRUE;
}

// Level 0 is a page. The depth is fixed, so no tree, however it is made, has more than RW_TREE_PAGES
// visits.
static gboolean visit(const Walk *walk, const RwPageHash *hash, unsigned level, uint64_t first,
                      GError **error)
{
    if (rw_page_hash_is_zero(hash) || (walk->seen && !rw_page_set_add(walk->seen, hash)))
        return TRUE;
    if (walk->object && !walk->object(hash, level ? RW_TREE_NODE_BYTES : RW_PAGE_BYTES, walk->data, error))
        return FALSE;
    if (level)
        return visit_children(walk, hash, level, first, error);
    return !walk->page || walk->page(first, hash, walk->data, error);
}

gboolean rw_page_tree_walk(RwPages *pages, const RwPageHash *root, RwPageTreeFunc page, void *data,
                           GError **error)
{
    Walk walk = {.pages = pages, .page = page, .data = data};
    return visit(&walk, root, RW_TREE_LEVELS, 0, error);
}

gboolean rw_page_tree_collect(RwPages *pages, const RwPageHash *root, RwPageSet *seen,
                              RwPageObjectFunc object, void *data, GError **error)
{
    Walk walk = {.pages = pages, .seen = seen, .object = object, .data = data};
    return visit(&walk, root, RW_TREE_LEVELS, 0, error);
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

static gboolean want(uint64_t page, const RwPageHash *hash, void *data, GError **error)
{
    Load *load = data;
    Wanted wanted = {page, *hash};
    if (page >= load->limit) {
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "a keyframe has more memory than its machine");
        return FALSE;
    }
    load->touched[page] = 1;
    g_array_append_val(load->wanted, wanted);
    return TRUE;
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

// Some pages at a time, so that neighbours in a pack are read by one thread.
static gpointer fill(gpointer data)
{
    const guint batch = 128;
    Load *load = data;
    guint from;
    while ((from = (guint)g_atomic_int_add(&load->next, batch)) < load->wanted->len)
        for (guint i = from; i < MIN(from + batch, load->wanted->len); i++) {
            const Wanted *wanted = &g_array_index(load->wanted, Wanted, i);
            GError *error = NULL;
            if (rw_pages_get(load->pages, &wanted->hash, load->memory + wanted->page * RW_PAGE_BYTES,
                             RW_PAGE_BYTES, &error))
                continue;
            keep_error(load, error);
            return NULL;
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

gboolean rw_page_tree_load(RwPages *pages, const RwPageHash *root, uint8_t *memory, uint64_t size,
                           uint8_t *touched, unsigned threads, GError **error)
{
    Load load = {
        .pages = pages,
        .wanted = g_array_new(FALSE, FALSE, sizeof(Wanted)),
        .memory = memory,
        .limit = size / RW_PAGE_BYTES,
        .touched = touched,
    };
    g_mutex_init(&load.guard);
    gboolean ok = rw_page_tree_walk(pages, root, want, &load, error);
    if (ok)
        fill_with_threads(&load, threads);
    if (load.error)
        g_propagate_error(error, load.error);
    g_mutex_clear(&load.guard);
    g_array_unref(load.wanted);
    return ok && !load.error;
}
