// SPDX-License-Identifier: MIT
//
// For which line of a makefile GNU make started a process, from its list of those that it waits for. The
// structures are those of job.h, filedef.h and commands.h of 4.3 and 4.4; the linker's names are in every
// make that can load objects (Debian's). Nothing that is read is trusted.
#include "script-private.h"

#include <string.h>

#define CHILDREN_MAX 65536u
#define LINES_MAX (1u << 20)

// Offsets of members.
enum {
    CHILD_NEXT = 32,
    CHILD_FILE = 40,
    CHILD_LINE = 72, // how many lines of the recipe were begun
    CHILD_PID = 76,
    FILE_COMMANDS = 32,
    COMMANDS_FILE = 0,
    COMMANDS_LINE = 8, // of the makefile, of the first one
    COMMANDS_TEXT = 24,
};

typedef struct {
    RwScript script;
    const char *maps;
} Make;

static uint64_t value_of(const Make *make, const char *name)
{
    uint64_t address;
    bool found = rw_symbols_address(make->script.guest, make->maps, "make", name, &address);
    return found ? rw_script_u64(&make->script, address) : 0;
}

static uint64_t find_child(const Make *make, uint32_t pid)
{
    uint64_t child = value_of(make, "children");
    for (uint32_t i = 0; child && i < CHILDREN_MAX; i++) {
        if (rw_script_u32(&make->script, child + CHILD_PID) == pid)
            return child;
        child = rw_script_u64(&make->script, child + CHILD_NEXT);
    }
    return 0;
}

// How many lines of the makefile lie before line `n` of a recipe, from 0: one that ends with a backslash
// goes on in the next.
static uint32_t count_lines(const char *text, uint32_t n)
{
    uint32_t count = 0;
    bool quoted = false;
    for (; *text && n; text++) {
        count += *text == '\n';
        n -= *text == '\n' && !quoted;
        quoted = *text == '\\' && !quoted;
    }
    return count;
}

static RwSymbol *make_frame(const Make *make, uint64_t child)
{
    const RwScript *script = &make->script;
    uint64_t target = rw_script_u64(script, child + CHILD_FILE);
    uint64_t commands = target ? rw_script_u64(script, target + FILE_COMMANDS) : 0;
    uint64_t first = commands ? rw_script_u64(script, commands + COMMANDS_LINE) : 0;
    uint32_t begun = rw_script_u32(script, child + CHILD_LINE);
    g_autofree char *file =
        commands ? rw_script_dup_string(script, rw_script_u64(script, commands + COMMANDS_FILE)) : NULL;
    if (!file || !first || first > LINES_MAX || !begun || begun > LINES_MAX)
        return NULL;
    g_autofree char *text = rw_script_dup_string(script, rw_script_u64(script, commands + COMMANDS_TEXT));
    uint32_t line = (uint32_t)first + (text ? count_lines(text, begun - 1) : begun - 1);
    g_autofree char *directory = rw_script_dup_string(script, value_of(make, "starting_directory"));
    char *path = directory && directory[0] == '/' ? g_canonicalize_filename(file, directory)
                                                  : g_steal_pointer(&file);
    return rw_script_symbol(script, path, line, NULL);
}

GPtrArray *rw_symbols_make(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                           const RwSymbolsMemory *memory, uint32_t child)
{
    RwSymbolsGuest guest = {symbols, files};
    Make make = {{&guest, memory}, maps};
    if (!strstr(maps, "make"))
        return NULL;
    g_autofree char *version = rw_script_dup_string(&make.script, value_of(&make, "version_string"));
    bool known = version && (g_str_has_prefix(version, "4.3") || g_str_has_prefix(version, "4.4"));
    uint64_t found = known ? find_child(&make, child) : 0;
    RwSymbol *frame = found ? make_frame(&make, found) : NULL;
    if (!frame)
        return NULL;
    GPtrArray *frames = rw_script_frames_new();
    g_ptr_array_add(frames, frame);
    return frames;
}
