// SPDX-License-Identifier: MIT
//
// One pass over the names of an image that somebody else made.
#include "reader-private.h"

#include <sys/stat.h>

typedef struct {
    RwImageReader *reader;
    GCancellable *cancellable;
    uint64_t max_entries;
    uint64_t names;
    int64_t newest;
    GHashTable *seen; // nids
    GArray *dirs; // uint64_t: nids still to be listed
    GError *error;
} Survey;

static bool fail(Survey *survey, const char *what)
{
    g_set_error(&survey->error, RW_ERROR, RW_ERROR_INVALID, "%s: damaged erofs image: %s",
                survey->reader->path, what);
    return false;
}

static bool check_inode(Survey *survey, const RwErofsInode *inode)
{
    if (inode->layout == 1 || inode->layout == 3) {
        g_set_error(&survey->error, RW_ERROR, RW_ERROR_UNSUPPORTED,
                    "%s: a file in it is compressed; make the image without -z", survey->reader->path);
        return false;
    }
    g_autofree char *target = NULL;
    if (S_ISLNK(inode->stat.mode) && !(target = rw_erofs_read_link(survey->reader, inode, &survey->error)))
        return false;
    return true;
}

static bool visit(Survey *survey, uint64_t nid)
{
    RwErofsInode inode;
    bool known = g_hash_table_contains(survey->seen, &nid);
    if (!rw_erofs_read_inode(survey->reader, nid, &inode, &survey->error))
        return false;
    if (known)
        return S_ISDIR(inode.stat.mode) ? fail(survey, "a directory has two names") : true;
    g_hash_table_add(survey->seen, g_memdup2(&nid, sizeof nid));
    survey->newest = MAX(survey->newest, inode.stat.mtime);
    if (S_ISDIR(inode.stat.mode))
        g_array_append_val(survey->dirs, nid);
    return check_inode(survey, &inode);
}

static bool visit_entry(const char *name, size_t len, uint64_t nid, void *data)
{
    Survey *survey = data;
    if (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))
        return true;
    if (++survey->names > survey->max_entries)
        return fail(survey, "too many names");
    return visit(survey, nid);
}

static bool list_all(Survey *survey, GError **error)
{
    while (survey->dirs->len) {
        RwErofsInode inode;
        uint64_t nid = g_array_index(survey->dirs, uint64_t, survey->dirs->len - 1);
        g_array_set_size(survey->dirs, survey->dirs->len - 1);
        if (!rw_check_cancelled(survey->cancellable, error) ||
            !rw_erofs_read_inode(survey->reader, nid, &inode, error) ||
            !rw_erofs_list(survey->reader, &inode, visit_entry, survey, error))
            return false;
        if (survey->error)
            break;
    }
    if (!survey->error)
        return true;
    g_propagate_error(error, g_steal_pointer(&survey->error));
    return false;
}

static bool start(Survey *survey, GError **error)
{
    RwErofsInode root;
    if (!rw_erofs_read_inode(survey->reader, survey->reader->super.root_nid, &root, error))
        return false;
    survey->newest = root.stat.mtime;
    if (!S_ISDIR(root.stat.mode))
        fail(survey, "its root is not a directory");
    else
        visit(survey, root.stat.nid);
    return list_all(survey, error);
}

bool rw_erofs_survey(RwImageReader *reader, uint64_t max_entries, GCancellable *cancellable,
                     uint64_t *ret_entries, int64_t *ret_newest, GError **error)
{
    Survey survey = {.reader = reader, .cancellable = cancellable, .max_entries = max_entries};
    survey.seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    survey.dirs = g_array_new(false, false, sizeof(uint64_t));
    bool ok = start(&survey, error);
    *ret_entries = g_hash_table_size(survey.seen);
    *ret_newest = survey.newest;
    g_hash_table_unref(survey.seen);
    g_array_unref(survey.dirs);
    g_clear_error(&survey.error);
    return ok;
}
