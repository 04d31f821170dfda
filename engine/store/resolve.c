// SPDX-License-Identifier: MIT
#include "rw-store-private.h"

static RwRunEntry *not_found(const char *run, GError **error)
{
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: no such run: `rewind ls` lists those there are",
                run);
    return NULL;
}

static RwRunEntry *resolve_directory(const char *run, GError **error)
{
    g_autofree char *path = g_canonicalize_filename(run, NULL);
    g_autofree char *name = g_path_get_basename(path);
    if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: no such directory", run);
        return NULL;
    }
    g_autofree char *manifest = g_build_filename(path, "manifest.json", NULL);
    if (!g_file_test(manifest, G_FILE_TEST_EXISTS) && !strstr(name, ".part-")) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                    "%s: not a run's directory: no manifest.json in it", run);
        return NULL;
    }
    return rw_run_entry_read(path, name);
}

static RwRunEntry *steal(GPtrArray *runs, guint index)
{
    g_ptr_array_set_free_func(runs, NULL);
    RwRunEntry *found = runs->pdata[index];
    for (guint i = 0; i < runs->len; i++)
        if (i != index)
            rw_run_entry_free(runs->pdata[i]);
    g_ptr_array_set_size(runs, 0);
    return found;
}

// "@" is the newest finished run, "@2" the one before it.
static RwRunEntry *resolve_recent(RwStore *store, const char *run, GError **error)
{
    guint64 n = 1, finished = 0;
    if (run[1] && !g_ascii_string_to_unsigned(run + 1, 10, 1, G_MAXUINT32, &n, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: @ is followed by a number from 1", run);
        return NULL;
    }
    g_autoptr(GPtrArray) runs = rw_store_list_newest(store, n, error);
    for (guint i = 0; runs && i < runs->len; i++) {
        const RwRunEntry *entry = runs->pdata[i];
        if (entry->state == RW_RUN_FINISHED && ++finished == n)
            return steal(runs, i);
    }
    if (!runs)
        return NULL;
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND,
                "%s: the store has %" G_GUINT64_FORMAT " finished runs: record one with `rewind run`", run,
                finished);
    return NULL;
}

// Several directories may be of one id; the finished one is meant, else the newest.
static bool better(const RwRunEntry *a, const RwRunEntry *b)
{
    return a->state == RW_RUN_FINISHED && !strcmp(a->ref, a->id) && strcmp(b->ref, b->id);
}

static RwRunEntry *ambiguous(GPtrArray *runs, const char *run, GError **error)
{
    g_autoptr(GString) list = g_string_new(NULL);
    guint count = 0;
    for (guint i = 0; i < runs->len; i++) {
        const RwRunEntry *entry = runs->pdata[i];
        if (!g_str_has_prefix(entry->ref, run) || (list->len && strstr(list->str, entry->id)))
            continue;
        if (++count <= 4)
            g_string_append_printf(list, "%s%s", list->len ? ", " : "", entry->id);
    }
    if (count > 4)
        g_string_append(list, " …");
    g_set_error(error, RW_ERROR, RW_ERROR_AMBIGUOUS, "%s: ambiguous: it may be %s", run, list->str);
    return NULL;
}

static RwRunEntry *resolve_prefix(GPtrArray *runs, const char *run, GError **error)
{
    guint found = G_MAXUINT;
    for (guint i = 0; i < runs->len; i++) {
        const RwRunEntry *entry = runs->pdata[i];
        if (!g_str_has_prefix(entry->ref, run))
            continue;
        const RwRunEntry *other = found == G_MAXUINT ? NULL : runs->pdata[found];
        if (other && strcmp(entry->id, other->id))
            return ambiguous(runs, run, error);
        if (!other || better(entry, other))
            found = i;
    }
    return found == G_MAXUINT ? not_found(run, error) : steal(runs, found);
}

// The whole name of a run's directory, for which no other run has to be looked at.
static RwRunEntry *resolve_exact(RwStore *store, const char *run)
{
    char id[RW_ID_LENGTH + 1];
    const char *suffix;
    g_autofree char *path = g_build_filename(store->runs, run, NULL);
    return rw_run_name_parse(run, id, &suffix) && g_file_test(path, G_FILE_TEST_IS_DIR)
               ? rw_run_entry_read(path, run)
               : NULL;
}

RwRunEntry *rw_store_resolve(RwStore *store, const char *run, GError **error)
{
    if (!*run)
        return not_found("\"\"", error);
    if (strchr(run, '/') || !strcmp(run, ".") || !strcmp(run, ".."))
        return resolve_directory(run, error);
    RwRunEntry *exact = resolve_exact(store, run);
    if (exact)
        return exact;
    if (*run == '@')
        return resolve_recent(store, run, error);
    g_autoptr(GPtrArray) runs = rw_store_list_for(store, run, error);
    if (!runs)
        return NULL;
    for (guint i = 0; i < runs->len; i++)
        if (!g_strcmp0(((RwRunEntry *)runs->pdata[i])->name, run))
            return steal(runs, i);
    return resolve_prefix(runs, run, error);
}

bool rw_run_entry_check(const RwRunEntry *entry, GError **error)
{
    if (entry->manifest && !entry->problem)
        return true;
    if (entry->problem)
        g_propagate_error(error, g_error_copy(entry->problem));
    else
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "run %s: interrupted before anything was recorded",
                    entry->ref);
    return false;
}
