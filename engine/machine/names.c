// SPDX-License-Identifier: MIT
// The programs of the job's processes, by pid. A guest may be made to exec without end, so there is a
// budget: past it processes have no names, and in the end are none of the job's. All of it is a function of
// the records.
#include "rw-machine-private.h"

#include <string.h>

#define NAMES_MAX (1u << 17) // processes: Linux's pid_max is 32768 where nobody raises it
#define NAMES_BYTES                                                                                        \
    (8u << 20) // of paths: with all that is around it a keyframe's state stays below its limit
#define NAME_MAX_BYTES 4096u // PATH_MAX

static size_t bytes_of(const char *name)
{
    return name ? strlen(name) : 0;
}

void rw_names_init(RwNames *names)
{
    *names = (RwNames){.table = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
}

void rw_names_clear(RwNames *names)
{
    g_clear_pointer(&names->table, g_hash_table_unref);
}

const char *rw_names_get(const RwNames *names, uint32_t pid)
{
    return g_hash_table_lookup(names->table, GUINT_TO_POINTER(pid));
}

void rw_names_set(RwNames *names, uint32_t pid, const char *name, size_t length)
{
    const char *old = rw_names_get(names, pid);
    if (!old && g_hash_table_size(names->table) >= NAMES_MAX)
        return;
    names->bytes -= bytes_of(old);
    char *own = g_strndup(name, MIN(length, NAME_MAX_BYTES));
    if (names->bytes + strlen(own) > NAMES_BYTES)
        *own = '\0';
    names->bytes += strlen(own);
    g_hash_table_insert(names->table, GUINT_TO_POINTER(pid), own);
}

void rw_names_drop(RwNames *names, uint32_t pid)
{
    names->bytes -= bytes_of(rw_names_get(names, pid));
    g_hash_table_remove(names->table, GUINT_TO_POINTER(pid));
}

void rw_names_copy(RwNames *to, const RwNames *from)
{
    GHashTableIter iter;
    gpointer pid, name;
    g_hash_table_remove_all(to->table);
    g_hash_table_iter_init(&iter, from->table);
    while (g_hash_table_iter_next(&iter, &pid, &name))
        g_hash_table_insert(to->table, pid, g_strdup(name));
    to->bytes = from->bytes;
}
