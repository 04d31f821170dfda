// SPDX-License-Identifier: MIT
#include "rw-base.h"
#include "symbols-private.h"

#include <string.h>

#define SOURCE_MAX ((size_t)8 << 20)
#define KEPT_MAX ((size_t)1 << 30) // bytes of files that are kept
#define TEXT_MAX 200

// What came of a file of the guest.
typedef struct {
    GBytes *bytes; // NULL: it cannot be read, or is too large
    RwObject *object; // NULL: it is none
    RwObject *debug; // its debug information where that is a file of its own
    RwLines *lines;
    bool parsed, looked; // for the object, and for the last two
} File;

struct _RwSymbols {
    GHashTable *files; // version and path → File
    size_t kept;
    RwSymbolsElsewhere elsewhere;
};

typedef RwSymbolsGuest Guest;

static void file_free(void *data)
{
    File *file = data;
    rw_lines_free(file->lines);
    rw_object_free(file->debug);
    rw_object_free(file->object);
    g_clear_pointer(&file->bytes, g_bytes_unref);
    g_free(file);
}

RwSymbols *rw_symbols_new(const RwSymbolsElsewhere *elsewhere)
{
    elf_version(EV_CURRENT);
    RwSymbols *symbols = g_new0(RwSymbols, 1);
    if (elsewhere)
        symbols->elsewhere = *elsewhere;
    symbols->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, file_free);
    return symbols;
}

void rw_symbols_free(RwSymbols *symbols)
{
    if (!symbols)
        return;
    g_hash_table_unref(symbols->files);
    if (symbols->elsewhere.free)
        symbols->elsewhere.free(symbols->elsewhere.data);
    g_free(symbols);
}

const RwSymbolsElsewhere *rw_symbols_get_elsewhere(const RwSymbols *symbols)
{
    return symbols->elsewhere.find ? &symbols->elsewhere : NULL;
}

void rw_symbol_clear(RwSymbol *symbol)
{
    g_free(symbol->path);
    g_free(symbol->function);
    g_free(symbol->inlined);
    g_free(symbol->file);
    g_free(symbol->text);
    g_free(symbol->undebugged);
    *symbol = (RwSymbol){0};
}

// ---- Files ----

GBytes *rw_symbols_read_whole(const Guest *guest, const char *path, size_t max)
{
    GBytes *bytes = guest->files->read(path, max + 1, guest->files->data);
    if (bytes && g_bytes_get_size(bytes) <= max)
        return bytes;
    if (bytes)
        g_bytes_unref(bytes);
    return NULL;
}

static File *keep(RwSymbols *symbols, char *key, GBytes *bytes)
{
    File *file = g_new0(File, 1);
    file->bytes = bytes;
    file->parsed = file->looked = !bytes;
    if (symbols->kept > KEPT_MAX) {
        g_hash_table_remove_all(symbols->files);
        symbols->kept = 0;
    }
    symbols->kept += bytes ? g_bytes_get_size(bytes) : 0;
    g_hash_table_insert(symbols->files, key, file);
    return file;
}

// NULL: there is none, or it is too large. Good until the next call.
static File *get_file(const Guest *guest, const char *path, size_t max)
{
    g_autofree char *version = guest->files->dup_version(path, guest->files->data);
    if (!version)
        return NULL;
    g_autofree char *key = g_strconcat(version, path, NULL);
    File *file = g_hash_table_lookup(guest->symbols->files, key);
    if (!file)
        file = keep(guest->symbols, g_steal_pointer(&key), rw_symbols_read_whole(guest, path, max));
    return file->bytes ? file : NULL;
}

static void look_for_debug(const Guest *guest, File *file, const char *path)
{
    RwDebug found;
    file->looked = true;
    rw_debug_find(guest, file->object, path, &found);
    guest->symbols->kept += found.object ? g_bytes_get_size(found.object->bytes) : 0;
    file->debug = found.object;
    file->lines = found.lines;
}

static File *get_parsed(const Guest *guest, const char *path)
{
    File *file = get_file(guest, path, RW_OBJECT_MAX);
    if (file && !file->parsed) {
        file->parsed = true;
        file->object = rw_object_new(file->bytes);
    }
    return file && file->object ? file : NULL;
}

static File *get_object(const Guest *guest, const char *path)
{
    File *file = get_parsed(guest, path);
    if (file && !file->looked)
        look_for_debug(guest, file, path);
    return file;
}

const RwObject *rw_symbols_get_object(const RwSymbolsGuest *guest, const char *path)
{
    const File *file = get_parsed(guest, path);
    return file ? file->object : NULL;
}

// ---- Answers ----

static void find_name(const File *file, uint64_t address, RwSymbol *ret)
{
    const RwName *name = file->debug ? rw_names_at(file->debug, address) : NULL;
    if (!name)
        name = rw_names_at(file->object, address);
    if (!name)
        return;
    // Without its version.
    g_autofree char *text = g_strndup(name->text, strcspn(name->text, "@"));
    ret->function = rw_name_dup_demangled(text);
    if (!ret->function)
        ret->function = g_utf8_make_valid(text, -1);
    ret->function_offset = address - name->start;
}

static const char *nth_line(const char *text, const char *end, uint32_t line)
{
    for (; line > 1 && text; line--) {
        text = memchr(text, '\n', (size_t)(end - text));
        text = text ? text + 1 : NULL;
    }
    return text;
}

