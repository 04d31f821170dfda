// SPDX-License-Identifier: MIT
//
// What gc does with each pack. Of several copies of an object the first whole one, in the order of plans,
// is the one that lives.
#include "pages-gc-private.h"

static int compare_plans(const void *a, const void *b)
{
    const RwPackPlan *first = a, *second = b;
    if (first->pack->size != second->pack->size)
        return first->pack->size > second->pack->size ? -1 : 1;
    return strcmp(first->pack->name, second->pack->name);
}

void rw_pack_plan_clear(gpointer data)
{
    RwPackPlan *plan = data;
    g_clear_pointer(&plan->broken, g_hash_table_unref);
}

static bool is_live(const RwPagesGc *gc, const RwPageHash *hash)
{
    return !gc->live || rw_page_set_has(gc->live, hash);
}

bool rw_pack_plan_wants(const RwPagesGc *gc, const RwPackPlan *plan, const RwPackEntry *entry)
{
    return is_live(gc, &entry->hash) &&
           !(plan->broken && g_hash_table_contains(plan->broken, GSIZE_TO_POINTER(entry->offset)));
}

// ---- Copies ----

static RwPageSet *find_copied(const RwPagesGc *gc)
{
    g_autoptr(RwPageSet) seen = rw_page_set_new();
    RwPageSet *copied = NULL;
    for (guint p = 0; p < gc->plans->len; p++) {
        const RwPack *pack = g_array_index(gc->plans, RwPackPlan, p).pack;
        for (uint64_t i = 0; i < pack->entries; i++) {
            RwPackEntry entry = rw_pack_get_entry(pack, i);
            if (!is_live(gc, &entry.hash) || rw_page_set_add(seen, &entry.hash))
                continue;
            if (!copied)
                copied = rw_page_set_new();
            rw_page_set_add(copied, &entry.hash);
        }
    }
    return copied;
}

// Notes a copy that is damaged; false with an error where it could not be read.
static bool check_copy(RwPagesGc *gc, RwPackPlan *plan, const RwPackEntry *entry, GError **error)
{
    uint8_t stored[RW_PACK_HEAD_SIZE + RW_PACK_STORED_MAX], bytes[RW_PAGE_BYTES];
    g_autoptr(GError) local = NULL;
    if (rw_pages_read_stored(gc->pages, plan->pack, entry, stored, &local) &&
        rw_pages_unpack(gc->pages, plan->pack, entry, stored, bytes, &local))
        return true;
    if (!g_error_matches(local, RW_ERROR, RW_ERROR_INVALID)) {
        g_propagate_error(error, g_steal_pointer(&local));
        return false;
    }
    if (!plan->broken)
        plan->broken = g_hash_table_new(NULL, NULL);
    g_hash_table_add(plan->broken, GSIZE_TO_POINTER(entry->offset));
    return true;
}

// A copy is dropped for the sake of another only when that one is whole.
static bool check_copies(RwPagesGc *gc, GError **error)
{
    g_autoptr(RwPageSet) copied = find_copied(gc);
    for (guint p = 0; copied && p < gc->plans->len; p++) {
        RwPackPlan *plan = &g_array_index(gc->plans, RwPackPlan, p);
        for (uint64_t i = 0; i < plan->pack->entries; i++) {
            RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
            if (rw_page_set_has(copied, &entry.hash) && !check_copy(gc, plan, &entry, error))
                return false;
        }
    }
    return true;
}

// ---- Plans ----

static void count_live(const RwPagesGc *gc, RwPackPlan *plan, RwPageSet *seen)
{
    for (uint64_t i = 0; i < plan->pack->entries; i++) {
        RwPackEntry entry = rw_pack_get_entry(plan->pack, i);
        if (!rw_pack_plan_wants(gc, plan, &entry) || !rw_page_set_add(seen, &entry.hash))
            continue;
        plan->live++;
        plan->live_bytes += RW_PACK_HEAD_SIZE + (uint64_t)entry.stored + RW_PACK_ENTRY_SIZE;
    }
    plan->rewrite = plan->live < plan->pack->entries;
}

bool rw_pages_plan(RwPagesGc *gc, RwPagesGcStats *stats, GError **error)
{
    g_autoptr(RwPageSet) seen = rw_page_set_new();
    GPtrArray *packs = gc->pages->packs;
    for (guint i = 0; i < packs->len; i++) {
        RwPackPlan one = {.pack = g_ptr_array_index(packs, i)};
        g_array_append_val(gc->plans, one);
    }
    g_array_sort(gc->plans, compare_plans);
    if (!check_copies(gc, error))
        return false;
    for (guint i = 0; i < gc->plans->len; i++) {
        RwPackPlan *at = &g_array_index(gc->plans, RwPackPlan, i);
        count_live(gc, at, seen);
        stats->live += at->live;
        stats->dead += at->pack->entries - at->live;
        stats->stored_before += at->pack->size;
        stats->stored_after += at->live == at->pack->entries ? at->pack->size : at->live_bytes;
    }
    return true;
}
