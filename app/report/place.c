// SPDX-License-Identifier: MIT
#include "place.h"

#include "rw-place-parts.h"

#define CHAIN_MAX 4 // functions

static char *join_symbol(const RwSymbolParts *parts)
{
    if (parts->of)
        return g_strdup_printf("%s of %s", parts->at, parts->of);
    return parts->text ? g_strdup_printf("%s   %s", parts->at, parts->text) : g_strdup(parts->at);
}

char *place_dup_symbol(const RwSymbol *symbol)
{
    g_auto(RwSymbolParts) parts = {0};
    rw_symbol_parts_init(&parts, symbol);
    return join_symbol(&parts);
}

void place_symbol_to_json(const RwSymbol *symbol, JsonObject *object)
{
    if (symbol->path) {
        json_object_set_string_member(object, "path", symbol->path);
        json_object_set_int_member(object, "offset", (gint64)symbol->offset);
    }
    if (symbol->function) {
        json_object_set_string_member(object, "function", symbol->function);
        json_object_set_int_member(object, "function_offset", (gint64)symbol->function_offset);
    }
    if (symbol->inlined)
        json_object_set_string_member(object, "inlined", symbol->inlined);
    if (symbol->file) {
        json_object_set_string_member(object, "file", symbol->file);
        json_object_set_int_member(object, "line", symbol->line);
    }
    if (symbol->text)
        json_object_set_string_member(object, "text", symbol->text);
    if (symbol->undebugged)
        json_object_set_string_member(object, "undebugged", symbol->undebugged);
}

static JsonObject *new_symbol(const RwSymbol *symbol)
{
    JsonObject *object = json_object_new();
    place_symbol_to_json(symbol, object);
    return object;
}

void place_explained_to_json(const RwExplainedSide *explained, JsonObject *object)
{
    JsonArray *calls = explained->n > 1 ? json_array_new() : NULL;
    if (explained->n)
        place_symbol_to_json(explained->frames, object);
    if (explained->caller)
        json_object_set_object_member(object, "caller", new_symbol(&explained->frames[explained->caller]));
    for (size_t i = 1; i < explained->n; i++)
        json_array_add_object_element(calls, new_symbol(&explained->frames[i]));
    if (calls)
        json_object_set_array_member(object, "calls", calls);
}

static void add_caller(GPtrArray *notes, const char *caller)
{
    if (caller)
        g_ptr_array_add(notes, g_strdup_printf("called by %s", caller));
}

static char *join(const char *what, GPtrArray *notes)
{
    if (!notes->len)
        return g_strdup(what);
    g_ptr_array_add(notes, NULL);
    g_autofree char *text = g_strjoinv(", ", (char **)notes->pdata);
    return g_strdup_printf("%s   (%s)", what, text);
}

static void add_inside(GPtrArray *notes, const RwPlaceParts *parts)
{
    if (parts->call && parts->callee)
        g_ptr_array_add(notes, g_strdup_printf("%s in %s", parts->call, parts->callee));
    else if (parts->call || parts->callee)
        g_ptr_array_add(notes, g_strdup_printf("in %s", parts->call ? parts->call : parts->callee));
}

static char *dup_what(const RwPlaceParts *parts)
{
    if (parts->bare && parts->kind == RW_PLACE_START)
        return g_strdup("its start");
    if (parts->bare && parts->kind == RW_PLACE_END)
        return g_strdup("its end");
    return join_symbol(&parts->shown);
}

char *place_dup_text(const RwPlace *place, const RwExplainedSide *explained)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_auto(RwPlaceParts) parts = {0};
    rw_place_parts_init(&parts, place, explained);
    g_autofree char *what = dup_what(&parts);
    if (parts.nth > 1) // of interest from the second on
        g_ptr_array_add(notes, g_strdup_printf("%u%s time", parts.nth, rw_nth_ending(parts.nth)));
    add_inside(notes, &parts);
    if (parts.further)
        g_ptr_array_add(notes, g_strdup_printf("%u instructions on", parts.further));
    add_caller(notes, parts.caller);
    return join(what, notes);
}

// "book_balance bank.c:57, deposit bank.c:66": the program's own functions from the one that is shown on.
static char *dup_chain(const RwExplainedSide *explained)
{
    g_autoptr(GString) out = g_string_new(NULL);
    guint n = 0;
    for (size_t i = explained->caller; i < explained->n; i++) {
        const RwSymbol *symbol = &explained->frames[i];
        const char *function = symbol->inlined ? symbol->inlined : symbol->function;
        g_autofree char *file = symbol->file ? g_path_get_basename(symbol->file) : NULL;
        if (!file || !symbol->text || !function)
            continue;
        if (n++ == CHAIN_MAX)
            break;
        g_string_append_printf(out, "%s%s %s:%u", n > 1 ? ", " : "", function, file, symbol->line);
    }
    return n > 1 ? rw_without_controls(g_strdup(out->str)) : NULL;
}

char *place_dup_explained(const RwExplainedSide *explained)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    const RwSymbol *shown = rw_explained_shown(explained);
    if (!shown || (!shown->line && !shown->function))
        return NULL;
    g_autofree char *chain = dup_chain(explained);
    g_autofree char *what = place_dup_symbol(shown);
    g_autofree char *caller = rw_explained_dup_caller(explained);
    g_autofree char *callee = shown != explained->frames ? rw_explained_dup_callee(explained) : NULL;
    if (callee)
        g_ptr_array_add(notes, g_strdup_printf("in %s", callee));
    if (!chain)
        add_caller(notes, caller);
    return join(chain ? chain : what, notes);
}
