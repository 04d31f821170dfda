// SPDX-License-Identifier: MIT
//
// Names of files from the root, whatever directory a process is in and by which link it goes. Links are
// known as far as the run tells of them: by those that the job makes or reads, and by what the kernel says
// was opened.
#include "learn-private.h"

#include <string.h>

#define LINKS_FOLLOWED 16u
#define LINKS_MAX 4096u

struct _RwPaths {
    GHashTable *cwds; // pid → name
    GHashTable *links; // name → name that it stands for
};

RwPaths *rw_paths_new(void)
{
    RwPaths *paths = g_new0(RwPaths, 1);
    paths->cwds = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    paths->links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return paths;
}

void rw_paths_free(RwPaths *paths)
{
    if (!paths)
        return;
    g_hash_table_unref(paths->cwds);
    g_hash_table_unref(paths->links);
    g_free(paths);
}

const char *rw_paths_get_cwd(const RwPaths *paths, uint32_t pid)
{
    return g_hash_table_lookup(paths->cwds, GUINT_TO_POINTER(pid));
}

void rw_paths_set_cwd(RwPaths *paths, uint32_t pid, const char *name)
{
    g_hash_table_replace(paths->cwds, GUINT_TO_POINTER(pid), g_strdup(name));
}

void rw_paths_fork(RwPaths *paths, uint32_t parent, uint32_t child)
{
    const char *cwd = rw_paths_get_cwd(paths, parent);
    if (cwd && parent != child)
        rw_paths_set_cwd(paths, child, cwd);
}

// ---- Resolving ----

static void drop_last(GString *name)
{
    const char *slash = strrchr(name->str, '/');
    g_string_truncate(name, slash ? (gsize)(slash - name->str) : 0);
}

static void append(const RwPaths *paths, GString *name, const char *path, guint *followed);

// The last component may be a link.
static void follow(const RwPaths *paths, GString *name, guint *followed)
{
    const char *target = g_hash_table_lookup(paths->links, name->str);
    if (!target || *followed >= LINKS_FOLLOWED)
        return;
    ++*followed;
    if (target[0] == '/')
        g_string_truncate(name, 0);
    else
        drop_last(name);
    append(paths, name, target, followed);
}

static void append(const RwPaths *paths, GString *name, const char *path, guint *followed)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    for (guint i = 0; parts[i]; i++) {
        if (!parts[i][0] || !strcmp(parts[i], "."))
            continue;
        if (!strcmp(parts[i], "..")) {
            drop_last(name);
            continue;
        }
        g_string_append_c(name, '/');
        g_string_append(name, parts[i]);
        follow(paths, name, followed);
    }
}

// Without the slashes at its end, and, where it is not followed, without its last component, which is
// *ret_last.
static char *dup_first(const char *path, bool follow_last, char **ret_last)
{
    g_autofree char *trimmed = g_strdup(path);
    for (size_t n = strlen(trimmed); n > 1 && trimmed[n - 1] == '/'; n--)
        trimmed[n - 1] = 0;
    g_autofree char *last = g_path_get_basename(trimmed);
    if (follow_last || !strcmp(last, ".") || !strcmp(last, "..") || !strcmp(last, "/"))
        return g_steal_pointer(&trimmed);
    *ret_last = g_steal_pointer(&last);
    return g_path_get_dirname(trimmed);
}

char *rw_paths_dup_name(const RwPaths *paths, const char *directory, const char *path, bool follow_last)
{
    guint followed = 0;
    if (path[0] != '/' && !directory)
        return g_strdup(g_str_has_prefix(path, "./") ? path + 2 : path);
    g_autofree char *last = NULL, *first = dup_first(path, follow_last, &last);
    GString *name = g_string_new(NULL);
    if (path[0] != '/')
        append(paths, name, directory, &followed);
    append(paths, name, first, &followed);
    if (last || !name->len)
        g_string_append_c(name, '/');
    if (last)
        g_string_append(name, last);
    return g_string_free(name, false);
}

// ---- Links ----

// Each process has its own there.
static bool is_own_name(const char *name)
{
    return g_str_has_prefix(name, "/proc/") || g_str_has_prefix(name, "/dev/");
}

void rw_paths_add_link(RwPaths *paths, const char *name, const char *target)
{
    if (name[0] == '/' && target[0] && !is_own_name(name) && strcmp(name, target) &&
        g_hash_table_size(paths->links) < LINKS_MAX)
        g_hash_table_replace(paths->links, g_strdup(name), g_strdup(target));
}

void rw_paths_remove_link(RwPaths *paths, const char *name)
{
    g_hash_table_remove(paths->links, name);
}

// As long as both end alike it is a directory before that which is a link.
void rw_paths_add_opened(RwPaths *paths, const char *name, const char *opened)
{
    if (name[0] != '/' || opened[0] != '/' || !strcmp(name, opened) || is_own_name(opened) ||
        g_str_has_suffix(opened, " (deleted)"))
        return;
    g_autoptr(GString) from = g_string_new(name), to = g_string_new(opened);
    for (;;) {
        const char *last = strrchr(from->str, '/'), *other = strrchr(to->str, '/');
        if (last == from->str || other == to->str || strcmp(last, other))
            break;
        drop_last(from);
        drop_last(to);
    }
    rw_paths_add_link(paths, from->str, to->str);
}
