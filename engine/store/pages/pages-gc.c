// SPDX-License-Identifier: MIT
//
// Garbage: packs with dead objects are written again without them, small packs together, and so are the
// smallest where there are many. A pack goes when everything that lives in it is in a complete pack.
#include "pages-gc-private.h"

#include "rw-pages-care.h"

#include <errno.h>
#include <unistd.h>

#define SMALL (8ull << 20) // bytes of a pack that is worth merging
#define BATCH (256ull << 20) // bytes of a pack that gc writes
#define MANY 256u // packs
#define MERGE_BYTES (64ull << 20) // that a recording's end spends on merging them

static void merge_small(GArray *plans)
{
    guint small = 0;
    for (guint i = 0; i < plans->len; i++)
        small += g_array_index(plans, RwPackPlan, i).pack->size < SMALL;
    for (guint i = 0; i < plans->len && small > 1; i++)
        if (g_array_index(plans, RwPackPlan, i).pack->size < SMALL)
            g_array_index(plans, RwPackPlan, i).rewrite = true;
}

// The smallest, which are the last: so many that MANY / 2 stay, but not more than `bytes` of them, nor any
// that is large.
static void merge_many(GArray *plans, uint64_t bytes)
{
    for (guint i = plans->len; i > MANY / 2; i--) {
        RwPackPlan *plan = &g_array_index(plans, RwPackPlan, i - 1);
        if (plan->pack->size > bytes || plan->pack->size > BATCH / 2)
            return;
        bytes -= plan->pack->size;
        plan->rewrite = true;
    }
}

// Makes the pack that is being written complete, then removes those that it replaces.
static bool turn_over(RwPagesGc *gc, GError **error)
{
    if (!rw_pages_check_read(gc->pages, error) ||
        (gc->writer && !rw_pages_writer_finish(gc->writer, error)))
        return false;
    g_clear_pointer(&gc->writer, rw_pages_writer_free);
    for (guint i = 0; i < gc->done->len; i++) {
        const RwPack *pack = g_ptr_array_index(gc->done, i);
        if (unlink(pack->path) != 0 && errno != ENOENT) {
            rw_error_from_errno(error, errno, "cannot remove %s", pack->path);
            return false;
        }
    }
    g_ptr_array_set_size(gc->done, 0);
    return rw_sync_dir(gc->pages->dir, error);
}

// An object that is proven to be damaged stays behind: there is nothing of it to lose.
static bool copy_object(RwPagesGc *gc, const RwPack *pack, const RwPackEntry *entry, GError **error)
{
    uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX], bytes[RW_PAGE_BYTES];
    g_autoptr(GError) local = NULL;
    if (!gc->writer && !(gc->writer = rw_pages_writer_new(gc->pages, error)))
        return false;
    if (rw_pages_read_stored(gc->pages, pack, entry, stored, &local) &&
        rw_pages_unpack(gc->pages, pack, entry, stored, bytes, &local))
        return rw_pages_writer_put_packed(gc->writer, entry, stored, error);
    if (g_error_matches(local, RW_ERROR, RW_ERROR_INVALID))
        return true;
    g_propagate_error(error, g_steal_pointer(&local));
    return false;
}

static bool rewrite(RwPagesGc *gc, const RwPackPlan *plan, RwPageSet *kept, GError **error)
{
    for (uint64_t i = 0; i < plan->pack->entries; i++) {
        RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
        if (!rw_pack_plan_wants(gc, plan, &entry) || !rw_page_set_add(kept, &entry.hash))
            continue;
        if (!copy_object(gc, plan->pack, &entry, error))
            return false;
    }
    g_ptr_array_add(gc->done, plan->pack);
    return !gc->writer || rw_pages_writer_get_bytes(gc->writer) < BATCH || turn_over(gc, error);
}

static void note_kept(const RwPagesGc *gc, const RwPackPlan *plan, RwPageSet *kept)
{
    for (uint64_t i = 0; i < plan->pack->entries; i++) {
        RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
        if (rw_pack_plan_wants(gc, plan, &entry))
            rw_page_set_add(kept, &entry.hash);
    }
}

static bool carry_out(RwPagesGc *gc, GError **error)
{
    g_autoptr(RwPageSet) kept = rw_page_set_new();
    for (guint i = 0; i < gc->plans->len; i++)
        if (!g_array_index(gc->plans, RwPackPlan, i).rewrite)
            note_kept(gc, &g_array_index(gc->plans, RwPackPlan, i), kept);
    for (guint i = 0; i < gc->plans->len; i++) {
        const RwPackPlan *at = &g_array_index(gc->plans, RwPackPlan, i);
        if (at->rewrite && !rewrite(gc, at, kept, error))
            return false;
    }
    return turn_over(gc, error);
}

static void begin(RwPagesGc *gc, RwPages *pages, const RwPageSet *live)
{
    *gc = (RwPagesGc){
        .pages = pages,
        .live = live,
        .plans = g_array_new(false, true, sizeof(RwPackPlan)),
        .done = g_ptr_array_new(),
    };
    g_array_set_clear_func(gc->plans, rw_pack_plan_clear);
}

static void end(RwPagesGc *gc)
{
    rw_pages_writer_free(gc->writer);
    g_array_unref(gc->plans);
    g_ptr_array_unref(gc->done);
}

bool rw_pages_gc(RwPages *pages, const RwPageSet *live, bool dry_run, RwPagesGcStats *ret_stats,
                 GError **error)
{
    g_return_val_if_fail(pages->exclusive, false);
    *ret_stats = (RwPagesGcStats){0};
    RwPagesGc gc;
    begin(&gc, pages, live);
    bool ok = rw_pages_check_read(pages, error) && rw_pages_plan(&gc, ret_stats, error);
    if (ok && !dry_run) {
        merge_small(gc.plans);
        if (gc.plans->len > MANY)
            merge_many(gc.plans, UINT64_MAX);
        ok = carry_out(&gc, error);
    }
    end(&gc);
    return ok;
}

// ---- Many packs ----

static guint count_packs(RwStore *store)
{
    g_autofree char *dir = g_build_filename(rw_store_get_home(store), "store", NULL);
    g_autoptr(GPtrArray) names = rw_dir_names(dir, NULL);
    guint count = 0;
    for (guint i = 0; names && i < names->len; i++)
        count += g_str_has_prefix(names->pdata[i], RW_PACK_PREFIX);
    return count;
}

void rw_pages_merge(RwStore *store)
{
    if (count_packs(store) <= MANY)
        return;
    g_autoptr(RwPages) pages = rw_pages_open(store, true, NULL);
    if (!pages)
        return; // somebody uses them, or something is wrong: gc says what
    RwPagesGcStats stats = {0};
    RwPagesGc gc;
    begin(&gc, pages, NULL);
    if (rw_pages_plan(&gc, &stats, NULL)) {
        for (guint i = 0; i < gc.plans->len; i++)
            g_array_index(gc.plans, RwPackPlan, i).rewrite = false;
        merge_many(gc.plans, MERGE_BYTES);
        carry_out(&gc, NULL);
    }
    end(&gc);
}
