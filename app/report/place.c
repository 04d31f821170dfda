// SPDX-License-Identifier: MIT
#include "place.h"

#include "rw-event.h"

#define CHAIN_MAX 4 // functions

char *place_without_controls(char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = ' ';
    return text;
}

static char *dup_symbol(const RwSymbol *symbol)
{
    g_autofree char *file = symbol->file ? g_path_get_basename(symbol->file) : NULL;
    g_autofree char *path = symbol->path ? g_path_get_basename(symbol->path) : NULL;
    if (file && symbol->text && *symbol->text)
        return g_strdup_printf("%s:%u   %s", file, symbol->line, symbol->text);
    if (file)
        return g_strdup_printf("%s:%u", file, symbol->line);
    if (symbol->function)
        return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x of %s", symbol->function,
                               symbol->function_offset, path ? path : "?");
    return path ? g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", path, symbol->offset) : NULL;
}

char *place_dup_symbol(const RwSymbol *symbol)
{
    char *text = dup_symbol(symbol);
    return text ? place_without_controls(text) : NULL;
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

static bool is_call(const RwPlace *place)
{
    return place->kind == RW_PLACE_CALL || place->kind == RW_PLACE_RETURN;
}

// "openat()", "0x401234", "its start".
static char *dup_bare(const RwPlace *place)
{
    if (place->kind == RW_PLACE_START)
        return g_strdup("its start");
    if (place->kind == RW_PLACE_END)
        return g_strdup("its end");
    return rw_place_dup_what(place);
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

// "10th time": of interest from the second on.
static void add_nth(GPtrArray *notes, uint32_t nth)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    uint32_t last = nth % 10;
    bool teen = nth / 10 % 10 == 1;
    if (nth > 1)
        g_ptr_array_add(notes, g_strdup_printf("%u%s time", nth, last < 4 && !teen ? ends[last] : "th"));
}

// The function that the line that is shown has called; NULL: none, or not known.
static const char *get_callee(const RwExplainedSide *explained)
{
    const RwSymbol *callee = explained->caller ? &explained->frames[explained->caller - 1] : NULL;
    return !callee ? NULL : callee->inlined ? callee->inlined : callee->function;
}

// What is between the line that is shown and the place.
static void add_inside(GPtrArray *notes, const RwPlace *place, const RwExplainedSide *explained)
{
    const char *callee = get_callee(explained);
    g_autofree char *call = is_call(place) ? dup_bare(place) : NULL;
    bool same = call && callee && g_str_has_prefix(call, callee) && call[strlen(callee)] == '(';
    if (call && callee && !same)
        g_ptr_array_add(notes, g_strdup_printf("%s in %s", call, callee));
    else if (call || callee)
        g_ptr_array_add(notes, g_strdup_printf("in %s", call ? call : callee));
}

static void add_caller(GPtrArray *notes, const RwExplainedSide *explained)
{
    const RwSymbol *caller = explained->caller ? &explained->frames[explained->caller] : NULL;
    const char *in = caller && caller->inlined ? caller->inlined : caller ? caller->function : NULL;
    if (in && caller->line)
        g_ptr_array_add(notes, g_strdup_printf("called by %s", in));
    else if (caller && caller->function)
        g_ptr_array_add(notes, g_strdup_printf("called by %s+0x%" G_GINT64_MODIFIER "x", caller->function,
                                               caller->function_offset));
}

static char *join(const char *what, GPtrArray *notes)
{
    if (!notes->len)
        return g_strdup(what);
    g_ptr_array_add(notes, NULL);
    g_autofree char *text = place_without_controls(g_strjoinv(", ", (char **)notes->pdata));
    return g_strdup_printf("%s   (%s)", what, text);
}

// A system call is better known by its name than by an address of whoever calls it.
char *place_dup_text(const RwPlace *place, const RwExplainedSide *explained)
{
    static const RwExplainedSide nothing;
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    const RwExplainedSide *known = explained ? explained : &nothing;
    const RwSymbol *shown = rw_explained_shown(known);
    bool by_name = is_call(place) || place->kind == RW_PLACE_START || place->kind == RW_PLACE_END;
    bool bare = !shown || (by_name && !shown->line);
    g_autofree char *what = bare ? dup_bare(place) : place_dup_symbol(shown);
    add_nth(notes, place->nth);
    if (!bare && (is_call(place) || shown != known->frames))
        add_inside(notes, place, known);
    if (place->further && place->kind != RW_PLACE_UNSEEN)
        g_ptr_array_add(notes, g_strdup_printf("%u instructions on", place->further));
    add_caller(notes, known);
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
    return n > 1 ? g_strdup(out->str) : NULL;
}

char *place_dup_explained(const RwExplainedSide *explained)
{
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    const RwSymbol *shown = rw_explained_shown(explained);
    if (!shown || (!shown->line && !shown->function))
        return NULL;
    g_autofree char *chain = dup_chain(explained);
    g_autofree char *what = place_dup_symbol(shown);
    const char *callee = shown != explained->frames ? get_callee(explained) : NULL;
    if (callee)
        g_ptr_array_add(notes, g_strdup_printf("in %s", callee));
    if (!chain)
        add_caller(notes, explained);
    return join(chain ? chain : what, notes);
}
