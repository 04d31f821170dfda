// SPDX-License-Identifier: MIT
//
// Garbage: packs with dead objects are written again without them, small packs together. A pack goes when
// everything that lives in it is in a complete pack.
#include "pages-private.h"

#include <errno.h>
#include <unistd.h>

#define SMALL (8ull << 20) // bytes of a pack that is worth merging
#define BATCH (256ull << 20) // bytes of a pack that gc writes

typedef struct {
    RwPack *pack; // borrowed
    uint64_t live, live_bytes;
    gboolean rewrite;
} Plan;

typedef struct {
    RwPages *pages;
    const RwPageSet *live;
    GArray *plans; // of Plan, the largest pack first
    RwPagesWriter *writer; // of the pack being made
    GPtrArray *done; // packs whose live objects are all in it or before it
} Gc;

static int compare_plans(const void *a, const void *b)
{
    const Plan *first = a, *second = b;
    if (first->pack->size != second->pack->size)
        return first->pack->size > second->pack->size ? -1 : 1;
    return strcmp(first->pack->name, second->pack->name);
}

// Of several copies of an object the first one, in the order of plans, is the live one.
static void count_live(Gc *gc, Plan *plan, RwPageSet *seen)
{
    for (uint64_t i = 0; i < plan->pack->entries; i++) {
        RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
        if (!rw_page_set_has(gc->live, &entry.hash) || !rw_page_set_add(seen, &entry.hash))
            continue;
        plan->live++;
        plan->live_bytes += RW_PACK_HEAD_SIZE + (uint64_t)entry.stored + RW_PACK_ENTRY_SIZE;
    }
    plan->rewrite = plan->live < plan->pack->entries;
}

static void merge_small(GArray *plans)
{
    guint small = 0;
    for (guint i = 0; i < plans->len; i++)
        small += g_array_index(plans, Plan, i).pack->size < SMALL;
    for (guint i = 0; i < plans->len && small > 1; i++)
        if (g_array_index(plans, Plan, i).pack->size < SMALL)
            g_array_index(plans, Plan, i).rewrite = TRUE;
}

static void plan(Gc *gc, RwPagesGcStats *stats)
{
    g_autoptr(RwPageSet) seen = rw_page_set_new();
    GPtrArray *packs = gc->pages->packs;
    for (guint i = 0; i < packs->len; i++) {
        Plan one = {.pack = g_ptr_array_index(packs, i)};
        g_array_append_val(gc->plans, one);
    }
    g_array_sort(gc->plans, compare_plans);
    for (guint i = 0; i < gc->plans->len; i++) {
        Plan *at = &g_array_index(gc->plans, Plan, i);
        count_live(gc, at, seen);
        stats->live += at->live;
        stats->dead += at->pack->entries - at->live;
        stats->stored_before += at->pack->size;
        stats->stored_after += at->live == at->pack->entries ? at->pack->size : at->live_bytes;
    }
    merge_small(gc->plans);
}

// Makes the pack that is being written complete, then removes those that it replaces.
static gboolean turn_over(Gc *gc, GError **error)
{
    if (gc->writer && !rw_pages_writer_finish(gc->writer, error))
        return FALSE;
    g_clear_pointer(&gc->writer, rw_pages_writer_free);
    for (guint i = 0; i < gc->done->len; i++) {
        const RwPack *pack = g_ptr_array_index(gc->done, i);
        if (unlink(pack->path) != 0 && errno != ENOENT) {
            rw_error_from_errno(error, errno, "cannot remove %s", pack->path);
            return FALSE;
        }
    }
    g_ptr_array_set_size(gc->done, 0);
    return rw_sync_dir(gc->pages->dir, error);
}

static gboolean copy_object(Gc *gc, const RwPack *pack, const RwPackEntry *entry, GError **error)
{
    uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX], bytes[RW_PAGE_BYTES];
    if (!gc->writer && !(gc->writer = rw_pages_writer_new(gc->pages, error)))
        return FALSE;
    return rw_pack_read(pack, entry, stored, error) &&
           rw_pages_unpack(gc->pages, pack, entry, stored, bytes, error) &&
           rw_pages_writer_put_packed(gc->writer, entry, stored, error);
}

static gboolean rewrite(Gc *gc, const Plan *plan, RwPageSet *kept, GError **error)
{
    for (uint64_t i = 0; i < plan->pack->entries; i++) {
        RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
        if (!rw_page_set_has(gc->live, &entry.hash) || !rw_page_set_add(kept, &entry.hash))
            continue;
        if (!copy_object(gc, plan->pack, &entry, error))
            return FALSE;
    }
    g_ptr_array_add(gc->done, plan->pack);
    return !gc->writer || rw_pages_writer_get_bytes(gc->writer) < BATCH || turn_over(gc, error);
}

static void note_kept(const Plan *plan, RwPageSet *kept)
{
    for (uint64_t i = 0; i < plan->pack->entries; i++) {
        RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
        rw_page_set_add(kept, &entry.hash);
    }
}

static gboolean carry_out(Gc *gc, GError **error)
{
    g_autoptr(RwPageSet) kept = rw_page_set_new();
    for (guint i = 0; i < gc->plans->len; i++)
        if (!g_array_index(gc->plans, Plan, i).rewrite)
            note_kept(&g_array_index(gc->plans, Plan, i), kept);
    for (guint i = 0; i < gc->plans->len; i++) {
        const Plan *at = &g_array_index(gc->plans, Plan, i);
        if (at->rewrite && !rewrite(gc, at, kept, error))
            return FALSE;
    }
    return turn_over(gc, error);
}

gboolean rw_pages_gc(RwPages *pages, const RwPageSet *live, gboolean dry_run, RwPagesGcStats *ret_stats,
                     GError **error)
{
    g_return_val_if_fail(pages->exclusive, FALSE);
    *ret_stats = (RwPagesGcStats){0};
    Gc gc = {
        .pages = pages,
        .live = live,
        .plans = g_array_new(FALSE, FALSE, sizeof(Plan)),
        .done = g_ptr_array_new(),
    };
    plan(&gc, ret_stats);
    gboolean ok = dry_run || carry_out(&gc, error);
    rw_pages_writer_free(gc.writer);
    g_array_unref(gc.plans);
    g_ptr_array_unref(gc.done);
    return ok;
}
