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
    gboolean dry_run;
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

static gboolean sweep_gone(const Sweep *sweep, const char *path, const char *name, GError **error)
{
    uint64_t bytes = rw_tree_bytes(path);
    if (!sweep->dry_run && !rw_remove_tree(path, error))
        return FALSE;
    sweep->gone("remains", name, bytes, sweep->data);
    return TRUE;
}

// One whose recorder lives is left alone.
static gboolean sweep_part(const Sweep *sweep, const char *path, const char *name, GError **error)
{
    uint64_t bytes = rw_tree_bytes(path);
    if (rw_run_is_locked(path))
        return TRUE;
    if (!sweep->dry_run && !rw_store_discard(sweep->store, path, error))
        return FALSE;
    sweep->gone("interrupted run", name, bytes, sweep->data);
    return TRUE;
}

// "<name>.XXXXXX" is what writing <name> whole or not at all goes through.
static bool is_temporary(const char *name)
{
    static const char *const written[] = {"manifest.json.", "bookmarks.json."};
    for (size_t i = 0; i < G_N_ELEMENTS(written); i++)
        if (g_str_has_prefix(name, written[i]) && strlen(name) == strlen(written[i]) + 6)
            return true;
    return false;
}

static gboolean sweep_run(const Sweep *sweep, const char *path, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        if (is_temporary(name) && !sweep_gone(sweep, file, name, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean sweep_one(const Sweep *sweep, const char *name, GError **error)
{
    char id[RW_ID_LENGTH + 1];
    const char *suffix;
    g_autofree char *path = g_build_filename(sweep->store->runs, name, NULL);
    if (g_str_has_prefix(name, ".gone-"))
        return sweep_gone(sweep, path, name, error);
    if (!rw_run_name_parse(name, id, &suffix))
        return TRUE;
    return g_str_has_prefix(suffix, ".part-") ? sweep_part(sweep, path, name, error)
                                              : sweep_run(sweep, path, error);
}

gboolean rw_store_remove_remains(RwStore *store, gboolean dry_run, RwGone gone, void *data, GError **error)
{
    Sweep sweep = {store, dry_run, gone, data};
    int names = rw_store_lock_names(store, error);
    if (names < 0)
        return FALSE;
    g_autoptr(GDir) dir = g_dir_open(store->runs, 0, NULL);
    const char *name;
    gboolean ok = TRUE;
    while (ok && dir && (name = g_dir_read_name(dir)))
        ok = sweep_one(&sweep, name, error);
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
