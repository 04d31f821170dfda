// SPDX-License-Identifier: MIT
//
// Types of DWARF: their names as one declares them, their sizes.
#include "location-private.h"

#include <string.h>

#define LINKS_MAX 32 // from type to type
#define DEPTH_MAX 4 // of arrays in each other

bool rw_value_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
    Dwarf_Attribute attribute;
    return rw_die_attribute(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, ret);
}

static bool is_other_name(int tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

bool rw_type_peel(Dwarf_Die *type)
{
    for (int i = 0; i < LINKS_MAX && is_other_name(dwarf_tag(type)); i++)
        if (!rw_value_type_of(type, type))
            return false;
    return !is_other_name(dwarf_tag(type));
}

static bool is_pointer(int tag)
{
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
           tag == DW_TAG_rvalue_reference_type;
}

bool rw_type_elements(Dwarf_Die *array, uint64_t *ret)
{
    Dwarf_Die range;
    uint64_t upper;
    if (dwarf_child(array, &range))
        return false;
    for (int i = 0; i < LINKS_MAX && dwarf_tag(&range) != DW_TAG_subrange_type; i++)
        if (dwarf_siblingof(&range, &range))
            return false;
    if (rw_die_number(&range, DW_AT_count, ret))
        return true;
    if (!rw_die_number(&range, DW_AT_upper_bound, &upper))
        return false;
    *ret = upper == UINT64_MAX || upper == UINT32_MAX ? 0 : upper + 1;
    return true;
}

unsigned rw_type_dimensions(Dwarf_Die *array)
{
    Dwarf_Die range;
    unsigned n = 0;
    if (dwarf_child(array, &range))
        return 0;
    do
        n += dwarf_tag(&range) == DW_TAG_subrange_type;
    while (n < LINKS_MAX && !dwarf_siblingof(&range, &range));
    return n;
}

static size_t size_of(Dwarf_Die type, int depth)
{
    uint64_t size, n;
    Dwarf_Die element;
    if (depth > DEPTH_MAX || !rw_type_peel(&type))
        return 0;
    if (rw_die_number(&type, DW_AT_byte_size, &size))
        return (size_t)MIN(size, RW_VALUE_MAX);
    if (is_pointer(dwarf_tag(&type)))
        return 8;
    if (dwarf_tag(&type) == DW_TAG_array_type && rw_type_dimensions(&type) == 1 &&
        rw_type_elements(&type, &n) && rw_value_type_of(&type, &element)) {
        size = size_of(element, depth + 1);
        return size ? (size_t)MIN(n, RW_VALUE_MAX / size) * size : 0;
    }
    return 0;
}

size_t rw_value_size(Dwarf_Die *type)
{
    return size_of(*type, 0);
}

static char *dup_type(Dwarf_Die *type, int links);

static char *dup_type_of(Dwarf_Die *die, int links)
{
    Dwarf_Die type;
    return rw_value_type_of(die, &type) ? dup_type(&type, links + 1) : g_strdup("void");
}

static char *dup_array(Dwarf_Die *type, int links)
{
    uint64_t n;
    g_autofree char *of = dup_type_of(type, links);
    if (!of || !rw_type_elements(type, &n))
        return of ? g_strconcat(of, " []", NULL) : NULL;
    return g_strdup_printf("%s [%" G_GUINT64_FORMAT "]", of, n);
}

static char *dup_pointer(Dwarf_Die *type, int links, const char *sign)
{
    g_autofree char *of = dup_type_of(type, links);
    bool behind = of && *of && strchr("*&", of[strlen(of) - 1]);
    return of ? g_strconcat(of, behind ? "" : " ", sign, NULL) : NULL;
}

static char *dup_qualified(Dwarf_Die *type, int links, const char *word)
{
    g_autofree char *of = dup_type_of(type, links);
    bool is_pointer_ = of && g_str_has_suffix(of, "*");
    return !of ? NULL : is_pointer_ ? g_strconcat(of, " ", word, NULL) : g_strconcat(word, " ", of, NULL);
}

static char *dup_named(Dwarf_Die *type, const char *word)
{
    const char *name = rw_die_name(type);
    Dwarf_CU *unit = type->cu;
    Dwarf_Die unit_die;
    Dwarf_Attribute language;
    Dwarf_Word number = 0;
    if (*word && unit && dwarf_cu_die(unit, &unit_die, NULL, NULL, NULL, NULL, NULL, NULL) &&
        dwarf_attr(&unit_die, DW_AT_language, &language))
        dwarf_formudata(&language, &number);
    bool is_c = number == DW_LANG_C || number == DW_LANG_C89 || number == DW_LANG_C99 ||
                number == DW_LANG_C11 || number == 0x2c; // C17
    if (!name)
        return g_strdup_printf("%s%s{...}", word, *word ? " " : "");
    return *word && is_c ? g_strdup_printf("%s %s", word, name) : g_strdup(name);
}

static char *dup_type(Dwarf_Die *type, int links)
{
    if (links > LINKS_MAX)
        return NULL;
    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type:
        return dup_pointer(type, links, "*");
    case DW_TAG_reference_type:
        return dup_pointer(type, links, "&");
    case DW_TAG_rvalue_reference_type:
        return dup_pointer(type, links, "&&");
    case DW_TAG_const_type:
        return dup_qualified(type, links, "const");
    case DW_TAG_volatile_type:
        return dup_qualified(type, links, "volatile");
    case DW_TAG_restrict_type:
        return dup_qualified(type, links, "restrict");
    case DW_TAG_atomic_type:
        return dup_qualified(type, links, "_Atomic");
    case DW_TAG_array_type:
        return dup_array(type, links);
    case DW_TAG_subroutine_type: {
        g_autofree char *of = dup_type_of(type, links);
        return of ? g_strconcat(of, " ()", NULL) : NULL;
    }
    case DW_TAG_structure_type:
        return dup_named(type, "struct");
    case DW_TAG_union_type:
        return dup_named(type, "union");
    case DW_TAG_enumeration_type:
        return dup_named(type, "enum");
    default:
        return dup_named(type, "");
    }
}

char *rw_value_dup_type(Dwarf_Die *type)
{
    g_autofree char *text = dup_type(type, 0);
    return text ? g_utf8_make_valid(text, -1) : NULL;
}
