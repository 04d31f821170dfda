// SPDX-License-Identifier: MIT
#include "script-private.h"

#include "rw-bytes.h"

#include <string.h>

#define STRING_MAX 4096u // bytes
#define PART 64u // bytes of a string that are read at once

bool rw_script_read(const RwScript *script, uint64_t va, void *ret, size_t size)
{
    return va && script->memory->read(va, ret, size, script->memory->data) == size;
}

uint64_t rw_script_u64(const RwScript *script, uint64_t va)
{
    uint8_t bytes[8];
    return rw_script_read(script, va, bytes, sizeof bytes) ? rw_load_u64(bytes) : 0;
}

uint32_t rw_script_u32(const RwScript *script, uint64_t va)
{
    uint8_t bytes[4];
    return rw_script_read(script, va, bytes, sizeof bytes) ? rw_load_u32(bytes) : 0;
}

char *rw_script_dup_string(const RwScript *script, uint64_t va)
{
    g_autofree char *bytes = g_malloc(STRING_MAX);
    for (size_t n = 0; va && n < STRING_MAX;) {
        size_t part = PART - (va + n) % PART; // no further than the string's own page
        part = MIN(part, STRING_MAX - n);
        size_t got = script->memory->read(va + n, bytes + n, part, script->memory->data);
        if (got && memchr(bytes + n, 0, got))
            return g_utf8_make_valid(bytes, -1);
        if (got != part)
            return NULL;
        n += part;
    }
    return NULL;
}

static void symbol_free(void *data)
{
    rw_symbol_clear(data);
    g_free(data);
}

GPtrArray *rw_script_frames_new(void)
{
    return g_ptr_array_new_with_free_func(symbol_free);
}

RwSymbol *rw_script_symbol(const RwScript *script, char *file, uint32_t line, char *function)
{
    RwSymbol *symbol = g_new0(RwSymbol, 1);
    symbol->function = function;
    symbol->line = line;
    if (line && file[0] == '/')
        symbol->text = rw_symbols_dup_line(script->guest, file, line);
    if (line)
        symbol->file = file;
    else
        symbol->path = file;
    return symbol;
}
