// SPDX-License-Identifier: MIT
//
// Debug information in files of its own: where the guest has them, then elsewhere.
#include "symbols-private.h"

#include <string.h>
#include <zlib.h>

// Where distributions put it; "xx/yyyy.debug" below it.
#define BUILD_IDS "/usr/lib/debug/.build-id"

GBytes *rw_symbols_check_build_id(GBytes *bytes, const char *build_id)
{
    g_autofree char *own = bytes ? rw_object_dup_build_id(bytes) : NULL;
    if (own && !strcmp(own, build_id))
        return bytes;
    g_clear_pointer(&bytes, g_bytes_unref);
    return NULL;
}

static GBytes *read_by_build_id(const RwSymbolsGuest *guest, const char *build_id, char **ret_path)
{
    if (!build_id)
        return NULL;
    *ret_path = g_strdup_printf(BUILD_IDS "/%.2s/%s.debug", build_id, build_id + 2);
    return rw_symbols_check_build_id(rw_symbols_read_whole(guest, *ret_path, RW_OBJECT_MAX), build_id);
}

// By the name that the file has for it: beside it, or below /usr/lib/debug. Of another program's debug
// information the checksum differs.
static GBytes *read_by_name(const RwSymbolsGuest *guest, const RwObject *object, const char *path,
                            char **ret_path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    static const char *const before[] = {"", "", "/usr/lib/debug"}, *const within[] = {"", "/.debug", ""};
    for (size_t i = 0; object->debug_name && i < G_N_ELEMENTS(before); i++) {
        g_autofree char *name = g_strconcat(before[i], folder, within[i], "/", object->debug_name, NULL);
        g_autoptr(GBytes) bytes = rw_symbols_read_whole(guest, name, RW_OBJECT_MAX);
        size_t size = 0;
        const void *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
        if (!data || crc32_z(0, data, size) != object->debug_crc)
            continue;
        *ret_path = g_steal_pointer(&name);
        return g_steal_pointer(&bytes);
    }
    return NULL;
}

static GBytes *find_elsewhere(const RwSymbolsGuest *guest, const char *build_id, const char *shared)
{
    const RwSymbolsElsewhere *elsewhere = rw_symbols_get_elsewhere(guest->symbols);
    return elsewhere && build_id ? elsewhere->find(build_id, shared, elsewhere->data) : NULL;
}

typedef struct {
    const RwSymbolsGuest *guest;
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
    bytes = rw_symbols_read_whole(namer->guest, path, RW_OBJECT_MAX);
    return bytes ? bytes : find_elsewhere(namer->guest, build_id, path);
}

static RwLines *open_lines(const RwSymbolsGuest *guest, GBytes *bytes, const char *path)
{
    return rw_lines_new(bytes, find_alternative, &(Namer){guest, path});
}

static void take(const RwSymbolsGuest *guest, GBytes *taken, const char *path, RwDebug *debug)
{
    g_autoptr(GBytes) bytes = taken;
    if (bytes && !debug->object)
        debug->object = rw_object_new(bytes);
    if (bytes && !debug->lines)
        debug->lines = open_lines(guest, bytes, path);
}

void rw_debug_find(const RwSymbolsGuest *guest, const RwObject *object, const char *path, RwDebug *ret)
{
    g_autofree char *by_id = NULL, *by_name = NULL;
    *ret = (RwDebug){NULL, open_lines(guest, object->bytes, path)};
    if (ret->lines && object->has_all_names)
        return;
    take(guest, read_by_build_id(guest, object->build_id, &by_id), by_id, ret);
    if (!ret->object || !ret->lines)
        take(guest, read_by_name(guest, object, path, &by_name), by_name, ret);
    // For names alone nobody else is asked, and nobody has what is the guest kernel's own.
    if (!ret->lines && strcmp(path, RW_SYMBOLS_VDSO))
        take(guest, find_elsewhere(guest, object->build_id, NULL), by_id, ret);
}
