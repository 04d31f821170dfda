// SPDX-License-Identifier: MIT
//
// A set of hashes: open addressing, 32 bytes a slot. The hashes are evenly spread by themselves.
#include "rw-pages.h"

struct _RwPageSet {
    RwPageHash *slot; // zero: free
    size_t mask, used;
    bool has_zero;
};

RwPageSet *rw_page_set_new(void)
{
    RwPageSet *set = g_new0(RwPageSet, 1);
    set->mask = 255;
    set->slot = g_new0(RwPageHash, set->mask + 1);
    return set;
}

void rw_page_set_free(RwPageSet *set)
{
    if (!set)
        return;
    g_free(set->slot);
    g_free(set);
}

// Where it is, or where it would go.
static RwPageHash *find(const RwPageSet *set, const RwPageHash *hash)
{
    size_t i = rw_load_u64(hash) & set->mask;
    while (!rw_page_hash_is_zero(&set->slot[i]) && memcmp(&set->slot[i], hash, sizeof *hash))
        i = (i + 1) & set->mask;
    return &set->slot[i];
}

static void grow(RwPageSet *set)
{
    RwPageHash *old = set->slot;
    size_t slots = set->mask + 1;
    set->mask = 2 * slots - 1;
    set->slot = g_new0(RwPageHash, set->mask + 1);
    for (size_t i = 0; i < slots; i++)
        if (!rw_page_hash_is_zero(&old[i]))
            *find(set, &old[i]) = old[i];
    g_free(old);
}

bool rw_page_set_add(RwPageSet *set, const RwPageHash *hash)
{
    if (rw_page_hash_is_zero(hash)) {
        bool is_new = !set->has_zero;
        set->has_zero = true;
        return is_new;
    }
    RwPageHash *at = find(set, hash);
    if (!rw_page_hash_is_zero(at))
        return false;
    *at = *hash;
    if (++set->used * 2 > set->mask)
        grow(set);
    return true;
}

bool rw_page_set_has(const RwPageSet *set, const RwPageHash *hash)
{
    return rw_page_hash_is_zero(hash) ? set->has_zero : !rw_page_hash_is_zero(find(set, hash));
}
