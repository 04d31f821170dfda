// SPDX-License-Identifier: MIT
#include "inspect-private.h"

#define ENTRIES_MAX (4u << 20)

static bool bad_entry(GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_GUEST, "the guest's answer has an entry that makes no sense");
    return false;
}

bool rw_inspect_list_add(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    RwInspectList *list = data;
    if (type != REWIND_AGENT_ENTRY)
        return true;
    list->bytes += length;
    if (list->bytes > RW_LIST_BYTES_MAX || list->entries->len >= ENTRIES_MAX) {
        g_set_error(error, RW_ERROR, RW_ERROR_GUEST,
                    "the guest's answer is too long: more than %u entries or %u MiB", ENTRIES_MAX,
                    RW_LIST_BYTES_MAX >> 20);
        return false;
    }
    RwInspectEntry *entry = rw_inspect_entry_parse(payload, length);
    if (!entry)
        return bad_entry(error);
    g_ptr_array_add(list->entries, entry);
    return true;
}

static bool add_child(unsigned type, const uint8_t *payload, size_t length, void *data, GError **error)
{
    const RwInspectList *list = data;
    guint before = list->entries->len;
    if (!rw_inspect_list_add(type, payload, length, data, error))
        return false;
    const RwInspectEntry *entry = list->entries->len > before ? list->entries->pdata[before] : NULL;
    return !entry || !strchr(entry->name, '/') || bad_entry(error);
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    const RwInspectEntry *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

static GPtrArray *ask(RwMachine *machine, unsigned op, const RwInspectPath *path, RwFrameFunc frame,
                      GCancellable *cancellable, GError **error)
{
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)rw_inspect_entry_free);
    RwInspectList list = {.entries = entries};
    if (!rw_inspect_ask(machine, &(RwQuestion){op, path, 0}, frame, &list, cancellable, error))
        return NULL;
    return g_steal_pointer(&entries);
}

GPtrArray *rw_inspect_list(RwMachine *machine, const RwInspectPath *path, GCancellable *cancellable,
                           GError **error)
{
    GPtrArray *entries = ask(machine, REWIND_AGENT_LIST, path, add_child, cancellable, error);
    if (entries)
        g_ptr_array_sort(entries, by_name);
    return entries;
}

RwInspectEntry *rw_inspect_stat(RwMachine *machine, const RwInspectPath *path, GCancellable *cancellable,
                                GError **error)
{
    g_autoptr(GPtrArray) entries =
        ask(machine, REWIND_AGENT_STAT, path, rw_inspect_list_add, cancellable, error);
    if (!entries)
        return NULL;
    if (entries->len == 1)
        return g_ptr_array_steal_index(entries, 0);
    bad_entry(error);
    return NULL;
}
