// SPDX-License-Identifier: MIT
//
// What the dead left in the store: interrupted recordings, removals that were not finished, temporary
// files.
#include "rw-store-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    RwStore *store;
    bool dry_run;
    RwGone gone;
    void *data;
} Sweep;

// A file with other names, as a trace that forks go on from, would stay.
uint64_t rw_tree_bytes(const char *path)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return 0;
    if (!S_ISDIR(st.st_mode))
        return st.st_nlink > 1 ? 0 : (uint64_t)st.st_size;
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    uint64_t bytes = 0;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *child = g_build_filename(path, name, NULL);
        bytes += rw_tree_bytes(child);
    }
    return bytes;
}

static bool sweep_gone(const Sweep *sweep, const char *path, const char *name, GError **error)
{
    uint64_t bytes = rw_tree_bytes(path);
    if (!sweep->dry_run && !rw_remove_tree(path, error))
        return false;
    sweep->gone("remains", name, bytes, sweep->data);
    return true;
}

// One whose recorder lives is left alone.
static bool sweep_part(const Sweep *sweep, const char *path, const char *name, GError **error)
{
    uint64_t bytes = rw_tree_bytes(path);
    if (rw_run_is_locked(path))
        return true;
    if (!sweep->dry_run && !rw_store_discard(sweep->store, path, error))
        return false;
    sweep->gone("interrupted run", name, bytes, sweep->data);
    return true;
}

// "<name>.XXXXXX" is what writing <name> whole or not at all goes through.
static bool is_temporary(const char *name)
{
    static const char *const written[] = {"manifest.json.", "bookmarks.json.", "sides.json.", "tried.json.",
                                          "twin.json."};
    for (size_t i = 0; i < G_N_ELEMENTS(written); i++)
        if (g_str_has_prefix(name, written[i]) && strlen(name) == strlen(written[i]) + 6)
            return true;
    return false;
}

static bool sweep_run(const Sweep *sweep, const char *path, GError **error)
{
    g_autoptr(GPtrArray) names = rw_dir_names(path, error);
    for (guint i = 0; names && i < names->len; i++) {
        const char *name = names->pdata[i];
        g_autofree char *file = g_build_filename(path, name, NULL);
        if (is_temporary(name) && !sweep_gone(sweep, file, name, error))
            return false;
    }
    return names != NULL;
}

static bool sweep_one(const Sweep *sweep, const char *name, GError **error)
{
    char id[RW_ID_LENGTH + 1];
    const char *suffix;
    g_autofree char *path = g_build_filename(sweep->store->runs, name, NULL);
    if (g_str_has_prefix(name, ".gone-"))
        return sweep_gone(sweep, path, name, error);
    if (!rw_run_name_parse(name, id, &suffix))
        return true;
    return g_str_has_prefix(suffix, ".part-") ? sweep_part(sweep, path, name, error)
                                              : sweep_run(sweep, path, error);
}

bool rw_store_remove_remains(RwStore *store, bool dry_run, RwGone gone, void *data, GError **error)
{
    Sweep sweep = {store, dry_run, gone, data};
    int names = rw_store_lock_names(store, error);
    if (names < 0)
        return false;
    g_autoptr(GPtrArray) runs = rw_dir_names(store->runs, error);
    bool ok = runs != NULL;
    for (guint i = 0; ok && i < runs->len; i++)
        ok = sweep_one(&sweep, runs->pdata[i], error);
    close(names);
    return ok;
}

int rw_store_use_alone(RwStore *store, GError **error)
{
    g_autoptr(GError) local = NULL;
    int fd = rw_lock_file(store->lock, 0, &local);
    if (fd >= 0)
        return fd;
    if (g_error_matches(local, RW_ERROR, RW_ERROR_BUSY))
        g_set_error(error, RW_ERROR, RW_ERROR_BUSY,
                    "a run is being recorded or imported: try again when it is done");
    else
        g_propagate_error(error, g_steal_pointer(&local));
    return -1;
}
