// SPDX-License-Identifier: MIT
//
// Paths in an image.
#include "reader-private.h"

#include "tree-private.h"

#include <sys/stat.h>

#define LINKS_MAX 40 // as Linux's MAXSYMLINKS
#define PATH_MAX_HERE 65536 // bytes of a path with its links put in

// ---- One name ----

typedef struct {
    const char *name;
    size_t len;
    uint64_t nid;
    bool found;
} Search;

static bool compare_entry(const char *name, size_t len, uint64_t nid, void *data)
{
    Search *search = data;
    search->found = len == search->len && memcmp(name, search->name, len) == 0;
    if (search->found)
        search->nid = nid;
    return !search->found;
}

// ---- Walking a path: what is left of it is a string, into which links are put ----

typedef struct {
    RwImageReader *reader;
    GArray *dirs; // RwErofsInode: the directories from the root to here
    GString *left;
    int links;
    const char *path; // for messages
} Walk;

static bool not_found(const char *path, GError **error)
{
    g_autofree char *shown = rw_display_name(path);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: not in the root", shown);
    return false;
}

static RwErofsInode *current(Walk *walk)
{
    return &g_array_index(walk->dirs, RwErofsInode, walk->dirs->len - 1);
}

// The next part of what is left; false at the end.
static bool take_part(Walk *walk, char **ret_part)
{
    size_t skip = strspn(walk->left->str, "/"), len = strcspn(walk->left->str + skip, "/");
    *ret_part = len ? g_strndup(walk->left->str + skip, len) : NULL;
    g_string_erase(walk->left, 0, (gssize)(skip + len));
    return len != 0;
}

static bool put_link(Walk *walk, const RwErofsInode *link, GError **error)
{
    g_autofree char *target = rw_erofs_read_link(walk->reader, link, error);
    if (!target)
        return false;
    if (++walk->links > LINKS_MAX || walk->left->len > PATH_MAX_HERE) {
        g_autofree char *shown = rw_display_name(walk->path);
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: its symbolic links have no end", shown);
        return false;
    }
    g_string_prepend_c(walk->left, '/');
    g_string_prepend(walk->left, target);
    if (*target == '/')
        g_array_set_size(walk->dirs, 1);
    return true;
}

static bool find_in(Walk *walk, const char *name, RwErofsInode *ret_inode, GError **error)
{
    Search search = {.name = name, .len = strlen(name)};
    if (!rw_erofs_list(walk->reader, current(walk), compare_entry, &search, error))
        return false;
    if (!search.found)
        return not_found(walk->path, error);
    return rw_erofs_read_inode(walk->reader, search.nid, ret_inode, error);
}

// Goes one part on. What is found becomes the last of `dirs`, whatever its type.
static bool step(Walk *walk, const char *part, GError **error)
{
    RwErofsInode inode;
    if (!S_ISDIR(current(walk)->stat.mode))
        return not_found(walk->path, error);
    if (strcmp(part, ".") == 0)
        return true;
    if (strcmp(part, "..") == 0) {
        if (walk->dirs->len > 1)
            g_array_set_size(walk->dirs, walk->dirs->len - 1);
        return true;
    }
    if (!find_in(walk, part, &inode, error))
        return false;
    if (S_ISLNK(inode.stat.mode))
        return put_link(walk, &inode, error);
    g_array_append_val(walk->dirs, inode);
    return true;
}

static bool run_walk(Walk *walk, GError **error)
{
    RwErofsInode root;
    if (!rw_erofs_read_inode(walk->reader, walk->reader->super.root_nid, &root, error))
        return false;
    g_array_append_val(walk->dirs, root);
    for (;;) {
        g_autofree char *part = NULL;
        if (!take_part(walk, &part))
            break;
        if (!step(walk, part, error))
            return false;
    }
    size_t len = strlen(walk->path);
    if (len && walk->path[len - 1] == '/' && !S_ISDIR(current(walk)->stat.mode))
        return not_found(walk->path, error);
    return true;
}

static bool find(RwImageReader *reader, const char *path, RwErofsInode *ret_inode, GError **error)
{
    Walk walk = {.reader = reader, .path = path};
    walk.dirs = g_array_new(false, false, sizeof(RwErofsInode));
    walk.left = g_string_new(path);
    bool ok = run_walk(&walk, error);
    if (ok)
        *ret_inode = *current(&walk);
    g_array_unref(walk.dirs);
    g_string_free(walk.left, true);
    return ok;
}

// ---- Interface ----

bool rw_image_lookup(RwImageReader *reader, const char *path, RwImageStat *ret_stat, GError **error)
{
    RwErofsInode inode;
    if (!find(reader, path, &inode, error))
        return false;
    *ret_stat = inode.stat;
    return true;
}

static bool is_program(RwImageReader *reader, const char *path, GError **error)
{
    RwImageStat st;
    if (!rw_image_lookup(reader, path, &st, error))
        return false;
    if (S_ISREG(st.mode) && st.mode & 0111)
        return true;
    g_autofree char *shown = rw_display_name(path);
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_EXECUTABLE, "%s: %s", shown,
                S_ISDIR(st.mode) ? "a directory" : "not executable");
    return false;
}

static char *dup_joined(const char *dir, const char *name)
{
    return *name == '/' ? g_strdup(name) : g_build_filename("/", dir, name, NULL);
}

char *rw_image_dup_program(RwImageReader *reader, const char *command, const char *search_path,
                           const char *cwd, GError **error)
{
    if (strchr(command, '/')) {
        g_autofree char *path = dup_joined(cwd, command);
        return is_program(reader, path, error) ? g_steal_pointer(&path) : NULL;
    }
    g_autoptr(GError) first = NULL;
    // An empty part of PATH is the working directory; g_strsplit makes no part of an empty string.
    g_auto(GStrv) dirs = g_strsplit(*search_path ? search_path : ":", ":", -1);
    for (guint i = 0; *command && dirs[i]; i++) {
        g_autoptr(GError) here = NULL;
        g_autofree char *dir = dup_joined(cwd, dirs[i]), *path = g_build_filename(dir, command, NULL);
        if (is_program(reader, path, &here))
            return g_steal_pointer(&path);
        if (!first && !g_error_matches(here, RW_ERROR, RW_ERROR_NOT_FOUND))
            first = g_steal_pointer(&here);
    }
    if (first)
        g_propagate_error(error, g_steal_pointer(&first));
    else
        not_found(command, error);
    return NULL;
}

GBytes *rw_image_read_file(RwImageReader *reader, const char *path, uint64_t max, GError **error)
{
    RwErofsInode inode;
    if (!find(reader, path, &inode, error))
        return NULL;
    if (!S_ISREG(inode.stat.mode) || inode.stat.size > max) {
        g_autofree char *shown = rw_display_name(path);
        g_set_error(error, RW_ERROR, RW_ERROR_INVALID, "%s: %s", shown,
                    S_ISREG(inode.stat.mode) ? "too large" : "not a regular file");
        return NULL;
    }
    size_t len = (size_t)inode.stat.size;
    g_autofree uint8_t *data = g_try_malloc(len + 1);
    if (!data) {
        g_set_error(error, RW_ERROR, RW_ERROR_IO, "not enough memory to read it");
        return NULL;
    }
    if (!rw_erofs_read_data(reader, &inode, 0, data, len, error))
        return NULL;
    return g_bytes_new_take(g_steal_pointer(&data), len);
}
