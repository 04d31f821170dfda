// SPDX-License-Identifier: MIT
#include "rw-place-parts.h"

#include "rw-inputs.h"

#include <string.h>

char *rw_without_controls(char *text)
{
    for (char *at = text; at && *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return text;
}

// ---- Symbols ----

static char *dup_at(const RwSymbol *symbol)
{
    g_autofree char *file = symbol->file ? g_path_get_basename(symbol->file) : NULL;
    g_autofree char *path = symbol->path ? g_path_get_basename(symbol->path) : NULL;
    if (file)
        return g_strdup_printf("%s:%u", file, symbol->line);
    if (symbol->function)
        return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", symbol->function, symbol->function_offset);
    return path ? g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", path, symbol->offset) : NULL;
}

void rw_symbol_parts_init(RwSymbolParts *parts, const RwSymbol *symbol)
{
    bool function = symbol->function && !symbol->file, text = symbol->file && symbol->text && *symbol->text;
    *parts = (RwSymbolParts){.at = rw_without_controls(dup_at(symbol))};
    if (text)
        parts->text = rw_without_controls(g_strdup(symbol->text));
    if (function)
        parts->of = rw_without_controls(symbol->path ? g_path_get_basename(symbol->path) : g_strdup("?"));
}

void rw_symbol_parts_clear(RwSymbolParts *parts)
{
    g_free(parts->at);
    g_free(parts->text);
    g_free(parts->of);
    *parts = (RwSymbolParts){0};
}

// ---- Places ----

bool rw_place_is_behind(const RwPlace *place)
{
    return place->kind == RW_PLACE_AFTER || place->kind == RW_PLACE_RETURN ||
           place->kind == RW_PLACE_UNSEEN;
}

static bool is_call(const RwPlace *place)
{
    return place->kind == RW_PLACE_CALL || place->kind == RW_PLACE_RETURN;
}

// A script calls what executes it: that begins with _start.
static const char *get_callee(const RwExplainedSide *explained)
{
    const RwSymbol *callee = explained->caller ? &explained->frames[explained->caller - 1] : NULL;
    const char *name = !callee ? NULL : callee->inlined ? callee->inlined : callee->function;
    return g_strcmp0(name, "_start") ? name : NULL;
}

char *rw_explained_dup_callee(const RwExplainedSide *explained)
{
    return rw_without_controls(g_strdup(get_callee(explained)));
}

char *rw_explained_dup_caller(const RwExplainedSide *explained)
{
    const RwSymbol *caller = explained->caller ? &explained->frames[explained->caller] : NULL;
    const char *in = caller && caller->inlined ? caller->inlined : caller ? caller->function : NULL;
    if (in && caller->line)
        return rw_without_controls(g_strdup(in));
    if (!caller || !caller->function)
        return NULL;
    return rw_without_controls(
        g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", caller->function, caller->function_offset));
}

// What is between the line that is shown and the place. A function may be called as its system call.
static void add_inside(RwPlaceParts *parts, const RwPlace *place, const RwExplainedSide *explained)
{
    const char *callee = get_callee(explained);
    parts->call = is_call(place) ? rw_place_dup_what(place) : NULL;
    bool same = parts->call && callee && g_str_has_prefix(parts->call, callee) &&
                parts->call[strlen(callee)] == '(';
    parts->callee = same ? NULL : rw_explained_dup_callee(explained);
}

// A system call is better known by its name than by an address of whoever calls it.
void rw_place_parts_init(RwPlaceParts *parts, const RwPlace *place, const RwExplainedSide *explained)
{
    static const RwExplainedSide nothing;
    const RwExplainedSide *known = explained ? explained : &nothing;
    const RwSymbol *shown = rw_explained_shown(known);
    bool by_name = is_call(place) || place->kind == RW_PLACE_START || place->kind == RW_PLACE_END;
    *parts = (RwPlaceParts){.kind = place->kind, .nth = place->nth};
    parts->further = place->kind == RW_PLACE_UNSEEN ? 0 : place->further;
    parts->bare = !shown || (by_name && !shown->line);
    if (parts->bare)
        parts->shown.at = rw_place_dup_what(place);
    else
        rw_symbol_parts_init(&parts->shown, shown);
    if (!parts->bare && (is_call(place) || shown != known->frames))
        add_inside(parts, place, known);
    parts->caller = rw_explained_dup_caller(known);
}

void rw_place_parts_clear(RwPlaceParts *parts)
{
    rw_symbol_parts_clear(&parts->shown);
    g_free(parts->call);
    g_free(parts->callee);
    g_free(parts->caller);
    *parts = (RwPlaceParts){0};
}

const char *rw_nth_ending(guint nth)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    guint last = nth % 10;
    bool teen = nth / 10 % 10 == 1;
    return last < G_N_ELEMENTS(endings) && !teen ? endings[last] : endings[0];
}
