// SPDX-License-Identifier: MIT
//
// Where bash is in its script: the line of the command that it began last, and the calls of functions and
// of other scripts that led there, as bash keeps them for its own variables BASH_SOURCE, BASH_LINENO and
// FUNCNAME. Their structures are those of its hashlib.h, variables.h and array.h from 5.0 on; the linker's
// names are in every bash, since it loads builtins at run time. Nothing that is read is trusted.
#include "script-private.h"

#include <string.h>

#define BUCKETS_MAX 65536u
#define VARIABLES_MAX 65536u

// Offsets of members.
enum {
    CONTEXT_TABLE = 32,
    TABLE_BUCKETS = 0,
    TABLE_N_BUCKETS = 8,
    BUCKET_NEXT = 0,
    BUCKET_KEY = 8,
    BUCKET_DATA = 16,
    VARIABLE_VALUE = 8,
    VARIABLE_ATTRIBUTES = 40,
    ARRAY_HEAD = 16,
    ELEMENT_VALUE = 8,
    ELEMENT_NEXT = 16,
};

enum { ATTRIBUTE_ARRAY = 4 };

typedef struct {
    RwScript script;
    const char *maps;
    char *directory, *before; // where it is, and where it was before its last cd; or NULL
} Bash;

static uint64_t address_of(const Bash *bash, const char *name)
{
    uint64_t address;
    return rw_symbols_address(bash->script.guest, bash->maps, "bash", name, &address) ? address : 0;
}

// ---- Variables ----

static bool has_name(const Bash *bash, uint64_t va, const char *name)
{
    char bytes[32];
    size_t size = strlen(name) + 1;
    return rw_script_read(&bash->script, va, bytes, size) && !memcmp(bytes, name, size);
}

// A variable outside of functions; 0: there is none.
static uint64_t find_variable(const Bash *bash, const char *name)
{
    const RwScript *script = &bash->script;
    uint64_t context = rw_script_u64(script, address_of(bash, "global_variables"));
    uint64_t table = context ? rw_script_u64(script, context + CONTEXT_TABLE) : 0;
    uint64_t buckets = table ? rw_script_u64(script, table + TABLE_BUCKETS) : 0;
    uint32_t n = table ? rw_script_u32(script, table + TABLE_N_BUCKETS) : 0, looked = 0;
    if (!buckets || n > BUCKETS_MAX)
        return 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t at = rw_script_u64(script, buckets + i * 8ull); at && looked < VARIABLES_MAX;
             looked++) {
            if (has_name(bash, rw_script_u64(script, at + BUCKET_KEY), name))
                return rw_script_u64(script, at + BUCKET_DATA);
            at = rw_script_u64(script, at + BUCKET_NEXT);
        }
    return 0;
}

static char *dup_variable(const Bash *bash, const char *name)
{
    uint64_t variable = find_variable(bash, name);
    bool array = variable && rw_script_u32(&bash->script, variable + VARIABLE_ATTRIBUTES) & ATTRIBUTE_ARRAY;
    if (!variable || array)
        return NULL;
    return rw_script_dup_string(&bash->script, rw_script_u64(&bash->script, variable + VARIABLE_VALUE));
}

// The elements of an array, of char*, at most `max`; NULL: there is none.
static GPtrArray *dup_array(const Bash *bash, const char *name, size_t max)
{
    const RwScript *script = &bash->script;
    uint64_t variable = find_variable(bash, name);
    bool array = variable && rw_script_u32(script, variable + VARIABLE_ATTRIBUTES) & ATTRIBUTE_ARRAY;
    uint64_t value = array ? rw_script_u64(script, variable + VARIABLE_VALUE) : 0;
    uint64_t head = value ? rw_script_u64(script, value + ARRAY_HEAD) : 0;
    if (!head)
        return NULL;
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    uint64_t element = rw_script_u64(script, head + ELEMENT_NEXT);
    for (; element && element != head && out->len < max;
         element = rw_script_u64(script, element + ELEMENT_NEXT)) {
        char *text = rw_script_dup_string(script, rw_script_u64(script, element + ELEMENT_VALUE));
        if (!text)
            break;
        g_ptr_array_add(out, text);
    }
    return out;
}

// ---- Frames ----

// A script is named as it was started: from a directory that may be another one by now.
static char *dup_path(const Bash *bash, const char *file)
{
    const char *const from[] = {bash->directory, bash->before};
    for (size_t i = 0; file[0] != '/' && i < G_N_ELEMENTS(from); i++) {
        if (!from[i] || from[i][0] != '/')
            continue;
        g_autofree char *path = g_canonicalize_filename(file, from[i]);
        g_autofree char *first = rw_symbols_dup_line(bash->script.guest, path, 1);
        if (first)
            return g_steal_pointer(&path);
    }
    return g_strdup(file);
}

static const char *element(const GPtrArray *array, guint i)
{
    return array && i < array->len ? array->pdata[i] : NULL;
}

// What is not in a function has the name "main" there.
static RwSymbol *make_frame(const Bash *bash, const char *file, const char *function, uint64_t line,
                            bool outermost)
{
    bool is_main = !function || (outermost && !strcmp(function, "main"));
    return rw_script_symbol(&bash->script, dup_path(bash, file), line < INT32_MAX ? (uint32_t)line : 0,
                            is_main ? NULL : g_strdup(function));
}

static GPtrArray *dup_frames(const Bash *bash, uint32_t line, size_t max)
{
    g_autoptr(GPtrArray) sources = dup_array(bash, "BASH_SOURCE", max);
    g_autoptr(GPtrArray) lines = dup_array(bash, "BASH_LINENO", max);
    g_autoptr(GPtrArray) functions = dup_array(bash, "FUNCNAME", max);
    if (!sources || !sources->len) // commands that are in no file
        return NULL;
    GPtrArray *frames = rw_script_frames_new();
    for (guint i = 0; i < sources->len; i++) {
        const char *called = i ? element(lines, i - 1) : NULL;
        uint64_t at = called ? g_ascii_strtoull(called, NULL, 10) : i ? 0 : line;
        g_ptr_array_add(
            frames, make_frame(bash, sources->pdata[i], element(functions, i), at, i + 1 == sources->len));
    }
    return frames;
}

static bool is_known(const Bash *bash)
{
    uint64_t version = rw_script_u64(&bash->script, address_of(bash, "dist_version"));
    g_autofree char *text = rw_script_dup_string(&bash->script, version);
    return text && g_str_has_prefix(text, "5.");
}

GPtrArray *rw_symbols_bash(RwSymbols *symbols, const char *maps, const RwSymbolsFiles *files,
                           const RwSymbolsMemory *memory, size_t max)
{
    RwSymbolsGuest guest = {symbols, files};
    Bash bash = {{&guest, memory}, maps, NULL, NULL};
    if (!strstr(maps, "bash") || !is_known(&bash))
        return NULL;
    uint32_t line = rw_script_u32(&bash.script, address_of(&bash, "line_number_for_err_trap"));
    bash.directory = rw_script_dup_string(
        &bash.script, rw_script_u64(&bash.script, address_of(&bash, "the_current_working_directory")));
    bash.before = dup_variable(&bash, "OLDPWD");
    GPtrArray *frames = line ? dup_frames(&bash, line, max) : NULL;
    g_free(bash.directory);
    g_free(bash.before);
    return frames;
}