static char *text_of(GBytes *source, uint32_t line)
{
    size_t size;
    const char *text = g_bytes_get_data(source, &size);
    const char *end = text + size, *start = text ? nth_line(text, end, line) : NULL;
    if (!start || start == end)
        return NULL;
    const char *stop = memchr(start, '\n', (size_t)(end - start));
    g_autofree char *bytes = g_strndup(start, MIN((size_t)((stop ? stop : end) - start), 8 * TEXT_MAX));
    g_autofree char *valid = g_utf8_make_valid(g_strchomp(bytes), -1);
    return g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), TEXT_MAX));
}

char **rw_symbols_dup_source(RwSymbols *symbols, const RwSymbolsFiles *files, const char *path,
                             uint32_t from, uint32_t n)
{
    Guest guest = {symbols, files};
    g_autoptr(GPtrArray) lines = g_ptr_array_new();
    File *source = path[0] == '/' ? get_file(&guest, path, SOURCE_MAX) : NULL;
    for (uint32_t i = 0; source && i < n; i++) {
        char *line = text_of(source->bytes, from + i);
        if (!line)
            break;
        for (char *at = line; *at; at++)
            if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
                *at = ' ';
        g_ptr_array_add(lines, line);
    }
    if (!lines->len)
        return NULL;
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&lines), false);
}

char *rw_symbols_dup_line(const RwSymbolsGuest *guest, const char *path, uint32_t line)
{
    File *source = path[0] == '/' ? get_file(guest, path, SOURCE_MAX) : NULL;
    char *text = source ? text_of(source->bytes, line) : NULL;
    return text ? g_strchug(text) : NULL;
}

static void find_line(const Guest *guest, const File *file, uint64_t address, RwSymbol *ret)
{
    if (!file->lines || !rw_lines_find(file->lines, address, &ret->file, &ret->line))
        return;
    ret->inlined = rw_scopes_dup_inlined(file->lines, address);
    ret->text = rw_symbols_dup_line(guest, ret->file, ret->line);
}

// The file that is mapped at `va`, and the address as it counts. NULL: there is none that can be used.
static File *file_at(const Guest *guest, const char *maps, uint64_t va, uint64_t *ret_address)
{
    RwMapping mapping;
    if (!rw_maps_find(maps, va, &mapping))
        return NULL;
    File *file = mapping.is_file ? get_object(guest, mapping.path) : NULL;
    bool known = file && rw_object_address(file->object, &mapping, ret_address);
    g_free(mapping.path);
    return known ? file : NULL;
}

RwLines *rw_symbols_get_lines(const RwSymbolsGuest *guest, const char *maps, uint64_t va,
                              uint64_t *ret_bias)
{
    uint64_t address;
    const File *file = file_at(guest, maps, va, &address);
    *ret_bias = file ? va - address : 0;
    return file ? file->lines : NULL;
}

char *rw_symbols_dup_name(const RwSymbolsGuest *guest, const char *maps, uint64_t va)
{
    g_auto(RwSymbol) symbol = {0};
    uint64_t address;
    const File *file = file_at(guest, maps, va, &address);
    if (file)
        find_name(file, address, &symbol);
    if (!symbol.function || !symbol.function_offset)
        return g_steal_pointer(&symbol.function);
    return g_strdup_printf("%s+%" G_GUINT64_FORMAT, symbol.function, symbol.function_offset);
}

typedef struct {
    const Guest *guest;
    const char *file, *name;
    bool found;
    uint64_t address;
} Wanted;

static bool look_in(uint64_t start, const RwMapping *mapping, void *data)
{
    Wanted *wanted = data;
    uint64_t address;
    g_autofree char *base = mapping->is_file ? g_path_get_basename(mapping->path) : NULL;
    if (!base || !(g_str_has_prefix(base, wanted->file) ||
                   (g_str_has_prefix(base, "lib") && g_str_has_prefix(base + 3, wanted->file))))
        return true;
    const File *file = get_parsed(wanted->guest, mapping->path);
    const RwName *name = file ? rw_names_find(file->object, wanted->name) : NULL;
    if (!name || !rw_object_address(file->object, mapping, &address))
        return true;
    wanted->address = start + name->start - address;
    wanted->found = true;
    return false;
}

bool rw_symbols_address(const RwSymbolsGuest *guest, const char *maps, const char *file, const char *name,
                        uint64_t *ret_address)
{
    Wanted wanted = {.guest = guest, .file = file, .name = name};
    rw_maps_each(maps, look_in, &wanted);
    *ret_address = wanted.address;
    return wanted.found;
}

bool rw_symbols_open(const RwSymbolsGuest *guest, uint64_t start, const RwMapping *mapping,
                     RwSymbolsFile *ret)
{
    uint64_t address;
    const File *file = mapping->is_file ? get_object(guest, mapping->path) : NULL;
    if (!file || !rw_object_address(file->object, mapping, &address))
        return false;
    *ret = (RwSymbolsFile){file->object, file->debug, file->lines, start - address};
    return true;
}

void rw_symbols_find(RwSymbols *symbols, const char *maps, uint64_t va, const RwSymbolsFiles *files,
                     RwSymbol *ret)
{
    Guest guest = {symbols, files};
    RwMapping mapping;
    uint64_t address;
    *ret = (RwSymbol){0};
    if (!rw_maps_find(maps, va, &mapping))
        return;
    File *file = mapping.is_file ? get_object(&guest, mapping.path) : NULL;
    if (file && rw_object_address(file->object, &mapping, &address)) {
        find_name(file, address, ret);
        find_line(&guest, file, address, ret);
        if (!file->lines && strcmp(mapping.path, RW_SYMBOLS_VDSO))
            ret->undebugged = g_strdup(file->object->build_id ? file->object->build_id : "");
    }
    ret->offset = mapping.offset;
    ret->path = mapping.path ? g_utf8_make_valid(mapping.path, -1) : NULL;
    g_free(mapping.path);
}
