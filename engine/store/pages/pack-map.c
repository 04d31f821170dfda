// SPDX-License-Identifier: MIT
#include "pages-private.h"

#define NUMBER_MASK 0xffffffull

void rw_pack_map_init(RwPackMap *map)
{
    map->mask = 1023;
    map->slot = g_new0(uint64_t, map->mask + 1);
    map->used = 0;
}

void rw_pack_map_clear(RwPackMap *map)
{
    g_clear_pointer(&map->slot, g_free);
}

// The index is sorted by the first bytes: the slots of neighbours lie apart.
static size_t slot_of(const RwPackMap *map, uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15ull >> 28) & map->mask;
}

static void put(RwPackMap *map, uint64_t value)
{
    size_t i = slot_of(map, value & ~NUMBER_MASK);
    while (map->slot[i])
        i = (i + 1) & map->mask;
    map->slot[i] = value;
}

static void reserve(RwPackMap *map, uint64_t more)
{
    size_t old_slots = map->mask + 1, slots = old_slots;
    while ((map->used + more) * 2 > slots)
        slots *= 2;
    if (slots == old_slots)
        return;
    uint64_t *old = map->slot;
    map->slot = g_new0(uint64_t, slots);
    map->mask = slots - 1;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i])
            put(map, old[i]);
    g_free(old);
}

void rw_pack_map_add(RwPackMap *map, const RwPack *pack, guint number)
{
    reserve(map, pack->entries);
    for (uint64_t i = 0; i < pack->entries; i++) {
        uint64_t key = rw_load_u64(pack->table + i * RW_PACK_ENTRY_SIZE);
        put(map, (key & ~NUMBER_MASK) | (number + 1));
    }
    map->used += pack->entries;
}

int rw_pack_map_next(const RwPackMap *map, const RwPageHash *hash, size_t *cursor)
{
    uint64_t key = rw_load_u64(hash) & ~NUMBER_MASK;
    size_t i = *cursor == SIZE_MAX ? slot_of(map, key) : (*cursor + 1) & map->mask;
    for (; map->slot[i]; i = (i + 1) & map->mask)
        if ((map->slot[i] & ~NUMBER_MASK) == key) {
            *cursor = i;
            return (int)(map->slot[i] & NUMBER_MASK) - 1;
        }
    return -1;
}
