// SPDX-License-Identifier: MIT
//
// Where addresses of a process and its threads are, from /proc/PID/maps and the files that it names.
#include "inspect-private.h"

#include "rw-caller.h"

#include <string.h>

#define MAPS_MAX (16u << 20)
#define STACK_MAX (64u << 10) // bytes of a thread's that are looked at,
#define STACK_PART 512u // in parts: the last one may be less

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

// Paths in maps are from the job's root, or from the process's where it is in file systems of its own.
static GBytes *read_file(const char *path, size_t max, void *data)
{
    const RwInspectLook *look = data;
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
    return (RwInspectLook){machine, pid, cancellable,
                           g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
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

// ---- A thread ----

// What there is of its stack.
static GByteArray *copy_stack(RwMachine *machine, uint64_t from)
{
    GByteArray *stack = g_byte_array_new();
    uint8_t part[STACK_PART];
    while (stack->len < STACK_MAX && rw_machine_read_user(machine, from + stack->len, part, sizeof part))
        rw_put_bytes(stack, part, sizeof part);
    return stack;
}

static char *dup_program(const RwInspectLook *look)
{
    g_autofree char *path = g_strdup_printf("/proc/%u/exe", look->pid);
    g_autoptr(RwInspectEntry) entry =
        rw_inspect_stat(look->machine, &(RwInspectPath){.path = path}, look->cancellable, NULL);
    return entry && entry->target ? g_utf8_make_valid(entry->target, -1) : NULL;
}

static void find_frames(RwInspectLook *look, RwSymbols *symbols, const char *maps,
                        const RwSymbolsThread *thread, uint64_t at, RwInspectThread *ret)
{
    uint64_t addresses[RW_INSPECT_FRAMES_MAX] = {at};
    RwSymbolsFiles files = rw_inspect_look_files(look);
    ret->n = 1 + rw_symbols_calls(symbols, maps, thread, &files, addresses + 1, RW_INSPECT_FRAMES_MAX - 1);
    find_all(look, symbols, maps, &(RwInspectAddresses){look->pid, addresses, ret->n}, ret->frames);
}

bool rw_inspect_thread(RwMachine *machine, RwMachine *asked, RwSymbols *symbols, uint64_t at,
                       RwInspectThread *ret, GCancellable *cancellable, GError **error)
{
    RwUserRegisters registers;
    *ret = (RwInspectThread){0};
    if (!rw_machine_user_registers(machine, &registers))
        return true;
    ret->pid = registers.pid;
    ret->tid = registers.tid;
    // Once the guest is asked the machine is not its run any more.
    g_autoptr(GByteArray) stack = copy_stack(machine, registers.gpr[4]);
    RwSymbolsThread thread = {
        .ip = registers.ip, .stack = registers.gpr[4], .bytes = stack->data, .size = stack->len};
    memcpy(thread.gpr, registers.gpr, sizeof thread.gpr);
    g_auto(RwInspectLook) look = rw_inspect_look_new(asked, ret->pid, cancellable);
    g_autofree char *maps = rw_inspect_look_dup_maps(&look, error);
    if (!maps)
        return false;
    ret->program = dup_program(&look);
    find_frames(&look, symbols, maps, &thread, at ? at : thread.ip, ret);
    return rw_check_cancelled(cancellable, error);
}

void rw_inspect_thread_clear(RwInspectThread *thread)
{
    for (size_t i = 0; i < thread->n; i++)
        rw_symbol_clear(&thread->frames[i]);
    g_free(thread->program);
    *thread = (RwInspectThread){0};
}
