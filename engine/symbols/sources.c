// SPDX-License-Identifier: MIT
#include "symbols-private.h"

typedef struct {
    GHashTable *paths;
    size_t max;
} Sources;

static bool take_source(const char *path, void *data)
{
    Sources *sources = data;
    if (path[0] == '/')
        g_hash_table_add(sources->paths, g_strdup(path));
    return g_hash_table_size(sources->paths) < sources->max;
}

static GBytes *find_none(const char *path, const char *build_id, void *data)
{
    return NULL;
}

GPtrArray *rw_symbols_sources(GBytes *object, size_t max)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    RwLines *lines = rw_lines_new(object, find_none, NULL);
    Sources sources = {g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL), max};
    GHashTableIter iter;
    gpointer path;
    if (lines && max)
        rw_lines_each_source(lines, take_source, &sources);
    g_hash_table_iter_init(&iter, sources.paths);
    while (g_hash_table_iter_next(&iter, &path, NULL))
        g_ptr_array_add(out, g_strdup(path));
    g_hash_table_unref(sources.paths);
    rw_lines_free(lines);
    return out;
}
