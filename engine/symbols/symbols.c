// SPDX-License-Identifier: MIT
#include "rw-base.h"
#include "symbols-private.h"

#include <string.h>

#define OBJECT_MAX ((size_t)256 << 20) // bytes of a program, a library, or its debug information
#define SOURCE_MAX ((size_t)8 << 20)
#define HEAD 4096u // as many bytes tell one version of a file from another: size and build id are there
#define KEPT_MAX ((size_t)1 << 30) // bytes of files that are kept
#define TEXT_MAX 200

// What came of a file of the guest.
typedef struct {
    GBytes *bytes;
    RwObject *object; // NULL: it is none
    RwObject *debug; // its debug information where that is a file of its own
    RwLines *lines;
    bool looked; // for the last two
} File;

struct _RwSymbols {
    GHashTable *files; // path and what it begins with → File
    size_t kept;
};

typedef RwSymbolsGuest Guest;

static void file_free(void *data)
{
    File *file = data;
    rw_lines_free(file->lines);
    rw_object_free(file->debug);
    rw_object_free(file->object);
    g_bytes_unref(file->bytes);
    g_free(file);
}

RwSymbols *rw_symbols_new(void)
{
    elf_version(EV_CURRENT);
    RwSymbols *symbols = g_new0(RwSymbols, 1);
    symbols->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, file_free);
    return symbols;
}

void rw_symbols_free(RwSymbols *symbols)
{
    if (!symbols)
        return;
    g_hash_table_unref(symbols->files);
    g_free(symbols);
}

void rw_symbol_clear(RwSymbol *symbol)
{
    g_free(symbol->path);
    g_free(symbol->function);
    g_free(symbol->inlined);
    g_free(symbol->file);
    g_free(symbol->text);
    *symbol = (RwSymbol){0};
}

// ---- Files ----

static GBytes *read_whole(const Guest *guest, const char *path, size_t max)
{
    GBytes *bytes = guest->read(path, max + 1, guest->data);
    if (bytes && g_bytes_get_size(bytes) <= max)
        return bytes;
    if (bytes)
        g_bytes_unref(bytes);
    return NULL;
}

static char *key_of(const char *path, GBytes *head)
{
    g_autofree char *hash = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, head);
    return g_strconcat(hash, path, NULL);
}

static File *keep(RwSymbols *symbols, char *key, GBytes *bytes)
{
    File *file = g_new0(File, 1);
    file->bytes = bytes;
    if (symbols->kept > KEPT_MAX) {
        g_hash_table_remove_all(symbols->files);
        symbols->kept = 0;
    }
    symbols->kept += g_bytes_get_size(bytes);
    g_hash_table_insert(symbols->files, key, file);
    return file;
}

// NULL: there is none, or it is too large. Good until the next call.
static File *get_file(const Guest *guest, const char *path, size_t max)
{
    g_autoptr(GBytes) head = guest->read(path, HEAD, guest->data);
    if (!head)
        return NULL;
    g_autofree char *key = key_of(path, head);
    File *file = g_hash_table_lookup(guest->symbols->files, key);
    if (file)
        return file;
    GBytes *bytes = read_whole(guest, path, max);
    return bytes ? keep(guest->symbols, g_steal_pointer(&key), bytes) : NULL;
}

// Debug information by build id, where distributions put it.
static GBytes *read_by_build_id(const Guest *guest, const char *build_id, char **ret_path)
{
    if (!build_id)
        return NULL;
    *ret_path = g_strdup_printf("/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
    return read_whole(guest, *ret_path, OBJECT_MAX);
}

typedef struct {
    const Guest *guest;
    const char *path; // of the file that names an alternative
} Namer;

static GBytes *find_alternative(const char *name, const char *build_id, void *data)
{
    const Namer *namer = data;
    g_autofree char *folder = g_path_get_dirname(namer->path), *by_id = NULL;
    GBytes *bytes = read_by_build_id(namer->guest, build_id, &by_id);
    if (bytes)
        return bytes;
    g_autofree char *path = g_canonicalize_filename(name, folder);
    return read_whole(namer->guest, path, OBJECT_MAX);
}

static RwLines *open_lines(const Guest *guest, GBytes *bytes, const char *path)
{
    return rw_lines_new(bytes, find_alternative, &(Namer){guest, path});
}

static void look_for_debug(const Guest *guest, File *file, const char *path)
{
    g_autofree char *debug_path = NULL;
    g_autoptr(GBytes) debug = NULL;
    file->looked = true;
    file->lines = open_lines(guest, file->bytes, path);
    if (!file->lines || !file->object->has_all_names)
        debug = read_by_build_id(guest, file->object->build_id, &debug_path);
    if (!debug)
        return;
    guest->symbols->kept += g_bytes_get_size(debug);
    file->debug = rw_object_new(debug);
    if (!file->lines)
        file->lines = open_lines(guest, debug, debug_path);
}

static File *get_object(const Guest *guest, const char *path)
{
    File *file = get_file(guest, path, OBJECT_MAX);
    if (!file)
        return NULL;
    if (!file->object)
        file->object = rw_object_new(file->bytes);
    if (file->object && !file->looked)
        look_for_debug(guest, file, path);
    return file->object ? file : NULL;
}

const RwObject *rw_symbols_get_object(const RwSymbolsGuest *guest, const char *path)
{
    File *file = get_file(guest, path, OBJECT_MAX);
    if (file && !file->object)
        file->object = rw_object_new(file->bytes);
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
    g_autofree char *valid = g_utf8_make_valid(g_strstrip(bytes), -1);
    return g_utf8_substring(valid, 0, MIN(g_utf8_strlen(valid, -1), TEXT_MAX));
}

static void find_line(const Guest *guest, const File *file, uint64_t address, RwSymbol *ret)
{
    if (!file->lines || !rw_lines_find(file->lines, address, &ret->file, &ret->line))
        return;
    ret->inlined = rw_lines_dup_inlined(file->lines, address);
    File *source = ret->file[0] == '/' ? get_file(guest, ret->file, SOURCE_MAX) : NULL;
    if (source)
        ret->text = text_of(source->bytes, ret->line);
}

void rw_symbols_find(RwSymbols *symbols, const char *maps, uint64_t va, RwSymbolsRead read, void *data,
                     RwSymbol *ret)
{
    Guest guest = {symbols, read, data};
    RwMapping mapping;
    uint64_t address;
    *ret = (RwSymbol){0};
    if (!rw_maps_find(maps, va, &mapping))
        return;
    File *file = mapping.is_file ? get_object(&guest, mapping.path) : NULL;
    if (file && rw_object_address(file->object, &mapping, &address)) {
        find_name(file, address, ret);
        find_line(&guest, file, address, ret);
    }
    ret->offset = mapping.offset;
    ret->path = mapping.path ? g_utf8_make_valid(mapping.path, -1) : NULL;
    g_free(mapping.path);
}
