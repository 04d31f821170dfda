// SPDX-License-Identifier: MIT
//
// Variables by their names that are at one place as long as their program runs.
#include "location-private.h"

#include <string.h>

#define GLOBAL_DIES_MAX 2000000u // that are looked at in one file
#define UNITS_MAX 200000u
#define DEPTH_MAX 20u

typedef struct {
    const char *name;
    bool in_functions; // also those that are static in one
    unsigned looked;
    uint64_t address; // as the file counts it
    uint64_t size;
} Wanted;

static bool is_at_one_place(Dwarf_Die *die, uint64_t *ret_address)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &n) || n != 1 ||
        ops[0].atom != DW_OP_addr)
        return false;
    *ret_address = ops[0].number;
    return true;
}

static bool is_it(Wanted *wanted, Dwarf_Die *die)
{
    Dwarf_Die type;
    const char *name = dwarf_tag(die) == DW_TAG_variable ? rw_die_name(die) : NULL;
    if (!name || strcmp(name, wanted->name) || !is_at_one_place(die, &wanted->address))
        return false;
    wanted->size = rw_value_type_of(die, &type) ? rw_value_size(&type) : 0;
    return true;
}

static bool holds_some(const Wanted *wanted, Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_namespace:
    case DW_TAG_module:
        return true;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        return wanted->in_functions;
    default:
        return false;
    }
}

static bool find_below(Wanted *wanted, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth > DEPTH_MAX || dwarf_child(die, &child))
        return false;
    do {
        if (wanted->looked++ > GLOBAL_DIES_MAX)
            return false;
        if (is_it(wanted, &child) || (holds_some(wanted, &child) && find_below(wanted, &child, depth + 1)))
            return true;
    } while (!dwarf_siblingof(&child, &child));
    return false;
}

static bool find_in_units(Wanted *wanted, RwLines *lines)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    wanted->looked = 0;
    for (unsigned n = 0; n < UNITS_MAX && rw_lines_next_unit(lines, &unit, &die); n++)
        if (find_below(wanted, &die, 0))
            return true;
    return false;
}

static bool find_in_names(Wanted *wanted, const RwObject *object)
{
    const RwName *name = object ? rw_names_find(object, wanted->name) : NULL;
    if (!name)
        return false;
    wanted->address = name->start;
    wanted->size = name->end - name->start;
    return true;
}

// ---- In what is mapped ----

typedef struct {
    const RwSymbolsGuest *guest;
    Wanted wanted;
    GHashTable *seen; // paths
    bool by_names, found;
    uint64_t bias;
} Search;

static bool look_in(uint64_t start, const RwMapping *mapping, void *data)
{
    Search *search = data;
    RwSymbolsFile file;
    if (!mapping->is_file || !g_hash_table_add(search->seen, g_strdup(mapping->path)) ||
        !rw_symbols_open(search->guest, start, mapping, &file))
        return true;
    search->bias = file.bias;
    search->found = search->by_names ? find_in_names(&search->wanted, file.debug) ||
                                           find_in_names(&search->wanted, file.object)
                                     : file.lines && find_in_units(&search->wanted, file.lines);
    return !search->found;
}

bool rw_symbols_find_global(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                            const char *name, RwSymbolsPlace *ret)
{
    RwSymbolsGuest guest = {symbols, files};
    Search search = {.guest = &guest, .wanted = {.name = name}};
    for (unsigned pass = 0; pass < 3 && !search.found; pass++) {
        g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        search.seen = seen;
        search.by_names = pass == 1;
        search.wanted.in_functions = pass == 2;
        rw_maps_each(maps, look_in, &search);
    }
    *ret = (RwSymbolsPlace){search.wanted.address + search.bias, search.wanted.size, true};
    return search.found;
}
