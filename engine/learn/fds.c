// SPDX-License-Identifier: MIT
#include "learn-private.h"

struct _RwFds {
    GHashTable *of; // pid → GHashTable of fd → object + 1
};

RwFds *rw_fds_new(void)
{
    RwFds *fds = g_new0(RwFds, 1);
    fds->of = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_unref);
    return fds;
}

void rw_fds_free(RwFds *fds)
{
    if (!fds)
        return;
    g_hash_table_unref(fds->of);
    g_free(fds);
}

static GHashTable *table_of(const RwFds *fds, uint32_t pid)
{
    return g_hash_table_lookup(fds->of, GUINT_TO_POINTER(pid));
}

guint rw_fds_get(const RwFds *fds, uint32_t pid, int fd)
{
    GHashTable *table = table_of(fds, pid);
    return table ? GPOINTER_TO_UINT(g_hash_table_lookup(table, GINT_TO_POINTER(fd))) : 0;
}

void rw_fds_set(RwFds *fds, uint32_t pid, int fd, guint object)
{
    GHashTable *table = table_of(fds, pid);
    if (!table) {
        table = g_hash_table_new(NULL, NULL);
        g_hash_table_insert(fds->of, GUINT_TO_POINTER(pid), table);
    }
    if (object)
        g_hash_table_insert(table, GINT_TO_POINTER(fd), GUINT_TO_POINTER(object));
    else
        g_hash_table_remove(table, GINT_TO_POINTER(fd));
}

void rw_fds_drop(RwFds *fds, uint32_t pid)
{
    g_hash_table_remove(fds->of, GUINT_TO_POINTER(pid));
}

void rw_fds_fork(RwFds *fds, uint32_t parent, uint32_t child)
{
    GHashTable *from = table_of(fds, parent);
    GHashTableIter iter;
    gpointer fd, object;
    if (!from || parent == child)
        return;
    g_hash_table_remove(fds->of, GUINT_TO_POINTER(child));
    g_hash_table_iter_init(&iter, from);
    GHashTable *to = g_hash_table_new(NULL, NULL);
    while (g_hash_table_iter_next(&iter, &fd, &object))
        g_hash_table_insert(to, fd, object);
    g_hash_table_insert(fds->of, GUINT_TO_POINTER(child), to);
}

// Whether anybody has it open; if so, and `other` is not 0, that is the other one from now on.
static bool visit(RwFds *fds, guint object, guint other)
{
    GHashTableIter tables, entries;
    gpointer table, value;
    bool found = false;
    g_hash_table_iter_init(&tables, fds->of);
    while (g_hash_table_iter_next(&tables, NULL, &table)) {
        g_hash_table_iter_init(&entries, table);
        while (g_hash_table_iter_next(&entries, NULL, &value)) {
            if (GPOINTER_TO_UINT(value) != object)
                continue;
            found = true;
            if (other)
                g_hash_table_iter_replace(&entries, GUINT_TO_POINTER(other));
        }
    }
    return found;
}

bool rw_fds_has(RwFds *fds, guint object)
{
    return visit(fds, object, 0);
}

void rw_fds_rename(RwFds *fds, guint object, guint other)
{
    visit(fds, object, other);
}

void rw_fds_each(const RwFds *fds, uint32_t pid, void (*each)(void *data, guint object), void *data)
{
    GHashTable *table = table_of(fds, pid);
    GHashTableIter iter;
    gpointer object;
    if (!table)
        return;
    g_hash_table_iter_init(&iter, table);
    while (g_hash_table_iter_next(&iter, NULL, &object))
        each(data, GPOINTER_TO_UINT(object));
}
