// SPDX-License-Identifier: MIT
//
// Where addresses of a process are, from /proc/PID/maps and the files that it names.
#include "inspect-private.h"

#include <stdio.h>
#include <string.h>

#define MAPS_MAX (16u << 20)
#define VDSO_MAX (64u << 10)
#define HEAD 4096u // bytes that tell one version of a file from another: size and build id are there

typedef struct {
    GByteArray *bytes;
    size_t max;
} Head;

static bool add_bytes(const uint8_t *bytes, size_t length, void *data, GError **error)
{
    const Head *head = data;
    rw_put_bytes(head->bytes, bytes, MIN(length, head->max - head->bytes->len));
    if (head->bytes->len < head->max)
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_FULL, "no more is wanted");
    return false;
}

static GBytes *read_head(const RwInspectLook *look, uint32_t pid, const char *path, size_t max)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Head head = {bytes, max};
    RwInspectPath what = {path, pid};
    if (!rw_inspect_cat(look->machine, &what, add_bytes, &head, look->cancellable, &error) &&
        !g_error_matches(error, RW_ERROR, RW_ERROR_FULL))
        return NULL;
    return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

// From the process's memory.
static GBytes *read_vdso(const RwInspectLook *look, size_t max)
{
    const char *name = look->maps ? strstr(look->maps, RW_SYMBOLS_VDSO) : NULL, *line = name;
    uint64_t start, end;
    while (line && line > look->maps && line[-1] != '\n')
        line--;
    if (!line || sscanf(line, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x ", &start, &end) != 2 ||
        start >= end || end - start > VDSO_MAX)
        return NULL;
    size_t length = MIN(max, end - start);
    uint8_t *bytes = g_malloc0(length);
    size_t done = look->memory.read(start, bytes, length, look->memory.data);
    return g_bytes_new_take(bytes, done);
}

// Paths in maps are from the job's root, or from the process's where it is in file systems of its own.
static GBytes *read_file(const char *path, size_t max, void *data)
{
    const RwInspectLook *look = data;
    if (!strcmp(path, RW_SYMBOLS_VDSO))
        return read_vdso(look, max);
    GBytes *bytes = read_head(look, 0, path, max);
    return bytes ? bytes : read_head(look, look->pid, path, max);
}

// NULL: by its entry it cannot be told, or there is none.
static char *dup_entry_version(const RwInspectLook *look, uint32_t pid, const char *path)
{
    g_autoptr(RwInspectEntry) entry =
        rw_inspect_stat(look->machine, &(RwInspectPath){path, pid}, look->cancellable, NULL);
    if (!entry || rw_inspect_entry_type(entry) != '-')
        return NULL;
    return g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT ".%09u ",
                           entry->inode, entry->size, entry->mtime, entry->mtime_ns);
}

// A link, or one of /proc.
static char *dup_head_version(const RwInspectLook *look, const char *path)
{
    g_autoptr(GBytes) head = read_file(path, HEAD, (void *)look);
    return head ? g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, head) : NULL;
}

// The agent reads a file to its end, however little is wanted: only what must be is read.
static char *make_version(const RwInspectLook *look, const char *path)
{
    if (!strcmp(path, RW_SYMBOLS_VDSO))
        return g_strdup(path);
    char *version = dup_entry_version(look, 0, path);
    if (!version && look->pid)
        version = dup_entry_version(look, look->pid, path);
    return version ? version : dup_head_version(look, path);
}

static char *dup_version(const char *path, void *data)
{
    const RwInspectLook *look = data;
    const char *known = g_hash_table_lookup(look->versions, path);
    if (!known) {
        char *made = make_version(look, path);
        known = made ? made : g_strdup("");
        g_hash_table_insert(look->versions, g_strdup(path), (char *)known);
    }
    return *known ? g_strdup(known) : NULL;
}

RwSymbolsFiles rw_inspect_look_files(const RwInspectLook *look)
{
    return (RwSymbolsFiles){dup_version, read_file, (void *)look};
}

RwInspectLook rw_inspect_look_new(RwMachine *machine, uint32_t pid, GCancellable *cancellable)
{
    return (RwInspectLook){
        .machine = machine,
        .pid = pid,
        .cancellable = cancellable,
        .versions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
}

void rw_inspect_look_clear(RwInspectLook *look)
{
    g_clear_pointer(&look->versions, g_hash_table_unref);
}

char *rw_inspect_look_dup_maps(const RwInspectLook *look, GError **error)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/maps", look->pid);
    g_autoptr(GBytes) maps =
        rw_inspect_read(look->machine, &(RwInspectPath){.path = path}, MAPS_MAX, look->cancellable, error);
    size_t length;
    const char *bytes = maps ? g_bytes_get_data(maps, &length) : NULL;
    return maps ? g_strndup(bytes ? bytes : "", length) : NULL; // one that ends has none
}

static void find_all(RwInspectLook *look, RwSymbols *symbols, const char *maps,
                     const RwInspectAddresses *addresses, RwSymbol *ret_symbols)
{
    RwSymbolsFiles files = rw_inspect_look_files(look);
    for (size_t i = 0; i < addresses->n && rw_check_cancelled(look->cancellable, NULL); i++)
        rw_symbols_find(symbols, maps, addresses->addresses[i], &files, &ret_symbols[i]);
}

bool rw_inspect_where(RwMachine *machine, RwSymbols *symbols, const RwInspectAddresses *addresses,
                      RwSymbol *ret_symbols, GCancellable *cancellable, GError **error)
{
    g_auto(RwInspectLook) look = rw_inspect_look_new(machine, addresses->pid, cancellable);
    memset(ret_symbols, 0, addresses->n * sizeof *ret_symbols);
    g_autofree char *maps = rw_inspect_look_dup_maps(&look, error);
    if (!maps)
        return false;
    find_all(&look, symbols, maps, addresses, ret_symbols);
    return rw_check_cancelled(cancellable, error);
}
