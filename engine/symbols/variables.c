// SPDX-License-Identifier: MIT
//
// What a function has there: its arguments and local variables, and those of functions that the compiler
// put into it.
#include "location-private.h"

#define VARIABLES_MAX 200u

void rw_variable_free(RwVariable *variable)
{
    if (!variable)
        return;
    g_free(variable->name);
    g_free(variable->type);
    g_free(variable->value);
    g_free(variable->function);
    g_free(variable);
}

// ---- Variables ----

typedef struct {
    const RwVariablesFrame *frame;
    uint64_t line; // of the source; 0: not known
    const char *function; // that was put into the frame's, or NULL
    uint32_t level;
    bool is_innermost; // `line` is in it
    GPtrArray *arguments, *locals;
} List;

// Its declaration comes further down, in the same function.
static bool is_below(const List *list, Dwarf_Die *die)
{
    uint64_t line;
    return list->line && list->is_innermost && rw_die_number(die, DW_AT_decl_line, &line) &&
           line > list->line;
}

static RwVariable *make_variable(const List *list, Dwarf_Die *die, const char *name)
{
    RwVariable *variable = g_new0(RwVariable, 1);
    g_autofree RwValue *value = g_new(RwValue, 1);
    Dwarf_Die type;
    variable->name = g_utf8_make_valid(name, -1);
    variable->function = list->function ? g_utf8_make_valid(list->function, -1) : NULL;
    variable->level = list->level;
    variable->argument = dwarf_tag(die) == DW_TAG_formal_parameter;
    if (!rw_value_type_of(die, &type)) {
        variable->value = g_strdup("<unavailable>");
        return variable;
    }
    variable->type = rw_value_dup_type(&type);
    rw_location_read(list->frame, die, rw_value_size(&type), value);
    variable->value = rw_value_dup_text(list->frame, &type, value);
    return variable;
}

static void add_variable(List *list, Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    const char *name = rw_die_name(die);
    Dwarf_Attribute attribute;
    GPtrArray *to = tag == DW_TAG_formal_parameter ? list->arguments : list->locals;
    bool elsewhere = dwarf_attr(die, DW_AT_declaration, &attribute);
    if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && name && !elsewhere &&
        to->len < VARIABLES_MAX && !(tag == DW_TAG_variable && is_below(list, die)))
        g_ptr_array_add(to, make_variable(list, die, name));
}

static void add_children(List *list, Dwarf_Die *scope)
{
    Dwarf_Die child;
    unsigned looked = 0;
    if (dwarf_child(scope, &child))
        return;
    do
        add_variable(list, &child);
    while (++looked < RW_DIES_MAX && !dwarf_siblingof(&child, &child));
}

static void take(GPtrArray *from, GPtrArray *to)
{
    while (from->len)
        g_ptr_array_add(to, g_ptr_array_steal_index(from, 0));
}

// From the innermost block outwards: a function's arguments come behind what its blocks have, and go
// before.
static void list_blocks(List *list, Dwarf_Die *blocks, unsigned n, GPtrArray *ret)
{
    list->is_innermost = true;
    for (unsigned i = n, inner = n; i-- > 0;) {
        if (!rw_scope_is_function(blocks, i))
            continue;
        list->function = i ? rw_die_name(&blocks[i]) : NULL;
        for (unsigned block = i; block < inner; block++)
            add_children(list, &blocks[block]);
        take(list->arguments, ret);
        take(list->locals, ret);
        list->is_innermost = false;
        list->level++;
        inner = i;
    }
}

// The innermost function that is there first, and in it the innermost block.
static bool find_named(Dwarf_Die *blocks, unsigned n, const char *name, Dwarf_Die *ret)
{
    for (unsigned i = n; i-- > 0;) {
        Dwarf_Die child;
        unsigned looked = 0;
        if (dwarf_child(&blocks[i], &child))
            continue;
        do {
            int tag = dwarf_tag(&child);
            const char *other =
                tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? rw_die_name(&child) : NULL;
            if (other && !strcmp(other, name)) {
                *ret = child;
                return true;
            }
        } while (++looked < RW_DIES_MAX && !dwarf_siblingof(&child, &child));
    }
    return false;
}

// From the function to where it is, each block in the one before; 0: not known.
static unsigned open_frame(RwVariablesFrame *frame, const RwSymbolsFrame *frames, size_t n, size_t which,
                           Dwarf_Die blocks[RW_SCOPES_MAX])
{
    frame->frame = &frames[which];
    frame->caller = which + 1 < n ? &frames[which + 1] : NULL;
    frame->lines = rw_symbols_get_lines(frame->guest, frame->maps, frames[which].at, &frame->bias);
    unsigned n_blocks =
        frame->lines ? rw_scopes_find(frame->lines, frames[which].at - frame->bias, blocks) : 0;
    if (n_blocks)
        frame->function = blocks[0];
    return n_blocks;
}

bool rw_symbols_find_local(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                           const RwSymbolsMemory *memory, const RwSymbolsLocal *local, RwSymbolsPlace *ret)
{
    RwSymbolsGuest guest = {symbols, files};
    RwVariablesFrame frame = {.guest = &guest, .maps = maps, .memory = memory};
    Dwarf_Die blocks[RW_SCOPES_MAX], die, type;
    g_autofree RwValue *value = g_new(RwValue, 1);
    unsigned n_blocks = open_frame(&frame, local->frames, local->n, local->which, blocks);
    if (!find_named(blocks, n_blocks, local->name, &die))
        return false;
    *ret = (RwSymbolsPlace){.size = rw_value_type_of(&die, &type) ? rw_value_size(&type) : 0};
    rw_location_read(&frame, &die, ret->size, value);
    ret->in_memory = value->in_memory;
    ret->address = value->address;
    return true;
}

GPtrArray *rw_symbols_variables(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                                const RwSymbolsMemory *memory, const RwSymbolsFrame *frames, size_t n,
                                size_t which)
{
    GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)rw_variable_free);
    g_autoptr(GPtrArray) arguments = g_ptr_array_new(), locals = g_ptr_array_new();
    RwSymbolsGuest guest = {symbols, files};
    RwVariablesFrame frame = {.guest = &guest, .maps = maps, .memory = memory};
    Dwarf_Die blocks[RW_SCOPES_MAX];
    unsigned n_blocks = open_frame(&frame, frames, n, which, blocks);
    if (!n_blocks)
        return out;
    uint32_t line = 0;
    g_autofree char *file = NULL;
    rw_lines_find(frame.lines, frames[which].at - frame.bias, &file, &line);
    List list = {.frame = &frame, .line = line, .arguments = arguments, .locals = locals};
    list_blocks(&list, blocks, n_blocks, out);
    return out;
}
