// SPDX-License-Identifier: MIT
//
// The function that has an address, the blocks in it, and the functions that the compiler put into it.
#include "location-private.h"

#define DIES_MAX 500000u // that are looked at for one address
#define PARTS_MAX 64 // ranges of a function or block
#define DEPTH_MAX 40u // of namespaces and classes in each other

static bool has_address(Dwarf_Die *die, uint64_t address)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    for (int n = 0; n < PARTS_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0; n++)
        if (address >= start && address < end)
            return true;
    return false;
}

static bool is_block(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
           tag == DW_TAG_catch_block;
}

// What functions may be in that have no addresses themselves, or others.
static bool holds_functions(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_module || tag == DW_TAG_subprogram;
}

// First what is directly there: most are.
static bool find_function(Dwarf_Die *die, uint64_t address, unsigned *looked, unsigned depth,
                          Dwarf_Die *ret)
{
    Dwarf_Die child;
    if (depth > DEPTH_MAX || dwarf_child(die, &child))
        return false;
    do {
        if (++*looked > DIES_MAX)
            return false;
        if (dwarf_tag(&child) == DW_TAG_subprogram && has_address(&child, address)) {
            *ret = child;
            return true;
        }
    } while (!dwarf_siblingof(&child, &child));
    if (dwarf_child(die, &child))
        return false;
    do
        if (holds_functions(&child) && find_function(&child, address, looked, depth + 1, ret))
            return true;
    while (*looked <= DIES_MAX && !dwarf_siblingof(&child, &child));
    return false;
}

bool rw_scopes_function(RwLines *lines, uint64_t address, Dwarf_Die *ret)
{
    Dwarf_Die unit;
    unsigned looked = 0;
    for (unsigned nth = 0; rw_lines_unit(lines, nth, address, &unit); nth++)
        if (find_function(&unit, address, &looked, 0, ret))
            return true;
    return false;
}

static bool find_block(Dwarf_Die *scope, uint64_t address, unsigned *looked, Dwarf_Die *ret)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child))
        return false;
    do
        if (is_block(&child) && has_address(&child, address)) {
            *ret = child;
            return true;
        }
    while (++*looked < DIES_MAX && !dwarf_siblingof(&child, &child));
    return false;
}

unsigned rw_scopes_find(RwLines *lines, uint64_t address, Dwarf_Die ret[RW_SCOPES_MAX])
{
    unsigned n = 1, looked = 0;
    if (!rw_scopes_function(lines, address, &ret[0]))
        return 0;
    while (n < RW_SCOPES_MAX && find_block(&ret[n - 1], address, &looked, &ret[n]))
        n++;
    return n;
}

bool rw_scope_is_function(const Dwarf_Die *scopes, unsigned i)
{
    return i == 0 || dwarf_tag((Dwarf_Die *)&scopes[i]) == DW_TAG_inlined_subroutine;
}

char *rw_scope_dup_name(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *linked =
        rw_die_attribute(function, DW_AT_linkage_name, &attribute) ? dwarf_formstring(&attribute) : NULL;
    char *whole = linked ? rw_name_dup_demangled(linked) : NULL;
    const char *name = rw_die_name(function);
    return whole ? whole : name ? g_utf8_make_valid(name, -1) : NULL;
}

char *rw_scopes_dup_inlined(RwLines *lines, uint64_t address)
{
    Dwarf_Die scopes[RW_SCOPES_MAX];
    for (unsigned i = rw_scopes_find(lines, address, scopes); i-- > 1;)
        if (rw_scope_is_function(scopes, i))
            return rw_scope_dup_name(&scopes[i]);
    return NULL;
}

// ---- Each in the next one ----

static void symbol_free(void *data)
{
    rw_symbol_clear(data);
    g_free(data);
}

// Of the function that has `scopes[i]`.
static char *dup_outer_name(Dwarf_Die *scopes, unsigned i)
{
    while (i-- > 1)
        if (rw_scope_is_function(scopes, i))
            return rw_scope_dup_name(&scopes[i]);
    return NULL;
}

static RwSymbol *make_outer(const RwSymbolsGuest *guest, RwLines *lines, const RwSymbol *inner,
                            Dwarf_Die *scopes, unsigned i)
{
    RwSymbol *out = g_new0(RwSymbol, 1);
    out->path = g_strdup(inner->path);
    out->offset = inner->offset;
    out->function = g_strdup(inner->function);
    out->function_offset = inner->function_offset;
    out->inlined = dup_outer_name(scopes, i);
    if (rw_lines_of_call(lines, &scopes[i], &out->file, &out->line))
        out->text = rw_symbols_dup_line(guest, out->file, out->line);
    return out;
}

GPtrArray *rw_symbols_find_all(RwSymbols *symbols, const char *maps, uint64_t va,
                               const RwSymbolsFiles *files)
{
    RwSymbolsGuest guest = {symbols, files};
    GPtrArray *out = g_ptr_array_new_with_free_func(symbol_free);
    RwSymbol *first = g_new0(RwSymbol, 1);
    Dwarf_Die scopes[RW_SCOPES_MAX];
    uint64_t bias;
    rw_symbols_find(symbols, maps, va, files, first);
    g_ptr_array_add(out, first);
    RwLines *lines = first->inlined ? rw_symbols_get_lines(&guest, maps, va, &bias) : NULL;
    unsigned n = lines ? rw_scopes_find(lines, va - bias, scopes) : 0;
    for (unsigned i = n; i-- > 1;)
        if (rw_scope_is_function(scopes, i))
            g_ptr_array_add(out, make_outer(&guest, lines, first, scopes, i));
    return out;
}
